"""What zinspect says of stacks before they are built against the kernel's numbers once they are."""

import json
import shlex
import subprocess
from pathlib import Path

from against.agreement import THREE, Result, number, told, unbuilt, whole_disk
from checks import Checks
from stage import Stage


def hold(stage: Stage, checks: Checks, zinspect: Path) -> list[Result]:
    results = [unbuilt(line, checks) for line in stage.text("unbuilt").splitlines()]
    for line in stage.text("plans").splitlines():
        case, *words = shlex.split(line)
        kname = stage.roles().get(case)
        if kname is None:
            continue
        result = Result(case, checks.scenario.split()[1])
        results.append(result)
        command = [str(zinspect), "--snapshot", str(stage.path / "host.tar.gz"), "whatif", "-o", "json", *words]
        done = subprocess.run(command, capture_output=True, text=True)
        if not checks.true("whatif", case, done.stdout, done.stderr.strip()):
            continue
        top = json.loads(done.stdout)["devices"][0]
        queue = stage.queues()[whole_disk(kname, stage)]
        result.shown = [number(queue.get(attribute)) for attribute in THREE]
        numbers = top["predicted"]
        result.predicted = numbers and [numbers[attribute] for attribute in THREE]
        result.agreement = "what-if"
        first = (top["verdict"]["reasons"] or [{"rule": "none", "text": ""}])[0]
        result.reason = f"{first['rule']}: {first['text']}"
        pairs = zip(result.predicted or [], result.shown, strict=False)
        result.good = numbers is not None and all(shown in (None, predicted) for predicted, shown in pairs)
        checks.true("what-if", f"{case} {kname}", result.good, told(result))
    return results
