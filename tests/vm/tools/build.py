"""Programs of this folder, built for the guest: static, since its libraries are only those of its own programs."""

import hashlib
import shutil
import subprocess
from pathlib import Path

from cache import RigError, cache_dir, locked

HERE = Path(__file__).resolve().parent


def programs() -> dict[str, Path]:
    """Each as /bin/NAME of the guest, from NAME.c."""
    return {path: built for source in sorted(HERE.glob("*.c")) for path, built in program(source.stem).items()}


def program(name: str) -> dict[str, Path]:
    """/bin/NAME of the guest; nothing where this machine has no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return {}
    source = HERE / f"{name}.c"
    mark = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    built = cache_dir() / "tools" / f"{name}-{mark}"
    with locked("tools"):
        if not built.exists():
            built.parent.mkdir(exist_ok=True)
            partial = built.with_suffix(".partial")
            done = subprocess.run([compiler, "-Wall", "-Wextra", "-O2", "-static", "-o", str(partial), str(source)],
                                  capture_output=True, text=True)
            if done.returncode:
                raise RigError(f"{name}.c does not compile: {done.stderr}")
            partial.rename(built)
    return {f"/bin/{name}": built}
