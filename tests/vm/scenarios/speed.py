"""Discards one after the other against discards at queue depth 64, on every kind of device that takes them.

Figures, not tests: they hang on what else the machine does.
"""

import disks
from context import Context
from stage import Stage

TITLE = "speed: discards through io_uring at queue depth 64 against BLKDISCARD, by device"
KERNELS = ["7.3"]
NEEDS_ZINSPECT = True
DEFAULT = False

MIB = 1 << 20


def run(context: Context):
    folder = context.work / "boot"
    images, arguments = disks.one_of_each(folder, 96 * MIB)
    machine = context.machine("speed.sh", work=folder, devices=arguments, timeout=1500)
    result = context.boot(machine, lambda: [image.create() for image in images])
    stage = Stage(result.out / "speed")
    print(f"{'device':14} {'BLKDISCARD':>12} {'4 threads':>12} {'depth 64':>12} {'times':>7}")
    for name in ("null_blk", "scsi_debug", "nvme-plain", "virtio-scsi", "ahci", "virtio-blk", "loop"):
        report = stage.json(name) or {}
        rates = {row["case"]: row["median"] for row in report.get("runs", []) if row["metric"] == "operations"}
        wanted = [rates.get(case) for case in ("BLKDISCARD, 1 thread(s)", "BLKDISCARD, 4 thread(s)", "io_uring, queue depth 64")]
        if not context.checks.true("measured", name, all(wanted), f"{report.get('not_measured')} {stage.text(f'{name}.err')}"):
            continue
        one, four, ring = wanted
        print(f"{name:14} {one:12,.0f} {four:12,.0f} {ring:12,.0f} {ring / one:7.1f}")
