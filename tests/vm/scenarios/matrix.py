"""Named cases: every driver and every kind of stack, zinspect's prediction against the kernel's numbers."""

import dataclasses
import os

import disks
import program
import zoned
from against import agreement, whatif
from context import Context
from kernels import natural
from stage import Stage
from tools import build

TITLE = "named cases: predicted limits against the kernel's, and findings for bad states"
KERNELS = ["7.3"]
NEEDS_ZINSPECT = True

MIB = 1 << 20
# A boot each: what breaks a kernel then breaks no other part.
BOOTS = {
    "machine": ["machine", "usb"],
    "iommu": ["serials"],
    "quirk-disable": ["serials"],
    "quirk-deallocate": ["serials"],
    "leaves": ["made", "scsi", "zoned"],
    "served": ["peers", "served"],
    "stacks": ["claims", "fabrics", "dm", "md", "lvm"],
    "states": ["mixed", "after", "whatif"],
}


# Words for the kernel's command line.
APPEND = {
    "machine": "memmap=64M!1G",
    "iommu": "intel_iommu=on",
    "quirk-disable": "nvme.quirks=1b36:0010:disable_write_zeroes",
    "quirk-deallocate": "nvme.quirks=1b36:0010:deallocate_zeroes",
}


@dataclasses.dataclass
class Hardware:
    """Disks of QEMU that are known to the guest by their serials."""

    images: list[disks.Disk]
    arguments: list[str]
    serials: list[str]

    def disk(self, folder, serial: str) -> disks.Disk:
        disk = disks.Disk(folder / f"{serial}.img", 64 * MIB)
        self.images.append(disk)
        self.serials.append(serial)
        return disk


def run(context: Context):
    wanted = os.environ.get("ZINSPECT_PARTS", "").split()
    for boot, parts in BOOTS.items():
        parts = [part for part in parts if not wanted or part in wanted]
        if not parts:
            continue
        if boot.startswith("quirk") and natural(context.kernel) < natural("7.0"):
            context.checks.skip("boot", boot, "this kernel has no nvme.quirks (since 7.0)")
            continue
        one_boot(context, boot, parts)


def one_boot(context: Context, boot: str, parts: list[str]):
    hardware, append = machinery(boot, context.work / boot), APPEND.get(boot, "")
    judge = program.judge(context.zinspect)
    metadata = context.work / "zoned-metadata"
    metadata.write_bytes(zoned.metadata(16, 4 * MIB))
    root = {**build.programs(), "/zoned-metadata": metadata}
    settings = {"boot": boot, "parts": " ".join(parts), "serials": " ".join(hardware.serials)}
    machine = context.machine("matrix.sh", work=context.work / boot, devices=hardware.arguments, append=append,
                              root=root, settings=settings, memory="2560M", timeout=3600)
    result = context.boot(machine, lambda: [image.create() for image in hardware.images])
    for stage in sorted(path.parent for path in result.out.glob("*/roles")):
        with context.checks.within(stage.name):
            hold = whatif.hold if (stage / "plans").exists() else agreement.hold
            results = hold(Stage(stage), context.checks, judge)
            agreement.save(results, f"matrix-{context.kernel}-{stage.name}")


def machinery(boot: str, folder) -> Hardware:
    if boot == "machine":
        return machine_room(folder)
    room = Hardware([], [], [])
    if BOOTS[boot] != ["serials"]:
        return room
    if boot == "iommu":
        room.arguments += ["-device", "intel-iommu"]
    for serial, options in {"mdts7": "", "mdts0": ",mdts=0", "mdts4": ",mdts=4"}.items():
        room.arguments += disks.nvme(room.disk(folder, serial), serial, options)
    return room


def machine_room(folder) -> Hardware:
    """A controller of each kind that QEMU has and Debian's kernels drive."""
    room = Hardware([], [], [])
    nvme = {"nvme-mdts7": "", "nvme-mdts0": ",mdts=0", "nvme-mdts4": ",mdts=4",
            "nvme-4k": ",logical_block_size=4096,physical_block_size=4096",
            "nvme-intel": ",use-intel-id=on"}
    for serial, options in nvme.items():
        room.arguments += disks.nvme(room.disk(folder, serial), serial, options)
    room.arguments += disks.nvme_shared(room.disk(folder, "nvme-shared"), "nvme-shared")
    zoned = room.disk(folder, "nvme-zoned")
    room.arguments += [*zoned.drive("nvme-zoned"), "-device", "nvme,id=zoned,serial=nvme-zoned",
                       "-device", "nvme-ns,drive=nvme-zoned,bus=zoned,nsid=1,zoned=true,"
                                  "zoned.zone_size=8M,zoned.zone_capacity=8M"]
    virtio = {"virtio-blk": "", "virtio-no-wz": ",write-zeroes=off", "virtio-no-discard": ",discard=off",
              "virtio-short": ",max-write-zeroes-sectors=2048",
              "virtio-4k": ",logical_block_size=4096,physical_block_size=4096"}
    for serial, options in virtio.items():
        room.arguments += [*room.disk(folder, serial).drive(serial), "-device",
                           f"virtio-blk-pci,drive={serial},serial={serial}{options}"]
    room.arguments += ["-device", "virtio-scsi-pci,id=scsi-host"]
    scsi = {"scsi-hd": "", "scsi-hd-4k": ",logical_block_size=4096,physical_block_size=4096",
            "scsi-hd-old": ",scsi_version=4", "scsi-hd-granular": ",discard_granularity=65536"}
    for lun, (serial, options) in enumerate(scsi.items()):
        room.arguments += [*room.disk(folder, serial).drive(serial), "-device",
                           f"scsi-hd,bus=scsi-host.0,lun={lun},drive={serial},serial={serial}{options}"]
    behind_adapters(room, folder)
    return room


def behind_adapters(room: Hardware, folder):
    """Found by their host adapter's driver, so their serials are no cases."""
    def drive(name: str) -> list[str]:
        disk = room.disk(folder, name)
        room.serials.remove(name)
        return disk.drive(name)

    room.arguments += ["-device", "ahci,id=ahci-host", *drive("ahci"), "-device",
                       "ide-hd,bus=ahci-host.0,drive=ahci,serial=ahci"]
    room.arguments += ["-device", "qemu-xhci,id=usb-host", *drive("usb-bot"), "-device",
                       "usb-storage,bus=usb-host.0,drive=usb-bot",
                       "-device", "usb-uas,id=usb-uas-host,bus=usb-host.0", *drive("usb-uas"),
                       "-device", "scsi-hd,bus=usb-uas-host.0,drive=usb-uas,serial=uas-512",
                       *drive("usb-uas-4k"), "-device", "scsi-hd,bus=usb-uas-host.0,lun=1,drive=usb-uas-4k,"
                       "serial=uas-4k,logical_block_size=4096,physical_block_size=4096"]
    # Not mptsas1068: Linux 6.12 and 7.3 crash in mptsas_probe on QEMU's.
    for model in ("megasas", "pvscsi", "lsi53c895a"):
        room.arguments += ["-device", f"{model},id={model}-host", *drive(model), "-device",
                           f"scsi-hd,bus={model}-host.0,drive={model},serial={model}"]
    room.arguments += ["-device", "sdhci-pci", *drive("sd-card"), "-device", "sd-card,drive=sd-card"]
