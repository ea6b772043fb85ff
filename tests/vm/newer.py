"""Programs from newer suites of Debian than this machine's, for comparisons: unpacked into the cache, never installed,
and run by the loader that came with them.

    tests/vm/newer.py trixie fio            prints the command that runs it
"""

import re
import shutil
import sys
from pathlib import Path

from cache import RigError, cache_dir, locked
from kernels import Apt, call

LOADER = "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
LIBRARIES = ("usr/lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu/ceph", "usr/lib", "lib/x86_64-linux-gnu")


def program(suite: str, package: str, name: str | None = None) -> list[str]:
    """The command that runs a program of a package, with its libraries."""
    root = tree(suite, package)
    found = [path for folder in ("usr/bin", "usr/sbin", "bin", "sbin") if (path := root / folder / (name or package)).exists()]
    if not found:
        raise RigError(f"{package} of {suite} has no program {name or package}")
    path = ":".join(str(root / folder) for folder in LIBRARIES)
    return [str(root / LOADER), "--library-path", path, str(found[0])]


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
    for deb in apt.download(packages):
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
        raise RigError(f"no package {package}")
    wanted, queue = {package}, [package]
    while queue:
        for name in needs.get(queue.pop(), []):
            if name in needs and name not in wanted and re.match("lib|zlib", name):
                wanted.add(name)
                queue.append(name)
    return sorted(wanted)


if __name__ == "__main__":
    print(*program(*sys.argv[1:4]))
