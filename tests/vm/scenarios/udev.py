"""zinspect's rules under a real udevd: properties, tags, hotplug, change events, many devices."""

import json
from pathlib import Path

import initramfs
from context import Context
from stage import Stage

TITLE = "udev: properties and tags, hotplug, change events, device-mapper, 500 devices at once, zinspect watch"
KERNELS = ["7.3"]
NEEDS_ZINSPECT = True

UDEVADM = Path("/bin/udevadm")
RULES = Path("/lib/udev/rules.d")
# Of udev, and of dmsetup: without the last three dmsetup waits for udevd for ever.
THEIRS = ["50-udev-default", "60-block", "60-persistent-storage", "55-dm", "60-persistent-storage-dm", "95-dm-notify"]
OURS = Path(__file__).resolve().parents[3] / "udev-rules/60-zinspect.rules"


def files() -> dict[str, Path]:
    inside = {f"/{path}": outside for path, outside in initramfs.libraries(UDEVADM).items()}
    inside |= {"/bin/udevadm": UDEVADM, "/lib/systemd/systemd-udevd": UDEVADM}
    for name in THEIRS:
        inside[f"/lib/udev/rules.d/{name}.rules"] = RULES / f"{name}.rules"
    inside["/lib/udev/rules.d/60-zinspect.rules"] = OURS
    return inside


def properties(stage: Stage, name: str) -> dict[str, str]:
    lines = stage.text(f"{name}.out").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def tags(found: dict[str, str], key: str) -> set[str]:
    return {tag for tag in found.get(key, "").split(":") if tag.startswith("zinspect")}


def run(context: Context):
    checks = context.checks
    if not UDEVADM.exists():
        checks.skip("udevd", "udev", "udevadm is not installed (Debian: udev)")
        return
    out = context.boot(context.machine("udev.sh", root=files(), timeout=2400)).out
    hotplug(checks, Stage(out / "hotplug"))
    changed(checks, Stage(out / "changed"))
    triggered(checks, Stage(out / "trigger"))
    removed = Stage(out / "removed")
    checks.true("removed", "database", removed.text("number").strip() not in removed.text("data").split(),
                "the entry of the removed disk is still there")
    nvme(checks, Stage(out / "nvme"))
    mapped(checks, Stage(out / "dm"))
    checks.equal("gone", "status", 0, Stage(out / "gone").status("gone"))
    many = Stage(out / "many")
    checks.equal("500 devices at once", "with properties", "500", many.text("count").strip())
    print(f"note udev: 500 devices settled in {many.text('seconds').strip()} s under emulation")
    watched(checks, out, Stage(out / "hotplug").roles()["unmap"])


def hotplug(checks, stage: Stage):
    unmap = properties(stage, "unmap")
    limit = stage.queues()[stage.roles()["unmap"]]["write_zeroes_max_bytes"]
    checks.equal("hotplug", "ID_ZINSPECT_ZEROING", "unmap", unmap.get("ID_ZINSPECT_ZEROING"))
    checks.equal("hotplug", "ID_ZINSPECT_MAX_BYTES", limit, unmap.get("ID_ZINSPECT_MAX_BYTES"))
    checks.equal("hotplug", "ID_ZINSPECT_CONFLICTS", None, unmap.get("ID_ZINSPECT_CONFLICTS"))
    checks.equal("hotplug", "CURRENT_TAGS", {"zinspect-unmap"}, tags(unmap, "CURRENT_TAGS"))
    partition = properties(stage, "partition")
    checks.equal("partition", "ID_ZINSPECT_ZEROING", "unmap", partition.get("ID_ZINSPECT_ZEROING"))
    checks.equal("partition", "CURRENT_TAGS", {"zinspect-unmap"}, tags(partition, "CURRENT_TAGS"))


def changed(checks, stage: Stage):
    stale = properties(stage, "stale")
    checks.equal("no event", "properties are as before", "unmap", stale.get("ID_ZINSPECT_ZEROING"))
    limited = properties(stage, "user-limit")
    checks.equal("change", "ID_ZINSPECT_ZEROING", "offload", limited.get("ID_ZINSPECT_ZEROING"))
    checks.equal("change", "ID_ZINSPECT_CONFLICTS", "user-limit", limited.get("ID_ZINSPECT_CONFLICTS"))
    checks.equal("change", "CURRENT_TAGS", {"zinspect-conflict"}, tags(limited, "CURRENT_TAGS"))
    checks.true("change", "TAGS", "zinspect-unmap" in tags(limited, "TAGS"), "TAGS keeps what was once set")
    back = properties(stage, "back")
    checks.equal("back", "CURRENT_TAGS", {"zinspect-unmap"}, tags(back, "CURRENT_TAGS"))
    checks.equal("back", "ID_ZINSPECT_CONFLICTS", None, back.get("ID_ZINSPECT_CONFLICTS"))


def triggered(checks, stage: Stage):
    """watch --trigger: udev's properties follow a limit that nobody sends an event for."""
    checks.equal("trigger", "ID_ZINSPECT_ZEROING", "offload", properties(stage, "limited").get("ID_ZINSPECT_ZEROING"))
    back = properties(stage, "back")
    checks.equal("trigger", "back", "unmap", back.get("ID_ZINSPECT_ZEROING"))
    checks.equal("trigger", "CURRENT_TAGS", {"zinspect-unmap"}, tags(back, "CURRENT_TAGS"))
    lines = [json.loads(line) for line in stage.text("watch.ndjson").splitlines()]
    limits = [(line["old"] == "0", line["new"] == "0") for line in lines if line["what"] == "limit"]
    checks.equal("trigger", "limits", [(False, True), (True, False)], limits)
    # Its own event must not be a reason for the next.
    events = [line for line in lines if line["what"] == "change"]
    checks.true("trigger", "events", 1 <= len(events) <= 2, f"{lines}")
    checks.equal("trigger", "of this disk alone", 1, len({line["kname"] for line in lines}))


def mapped(checks, stage: Stage):
    """A dm device with dmsetup's own rules: created, over another device after a reload, removed."""
    created = properties(stage, "created")
    limit = stage.text("limit").strip()
    checks.equal("dm created", "DM_NAME", "zi", created.get("DM_NAME"))
    checks.equal("dm created", "ID_ZINSPECT_ZEROING", "unmap", created.get("ID_ZINSPECT_ZEROING"))
    checks.equal("dm created", "ID_ZINSPECT_MAX_BYTES", limit, created.get("ID_ZINSPECT_MAX_BYTES"))
    checks.equal("dm created", "CURRENT_TAGS", {"zinspect-unmap"}, tags(created, "CURRENT_TAGS"))
    reloaded = properties(stage, "reloaded")
    checks.equal("dm reloaded", "ID_ZINSPECT_ZEROING", "software", reloaded.get("ID_ZINSPECT_ZEROING"))
    checks.equal("dm reloaded", "ID_ZINSPECT_MAX_BYTES", "0", reloaded.get("ID_ZINSPECT_MAX_BYTES"))
    checks.equal("dm reloaded", "CURRENT_TAGS", set(), tags(reloaded, "CURRENT_TAGS"))
    lines = [json.loads(line) for line in stage.text("watch.ndjson").splitlines()]
    lines = [line for line in lines if line["kname"] == "dm-0"]
    told = [(line["what"], line["new"]) for line in lines if line["what"] in ("add", "verdict", "remove")]
    checks.equal("dm", "watch", [("add", "unmap"), ("verdict", "software"), ("remove", None)], told)
    checks.true("dm reloaded", "watch: change", any(line["what"] == "change" for line in lines), f"{lines}")
    checks.true("dm removed", "database", stage.text("number").strip() not in stage.text("data").split(), "still there")


def nvme(checks, stage: Stage):
    first, again = properties(stage, "first"), properties(stage, "again")
    for name, found in (("first", first), ("again", again)):
        checks.equal(f"nvme {name}", "ID_ZINSPECT_ZEROING", "unmap", found.get("ID_ZINSPECT_ZEROING"))
        checks.equal(f"nvme {name}", "CURRENT_TAGS", {"zinspect-unmap"}, tags(found, "CURRENT_TAGS"))
    checks.true("nvme again", "DISKSEQ", first.get("DISKSEQ") != again.get("DISKSEQ"), "the same disk")
    links = stage.text("links").split()
    checks.true("nvme removed", "links", first.get("DISKSEQ") not in links, f"{links}")


def watched(checks, out: Path, disk: str):
    lines = [json.loads(line) for line in (out / "watch.ndjson").read_text().splitlines()]
    of_disk = [line for line in lines if line["kname"] == disk]
    seen = {(line["what"], line["field"], line["new"]) for line in of_disk}
    name = "write_zeroes_unmap_max_bytes"
    checks.true("watch", "add", ("add", None, "unmap") in seen, f"{seen}")
    checks.true("watch", "limit to 0", ("limit", name, "0") in seen, f"{seen}")
    checks.true("watch", "verdict", ("verdict", None, "offload") in seen, f"{seen}")
    checks.true("watch", "remove", "remove" in {line["what"] for line in of_disk}, f"{seen}")
    for what in ["add", "remove"]:
        told = [line["text"] for line in of_disk if line["what"] == what]
        checks.equal("watch", f"{what} is told once", 1, len(told))
