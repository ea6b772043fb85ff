"""A root of Debian with systemd, as a folder and as an ext4 image: what programs of a newer release are taken from, and
what a machine with systemd boots. Made by debootstrap once, and kept in the cache."""

import hashlib
import os
import shutil
from pathlib import Path

from cache import CannotRunHere, cache_dir, locked
from kernels import call, mirror

SUITE = "trixie"
PACKAGES = ["curl", "dmsetup", "dracut-core", "initramfs-tools-core", "systemd-sysv", "udev"]
IMAGE_SIZE = 1 << 30


def root() -> Path:
    """The folder."""
    name = f"{SUITE}-{hashlib.sha256(' '.join(PACKAGES).encode()).hexdigest()[:12]}"
    place = cache_dir() / "roots" / name
    with locked("roots"):
        if not (place / "etc/debian_version").exists():
            _make(place)
    return place


def image() -> Path:
    """The image. Whoever boots it takes `snapshot=on`, so that it stays as it is."""
    folder = root()
    path = folder.with_suffix(".ext4")
    with locked("roots"):
        if not path.exists():
            partial = path.with_suffix(".partial")
            partial.unlink(missing_ok=True)
            with open(partial, "wb") as file:
                file.truncate(IMAGE_SIZE)
            call(["mkfs.ext4", "-q", "-F", "-O", "^has_journal", "-d", str(folder), str(partial)])
            partial.rename(path)
    return path


def _make(place: Path):
    if os.geteuid() != 0:
        raise CannotRunHere("a root of Debian is made by debootstrap, which takes root")
    partial = place.with_suffix(".making")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    call(["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, str(partial), mirror()])
    # What was downloaded is no part of a root.
    call(["chroot", str(partial), "apt-get", "clean"])
    shutil.rmtree(partial / "var/lib/apt/lists", ignore_errors=True)
    (partial / "var/lib/apt/lists/partial").mkdir(parents=True)
    partial.rename(place)
