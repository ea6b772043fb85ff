"""zinspect probe on devices that are honest and on devices that lie.

ZINSPECT_PROBE_STAGES names parts to run, each a guest/probe-PART.sh.
"""

import os

import disks
import liars
from against import probe_devices, probe_lies
from context import Context
from disks import Disk
from stage import Stage

TITLE = "probe: every outcome provoked, every refusal, evidence of what devices did"
KERNELS = ["7.3", "6.12"]
NEEDS_ZINSPECT = True

MIB = 1 << 20
# Without it those of the first boot; `all` is every one.
ASKED = os.environ.get("ZINSPECT_PROBE_STAGES", "").split()

# A boot each: what hangs in one kernel keeps no other part from running.
# `middle` comes last: it pulls a disk, and scsi_debug cannot be loaded anew after that.
BOOTS = [["liars", "real", "refusals", "signatures", "nvme", "nvme-liars", "thin", "hardware", "bench", "middle"],
         ["damaged", "counted"],
         ["nvme-hangs", "scsi-liars"]]
BY_DEFAULT = BOOTS[0]
# A part of it, on the kernel that came before the unmap limits.
ON_OLDER = {"liars", "real", "refusals", "middle", "thin", "signatures", "damaged", "hardware"}

CHECKS = {
    "liars": probe_lies.nbd, "scsi-liars": probe_lies.scsi, "nvme-liars": probe_lies.nvme,
    "nvme-hangs": probe_lies.nvme_hangs, "real": probe_devices.real, "damaged": probe_devices.damaged,
    "refusals": probe_devices.refusals, "nvme": probe_devices.nvme, "counted": probe_devices.counted,
    "bench": probe_devices.bench, "middle": probe_devices.middle, "thin": probe_devices.thin,
    "hardware": probe_devices.hardware, "signatures": probe_devices.signatures,
}


def run(context: Context):
    for number, parts in enumerate(BOOTS):
        parts = [part for part in parts if part in (ASKED or BY_DEFAULT) or "all" in ASKED]
        if context.kernel == "6.12":
            parts = [part for part in parts if part in ON_OLDER]
        if parts:
            one_boot(context, context.work / f"boot-{number}", parts)


def one_boot(context: Context, folder, parts: list[str]):
    images, arguments = hardware(folder)
    machine = context.machine("probe.sh", work=folder, devices=arguments, root=liars.programs(),
                              settings={"parts": " ".join(parts)}, timeout=1200)
    result = context.boot(machine, lambda: [image.create() for image in images])
    broken = Stage(result.out).text("broken").strip()
    context.checks.true("parts", "all of them", not broken, broken)
    for part in parts:
        with context.checks.within(part):
            CHECKS[part](Stage(result.out / part), context.checks)


def hardware(folder) -> tuple[list[Disk], list[str]]:
    """One disk on each kind of controller, one with two namespaces behind two controllers, one with a quirk that turns
    Write Zeroes off, and two that no probe is armed for: a zoned one, and one behind an adapter that is on the list."""
    images, arguments = disks.one_of_each(folder, 64 * MIB)

    def another(name: str, size: int = 64 * MIB) -> Disk:
        images.append(Disk(folder / f"{name}.img", size))
        return images[-1]

    arguments += disks.virtio_blk(another("state", 512 * MIB), "state")
    arguments += disks.nvme(another("nvme-quirked"), "nvme-quirked", ",use-intel-id=on")
    arguments += disks.nvme_shared(another("nvme-two"), "nvme-two")
    arguments += [*another("nvme-two-more").drive("nvme-two-more"),
                  "-device", "nvme-ns,drive=nvme-two-more,nsid=2,shared=on"]
    arguments += [*another("zoned").drive("zoned"), "-device", "nvme,id=zoned-host,serial=zoned",
                  "-device", "nvme-ns,drive=zoned,bus=zoned-host,nsid=1,zoned=true,"
                             "zoned.zone_size=8M,zoned.zone_capacity=8M"]
    arguments += ["-device", "megasas,id=megasas-host", *another("megasas").drive("megasas"),
                  "-device", "scsi-hd,bus=megasas-host.0,drive=megasas,serial=megasas"]
    return images, arguments
