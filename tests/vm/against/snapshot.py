"""A captured host's report against the live one: the same but for `source`, and for what needs a
node or a file to look at."""

import json

from checks import Checks
from stage import Stage


def hold(stage: Stage, checks: Checks, live: str, snapshot: str):
    here, there = stage.json(live), stage.json(snapshot)
    for name, report in ((live, here), (snapshot, there)):
        if not checks.true("snapshot", name, isinstance(report, dict), stage.text(f"{name}.err")):
            return
    checks.equal("snapshot source", snapshot, "snapshot", there.get("source"))
    for key in sorted((set(here) | set(there)) - {"source", "devices", "files"}):
        checks.equal("snapshot", key, here.get(key), there.get(key))
    live_devices, their_devices = stage.devices(live), stage.devices(snapshot)
    checks.equal("snapshot order", "devices", list(live_devices), list(their_devices))
    for kname in live_devices:
        differences: list[str] = []
        differ("", live_devices[kname], their_devices.get(kname), differences)
        checks.true("snapshot device", kname, not differences, "; ".join(differences[:6]))


def differ(path: str, live, snapshot, found: list[str]):
    # As text, since 1 and true are equal in Python.
    if json.dumps(live, sort_keys=True) == json.dumps(snapshot, sort_keys=True):
        return
    if isinstance(live, dict) and isinstance(snapshot, dict):
        for key in sorted(set(live) | set(snapshot)):
            differ(f"{path}.{key}", live.get(key), snapshot.get(key), found)
    else:
        found.append(f"{path[1:]}: live {short(live)}, snapshot {short(snapshot)}")


def short(value) -> str:
    text = repr(value)
    return text if len(text) < 120 else text[:117] + "..."
