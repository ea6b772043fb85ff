"""The servers that lie, and the machine's libraries that they need."""

from pathlib import Path

from cache import REPOSITORY, CannotRunHere
from initramfs import libraries


def programs() -> dict[str, Path]:
    """/bin/nbd_liar and /bin/nvme_liar of the guest."""
    liars = [REPOSITORY / "target/debug/examples" / name for name in ("nbd_liar", "nvme_liar")]
    if missing := [liar.name for liar in liars if not liar.is_file()]:
        raise CannotRunHere(f"no {' and '.join(missing)}: run cargo build --examples")
    files = {f"/bin/{liar.name}": liar for liar in liars}
    return files | {f"/{inside}": path for liar in liars for inside, path in libraries(liar).items()}
