#!/usr/bin/env python3
"""Lays out a captured root of N block devices, as a large host on kernel 7.3 has them.

usage: synthetic_sys.py DIR N

Half are SCSI disks, a fifth NVMe disks, a fifth dm-multipath maps over two SCSI disks each, the rest md and loop
devices. Every device has the queue attributes of 7.3 (some 53 files a device, counting its own), so that reading all
of it is work. DIR should be on tmpfs: a disk would be measured instead of the programs.
"""

import os
import sys

QUEUE = {
    "add_random": 0, "async_depth": 192, "atomic_write_boundary_bytes": 0, "atomic_write_max_bytes": 0,
    "atomic_write_unit_max_bytes": 0, "atomic_write_unit_min_bytes": 0, "chunk_sectors": 0, "dax": 0,
    "discard_granularity": 512, "discard_max_bytes": 4294966784, "discard_max_hw_bytes": 4294966784,
    "discard_zeroes_data": 0, "dma_alignment": 511, "fua": 1, "hw_sector_size": 512, "io_poll": 0,
    "io_poll_delay": -1, "io_timeout": 30000, "iostats": 1, "iostats_passthrough": 0, "logical_block_size": 512,
    "max_active_zones": 0, "max_discard_segments": 1, "max_hw_sectors_kb": 8192, "max_integrity_segments": 0,
    "max_open_zones": 0, "max_sectors_kb": 1280, "max_segment_size": 65536, "max_segments": 128,
    "max_write_streams": 0, "minimum_io_size": 512, "nomerges": 0, "nr_requests": 256, "nr_zones": 0,
    "optimal_io_size": 0, "physical_block_size": 512, "read_ahead_kb": 128, "rotational": 0, "rq_affinity": 1,
    "scheduler": "[none] mq-deadline", "stable_writes": 0, "virt_boundary_mask": 0, "wbt_lat_usec": 2000,
    "write_cache": "write back", "write_same_max_bytes": 0, "write_stream_granularity": 0,
    "write_zeroes_max_bytes": 33553920, "write_zeroes_unmap_max_bytes": 33553920,
    "write_zeroes_unmap_max_hw_bytes": 33553920, "zone_append_max_bytes": 0, "zone_write_granularity": 0,
    "zoned": "none",
}


def write(path, files):
    os.makedirs(path, exist_ok=True)
    for name, value in files.items():
        with open(f"{path}/{name}", "w") as file:
            file.write(f"{value}\n")


class Host:
    def __init__(self, root):
        self.root, self.minor = root, 0
        for folder in ("sys/block", "sys/class/block", "sys/dev/block", "proc/self", "proc/sys/kernel"):
            os.makedirs(f"{root}/{folder}")
        write(f"{root}/proc/sys/kernel", {"osrelease": "7.3.4+deb13-amd64"})
        with open(f"{root}/proc/self/mountinfo", "w") as file:
            file.write("23 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n")

    def disk(self, kname, place, major, queue, slaves=()):
        """A device in sys/devices/PLACE with its links; the number of files it has is about 53 in all."""
        device = f"sys/devices/{place}/{kname}"
        path = f"{self.root}/{device}"
        devno = f"{major}:{self.minor}"
        self.minor += 1
        own = {"dev": devno, "size": 1953525168, "ro": 0, "removable": 0, "hidden": 0, "diskseq": self.minor}
        write(path, own)
        write(f"{path}/queue", QUEUE | queue)
        for folder in ("slaves", "holders"):
            os.makedirs(f"{path}/{folder}")
        for slave, where in slaves:
            os.symlink(f"/{where}", f"{path}/slaves/{slave}")
            os.symlink(f"/{device}", f"{self.root}/{where}/holders/{kname}")
        os.symlink(f"../../{device[4:]}", f"{self.root}/sys/dev/block/{devno}")
        os.symlink(f"../../{device[4:]}", f"{self.root}/sys/class/block/{kname}")
        os.symlink(f"../{device[4:]}", f"{self.root}/sys/block/{kname}")
        return device

    def scsi(self, number):
        letters, rest = "", number + 1
        while rest:
            rest, digit = divmod(rest - 1, 26)
            letters = chr(97 + digit) + letters
        hctl = f"{number // 256}:0:{number % 256}:0"
        target = f"pci0000:00/0000:00:1f.0/host{number // 256}/target/{hctl}"
        device = self.disk(f"sd{letters}", f"{target}/block", 8, {})
        scsi = f"{self.root}/sys/devices/{target}"
        write(scsi, {"vendor": "LINUX", "model": "synthetic", "rev": "1.0", "scsi_level": 7})
        write(f"{scsi}/scsi_disk/{hctl}", {
            "zeroing_mode": "writesame_16_unmap", "provisioning_mode": "writesame_16", "thin_provisioning": 1,
            "max_write_same_blocks": 65535})
        for name, page in (("vpd_pgb0", b"\0\xb0\0\x3c" + bytes(60)), ("vpd_pgb2", b"\0\xb2\0\x04\0\xe4\x02\0")):
            with open(f"{scsi}/{name}", "wb") as file:
                file.write(page)
        os.symlink(f"../../../{hctl}", f"{self.root}/{device}/device")
        return f"sd{letters}", device

    def nvme(self, number):
        place = f"pci0000:00/0000:00:{number:04x}/nvme/nvme{number}"
        write(f"{self.root}/sys/devices/{place}", {"model": "synthetic", "serial": number, "quirks": "none"})
        device = self.disk(f"nvme{number}n1", place, 259, {"max_hw_sectors_kb": 8192})
        write(f"{self.root}/{device}", {"nsid": 1})
        os.symlink(f"../../nvme{number}", f"{self.root}/{device}/device")

    def dm(self, number, slaves):
        device = self.disk(f"dm-{number}", "virtual/block", 253, {}, slaves)
        write(f"{self.root}/{device}/dm", {
            "name": f"mpath{number}", "uuid": f"mpath-3600{number:029x}", "suspended": 0})

    def md(self, number):
        device = self.disk(f"md{number}", "virtual/block", 9, {"write_zeroes_max_bytes": 0})
        write(f"{self.root}/{device}/md", {"level": "raid1", "chunk_size": 0, "array_state": "clean"})

    def loop(self, number):
        device = self.disk(f"loop{number}", "virtual/block", 7, {})
        write(f"{self.root}/{device}/loop", {"backing_file": f"/var/lib/images/{number}.img", "offset": 0})


def main():
    root, count = sys.argv[1], int(sys.argv[2])
    host = Host(root)
    paths = [host.scsi(number) for number in range(count // 2)]
    for number in range(count // 5):
        host.nvme(number)
    for number in range(count // 5):
        host.dm(number, paths[2 * number:2 * number + 2])
    rest = count - count // 2 - 2 * (count // 5)
    for number in range(rest):
        (host.md if number % 2 else host.loop)(number)


main()
