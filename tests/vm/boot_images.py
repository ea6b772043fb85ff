"""What the dracut module and the initramfs-tools hook of udev-rules/ put into an initramfs: built in a root of Debian,
over which what they need is laid, and listed."""

import contextlib
import shutil
import subprocess
from pathlib import Path

import debian
import kernels
from cache import REPOSITORY, CannotRunHere

RULES = "usr/lib/udev/rules.d/60-zinspect.rules"
WANTED = ("usr/bin/zinspect", RULES, "/libudev.so.1")
BUILDS = {
    "initramfs-tools": "MODULES=list mkinitramfs -c gzip -o /tmp/image {release} && lsinitramfs /tmp/image",
    "dracut": "dracut -q --force --no-kernel --no-compress --add zinspect /tmp/image && lsinitrd /tmp/image",
    # Only where it is asked for.
    "dracut without --add": "dracut -q --force --no-kernel --no-compress /tmp/image && lsinitrd /tmp/image",
}


@contextlib.contextmanager
def root_with(files: dict[str, Path], work: Path):
    """The root with files laid over it; it stays as it is itself."""
    upper, scratch, merged = (work / name for name in ("upper", "scratch", "merged"))
    for folder in (upper, scratch, merged):
        folder.mkdir(parents=True)
    for inside, outside in files.items():
        (upper / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(outside, upper / inside)
    layers = f"lowerdir={debian.root()},upperdir={upper},workdir={scratch}"
    mount = ["mount", "-t", "overlay", "overlay", "-o", layers, str(merged)]
    done = subprocess.run(mount, capture_output=True, text=True)
    if done.returncode:
        raise CannotRunHere(f"an overlay cannot be mounted: {done.stderr.strip()}")
    try:
        yield merged
    finally:
        subprocess.run(["umount", str(merged)], check=True)


def listings(zinspect: Path, series: str, work: Path) -> dict[str, str]:
    """Build -> what is in the image, or why there is none."""
    kernel = kernels.get(series)
    modules = f"usr/lib/modules/{kernel.release}"
    rules = REPOSITORY / "udev-rules"
    files = {
        "usr/bin/zinspect": zinspect,
        RULES: rules / "60-zinspect.rules",
        "etc/initramfs-tools/hooks/zinspect": rules / "initramfs-tools/hooks/zinspect",
        "usr/lib/dracut/modules.d/90zinspect/module-setup.sh": rules / "dracut/90zinspect/module-setup.sh",
    }
    for index in (kernel.root / "lib/modules" / kernel.release).glob("modules.*"):
        files[f"{modules}/{index.name}"] = index
    found = {}
    with root_with(files, work) as root:
        for name, build in BUILDS.items():
            command = ["chroot", str(root), "sh", "-c", build.format(release=kernel.release)]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=600)
            found[name] = done.stdout if done.returncode == 0 else f"failed: {done.stderr[-400:]}"
    return found


def check(checks, zinspect: Path, series: str, work: Path):
    try:
        found = listings(zinspect, series, work)
    except CannotRunHere as error:
        checks.skip("initramfs", "dracut, initramfs-tools", str(error))
        return
    for name in ("initramfs-tools", "dracut"):
        for wanted in WANTED:
            checks.true("initramfs", f"{name}: {wanted}", wanted in found[name], found[name][-400:])
    without = found["dracut without --add"]
    checks.true("initramfs", "dracut without --add", "libudev" in without and WANTED[0] not in without, without[-400:])
