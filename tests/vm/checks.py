"""Counts checks and keeps what failed: check, subject (a device mostly), expected, got."""

import contextlib


class Checks:
    def __init__(self, scenario: str, kernel: str):
        self.scenario = f"{scenario} {kernel}"
        self.passed = 0
        self.failed: list[str] = []
        self.skipped: list[str] = []
        self.stage = ""

    @contextlib.contextmanager
    def within(self, stage: str):
        """Failures inside name the stage too."""
        outer, self.stage = self.stage, f"{stage} "
        yield
        self.stage = outer

    def equal(self, check: str, subject: str, expected, got) -> bool:
        # 1 and True are equal in Python, and are not the same answer in a report.
        same = expected == got and isinstance(expected, bool) == isinstance(got, bool)
        return self._count(same, check, subject, f"expected {expected!r}, got {got!r}")

    def true(self, check: str, subject: str, condition, otherwise: str) -> bool:
        return self._count(bool(condition), check, subject, otherwise)

    def skip(self, check: str, subject: str, why: str):
        self.skipped.append(f"SKIP {self.scenario}: {self.stage}{check}: {subject}: {why}")

    def _count(self, good: bool, check: str, subject: str, text: str) -> bool:
        if good:
            self.passed += 1
        else:
            self.failed.append(f"FAIL {self.scenario}: {self.stage}{check}: {subject}: {text}")
        return good
