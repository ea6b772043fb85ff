"""zinspect's prediction of every device against the kernel's numbers of it.

The prediction is made outside the guest, from a capture in which the three files of every stacked device are taken
out: what is said of a stack can then rest on nothing but what it stands on. The leaves keep theirs, since a user's
limit or a runtime disable stands nowhere else.
"""

import dataclasses
import io
import json
import re
import subprocess
import tarfile
from pathlib import Path

from against.sysfs import THREE, whole_disk
from cache import RigError, cache_dir
from checks import Checks
from stage import Stage

STACKED = re.compile(r"sys/.*/(dm-\d+|md[0-9_][^/]*|nvme-subsystem/[^/]+/nvme\d+n\d+)/queue/(" + "|".join(THREE) + ")")
# What sd made of a SCSI disk's answers, where a user may write too.
MADE_BY_SD = re.compile(r"sys/.*/scsi_disk/[^/]+/(max_write_same_blocks|zeroing_mode|provisioning_mode)")
# Stages in which nobody wrote them: there the answers alone have to give the kernel's numbers.
UNTOUCHED = re.compile(r"scsi-|served$|machine$|usb-|peer-")
# Drivers' flags for some of their devices, which no file shows but by their effect.
BY_EFFECT = {"usb-uas-no-same", "usb-uas-both"}
# Cases that a kernel with unmap limits is to refuse.
REFUSED = {"before-disabled-raid0": "RUN_ARRAY failed: Invalid argument",
           "dm-zoned-unmap": "Invalid argument"}
CANNOT_BE = re.compile(r"this kernel has no|is not installed")


@dataclasses.dataclass
class Result:
    """What the page docs/agreement.md has of a case."""

    case: str
    kernel: str
    predicted: list[int | None] | None = None
    shown: list[int | None] | None = None
    agreement: str = ""
    reason: str = ""
    findings: list[str] = dataclasses.field(default_factory=list)
    expected: list[str] = dataclasses.field(default_factory=list)  # empty: a healthy case
    good: bool = False
    skipped: str = ""

    def unmap_files(self) -> bool:
        return self.shown is not None and self.shown[1] is not None


def hold(stage: Stage, checks: Checks, zinspect: Path) -> list[Result]:
    """Every case of a stage: healthy ones agree, the others have the finding that they are to have."""
    results = [unbuilt(line, checks) for line in stage.text("unbuilt").splitlines()]
    if not stage.roles():
        return results
    capture = stage.path / "host.tar.gz"
    if not checks.true("capture", stage.name, capture.exists(), stage.text("capture.err")[-400:]):
        return results
    bare, answers = stage.path / "bare.tar.gz", stage.path / "answers.tar.gz"
    take_out(STACKED, capture, bare)
    predicted, whole = report(zinspect, bare), report(zinspect, capture)
    alone = {}
    if UNTOUCHED.match(stage.name):
        take_out(MADE_BY_SD, capture, answers)
        alone = report(zinspect, answers)
    expected = {line.split()[0]: line.split()[1:] for line in stage.text("expected").splitlines()}
    asserted = dict(line.split() for line in stage.text("asserted").splitlines())
    for case, kname in stage.roles().items():
        result = Result(case, checks.scenario.split()[1], expected=expected.get(case, []))
        results.append(result)
        one(result, kname, stage, predicted.get(kname), whole.get(kname))
        if case in asserted and result.unmap_files():
            result.good = result.good and holds(asserted[case], result)
        if kname.startswith("sd") and kname in alone and case not in BY_EFFECT:
            numbers = alone[kname]["predicted"]
            checks.true("from its answers alone", f"{case} {kname}", gives(numbers, result.shown),
                        f"predicted {numbers}, kernel {result.shown}")
        checks.true("case", f"{case} {kname}", result.good, told(result))
    return results


def unbuilt(line: str, checks: Checks) -> Result:
    case, _, why = line.partition(" ")
    if refused := REFUSED.get(case):
        # The kernel says itself what the finding md-cannot-start says.
        checks.true("refused", case, refused in why, f"not built: {why.strip()}")
        return Result(case, checks.scenario.split()[1], skipped=why.strip(), good=refused in why)
    cannot = CANNOT_BE.search(why) is not None
    result = Result(case, checks.scenario.split()[1], skipped=why.strip(), good=cannot)
    if cannot:
        checks.skip("case", case, why.strip())
    else:
        checks.true("case", case, False, f"not built: {why.strip()}")
    return result


def one(result: Result, kname: str, stage: Stage, predicted: dict | None, whole: dict | None):
    queue = stage.queues().get(whole_disk(kname, stage) or "")
    if predicted is None or whole is None or queue is None:
        result.agreement = "not reported"
        return
    result.shown = [number(queue.get(attribute)) for attribute in THREE]
    numbers = predicted["predicted"]
    result.predicted = [numbers[attribute] for attribute in THREE] if numbers else None
    verdict = whole["verdict"]
    first = (predicted["verdict"]["reasons"] or [{"rule": "none", "text": ""}])[0]
    result.reason = f"{first['rule']}: {first['text']}"
    result.agreement = whole["agreement"]
    result.findings = sorted({conflict["rule"] for conflict in verdict["conflicts"]})
    result.good = as_expected(result) if result.expected else healthy(result)


def healthy(result: Result) -> bool:
    """All three are equal. A leaf's own user limit is in no other file of it, so un may be lower with that finding."""
    if result.predicted is None:
        return False
    silent = not result.unmap_files()
    if result.agreement != ("kernel-silent" if silent else "agree"):
        return False
    for at, (predicted, shown) in enumerate(zip(result.predicted, result.shown, strict=True)):
        lowered = at == 2 and any(rule.startswith("user-limit") for rule in result.findings)
        if shown is not None and predicted != shown and not lowered:
            return False
    return True


def as_expected(result: Result) -> bool:
    agreement, *rules = result.expected
    if not result.unmap_files():
        # Nothing to limit, and nothing to say of it.
        agreement = "kernel-silent" if agreement == "agree" else agreement
        rules = [rule for rule in rules if not rule.startswith("user-limit")]
    return result.agreement == agreement and all(rule in result.findings for rule in rules)


def gives(numbers: dict | None, shown: list[int | None] | None) -> bool:
    """wz and hw: un may be a user's."""
    if numbers is None or shown is None:
        return False
    pairs = zip(THREE[:2], shown, strict=False)
    return all(there is None or numbers[attribute] == there for attribute, there in pairs)


def holds(assertion: str, result: Result) -> bool:
    """What the guest's script asserts of a case, of the kernel's numbers and of the predicted ones."""
    wz, hw, un = result.shown
    match assertion:
        case "none":
            return hw == un == 0 and result.predicted[1:] == [0, 0]
        case "unmap":
            return wz == hw == un != 0 and result.predicted == [wz, wz, wz]
        case "off":
            return wz == hw != 0 and un == 0 and result.predicted[:2] == [wz, wz]
        case other:
            raise RigError(f"no assertion {other!r}")


def told(result: Result) -> str:
    wanted = f"wanted {' '.join(result.expected)}; " if result.expected else ""
    return (f"{wanted}{result.agreement}: predicted {result.predicted}, kernel {result.shown}, "
            f"findings {' '.join(result.findings) or 'none'}; {result.reason}")


def number(text: str | None) -> int | None:
    return None if text is None else int(text)


def report(zinspect: Path, capture: Path) -> dict[str, dict]:
    command = [str(zinspect), "--snapshot", str(capture), "--all", "-o", "json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        raise RigError(f"{' '.join(command)} said {done.stderr.strip()!r}")
    return {device["kname"]: device for device in json.loads(done.stdout)["devices"]}


def take_out(which: re.Pattern, capture: Path, bare: Path):
    """The same archive without those files."""
    with tarfile.open(capture) as whole, tarfile.open(bare, "w:gz", compresslevel=1) as rest:
        for member in whole:
            if not which.fullmatch(member.name):
                content = whole.extractfile(member).read() if member.isfile() else b""
                rest.addfile(member, io.BytesIO(content))


def save(results: list[Result], name: str, alone: bool = False):
    """Keeps the results of a stage for docs/agreement.md, in the place of those of its last run; `alone`: as the only
    one of its scenario and kernel."""
    folder = cache_dir() / "agreement"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("-".join(name.split("-")[:2]) + "-*") if alone else []:
        old.unlink()
    text = json.dumps([dataclasses.asdict(result) for result in results], indent=1)
    (folder / f"{name}.json").write_text(text)


def load(path: Path) -> list[Result]:
    return [Result(**fields) for fields in json.loads(path.read_text())]
