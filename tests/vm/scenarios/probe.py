"""zinspect probe on devices that are honest and on devices that lie."""

import os

from cache import REPOSITORY, CannotRunHere
from context import Context
from disks import Disk, virtio_blk
from initramfs import libraries
from stage import Stage

TITLE = "probe: every outcome provoked, every refusal, kills under --preserve"
KERNELS = ["7.3"]
NEEDS_ZINSPECT = True

MIB = 1 << 20
KILLS = 6
# Stages to run, separated by blanks, or all.
ONLY = os.environ.get("ZINSPECT_PROBE_STAGES", "all")

ZEROED = {"zeroed-unmapped", "zeroed-written", "zeroed-unmap-unknown"}

# What a lie becomes, for a method that the server sees as a request for zeroes.
LIARS = {
    "honest": (ZEROED, 0), "slow": (ZEROED, 0), "slower": (ZEROED, 0),
    "nothing": ({"not-zeroed"}, 1), "half": ({"partly-zeroed"}, 1),
    "neighbour": ({"collateral-damage"}, 1),
}
ASKING = ("blkzeroout", "fallocate-punch-hole")

# Refusal -> words that its message must have.
REFUSALS = {
    "read-only": "read-only", "no-mode": "--preserve", "outside": "not within",
    "unaligned": "whole blocks", "wrong-id": "another device", "no-id": "not confirmed",
    "opened": "process", "loop": "loop", "held": "held by", "mounted-above": "held by",
    "mounted": "mounted on", "signature-destroy": "ext4", "signature-preserve": "ext4",
    "swap": "swap", "journal-below": "mounted", "sysroot": "captured", "file": "existing file",
}


def run(context: Context):
    programs = [REPOSITORY / "target/debug/examples" / name for name in ("nbd_liar", "nvme_liar")]
    if missing := [liar.name for liar in programs if not liar.is_file()]:
        raise CannotRunHere(f"no {' and '.join(missing)}: run cargo build --examples")
    disk = Disk(context.work / "state.img", 512 * MIB)
    root = {f"/bin/{liar.name}": liar for liar in programs}
    root |= {f"/{inside}": path for liar in programs for inside, path in libraries(liar).items()}
    machine = context.machine("probe.sh", devices=virtio_blk(disk, "state"), root=root,
                              settings={"kills": str(KILLS), "only": ONLY}, timeout=900)
    result = context.boot(machine, disk.create)
    checks = context.checks
    for name, check in (("liars", liars), ("real", real), ("refusals", refusals),
                        ("nvme", nvme), ("nvme-liars", nvme_liars), ("kills", kills)):
        if not (result.out / name).is_dir():
            checks.skip("stage", name, "not asked for")
            continue
        with checks.within(name):
            check(Stage(result.out / name), checks)


def outcomes(stage: Stage, name: str) -> dict[str, dict]:
    report = stage.json(name) or {}
    return {one["method"]: one for one in report.get("results", [])}


def is_outcome(stage, checks, name, method, wanted):
    got = outcomes(stage, name).get(method, {})
    checks.true(name, method, got.get("outcome") in wanted,
                f"expected {sorted(wanted)}, got {got or stage.text(f'{name}.err')}")
    return got


def liars(stage: Stage, checks):
    for lie, (wanted, status) in LIARS.items():
        checks.equal("exit", lie, status, stage.status(lie))
        for method in ASKING:
            got = is_outcome(stage, checks, lie, method, wanted)
            if status:
                checks.true("offset", f"{lie} {method}", isinstance(got.get("first_bad_offset"), int),
                            f"no offset in {got}")
        is_outcome(stage, checks, lie, "pwrite", ZEROED)
    verdict = ((stage.json("slower") or {}).get("verdict") or {}).get("times_faster_than_writing")
    checks.true("slower", "verdict", verdict and verdict < 1, f"times faster: {verdict}")
    # The first command succeeds, every later one fails: NBD turns each error into EIO.
    got = (stage.json("error") or {}).get("results", [])
    rejected = {(one.get("error") or {}).get("errno") for one in got if one["outcome"] == "rejected"}
    checks.equal("error", "errno of what was rejected", {"EIO"}, rejected)
    got = is_outcome(stage, checks, "hang", "blkzeroout", {"timed-out"})
    checks.true("hang", "pid", got.get("stuck_pid"), f"no pid in {got}")
    checks.equal("hang", "exit", 1, stage.status("hang"))
    checks.equal("hang-preserve", "exit", 3, stage.status("hang-preserve"))
    checks.true("hang-preserve", "journal named", (stage.json("hang-preserve") or {}).get("journal"), "not named")
    checks.equal("hang-again", "exit", 2, stage.status("hang-again"))
    checks.true("hang-again", "journal named", "--recover" in stage.text("hang-again.err"), stage.text("hang-again.err"))


def real(stage: Stage, checks):
    checks.equal("exit", "scsi-honest", 0, stage.status("scsi-honest"))
    for method in ("scsi-write-same-16-unmap", "fallocate-write-zeroes"):
        is_outcome(stage, checks, "scsi-honest", method, {"zeroed-unmapped"})
    for method in ("pwrite", "scsi-write-same-16", "blkzeroout"):
        is_outcome(stage, checks, "scsi-honest", method, {"zeroed-written"})
    checks.equal("exit", "preserve", 0, stage.status("preserve"))
    checks.equal("restored", "preserve", True, (stage.json("preserve") or {}).get("restored"))
    is_outcome(stage, checks, "scsi-whole-default", "blkzeroout", ZEROED)
    for method in ("scsi-write-same-16-unmap", "scsi-write-same-10", "blkzeroout"):
        is_outcome(stage, checks, "partition", method, ZEROED)
    is_outcome(stage, checks, "dm-disabled-below", "blkzeroout", {"zeroed-written"})
    is_outcome(stage, checks, "fake-rw", "blkzeroout", {"not-stored"})
    is_outcome(stage, checks, "flakey-drop", "blkzeroout", {"not-stored"})
    legs = [one for one in (stage.json("multipath") or {}).get("results", [])
            if one["method"].startswith("scsi")]
    checks.equal("legs", "multipath", 4, len([one for one in legs if one["leg"] and one["outcome"] in ZEROED]))
    checks.equal("exit", "refused-leg", 2, stage.status("refused-leg"))
    checks.true("map named", "refused-leg", "/dev/mapper/mp" in stage.text("refused-leg.err"), stage.text("refused-leg.err"))


def refusals(stage: Stage, checks):
    for name, words in REFUSALS.items():
        checks.equal("exit", name, 2, stage.status(name))
        checks.true("message", name, words in stage.text(f"{name}.err"), stage.text(f"{name}.err"))
    is_outcome(stage, checks, "scratch", "pwrite", ZEROED)
    checks.equal("restored", "signature-agreed", True, (stage.json("signature-agreed") or {}).get("restored"))
    checks.equal("bytes", "signature-agreed", "same", stage.text("signature-sum").strip())


def nvme(stage: Stage, checks):
    checks.equal("limit", "nvme-tcp", "2199023255040", stage.text("limit").strip())
    got = is_outcome(stage, checks, "truncated", "blkzeroout", {"partly-zeroed"})
    start = (stage.json("truncated") or {}).get("range", {}).get("offset", 0)
    checks.equal("first bad", "truncated", start + 32 * MIB, got.get("first_bad_offset"))
    for method in ("nvme-write-zeroes", "nvme-write-zeroes-deac", "fallocate-write-zeroes"):
        is_outcome(stage, checks, "nvme-passthrough", method, ZEROED)


def nvme_liars(stage: Stage, checks):
    for lie, (wanted, status) in LIARS.items():
        if lie in ("slow", "slower"):
            continue
        checks.equal("unmap limit", lie, "131072", stage.text(f"{lie}.unmap").strip())
        checks.equal("exit", lie, status, stage.status(lie))
        for method in ("fallocate-write-zeroes", "nvme-write-zeroes", "nvme-write-zeroes-deac"):
            is_outcome(stage, checks, lie, method, wanted)
    got = is_outcome(stage, checks, "error", "nvme-write-zeroes", {"rejected"})
    checks.equal("error", "status", 0x4280, (got.get("error") or {}).get("nvme_status"))


def kills(stage: Stage, checks):
    checks.equal("disk as before, journals left", "kills", f"{KILLS} 0", stage.text("counts").strip())
