"""What a scenario is given."""

import dataclasses
from pathlib import Path

import rig
from checks import Checks


class ScriptFailed(Exception):
    """Counted already."""


@dataclasses.dataclass
class Context:
    kernel: str
    work: Path  # a folder for this scenario on this kernel, empty at its begin
    zinspect: Path | None
    checks: Checks

    def machine(self, script: str, **more) -> rig.Machine:
        """A machine with zinspect in it; further boots take another `work`."""
        root = dict(more.pop("root", {}))
        if self.zinspect:
            root.update(rig.zinspect_files(self.zinspect))
        work = more.pop("work", self.work / "boot")
        work.mkdir(parents=True, exist_ok=True)
        return rig.Machine(self.kernel, script, work, root=root, **more)

    def boot(self, machine: rig.Machine, prepare=None) -> rig.Result:
        """Runs to the closing line. A script that failed is a failure, and ends the scenario:
        what it did not get to would only fail after it."""
        result = rig.run(machine, prepare)
        for fault in result.faults:
            print(f"RIG  {self.checks.scenario}: {fault}", flush=True)
        tail = self.tail(result)
        if not self.checks.true("guest script", machine.script, result.status == "0",
                                f"ended with {result.status}: {tail}"):
            raise ScriptFailed
        return result

    @staticmethod
    def tail(result: rig.Result) -> str:
        log = result.out / "guest.log"
        return " | ".join(log.read_text(errors="replace").splitlines()[-5:]) if log.exists() else ""
