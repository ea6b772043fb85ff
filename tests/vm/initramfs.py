"""One initramfs for each kernel: busybox, modules, programs with their libraries, and init.

What a test brings along (its script, zinspect) is not in it but in the share, so the archive is
built once and kept under a name made from all that went into it.
"""

import hashlib
import lzma
import os
import re
import shutil
import subprocess
from pathlib import Path

import contents
import newc
from cache import HERE, CannotRunHere, RigError, cache_dir, locked
from kernels import Kernel, call

# Debian's own folders first: a program of the same name elsewhere may be anything.
SEARCH = "/usr/sbin:/usr/bin:/sbin:/bin:" + os.environ.get("PATH", "")


def build(kernel: Kernel) -> Path:
    """The initramfs of a kernel, from the cache when nothing that goes into it has changed."""
    files = program_files()
    modules = module_files(kernel)
    digest = hashlib.sha256(Path(__file__).read_bytes() + Path(newc.__file__).read_bytes())
    for inside, outside in sorted(files.items()):
        digest.update(f"{inside}\0".encode() + hashlib.sha256(outside.read_bytes()).digest())
    for outside in modules:
        digest.update(f"{outside}\0{outside.stat().st_size}\0".encode())
    path = cache_dir() / "initramfs" / f"{kernel.release}-{digest.hexdigest()[:16]}.cpio"
    with locked("initramfs"):
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            for old in path.parent.glob(f"{kernel.release}-*"):
                old.unlink()
            partial = path.with_suffix(".partial")
            with open(partial, "wb") as stream:
                write(newc.Archive(stream), kernel, files, modules)
            partial.rename(path)
    return path


def write(archive: newc.Archive, kernel: Kernel, files: dict[str, Path], modules: list[Path]):
    for folder in "dev proc sys run tmp etc mnt share root sbin usr/bin usr/sbin".split():
        archive.folder(folder)
    archive.character_device("dev/console", 5, 1, 0o600)
    for inside, outside in sorted(files.items()):
        archive.file(inside, outside.read_bytes(), 0o755)
    for program, names in contents.LINKS.items():
        for name in names:
            archive.link(f"bin/{name}", program)
    archive.link("sbin/modprobe", "../bin/kmod")  # where the kernel itself calls it
    archive.file("etc/passwd", b"root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
    archive.file("etc/group", b"root:x:0:\ndisk:x:6:\nnogroup:x:65534:\n")
    # Neither busybox nor every kmod reads compressed modules, and depmod must see them as they
    # will lie in the guest.
    staging = cache_dir() / "initramfs" / "staging"
    shutil.rmtree(staging, ignore_errors=True)
    home = staging / "lib" / "modules" / kernel.release
    for module in modules:
        target = home / module.relative_to(module_home(kernel)).with_name(bare(module))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(decompressed(module))
    for index in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        if (module_home(kernel) / index).exists():
            shutil.copy(module_home(kernel) / index, home / index)
    call(["depmod", "-b", str(staging), kernel.release])
    for path in sorted(p for p in home.rglob("*") if p.is_file()):
        archive.file(str(path.relative_to(staging)), path.read_bytes())
    shutil.rmtree(staging)
    archive.close()


def module_home(kernel: Kernel) -> Path:
    return (kernel.root / "lib" / "modules" / kernel.release).resolve()


def bare(module: Path) -> str:
    return module.name[: module.name.index(".ko") + 3]


def decompressed(module: Path) -> bytes:
    data = module.read_bytes()
    if module.suffix == ".xz":
        return lzma.decompress(data)
    if module.suffix == ".ko":
        return data
    raise RigError(f"{module.name}: don't know how to decompress {module.suffix}")


def module_files(kernel: Kernel) -> list[Path]:
    """The wanted modules and all that they depend on; a kernel need not have them all."""
    found: dict[Path, None] = {}
    for name in contents.ESSENTIAL_MODULES + contents.MODULES:
        # -C /dev/null: the machine's own modprobe.d may remove modules without a word.
        command = ["modprobe", "-C", "/dev/null", "-d", str(kernel.root), "-S", kernel.release]
        done = subprocess.run([*command, "-D", name], capture_output=True, text=True)
        lines = re.findall(r"^insmod (\S+)", done.stdout, re.M)
        if not lines and name in contents.ESSENTIAL_MODULES and "builtin" not in done.stdout:
            raise RigError(f"kernel {kernel.release} has no module {name}: {done.stderr.strip()}")
        found.update((Path(line).resolve(), None) for line in lines)
    return list(found)


def program_files() -> dict[str, Path]:
    """Path in the guest -> path here, of every program, its libraries and its data."""
    files: dict[str, Path] = {"init": HERE / "guest" / "init"}
    for name in contents.PROGRAMS:
        path = find(name)
        if path is None:
            if name == "busybox":
                raise CannotRunHere("busybox-static is not installed: run tests/vm/setup")
            continue
        files[f"bin/{name}"] = path
        files.update(libraries(path))
    for data in map(Path, contents.DATA_FILES):
        if data.exists():
            files[str(data).lstrip("/")] = data
    return files


def find(program: str) -> Path | None:
    found = shutil.which(program, path=SEARCH)
    return Path(found).resolve() if found else None


def missing_programs() -> list[str]:
    return [name for name in contents.PROGRAMS if find(name) is None]


def libraries(program: Path) -> dict[str, Path]:
    """The shared libraries of a program at the paths where its loader looks for them."""
    done = subprocess.run(["ldd", str(program)], capture_output=True, text=True)
    if "not found" in done.stdout:
        raise RigError(f"{program.name} lacks a library here: {done.stdout.strip()}")
    paths = re.findall(r"(/\S+) \(0x", done.stdout)
    return {path.lstrip("/"): Path(path).resolve() for path in paths}
