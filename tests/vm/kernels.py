"""Debian's kernels, by series: `get("7.3")` gives an unpacked kernel with its modules.

apt does the work, with folders of its own: so signatures, checksums, proxies and mirrors are
those that the machine is set up for, nothing is installed, and the machine's package lists stay
as they are. The mirror's address is asked from apt's own configuration when it is needed; it
stands in no file of the repository.

A series that is unpacked in the cache is used as it is, without the network.
"""

import dataclasses
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from cache import CannotRunHere, RigError, cache_dir, locked

# Debian's suite for a series; whatever is not here is looked for in the backports.
SUITES = {"6.1": "bookworm", "6.12": "trixie"}
DEFAULT_SUITE = "trixie-backports"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


@dataclasses.dataclass(frozen=True)
class Kernel:
    series: str
    release: str  # as `uname -r` says it
    root: Path  # holds boot/ and lib/modules/

    @property
    def image(self) -> Path:
        """Since 7.x the packages keep it beside the modules and copy it on installation."""
        beside = self.root / "lib" / "modules" / self.release / "vmlinuz"
        return beside if beside.exists() else self.root / "boot" / f"vmlinuz-{self.release}"


def get(series: str, refresh: bool = False) -> Kernel:
    """The kernel of a series, from the cache or, with `refresh`, the newest in the index."""
    if not re.fullmatch(r"\d+\.\d+", series):
        raise RigError(f"kernel series {series!r}: expected something like 7.3")
    with locked("kernels"):
        cached = None if refresh else newest_cached(series)
        return cached or fetch(series)


def newest_cached(series: str) -> Kernel | None:
    found = [p for p in (cache_dir() / "kernels").glob(f"{series}.*") if (p / "complete").exists()]
    if not found:
        return None
    root = max(found, key=lambda p: natural(p.name))
    return Kernel(series, root.name, root)


def fetch(series: str) -> Kernel:
    suite = SUITES.get(series, DEFAULT_SUITE)
    apt = Apt(suite)
    apt.update()
    release, packages = choose(series, apt)
    root = cache_dir() / "kernels" / release
    if (root / "complete").exists():
        return Kernel(series, release, root)
    shutil.rmtree(root, ignore_errors=True)
    partial = root.with_name(root.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for deb in apt.download(packages):
        call(["dpkg-deb", "-x", str(deb), str(partial)])
        deb.unlink()
    merge_usr(partial)
    call(["depmod", "-b", str(partial), release])
    partial.rename(root)
    kernel = Kernel(series, release, root)
    if not kernel.image.exists():
        raise RigError(f"{' '.join(packages)} from {suite} has no kernel image in it")
    (root / "complete").touch()
    return kernel


def merge_usr(root: Path):
    """Newer packages ship usr/lib/modules; depmod and modprobe of bookworm look in lib/modules."""
    if not (root / "lib").exists():
        (root / "lib").symlink_to("usr/lib")


def choose(series: str, apt: "Apt") -> tuple[str, list[str]]:
    """The newest patch level of a series, and the packages that make it up.

    Up to 6.18 one package holds kernel and modules (linux-image), later they are a pair; of
    some series the index has the first half only, and then they cannot be booted.
    """
    release = re.compile(
        r"linux-(?:image|binary)-(" + re.escape(series) + r"\.\d+(?:-\d+|\+[a-z0-9.]+)*-amd64)")
    names = apt.package_names("linux-")
    for name in sorted(filter(release.fullmatch, names), key=natural, reverse=True):
        version = release.fullmatch(name).group(1)
        modules = f"linux-modules-{version}"
        if modules in names:
            return version, [f"linux-binary-{version}", modules]
        if name.startswith("linux-image-") and f"linux-binary-{version}" not in names:
            return version, [name]
    raise CannotRunHere(f"Debian's {apt.suite} has no complete kernel {series} for amd64")


def natural(text) -> list:
    """Sort key by which 6.1.0-44 comes after 6.1.0-9."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", str(text))]


class Apt:
    """apt-get with its own lists, cache and sources, for one suite."""

    def __init__(self, suite: str):
        self.suite = suite
        self.base = cache_dir() / "apt" / suite

    def options(self) -> list[str]:
        settings = {
            "Dir::State": self.base / "state", "Dir::State::status": self.base / "status",
            "Dir::Cache": self.base / "cache", "Dir::Etc::sourcelist": self.base / "sources.list",
            "Dir::Etc::sourceparts": "-", "Dir::Etc::preferences": "-",
            "Dir::Etc::preferencesparts": "-", "APT::Architecture": "amd64",
            "APT::Architectures": "amd64", "Acquire::Languages": "none",
            "Acquire::Retries": "3", "APT::Sandbox::User": os.environ.get("USER", "root"),
            # An index made after the machine's own clock is no reason not to test.
            "Acquire::Check-Date": "false", "Acquire::Check-Valid-Until": "false",
        }
        return [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]

    def update(self):
        for folder in ("state/lists/partial", "cache/archives/partial"):
            (self.base / folder).mkdir(parents=True, exist_ok=True)
        (self.base / "status").touch()
        signed = f"[signed-by={KEYRING}] " if Path(KEYRING).exists() else ""
        source = f"deb {signed}{mirror()} {self.suite} main\n"
        (self.base / "sources.list").write_text(source)
        try:
            call(["apt-get", "-q", *self.options(), "update", "--error-on=any"])
        except RigError as error:
            raise CannotRunHere(f"cannot read Debian's list of packages: {error}") from None

    def package_names(self, prefix: str) -> set[str]:
        """Names that the index really has: `pkgnames` alone also lists mere mentions."""
        text = call(["apt-cache", *self.options(), "dumpavail"])
        names = re.findall(r"^Package: (\S+)$", text, re.M)
        return {name for name in names if name.startswith(prefix)}

    def download(self, packages: list[str]) -> list[Path]:
        target = self.base / "debs"
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        call(["apt-get", "-q", *self.options(), "download", *packages], cwd=target)
        return sorted(target.glob("*.deb"))


def mirror() -> str:
    """The Debian mirror that this machine's apt uses, for any suite but the security ones."""
    text = call(["apt-get", "--no-release-info", "indextargets", "--format",
                 "$(RELEASE) $(REPO_URI)", "Created-By: Packages"])
    for line in text.splitlines():
        suite, _, address = line.partition(" ")
        # Third-party repositories have suites of other names; -security and -updates of Debian
        # may lie elsewhere.
        if suite in ("bookworm", "trixie", "forky", "sid", "stable", "testing", "unstable"):
            return address
    raise CannotRunHere("apt's sources name no Debian suite: cannot tell where Debian's kernels are")


def call(command: list[str], cwd: Path | None = None) -> str:
    try:
        done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace")
    except FileNotFoundError:
        raise CannotRunHere(f"{command[0]} is not installed: run tests/vm/setup") from None
    if done.returncode:
        words = [word for word in command if word != "-o" and "::" not in word]
        raise RigError(f"{' '.join(words)} failed ({done.returncode}): {done.stderr.strip()}")
    return done.stdout


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if word != "--refresh"]
    for wanted in arguments or ["7.3"]:
        print(get(wanted, refresh="--refresh" in sys.argv).root)
