"""What zinspect says of files, held against fallocate(2) and FIEMAP themselves."""

import json
import os
import subprocess

import newer
from against import bad_paths
from cache import HERE, CannotRunHere
from context import Context
from stage import Stage
from tools import build

TITLE = "files: each mode of fallocate on many filesystems and stacks, predicted and tried"
KERNELS = ["6.12", "6.17", "7.2", "7.3"]
NEEDS_ZINSPECT = True

MODES = {"0x80": "write-zeroes", "0x10": "zero-range", "0x11": "zero-range-keep-size",
         "0x03": "punch-hole", "0": "allocate"}
# lseek tells data from the rest; of a file that ends before, nothing.
BY_SEEK = {"written": {"data"}, "unwritten": {"no-data", "past-end"}, "hole": {"no-data", "past-end"}}


# Combination -> fields of statx that the kernel fills in there, and the series that began to.
STATX = {
    "ext4": {"mnt_id": "6.1", "dio_mem_align": "6.1", "atomic_write_unit_min": "6.16"},
    "xfs": {"dio_mem_align": "6.1", "dio_read_offset_align": "6.16", "atomic_write_unit_max": "6.16"},
    "btrfs": {"mnt_id": "6.1", "subvol": "6.12", "dio_mem_align": None},
    "f2fs": {"dio_mem_align": "6.1", "subvol": None},
    "tmpfs": {"mnt_id": "6.1", "dio_mem_align": None, "atomic_write_unit_min": None},
}


# Parts: guest/files-PART.sh. The last one pulls a disk.
PARTS = ["ext4", "stacks", "xfs", "others", "overlay", "zoned", "who", "bad"]


def run(context: Context):
    wanted = os.environ.get("ZINSPECT_FILES_PARTS", "").split()
    parts = [part for part in PARTS if not wanted or part in wanted]
    root = {"/bin/trial": trial(context), **build.program("bad_fs")}
    settings = {"parts": " ".join(parts), "zoned_mkfs": "", "zoned_why": ""}
    if "zoned" in parts:
        try:
            root.update(newer.for_guest("forky", "xfsprogs", "mkfs.xfs"))
            settings["zoned_mkfs"] = "yes"
        except CannotRunHere as error:
            settings["zoned_why"] = str(error).replace("'", "")
    machine = context.machine("files.sh", root=root, settings=settings, memory="3G", timeout=2400,
                              append="memmap=256M!1G")  # pmem0, for dax
    result = context.boot(machine)
    skipped = result.out / "skipped"
    for line in skipped.read_text().splitlines() if skipped.exists() else []:
        role, _, why = line.partition(" ")
        context.checks.skip("combination", role, why)
    broken = result.out / "broken"
    context.checks.equal("parts", "broken", "", broken.read_text() if broken.exists() else "")
    stage = Stage(result.out / "files")
    rows = [combination(stage, context.checks, *line.split("|"))
            for line in stage.text("combos").splitlines()]
    if "who" in parts:
        surroundings(stage, context.checks)
    if "bad" in parts:
        bad_paths.hold(stage, context.checks)
    if "ext4" in parts:
        edges(stage, context.checks)
        commits(stage, context.checks)
    if parts == PARTS:
        context.checks.true("combinations", "at least 40", len(rows) >= 40, f"only {len(rows)}")
        statx(stage, context.checks, context.kernel)
        results = {"kernel": context.kernel, "rows": rows}
        (context.work / "results.json").write_text(json.dumps(results, indent=1))


def trial(context: Context):
    program = context.work / "trial"
    source = HERE / "guest" / "trial.c"
    command = ["cc", "-O2", "-static", "-o", str(program), str(source)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise CannotRunHere("there is no C compiler (cc) for tests/vm/guest/trial.c") from None
    return program


def combination(stage: Stage, checks, name: str, lies: str, on: str, kind: str) -> dict:
    """One line of the table: what was predicted for each mode, and what happened."""
    report = stage.json(name) or {}
    files = report.get("files") or []
    trials = dict(line.split(maxsplit=1) for line in stage.text(f"{name}.trial").splitlines())
    row = {"name": name, "filesystem": lies, "on": on, "kind": kind, "modes": {}}
    checks.true("report", name, files, stage.text(f"{name}.err")[:300])
    for index, (flags, mode) in enumerate(MODES.items()):
        answers = files[index if len(files) > 1 else 0]["modes"] if files else []
        answer = next((one for one in answers if one["mode"] == mode), None)
        got = trials.get(flags, "not tried")
        said = says(answer)
        same = answer is not None and agree(answer, got)
        checks.true(mode, f"{name} ({lies}, {on}, {kind})", same, f"predicted {said}, got {got}")
        row["modes"][mode] = {"predicted": said, "got": got, "equal": same}
    if files:
        row["fast"] = files[0]["write_zeroes"]["fast"]
    if name in ("ext4", "xfs"):
        extents = files[0]["extents"] if files else {}
        checks.equal("written bytes", name, 1 << 20, extents.get("written", {}).get("bytes"))
        checks.equal("hole bytes", name, 1 << 20, extents.get("hole_bytes"))
    return row


def says(answer: dict | None) -> str:
    if answer is None:
        return "nothing"
    if answer["supported"] is None:
        return "unknown"
    if not answer["supported"]:
        return f"{answer['call']} {answer['errno']}"
    return f"ok {answer['hole_becomes'] or 'none'} {answer['data_becomes'] or 'none'}"


def agree(answer: dict, got: str) -> bool:
    words = got.split()
    if words[0] != "ok":
        return says(answer) == got
    method, first, second, kib, was = words[1:]
    predicted = says(answer).split()
    if predicted[0] != "ok":
        return False
    hole, data = predicted[1:]
    for wanted, state in ((hole if was == "hole" else data, first), (data, second)):
        # Of a new file there is no data, of a device's node no state at all.
        if state == "none":
            continue
        if method == "seek" and state not in BY_SEEK.get(wanted, ()):
            return False
        if method == "fiemap" and state != wanted:
            return False
    return offload_agrees(answer, int(kib))


def offload_agrees(answer: dict, kib: int) -> bool:
    """Zeroes by a command of the device are no writes: pgpgout counts those alone, of 2 MiB here."""
    if answer["offloaded"]:
        return kib < 1024
    if answer["mode"] == "write-zeroes":
        return kib >= 2048
    return True


def surroundings(stage: Stage, checks):
    """Without the right to read, in another mount namespace, from a capture."""
    disk = role(stage, "disk")
    unmaps = has_limit(stage)

    def file(name):
        files = (stage.json(name) or {}).get("files") or [{}]
        return files[0]

    plain = file("plain")
    checks.equal("plain user", "write zeroes", None if unmaps else False,
                 plain.get("write_zeroes", {}).get("supported"))
    checks.equal("plain user", "extents", None, plain.get("extents"))
    denied = {one["field"]: one["status"] for one in plain.get("unread", [])}
    checks.equal("plain user", "extents", "denied", denied.get("extents"))
    checks.equal("plain user", "devices", [disk], plain.get("devices"))
    checks.equal("extents", "exit code", 0, stage.status("extents"))
    extents = (stage.json("extents") or {}).get("files", [{}])[0].get("extents", [])
    checks.equal("extents", "states", ["written"], [one["state"] for one in extents])
    checks.equal("extents", "offset", 1 << 20, extents[0]["logical_bytes"] if extents else None)
    checks.equal("plain extents", "exit code", 32, stage.status("plain-extents"))
    checks.equal("csv", "exit code", 0, stage.status("csv"))
    checks.true("csv", "row", "/mnt/here/private,ext4," in stage.text("csv.out"), stage.text("csv.out"))
    checks.equal("--require unmap", "exit code", 0 if unmaps else 1, stage.status("require-unmap"))
    checks.equal("--require unmap", "tmpfs", 1, stage.status("require-fails"))
    for name in ("page", "table", "tree"):
        checks.true(name, "device", disk in stage.text(f"{name}.out"), stage.text(f"{name}.err"))
    apart = file("pid")
    checks.equal("--pid", "mount", "/mnt/apart", (apart.get("mount") or {}).get("point"))
    checks.equal("--pid", "devices", [disk], apart.get("devices"))
    checks.equal("--pid", "write zeroes", unmaps, apart.get("write_zeroes", {}).get("supported"))
    closed = file("pid-plain")
    # Without the right to look through /proc/PID/root a link may lead anywhere: null, and no guess.
    unread = {one["field"]: one["status"] for one in closed.get("unread", [])}
    checks.equal("--pid plain", "mount", (None, "denied"), (closed.get("mount"), unread.get("mount")))
    checks.equal("--pid plain", "write zeroes", None,
                 closed.get("write_zeroes", {}).get("supported"))
    captured = file("captured")
    checks.equal("captured", "devices", [disk], captured.get("devices"))
    reasons = {one["field"]: one["status"] for one in captured.get("unread", [])}
    checks.equal("captured", "extents", "not-asked", reasons.get("extents"))


# Combination of ext4 -> where its metadata goes to.
COMMITS = {"ext4": "journal", "ext4-new": "journal", "ext4-no-journal": "in-place",
           "ext4-external": "external-journal", "ext3": "journal", "ext2": "in-place"}


def commits(stage: Stage, checks):
    """How each filesystem was made says where its journal is."""
    for name, expected in COMMITS.items():
        for file in (stage.json(name) or {}).get("files") or []:
            checks.equal("commit", name, expected, file["commit"])
    external = ((stage.json("ext4-external") or {}).get("files") or [{}])[0]
    second = stage.text("second").strip()
    checks.equal("other device", "ext4-external", [{"role": "journal", "path": f"/dev/{second}"}],
                 external.get("other_devices"))


def role(stage: Stage, name: str) -> str | None:
    return dict(line.split() for line in stage.text("../roles").splitlines()).get(name)


def statx(stage: Stage, checks, kernel: str):
    """A field that the kernel did not fill in is null, and one that it did is not."""
    def number(series):
        return [int(part) for part in series.split(".")]

    for name, fields in STATX.items():
        files = (stage.json(name) or {}).get("files") or [{}]
        filled = files[0].get("statx") or {}
        for field, since in fields.items():
            expected = since is not None and number(kernel) >= number(since)
            checks.equal("statx", f"{name} {field}", expected, filled.get(field) is not None)


def edges(stage: Stage, checks):
    """ext4's answer for an unaligned range, where it is sure of one."""
    files = (stage.json("ext4") or {}).get("files") or [{}]
    reasons = files[0].get("write_zeroes", {}).get("reasons", [])
    text = next((one["text"] for one in reasons if one["rule"] == "ext4-edges"), "")
    got = stage.text("edges").strip()
    if "of this series" in text:
        checks.equal("edges", "ext4", "unwritten", got)
    elif text:
        checks.true("edges", "ext4", got in ("written", "unwritten"), got)
    else:
        checks.equal("edges", "ext4", "fallocate EOPNOTSUPP", got)


def has_limit(stage: Stage) -> bool:
    """Whether the disk's own limit opens the mode: the kernel's file, as the report has it."""
    report = stage.json("plain") or {}
    device = next(iter(report.get("devices") or []), {})
    return bool((device.get("kernel") or {}).get("write_zeroes_unmap_max_bytes"))
