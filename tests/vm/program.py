"""Which zinspect is tested."""

import os
from pathlib import Path

from cache import REPOSITORY, RigError

NONE = "no zinspect to test: run cargo build --release, or set ZINSPECT to a program"


def zinspect() -> Path | None:
    """$ZINSPECT, else cargo's release build, else its debug build."""
    if given := os.environ.get("ZINSPECT"):
        if not Path(given).is_file():
            raise RigError(f"ZINSPECT={given}: no such file")
        return Path(given).resolve()
    target = REPOSITORY / os.environ.get("CARGO_TARGET_DIR", "target")
    built = [target / kind / "zinspect" for kind in ("release", "debug")]
    return next((path.resolve() for path in built if path.is_file()), None)


def judge(tested: Path) -> Path:
    """Which program reads the captures outside: $ZINSPECT_JUDGE, else the one that made them. With a release build in
    the guest, where each second counts, a debug build can be tried here."""
    given = os.environ.get("ZINSPECT_JUDGE")
    return Path(given).resolve() if given else tested
