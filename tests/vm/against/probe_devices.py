"""What a probe must say of honest devices, of damaged ones, and of those that it is not armed for."""

from against.probe_lies import ZEROED, is_outcome, outcomes
from stage import Stage

MIB = 1 << 20
OF_6_17 = "since Linux 6.17"

# Refusal -> words that its message must have.
REFUSALS = {
    "read-only": ["read-only"], "no-mode": ["--preserve"], "outside": ["not within"],
    "unaligned": ["whole blocks"], "wrong-id": ["another device"], "no-id": ["not confirmed"],
    "opened": ["process"], "loop": ["loop"], "held": ["held by", "(held)"],
    "mounted-above": ["mounted on /mnt/x", "(held)", "(upper)"], "mounted": ["mounted on /mnt/x"],
    "signature-destroy": ["ext4"], "signature-preserve": ["ext4"],
    "swap": ["swap"], "swap-above": ["swap", "(held)", "(upper)"],
    "journal-below": ["mounted"], "sysroot": ["captured"], "file": ["existing file"],
}
SIGNATURES = {
    "raid-member": ["held by", "md9"], "raid-signature": ["an MD array's member"], "lvm-signature": ["LVM"],
    "table-signature": ["GPT"], "other-path": ["is the same disk, naa.", "mounted on /mnt/x"],
    "disk-opened": ["process", "open"], "partition-opened": ["process", "open"],
    "outside-partition": ["not within"], "zoned": ["zoned"],
    "known-bad": ["known to hang", "source:"],
}


def has_limit(stage: Stage, name: str) -> bool:
    """Whether this kernel has FALLOC_FL_WRITE_ZEROES."""
    return OF_6_17 not in (outcomes(stage, name).get("fallocate-write-zeroes", {}).get("skip_reason") or "")


def evidence(got: dict, kind: str) -> dict:
    return next((one for one in got.get("evidence", []) if one["kind"] == kind), {})


def real(stage: Stage, checks):
    checks.equal("exit", "scsi-honest", 0, stage.status("scsi-honest"))
    unmapping = ["scsi-write-same-16-unmap"]
    if has_limit(stage, "scsi-honest"):
        unmapping.append("fallocate-write-zeroes")
    for method in unmapping:
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


def damaged(stage: Stage, checks):
    checks.equal("exit", "write-protected", 2, stage.status("write-protected"))
    checks.true("message", "write-protected", "read-only" in stage.text("write-protected.err"),
                stage.text("write-protected.err"))
    got = is_outcome(stage, checks, "protected-later", "scsi-write-same-16-unmap", {"not-stored"})
    checks.true("protected-later", "why", "writing the pattern" in (got.get("detail") or ""), f"{got}")
    is_outcome(stage, checks, "flakey-corrupt", "blkzeroout", {"not-stored"})
    points = (stage.json("sweep") or {}).get("sweep", [])
    checks.true("sweep", "points", {point["method"] for point in points} == {"pwrite", "blkzeroout"}
                and len({point["size"] for point in points}) > 3, f"{points}")


def refused(stage: Stage, checks, refusals: dict[str, list[str]]):
    for name, words in refusals.items():
        message = stage.text(f"{name}.err")
        checks.equal("exit", name, 2, stage.status(name))
        checks.true("message", name, all(word in message for word in words), f"{words} are not in: {message}")


def signatures(stage: Stage, checks):
    refused(stage, checks, SIGNATURES)


def refusals(stage: Stage, checks):
    refused(stage, checks, REFUSALS)
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


def counted(stage: Stage, checks):
    checks.true("DLFEAT", "counted", '"dlfeat":9' in stage.text("counted-id-ns").replace(" ", ""), "is not 9")
    for method in ("fallocate-write-zeroes", "nvme-write-zeroes-deac"):
        got = is_outcome(stage, checks, "counted", method, {"zeroed-unmapped"})
        checks.equal("blocks", f"counted {method}", "unmapped", evidence(got, "backing-file-blocks").get("says"))
    # The target looks at no DEAC: nvmet_bdev_execute_write_zeroes lets __blkdev_issue_zeroout unmap.
    for method in ("blkzeroout", "nvme-write-zeroes"):
        is_outcome(stage, checks, "counted", method, {"zeroed-unmapped"})
    is_outcome(stage, checks, "counted", "pwrite", {"zeroed-written"})


def middle(stage: Stage, checks):
    before = stage.text("sum-before").strip()
    checks.equal("deleted", "exit", 3, stage.status("deleted"))
    checks.true("deleted", "journal named", (stage.json("deleted") or {}).get("journal") == "/mnt/state/gone.j",
                stage.text("deleted.out"))
    checks.equal("recover-without", "exit", 2, stage.status("recover-without"))
    checks.true("deleted", "bytes are lost", stage.text("sum-between").strip() != before, "nothing was to be restored")
    checks.equal("recover", "exit", 0, stage.status("recover"))
    checks.equal("recover", "bytes as before", before, stage.text("sum-recovered").strip())
    checks.equal("full", "exit", 2, stage.status("full"))
    checks.true("full", "message", "No space left" in stage.text("full.err") and "not written to" in stage.text("full.err"),
                stage.text("full.err"))
    checks.equal("full", "what is left", ["lost+found"], stage.text("full-left").split())
    checks.equal("full", "bytes as before", before, stage.text("sum-full").strip())
    got = is_outcome(stage, checks, "flakey-reloaded", "blkzeroout", {"not-zeroed"})
    checks.equal("first bad", "flakey-reloaded", 8 * MIB, got.get("first_bad_offset"))
    checks.equal("exit", "flakey-reloaded", 1, stage.status("flakey-reloaded"))


def thin(stage: Stage, checks):
    is_outcome(stage, checks, "thin", "pwrite", {"zeroed-written"})
    is_outcome(stage, checks, "thin", "blkzeroout", {"zeroed-written"})
    got = is_outcome(stage, checks, "thin", "blkdiscard", {"zeroed-unmapped"})
    found = evidence(got, "thin-pool")
    checks.equal("thin", "says", "unmapped", found.get("says"))
    # 4 MiB are 64 chunks of 64 KiB.
    checks.true("thin", "blocks", "64 fewer" in found.get("value", ""), f"{found}")
    is_outcome(stage, checks, "above-thin", "pwrite", {"zeroed-written"})
    is_outcome(stage, checks, "above-thin", "blkdiscard", {"zeroed-unmapped"})


def hardware(stage: Stage, checks):
    for serial in ("nvme-plain", "virtio-scsi", "ahci", "virtio-blk"):
        for method in ("pwrite", "blkzeroout", "fallocate-zero-range"):
            is_outcome(stage, checks, serial, method, ZEROED)
        # QEMU refuses some forms of WRITE SAME, and of the others only NDOB does anything else (below).
        for method, got in outcomes(stage, serial).items():
            checks.true(serial, method, got["outcome"] in ZEROED | {"skipped", "rejected"}
                        or "discard" in method or "ndob" in method, f"{got}")
    for method in ("nvme-write-zeroes", "nvme-write-zeroes-deac"):
        is_outcome(stage, checks, "nvme-plain", method, ZEROED)
    is_outcome(stage, checks, "virtio-scsi", "scsi-write-same-16-unmap", ZEROED)
    # QEMU 7.2 takes WRITE SAME (16) with NDOB for success, and zeroes nothing: the probe must not be taken in.
    is_outcome(stage, checks, "virtio-scsi", "scsi-write-same-16-ndob", ZEROED | {"not-zeroed", "rejected", "skipped"})
    # A disk of libata takes WRITE SAME (16) with UNMAP for a TRIM, and no other.
    is_outcome(stage, checks, "ahci", "nvme-write-zeroes", {"skipped"})
    is_outcome(stage, checks, "virtio-blk", "scsi-write-same-16", {"skipped"})

    for method in ("nvme-write-zeroes", "nvme-write-zeroes-deac"):
        got = is_outcome(stage, checks, "quirked", method, {"skipped"})
        checks.true("why", f"quirked {method}", "DISABLE_WRITE_ZEROES" in (got.get("skip_reason") or ""), f"{got}")
    is_outcome(stage, checks, "quirked", "pwrite", ZEROED)
    is_outcome(stage, checks, "despite-quirks", "nvme-write-zeroes", ZEROED)

    def legs(name: str, method: str) -> list[tuple[str, str, str]]:
        found = (stage.json(name) or {}).get("results", [])
        return [(one["leg"] or "", one["outcome"], one.get("skip_reason") or "")
                for one in found if one["method"] == method]

    for method in ("nvme-write-zeroes", "nvme-write-zeroes-deac"):
        got = legs("one-namespace", method)
        checks.true("each leg", f"one-namespace {method}", len({leg for leg, _, _ in got}) == 2
                    and all(outcome in ZEROED for _, outcome, _ in got), f"{got}")
    got = legs("two-namespaces", "nvme-write-zeroes")
    checks.true("each leg", "two-namespaces", len(got) == 2
                and all(outcome == "skipped" and "2 namespaces" in why for _, outcome, why in got), f"{got}")
    is_outcome(stage, checks, "two-namespaces", "pwrite", ZEROED)


def bench(stage: Stage, checks):
    report = stage.json("device") or {}
    rows = report.get("runs", [])
    checks.equal("exit", "device", 0, stage.status("device"))
    for row in rows:
        checks.true("samples", f"{row['benchmark']} {row['case']}", len(row["samples"]) == 2 and row["median"] > 0, f"{row}")
    zeroed = {row["case"] for row in rows if row["benchmark"] == "zero"}
    wanted = {f"{size}M: {case}" for size in (2, 4) for case in ("write 1 MiB", "write 2 MiB", "blkzeroout",
                                                                     "fallocate-zero-range", "scsi-write-same-16-unmap")}
    checks.true("zero", "sizes and ways", wanted <= zeroed, f"{wanted - zeroed} not among {zeroed}")
    left = {(one["benchmark"], one["case"]) for one in report.get("not_measured", [])}
    checks.true("zero", "no room", ("zero", "1G") in left, f"{left}")
    depths = {row["case"] for row in rows if row["benchmark"] == "discard"}
    checks.true("discard", "queue depths", {f"io_uring, queue depth {depth}" for depth in (1, 4, 16, 64, 128, 256)} <= depths,
                f"{depths}")
    checks.true("discard", "threads", {"BLKDISCARD, 1 thread", "BLKDISCARD, 4 threads"} <= depths, f"{depths}")
    impact = {row["metric"] for row in rows if row["benchmark"] == "impact"}
    checks.equal("impact", "metrics", {"operations", "rate", "latency p50", "latency p99"}, impact)
    page = stage.text("page.html")
    checks.true("html", "plots", page.count("<svg") == len({(row["benchmark"], row["metric"]) for row in rows}), "other number")
    checks.true("csv", "lines", stage.text("csv.out").startswith("benchmark,case,metric,median"), stage.text("csv.out")[:200])
    checks.true("markdown", "table", "| benchmark | case |" in stage.text("markdown.out"), stage.text("markdown.out")[:200])
    for name, wanted in (("fast-commit", True), ("plain", False)):
        report = stage.json(name) or {}
        cases = [row["case"] for row in report.get("runs", []) if "fdatasync" in row["case"]]
        checks.true(name, "cases", cases and any("fast commits" in case for case in cases) == wanted, f"{cases}")
        said = any("fast_commit" in one["case"] for one in report.get("not_measured", []))
        checks.equal(name, "not measured", not wanted, said)
