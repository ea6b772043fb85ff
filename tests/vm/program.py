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
