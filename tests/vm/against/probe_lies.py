"""What a probe must say of the servers that lie as told."""

from stage import Stage

ZEROED = {"zeroed-unmapped", "zeroed-written", "zeroed-unmap-unknown"}

# What a lie becomes, for a method that the server sees as a request for zeroes, and the probe's exit status.
LIES = {
    "honest": (ZEROED, 0), "slow": (ZEROED, 0), "slower": (ZEROED, 0),
    "nothing": ({"not-zeroed"}, 1), "half": ({"partly-zeroed"}, 1),
    "neighbour": ({"collateral-damage"}, 1),
}


def outcomes(stage: Stage, name: str) -> dict[str, dict]:
    report = stage.json(name) or {}
    return {one["method"]: one for one in report.get("results", [])}


def is_outcome(stage: Stage, checks, name: str, method: str, wanted: set[str]) -> dict:
    got = outcomes(stage, name).get(method, {})
    checks.true(name, method, got.get("outcome") in wanted,
                f"expected {sorted(wanted)}, got {got or stage.text(f'{name}.err')}")
    return got


def lies(stage: Stage, checks, asking: tuple[str, ...], told: dict = LIES):
    """Each lie by its outcome, with the offset where one can be told."""
    for lie, (wanted, status) in told.items():
        checks.equal("exit", lie, status, stage.status(lie))
        for method in asking:
            got = is_outcome(stage, checks, lie, method, wanted)
            if status:
                checks.true("offset", f"{lie} {method}", isinstance(got.get("first_bad_offset"), int),
                            f"no offset in {got}")
        is_outcome(stage, checks, lie, "pwrite", ZEROED)
    if "slower" not in told:
        return
    verdict = ((stage.json("slower") or {}).get("verdict") or {}).get("times_faster_than_writing")
    checks.true("slower", "verdict", verdict and verdict < 1, f"times faster: {verdict}")


def hangs(stage: Stage, checks, name: str, method: str):
    got = is_outcome(stage, checks, name, method, {"timed-out"})
    checks.true(name, "pid", got.get("stuck_pid"), f"no pid in {got}")
    checks.equal(name, "exit", 1, stage.status(name))


def error_of(stage: Stage, checks, method: str) -> dict:
    """The first command succeeds, every later one fails."""
    return is_outcome(stage, checks, "error", method, {"rejected"}).get("error") or {}


def nbd(stage: Stage, checks):
    lies(stage, checks, ("blkzeroout", "fallocate-punch-hole"))
    # NBD turns each error into EIO.
    checks.equal("error", "errno", "EIO", error_of(stage, checks, "fallocate-punch-hole").get("errno"))
    hangs(stage, checks, "hang", "blkzeroout")
    checks.equal("hang-preserve", "exit", 3, stage.status("hang-preserve"))
    journal = (stage.json("hang-preserve") or {}).get("journal")
    checks.true("hang-preserve", "journal named", journal, "not named")
    checks.equal("hang-again", "exit", 2, stage.status("hang-again"))
    checks.true("hang-again", "journal named", "--recover" in stage.text("hang-again.err"), stage.text("hang-again.err"))


def scsi(stage: Stage, checks):
    lies(stage, checks, ("scsi-write-same-16-unmap",))
    error = error_of(stage, checks, "scsi-write-same-16-unmap")
    checks.true("error", "sense", error.get("sense"), f"no sense in {error}")
    hangs(stage, checks, "hang", "scsi-write-same-16-unmap")


def nvme(stage: Stage, checks):
    methods = ("fallocate-write-zeroes", "nvme-write-zeroes", "nvme-write-zeroes-deac")
    quick = {lie: wanted for lie, wanted in LIES.items() if not lie.startswith("slow")}
    for lie in quick:
        checks.equal("unmap limit", lie, "131072", stage.text(f"{lie}.unmap").strip())
    lies(stage, checks, methods, quick)
    # Write Fault, not to be retried.
    checks.equal("error", "status", 0x4280, error_of(stage, checks, "nvme-write-zeroes").get("nvme_status"))


def nvme_hangs(stage: Stage, checks):
    slow = {lie: wanted for lie, wanted in LIES.items() if lie.startswith("slow")}
    lies(stage, checks, ("fallocate-write-zeroes", "nvme-write-zeroes"), slow)
    for method in ("fallocate-write-zeroes", "nvme-write-zeroes"):
        hangs(stage, checks, f"hang-{method}", method)
    # What it deallocates leaves its NUSE; without DEAC nothing does.
    got = is_outcome(stage, checks, "slow", "fallocate-write-zeroes", {"zeroed-unmapped"})
    checks.true("NUSE", "slow", any(one["kind"] == "nuse" and one["says"] == "unmapped" for one in got.get("evidence", [])),
                f"{got.get('evidence')}")
    is_outcome(stage, checks, "slow", "nvme-write-zeroes", {"zeroed-written", "zeroed-unmap-unknown"})
