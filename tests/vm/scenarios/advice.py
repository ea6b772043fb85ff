"""What doctor advises is done, and the state that it was advised for is gone."""

from context import Context
from stage import Stage

TITLE = "doctor: a command that it advises mends what it was advised for"
KERNELS = ["7.3"]
NEEDS_ZINSPECT = True

# State -> the lint that must name it, and file of the device -> what it must say once the advice was followed.
STATES = {
    "user": ("user-limit", {"unmap": "33553920"}),
    "mode": ("scsi-zeroing-mode-differs", {"mode": "writesame_16_unmap"}),
    "blocks-0": ("scsi-max-write-same-written", {"wz": "33553920"}),
    "blocks-more": ("scsi-max-write-same-written", {"wz": "33553920"}),
    "refused": ("runtime-disabled", {"wz": "33553920", "hw": "33553920", "unmap": "33553920"}),
    "mapped": ("user-limit", {"unmap": "33553920"}),
}


def run(context: Context):
    result = context.boot(context.machine("advice.sh"))
    stage = Stage(result.out / "advice")
    checks = context.checks
    for state, (lint, expected) in STATES.items():
        checks.true(state, "named", f": {lint}" in stage.text(f"{state}-before.out"),
                    stage.text(f"{state}-before.out"))
        checks.true(state, "advice is a command", stage.text(f"{state}-command").startswith("echo "),
                    stage.text(f"{state}-before.out"))
        checks.equal(state, "it can be done", "0", stage.text(f"{state}-done").strip())
        files = dict(line.split() for line in stage.text(f"{state}-after").splitlines())
        for name, value in expected.items():
            checks.equal(state, name, value, files.get(name))
        checks.true(state, "gone", f": {lint}" not in stage.text(f"{state}-again.out"),
                    stage.text(f"{state}-again.out"))
