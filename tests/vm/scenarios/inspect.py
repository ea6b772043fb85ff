"""zinspect on real devices, held against sysfs, nvme-cli and sg3_utils."""

import disks
from against import nvme_cli, plain_user, sg3, snapshot, sysfs
from context import Context
from kernels import natural
from stage import Stage

TITLE = "every kind of device of one host, as root, as a plain user and from a snapshot"
KERNELS = ["7.3"]
NEEDS_ZINSPECT = True

MIB = 1 << 20

# Role -> (kind, zeroing), from the drivers' and targets' own code: only NVMe with DLFEAT 1 and
# DEAC, and SCSI with LBPRZ and LBPWS or LBPWS10 unmap; only linear, striped, multipath and raid0
# hand that on.
EXPECTED = {
    "nvme-plain": ("disk", "offload"),
    "nvme-shared": ("nvme-head", "offload"),
    "nvme-path": ("nvme-path", "offload"),
    "virtio-scsi": ("disk", "offload"),
    "ahci": ("disk", "software"),
    "virtio-blk": ("disk", "offload"),
    "scsi-debug": ("disk", "unmap"),
    "nvmet-loop": ("nvme-head", "unmap"),
    "linear": ("dm", "unmap"),
    "striped": ("dm", "unmap"),
    "crypt": ("dm", "software"),
    "thin-pool": ("dm", "software"),
    "thin": ("dm", "software"),
    "multipath": ("dm", "unmap"),
    "raid0": ("md", "unmap"),
    "raid1": ("md", "software"),
    "partition": ("partition", "unmap"),
    "loop-on-disk": ("loop", "offload"),
    "loop-on-file": ("loop", "offload"),
    "zram": ("zram", "offload"),
    "null_blk": ("null", "software"),
    "brd": ("brd", "software"),
    "scsi-no-lbprz": ("disk", "offload"),
    "scsi-lbpws10": ("disk", "unmap"),
    "scsi-lbpu-only": ("disk", "offload"),
    "scsi-fully-provisioned": ("disk", "offload"),
    "scsi-physical-4k": ("disk", "unmap"),
}

# What it must say of a target: exit code, roles of the first devices reported.
TARGETS = {
    "kname": (0, ["scsi-debug"]), "path": (0, ["scsi-debug"]), "mapper": (0, ["linear"]),
    "number": (0, ["raid0"]), "partition": (0, ["partition"]),
    "partition-path": (0, ["partition"]), "hidden": (0, ["nvme-path"]),
    "controller": (0, ["nvme-plain"]), "several": (0, ["raid0", "crypt"]),
    "no-such": (32, []), "some": (64, ["raid0"]), "file": (0, None),
    "require-met": (0, None), "require-unmap-meets-offload": (0, None),
    "require-not-met": (1, None), "require-offload-not-met": (1, None), "bad-option": (2, None),
    "detail": (0, None), "detail-raw": (0, None), "detail-dm": (0, None),
    "detail-head": (0, None),
}


def run(context: Context):
    images, devices = disks.one_of_each(context.work, 256 * MIB)

    def prepare():
        for image in images:
            image.create()

    machine = context.machine("inspect.sh", devices=devices, timeout=900)
    result = context.boot(machine, prepare)
    skipped = result.out / "skipped"
    for line in skipped.read_text().splitlines() if skipped.exists() else []:
        role, _, why = line.partition(" ")
        context.checks.skip("device", role, why)
    for path in sorted(result.out.glob("scsi-*")):
        with context.checks.within(path.name):
            scsi_variant(Stage(path), context.checks)
    with context.checks.within("main"):
        whole_host(Stage(result.out / "main"), context.checks, context.kernel)


def scsi_variant(stage: Stage, checks):
    expected_verdicts(stage, checks, "root", {stage.name})
    sysfs.hold(stage, checks, "root")
    sysfs.agreement(stage, checks, "root")
    sg3.hold(stage, checks, "root")
    plain_user.hold(stage, checks, "root", "plain")
    snapshot.hold(stage, checks, "root", "snapshot")
    for name in ("detail", "raw"):
        says_verdict(stage, checks, name, stage.name)


def whole_host(stage: Stage, checks, kernel: str):
    expected_verdicts(stage, checks, "all", set(stage.roles()))
    sysfs.hold(stage, checks, "all")
    sysfs.agreement(stage, checks, "root")
    nvme_cli.hold(stage, checks, "all")
    sg3.hold(stage, checks, "all")
    plain_user.hold(stage, checks, "root", "plain")
    plain_user.hold(stage, checks, "root", "no-ioctl")
    plain_user.hold(stage, checks, "root", "open")
    dlfeat_without_privilege(stage, checks, kernel)
    snapshot.hold(stage, checks, "root", "snapshot")
    snapshot.hold(stage, checks, "plain", "plain-snapshot")
    same_text(stage, checks)
    default_list(stage, checks)
    targets(stage, checks)
    for name in ("table", "tree", "inverse", "csv", "prometheus", "ndjson", "plain-table"):
        shows_all(stage, checks, name)


def expected_verdicts(stage: Stage, checks, report: str, roles: set[str]):
    devices = stage.devices(report)
    for role, kname in stage.roles().items():
        if role not in roles:
            continue
        kind, zeroing = EXPECTED[role]
        if role == "nvmet-loop" and not stage.has_unmap_files():
            zeroing = "offload"  # nvmet has DLFEAT 9 since it can ask the disk below, 6.17
        subject = f"{role} {kname}"
        if stage.has_unmap_files():
            checks.equal("expectation", subject, zeroing, sysfs.zeroing(stage, kname))
        device = devices.get(kname)
        if not checks.true("listed", subject, device, f"not among {sorted(devices)}"):
            continue
        checks.equal("kind", subject, kind, device.get("kind"))
        verdict = device.get("verdict") or {}
        checks.equal("verdict", subject, zeroing, verdict.get("zeroing"))
        checks.true("reasons", subject, verdict.get("reasons"), "a verdict without any reason")
        checks.equal("conflicts", subject, [], alarms(verdict))


def alarms(verdict: dict) -> list[str]:
    """Nothing is wrong with these devices, so nothing may be warned of."""
    return [conflict.get("rule") for conflict in verdict.get("conflicts", [])
            if conflict.get("level") != "info"]


def dlfeat_without_privilege(stage: Stage, checks, kernel: str):
    """With a readable node, Identify needs no privilege from 6.2 on."""
    if natural(kernel) < natural("6.2"):
        checks.skip("open DLFEAT", "NVMe", "this kernel lets only root send Identify (6.2)")
        return
    devices = stage.devices("open")
    for role in ("nvme-plain", "nvmet-loop"):
        if kname := stage.roles().get(role):
            dlfeat = ((devices.get(kname) or {}).get("nvme") or {}).get("dlfeat") or {}
            expected = (stage.json(f"id-ns.{kname}") or {}).get("dlfeat")
            checks.equal("open DLFEAT", f"{role} {kname}", expected, dlfeat.get("raw"))


def same_text(stage: Stage, checks):
    for live, captured in (("tree", "snapshot-tree"), ("table", "snapshot-table")):
        same = stage.text(f"{live}.out") == stage.text(f"{captured}.out")
        checks.true("snapshot text", live, same, "differs from the live one")
    first, again = stage.path / "host.tar.gz", stage.path / "again.tar.gz"
    if checks.true("capture", "files", first.exists() and again.exists(),
                   stage.text("capture.err")):
        same = first.read_bytes() == again.read_bytes()
        checks.true("capture", "same readings, same bytes", same, "two captures differ")


def default_list(stage: Stage, checks):
    """Without --all: no ram disk, no loop that is bound to nothing."""
    everything, listed = stage.devices("all"), stage.devices("root")
    bound = {stage.roles()[role] for role in ("loop-on-disk", "loop-on-file")}
    for kname in everything:
        idle = kname.startswith("ram") or (kname.startswith("loop") and kname not in bound)
        checks.equal("listed by default", kname, not idle, kname in listed)


def targets(stage: Stage, checks):
    for name, (status, roles) in TARGETS.items():
        subject = f"zinspect ({name})"
        got = stage.status(f"target-{name}")
        checks.true("exit code", subject, got == status, f"expected {status}, got {got}: "
                    f"{stage.text(f'target-{name}.err')[:200]!r}")
        if status in (2, 32, 64):
            checks.true("message", subject, stage.text(f"target-{name}.err"), "no error message")
        if roles:
            expected = [stage.roles()[role] for role in roles]
            got = list(stage.devices(f"target-{name}"))[: len(roles)]
            checks.equal("target", subject, expected, got)
    for name, role in (("detail", "scsi-debug"), ("detail-raw", "scsi-debug"),
                       ("detail-dm", "multipath"), ("detail-head", "nvme-shared")):
        says_verdict(stage, checks, f"target-{name}", role)


def says_verdict(stage: Stage, checks, name: str, role: str):
    text = stage.text(f"{name}.out")
    for word in (stage.roles()[role], EXPECTED[role][1]):
        checks.true("detail", name, word in text, f"does not say {word!r}: {text[:200]!r}")


def shows_all(stage: Stage, checks, name: str):
    """Every device of the report is in the other outputs, and nothing was printed as error."""
    checks.equal("exit code", name, 0, stage.status(name))
    text = stage.text(f"{name}.out")
    absent = [kname for kname in stage.devices("root") if kname not in text]
    checks.true("shows", name, not absent, f"lacks {' '.join(absent)}")
