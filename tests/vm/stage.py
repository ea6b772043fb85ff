"""What a guest script saved in one stage, as the checks read it."""

import json
import re
from pathlib import Path


class Stage:
    """A folder below out/: reports of zinspect, sysfs as text, what other tools printed."""

    def __init__(self, path: Path):
        self.path = path
        self.name = path.name

    def text(self, name: str) -> str:
        path = self.path / name
        return path.read_text(errors="replace") if path.exists() else ""

    def status(self, name: str) -> int | None:
        """Exit status of the command `saved` under that name, None when it was not run."""
        text = self.text(f"{name}.rc").strip()
        return int(text) if text else None

    def json(self, name: str):
        """The JSON that a command printed, None when it printed none."""
        try:
            return json.loads(self.text(f"{name}.out"))
        except ValueError:
            return None

    def devices(self, name: str) -> dict[str, dict]:
        """Devices of a report by kernel name; empty without a report."""
        report = self.json(name) or {}
        return {device.get("kname"): device for device in report.get("devices", [])}

    def roles(self) -> dict[str, str]:
        """Role -> kernel name; each stage has those that were there when it was saved."""
        return dict(line.split() for line in self.text("roles").splitlines())

    def sysfs(self) -> dict[str, str]:
        """Path below /sys -> value; only files that could be read and are not empty."""
        if not hasattr(self, "_sysfs"):
            self._sysfs = {}
            for line in self.text("sysfs.txt").splitlines():
                # Folders of SCSI devices have colons (2:0:0:0), names of attributes have none.
                if found := re.match(r"/sys/((?:[^/]+/)*?[A-Za-z]\w*):(.*)", line):
                    self._sysfs.setdefault(found.group(1), found.group(2))
        return self._sysfs

    def queues(self) -> dict[str, dict[str, str]]:
        """Kernel name -> attribute of queue/ -> value, as sysfs had it."""
        queues: dict[str, dict[str, str]] = {}
        for path, value in self.sysfs().items():
            found = re.fullmatch(r"block/([^/]+)/queue/([^/]+)", path)
            if found:
                queues.setdefault(found.group(1), {})[found.group(2)] = value
        return queues

    def has_unmap_files(self) -> bool:
        """Whether this kernel shows write_zeroes_unmap_max_bytes (6.17 and later)."""
        return any("write_zeroes_unmap_max_bytes" in queue for queue in self.queues().values())


def pick(value, path: str):
    """Where a dotted path leads; KeyError says what there is instead."""
    here = value
    for part in path.split("."):
        if here is None and value is not None:
            return None  # a part that is null as a whole: its fields are null
        if not isinstance(here, dict) or part not in here:
            there = sorted(here) if isinstance(here, dict) else here
            raise KeyError(f"no {path}: {there!r}")
        here = here[part]
    return here
