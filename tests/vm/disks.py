"""Disk images and QEMU's arguments for the controllers that the scenarios use."""

import dataclasses
from pathlib import Path


@dataclasses.dataclass
class Disk:
    """A sparse file: how much of it the host has allocated shows what was really unmapped."""

    path: Path
    size: int

    def create(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.unlink(missing_ok=True)
        with open(self.path, "wb") as file:
            file.truncate(self.size)

    def allocated(self) -> int:
        return self.path.stat().st_blocks * 512

    def drive(self, name: str) -> list[str]:
        return ["-drive", f"file={self.path},if=none,id={name},format=raw,discard=unmap,"
                          "detect-zeroes=off,cache=unsafe"]


def nvme(disk: Disk, serial: str, options: str = "") -> list[str]:
    """A controller with one namespace of its own: no multipath head."""
    return [*disk.drive(serial), "-device", f"nvme,serial={serial},drive={serial}{options}"]


def nvme_shared(disk: Disk, serial: str) -> list[str]:
    """One namespace behind two controllers of one subsystem, so with native multipath.

    Linux takes the two as one subsystem only when the serial is the same too.
    """
    controller = f"nvme,subsys={serial}-subsystem,serial={serial}"
    return ["-device", f"nvme-subsys,id={serial}-subsystem,nqn={serial}",
            "-device", controller, "-device", controller,
            *disk.drive(serial), "-device", f"nvme-ns,drive={serial},nsid=1,shared=on"]


def virtio_scsi(disk: Disk, serial: str, options: str = "") -> list[str]:
    return ["-device", f"virtio-scsi-pci,id={serial}-host", *disk.drive(serial),
            "-device", f"scsi-hd,bus={serial}-host.0,drive={serial},serial={serial}{options}"]


def ahci(disk: Disk, serial: str) -> list[str]:
    return ["-device", f"ahci,id={serial}-host", *disk.drive(serial),
            "-device", f"ide-hd,bus={serial}-host.0,drive={serial},serial={serial}"]


def virtio_blk(disk: Disk, serial: str) -> list[str]:
    return [*disk.drive(serial), "-device", f"virtio-blk-pci,drive={serial},serial={serial}"]


def one_of_each(folder: Path, size: int) -> tuple[list[Disk], list[str]]:
    """A disk on each kind of controller, known to the guest by its serial."""
    images = {serial: Disk(folder / f"{serial}.img", size) for serial in
              ("nvme-plain", "nvme-shared", "virtio-scsi", "ahci", "virtio-blk")}
    makers = (nvme, nvme_shared, virtio_scsi, ahci, virtio_blk)
    arguments = [word for (serial, disk), maker in zip(images.items(), makers, strict=True)
                 for word in maker(disk, serial)]
    return list(images.values()), arguments
