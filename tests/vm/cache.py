"""Where the rig keeps what it downloaded and built, and the lock that guards it."""

import contextlib
import fcntl
import os
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent


class RigError(Exception):
    """The rig itself cannot do what it was asked: no test has failed, none has run."""


class CannotRunHere(RigError):
    """This machine, or Debian's archive of today, lacks something: skipped, with this reason."""


def cache_dir() -> Path:
    """`.cache/vm` at the root of the repository (git ignores it), or $ZINSPECT_CACHE."""
    given = os.environ.get("ZINSPECT_CACHE")
    path = Path(given) if given else REPOSITORY / ".cache" / "vm"
    path.mkdir(parents=True, exist_ok=True)
    return path.resolve()


@contextlib.contextmanager
def locked(name: str):
    """Two runs at a time must not unpack one kernel or build one initramfs into each other."""
    with open(cache_dir() / f"{name}.lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
