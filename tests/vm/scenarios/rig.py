"""The rig itself: killing a machine, booting again with its disks, faults that are reported."""

import dataclasses

import disks
import rig
from cache import RigError
from context import Context

TITLE = "the rig itself: kill, boot again, a failing script, a boot without closing line"
KERNELS = ["6.1", "7.3"]
NEEDS_ZINSPECT = False
DEFAULT = False  # needed by who works on the rig


def run(context: Context):
    checks = context.checks
    disk = disks.Disk(context.work / "disk.img", 16 << 20)
    disk.create()
    tool = context.work / "brought"
    tool.write_text("#!/bin/sh\necho brought\n")
    tool.chmod(0o755)
    machine = context.machine("rig.sh", devices=disks.virtio_blk(disk, "virtio-blk"),
                              root={"/bin/brought": tool}, timeout=300)

    machine.settings = {"part": "write"}
    with rig.Vm(machine) as vm:
        checks.true("wait", "line of the script", vm.wait_for("rig: half done", 300), "never came")
        checks.equal("monitor", "query-status", "running", vm.monitor("query-status")["status"])
        vm.kill()
        checks.equal("kill", "closing line", None, vm.wait_closing(10))
    checks.true("allocated", "disk", 0 < disk.allocated() < disk.size, f"{disk.allocated()}")

    machine.settings = {"part": "read"}
    out = context.boot(machine).out
    checks.equal("second boot", "disk", "written before the kill\n", (out / "found").read_text())
    checks.equal("brought along", "program", "brought\n", (out / "brought").read_text())

    machine.settings = {"part": "fail"}
    result = rig.run(machine)
    checks.equal("failing script", "status", "1", result.status)
    checks.equal("failing script", "is no fault of the rig", [], result.faults)

    hanging = dataclasses.replace(machine, settings={"part": "hang"}, timeout=20)
    try:
        rig.run(hanging)
        checks.true("hanging script", "rig", False, "no error was raised")
    except RigError as error:
        checks.true("hanging script", "three attempts", str(error).count("no closing line") == 3,
                    str(error))
