"""Programs of a newer Debian than this machine's, for what its own do not know yet.

The packages come by apt as the kernels do (kernels.py), and nothing is installed: in the guest the program runs by the
loader and the libraries that it was built for.
"""

import os
import re
import shutil
from pathlib import Path

from cache import CannotRunHere, RigError, cache_dir, locked
from kernels import Apt, call

SUITE = "forky"
LOADER = "ld-linux-x86-64.so.2"


def program(path: str, package: str) -> dict[str, Path]:
    """/bin/NAME-newer of the guest with all that it needs: path in the guest -> file here."""
    name = Path(path).name
    folder = cache_dir() / "newer" / name
    with locked("newer"):
        if not (folder / "complete").exists():
            fetch(path, package, folder)
    start = folder / "start"
    start.write_text(f'#!/bin/sh\nexec /newer/{LOADER} --library-path /newer /newer/{name} "$@"\n')
    start.chmod(0o755)
    files = {f"/newer/{file.name}": file for file in folder.iterdir() if file.name not in ("complete", "start")}
    return {**files, f"/bin/{name}-newer": start}


def fetch(path: str, package: str, folder: Path):
    apt = Apt(SUITE)
    apt.update()
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    (partial / "unpacked").mkdir(parents=True)
    try:
        debs = apt.download([package, *needed(apt, package)])
    except RigError as error:
        raise CannotRunHere(f"Debian's {SUITE} does not give {package}: {error}") from None
    for deb in debs:
        call(["dpkg-deb", "-x", str(deb), str(partial / "unpacked")])
        deb.unlink()
    gather(partial, path)
    shutil.rmtree(partial / "unpacked")
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)
    (folder / "complete").touch()


def needed(apt: Apt, package: str) -> list[str]:
    """The libraries of a package and theirs: what else it depends on, a single program does not load."""
    found, asked = {}, [package]
    while asked:
        text = call(["apt-cache", *apt.options(), "depends", asked.pop()])
        for name in re.findall(r"^ +(?:Pre)?Depends: (lib[^\s]+)$", text, re.M):
            if name not in found and not name.startswith(("libicu", "libpython")):
                found[name] = None
                asked.append(name)
    return list(found)


def gather(partial: Path, path: str):
    """The program, and every library that it or one of its libraries names."""
    unpacked = partial / "unpacked"
    libraries = {file.name: file for file in unpacked.rglob("*.so*") if file.is_file()}
    wanted = [Path(path).name, LOADER]
    sources = {**libraries, wanted[0]: next(iter(unpacked.rglob(wanted[0])), None)}
    while wanted:
        name = wanted.pop()
        source = sources.get(name)
        if source is None:
            raise CannotRunHere(f"{name}, which {path} needs, is in none of the packages")
        if (partial / name).exists():
            continue
        shutil.copy(source.resolve(), partial / name)
        os.chmod(partial / name, 0o755)
        text = call(["objdump", "-p", str(partial / name)])
        wanted += re.findall(r"^ +NEEDED +(\S+)$", text, re.M)
