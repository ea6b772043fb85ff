"""A report made with less access against root's: less is known, and nothing is wrong."""

import json

from checks import Checks
from stage import Stage

# What may differ: the words and the reasons follow from what was known.
FREE = {"unread", "summary", "because", "reasons", "conflicts", "agreement", "evidence", "raw_bytes"}


def hold(stage: Stage, checks: Checks, root: str, plain: str, denied: bool = True):
    """`denied`: what is missing must be listed in `unread` as denied (or not asked)."""
    everything, less = stage.devices(root), stage.devices(plain)
    checks.true(f"{plain} report", plain, less, stage.text(f"{plain}.err")[:200])
    checks.equal(f"{plain} devices", plain, sorted(everything), sorted(less))
    for kname in sorted(set(everything) & set(less)):
        wrong, lost = [], []
        compare("", everything[kname], less[kname], wrong, lost)
        checks.true(f"{plain} wrong", kname, not wrong, "; ".join(wrong[:6]))
        if not denied:
            checks.true(f"{plain} lost", kname, not lost, ", ".join(lost[:6]))
            continue
        unread = less[kname].get("unread") or []
        unnamed = [path for path in lost if not covered(path, unread)]
        checks.true(f"{plain} unread", kname, not unnamed,
                    f"root knows {', '.join(unnamed[:6])}; unread names only "
                    f"{[(u.get('field'), u.get('status')) for u in unread][:8]}")


def compare(path: str, root, plain, wrong: list[str], lost: list[str]):
    """Walks both: `lost` gets paths that only root knows, `wrong` what contradicts."""
    # As text, since 1 and true are equal in Python.
    if json.dumps(root, sort_keys=True) == json.dumps(plain, sort_keys=True):
        return
    if plain is None:
        lost.append(path)
    elif isinstance(root, dict) and isinstance(plain, dict):
        for key in root:
            if key not in FREE:
                here = f"{path}.{key}" if path else key
                compare(here, root[key], plain.get(key), wrong, lost)
    elif path == "verdict.zeroing" and plain == "unknown":
        lost.append(path)
    elif isinstance(root, list) and isinstance(plain, list) and not plain:
        lost.append(path)
    else:
        wrong.append(f"{path}: root {root!r}, here {plain!r}")


def covered(path: str, unread: list[dict]) -> bool:
    """Whether `unread` names the field, or a part that it lies in, as denied or not asked for."""
    reasons = [u for u in unread if u.get("status") in ("denied", "not-asked")]
    # Predictions and verdicts follow from the fields: any denied field explains them.
    if path.startswith(("predicted", "verdict")) or path.endswith(".predicted"):
        return bool(reasons)
    names = [str(u.get("field")) for u in reasons]
    return any(path == name or path.startswith(name + ".") for name in names)
