"""Programs from newer suites of Debian than this machine's: unpacked into the cache, never installed, and run by the
loader and the libraries that came with them.

    tests/vm/newer.py trixie fio            prints the command that runs it
"""

import re
import shutil
import sys
from pathlib import Path

from cache import CannotRunHere, RigError, cache_dir, locked
from kernels import Apt, call

LOADER = "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
LIBRARIES = ("usr/lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu/ceph", "usr/lib", "lib/x86_64-linux-gnu")


def program(suite: str, package: str, name: str | None = None) -> list[str]:
    """The command that runs a program of a package here, with its libraries."""
    root = tree(suite, package)
    path = ":".join(str(root / folder) for folder in LIBRARIES)
    return [str(root / LOADER), "--library-path", path, str(executable(root, name or package))]


def for_guest(suite: str, package: str, name: str) -> dict[str, Path]:
    """/bin/NAME-newer of the guest with all that it needs: path in the guest -> file here."""
    root = tree(suite, package)
    loader = Path(LOADER).name
    start = root / f"start-{name}"
    start.write_text(f'#!/bin/sh\nexec /newer/{loader} --library-path /newer /newer/{name} "$@"\n')
    start.chmod(0o755)
    files = {f"/newer/{file.name}": file for file in [executable(root, name), *needed(root, executable(root, name))]}
    return {**files, f"/newer/{loader}": root / LOADER, f"/bin/{name}-newer": start}


def executable(root: Path, name: str) -> Path:
    for folder in ("usr/bin", "usr/sbin", "bin", "sbin"):
        if (path := root / folder / name).exists():
            return path
    raise RigError(f"{root.name} has no program {name}")


def needed(root: Path, program: Path) -> list[Path]:
    """Every library that the program, or one of its libraries, names."""
    found, queue = {}, [program]
    while queue:
        for name in re.findall(r"^ +NEEDED +(\S+)$", call(["objdump", "-p", str(queue.pop())]), re.M):
            if name not in found:
                library = next((path for folder in LIBRARIES if (path := root / folder / name).exists()), None)
                if library is None:
                    raise CannotRunHere(f"{name}, which {program.name} needs, is in none of the packages")
                found[name] = library
                queue.append(library)
    return list(found.values())


def tree(suite: str, package: str) -> Path:
    """The package and everything that it needs, unpacked."""
    root = cache_dir() / "newer" / f"{suite}-{package}"
    with locked("newer"):
        if not (root / "complete").exists():
            fetch(suite, package, root)
    return root


def fetch(suite: str, package: str, root: Path):
    apt = Apt(suite)
    apt.update()
    packages = closure(call(["apt-cache", *apt.options(), "dumpavail"]), package)
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    try:
        debs = apt.download(packages)
    except RigError as error:
        raise CannotRunHere(f"Debian's {suite} does not give {package}: {error}") from None
    for deb in debs:
        call(["dpkg-deb", "-x", str(deb), str(root)])
        deb.unlink()
    (root / "complete").touch()


def closure(index: str, package: str) -> list[str]:
    """The package and the libraries that it needs, by the first of each list of alternatives."""
    needs = {}
    for stanza in index.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Depends|Pre-Depends): (.*)$", stanza, re.M))
        if name := fields.get("Package"):
            text = ",".join(fields.get(key, "") for key in ("Depends", "Pre-Depends"))
            needs[name] = [match.group(0) for word in text.split(",") if (match := re.match(r"[^\s|(:]+", word.strip()))]
    if package not in needs:
        raise CannotRunHere(f"Debian's list has no package {package}")
    wanted, queue = {package}, [package]
    while queue:
        for name in needs.get(queue.pop(), []):
            if name in needs and name not in wanted and re.match("lib|zlib", name):
                wanted.add(name)
                queue.append(name)
    return sorted(wanted)


if __name__ == "__main__":
    print(*program(*sys.argv[1:4]))
