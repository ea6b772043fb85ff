"""A probe that keeps a device's bytes, ended in the middle at random moments: process and machine.

ZINSPECT_KILLS (18) processes are killed, and a ninth of that number of machines; 180 is the full measure.
"""

import os
import random
import secrets

import liars
import rig
from context import Context
from disks import Disk, virtio_blk
from stage import Stage

TITLE = "power: a probe under --preserve ended at random moments, by kill -9 and by power cuts"
KERNELS = ["7.3"]
NEEDS_ZINSPECT = True

MIB = 1 << 20
KILLS = int(os.environ.get("ZINSPECT_KILLS", "18"))
A_BOOT = 18  # kills of a process in one machine
SEED = os.environ.get("ZINSPECT_SEED") or secrets.token_hex(4)


class Power:
    """Two disks, and machines that serve them with a volatile cache."""

    def __init__(self, context: Context, name: str):
        self.context = context
        self.folder = context.work / name
        self.disks = [Disk(self.folder / "target.img", 12 * MIB), Disk(self.folder / "state.img", 64 * MIB)]

    def create(self):
        for disk in self.disks:
            disk.create()

    def machine(self, **settings) -> rig.Machine:
        devices = [word for disk, serial in zip(self.disks, ("target", "state"), strict=True)
                   for word in virtio_blk(disk, serial)]
        return self.context.machine("power.sh", work=self.folder, devices=devices, root=liars.programs(),
                                    settings=settings, timeout=120 + A_BOOT * 30)


def run(context: Context):
    print(f"power: seed {SEED}, {KILLS} kills", flush=True)
    chance = random.Random(SEED)
    shares = [chance.randrange(1100) for _ in range(KILLS)]
    for first in range(0, KILLS, A_BOOT):
        kills(context, f"kills-{first}", shares[first:first + A_BOOT])
    cuts(context, (KILLS + 8) // 9, chance)


def kills(context: Context, name: str, shares: list[int]):
    power = Power(context, name)
    machine = power.machine(part="kills", shares=" ".join(map(str, shares)))
    result = context.boot(machine, power.create)
    text = Stage(result.out / "power").text("counts").strip()
    counts = dict(word.split("=") for word in text.split())
    checks = context.checks
    checks.equal("bytes as before", f"{len(shares)} kills", str(len(shares)), counts.get("right"))
    checks.equal("journal gone", f"{len(shares)} kills", str(len(shares)), counts.get("back"))
    print(f"power: kills: {text}", flush=True)


def cuts(context: Context, number: int, chance: random.Random):
    power = Power(context, "cuts")
    power.create()
    before, left = None, 0
    for boot in range(number + 1):
        settings = {"part": "cut", "first": str(int(boot == 0)), "last": str(int(boot == number))}
        with rig.Vm(power.machine(**settings)) as vm:
            found = vm.wait_for(r"rig: sum (\S+) left (\d)", 300)
            said = (found.group(1), int(found.group(2))) if found else (None, 0)
            if not context.checks.true("booted", f"cut {boot}", found, f"{vm.how_it_ended()}: {vm.script_output()[-400:]}"):
                return
            before = before or said[0]
            left += said[1]
            context.checks.equal("bytes as before", f"cut {boot}", before, said[0])
            if boot == number:
                vm.wait_closing(120)
                break
            # Every second time not before there is something to lose.
            vm.wait_for("rig: kept" if boot % 2 else "rig: probing", 120)
            vm.wait_for("never", chance.uniform(0, 3))
            vm.kill()
    print(f"power: cuts: {number}, of which {left} left a journal", flush=True)
