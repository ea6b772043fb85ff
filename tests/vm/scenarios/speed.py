"""Discards one after the other against discards at queue depth 64, on every kind of device that takes them; zeroing
against util-linux's fallocate -w and blkdiscard -z, of a release that has them.

Figures, not tests: they hang on what else the machine does.
"""

import statistics

import disks
import newer
from context import Context
from stage import Stage

TITLE = "speed: io_uring discards against BLKDISCARD, by device; zeroing against util-linux"
KERNELS = ["7.3"]
NEEDS_ZINSPECT = True
DEFAULT = False

MIB = 1 << 20


def run(context: Context):
    folder = context.work / "boot"
    images, arguments = disks.one_of_each(folder, 96 * MIB)
    machine = context.machine("speed.sh", work=folder, devices=arguments, timeout=2400,
                              root=newer.for_guest("forky", "util-linux", "fallocate")
                              | newer.for_guest("forky", "util-linux", "blkdiscard"))
    result = context.boot(machine, lambda: [image.create() for image in images])
    stage = Stage(result.out / "speed")
    print(f"{'device':14} {'BLKDISCARD':>12} {'4 threads':>12} {'depth 64':>12} {'times':>7}")
    for name in ("null_blk", "scsi_debug", "nvme-plain", "virtio-scsi", "ahci", "virtio-blk", "loop"):
        report = stage.json(name) or {}
        rates = {row["case"]: row["median"] for row in report.get("runs", []) if row["metric"] == "operations"}
        wanted = [rates.get(case) for case in ("BLKDISCARD, 1 thread", "BLKDISCARD, 4 threads", "io_uring, queue depth 64")]
        if not context.checks.true("measured", name, all(wanted), f"{report.get('not_measured')} {stage.text(f'{name}.err')}"):
            continue
        one, four, ring = wanted
        print(f"{name:14} {one:12,.0f} {four:12,.0f} {ring:12,.0f} {ring / one:7.1f}")
    zeroing(context.checks, Stage(result.out / "zeroing"))


def zeroing(checks, stage: Stage):
    print(f"{'64 MiB zeroed by':24} {'zinspect, MB/s':>15} {'util-linux, MB/s':>17} {'ratio':>6}")
    runs = [run for number in range(1, 6) for run in (stage.json(f"round-{number}") or {}).get("runs", [])]
    for method in ("fallocate-write-zeroes", "blkzeroout"):
        ours = [run["median"] for run in runs if run["case"].endswith(f": {method}")]
        theirs = [(64 * MIB) / (int(text) / 1000) for text in stage.text(method).split()]
        if checks.true("measured", method, len(ours) == len(theirs) == 5, f"{ours} {theirs}"):
            one, other = statistics.median(ours), statistics.median(theirs)
            print(f"{method:24} {one / 1e6:15.1f} {other / 1e6:17.1f} {one / other:6.2f}")
