"""zinspect's decoding of Identify against nvme-cli's, on the same namespaces."""

from checks import Checks
from stage import Stage, pick

READ_BEHAVIOR = {0: "not-reported", 1: "all-zeroes", 2: "all-ones"}


def hold(stage: Stage, checks: Checks, report: str):
    devices = stage.devices(report)
    seen = 0
    for kname, device in devices.items():
        namespace, controller = stage.json(f"id-ns.{kname}"), stage.json(f"id-ctrl.{kname}")
        if namespace is None or controller is None:
            continue
        seen += 1
        command_set = stage.json(f"nvm-id-ctrl.{kname}") or {}
        for check, expected, paths in table(namespace, controller, command_set):
            try:
                got = pick(device.get("nvme"), *paths)
            except KeyError as missing:
                got = str(missing)
            checks.equal(f"nvme-cli {check}", kname, expected, got)
    checks.true("nvme-cli", report, seen, "nvme-cli printed nothing to compare with")


def table(ns: dict, ctrl: dict, command_set: dict):
    """(what, what nvme-cli says of it, where zinspect says it), of one namespace."""
    block = 1 << ns["lbafs"][ns["flbas"] & 0x0F]["ds"]
    deallocate = ns["dlfeat"]
    # 4096 is CAP.MPSMIN, which is 0 in QEMU and nvmet; MDTS 0 means no limit.
    mdts = 4096 << ctrl["mdts"] if ctrl["mdts"] else None
    wzsl = 4096 << command_set["wzsl"] if command_set.get("wzsl") else None
    # NPWG and the others are 0's based, and mean something only with NSFEAT bit 4.
    optimal = bool(ns["nsfeat"] & 0x10)
    yield "DLFEAT", deallocate, ["dlfeat.raw"]
    yield "DLFEAT read behavior", READ_BEHAVIOR[deallocate & 7], ["dlfeat.read_behavior"]
    yield "DLFEAT DEAC", bool(deallocate & 8), ["dlfeat.deac"]
    yield "DLFEAT guard", bool(deallocate & 16), ["dlfeat.guard_crc"]
    yield "ONCS", ctrl["oncs"], ["oncs.raw"]
    yield "ONCS Write Zeroes", bool(ctrl["oncs"] & 8), ["oncs.write_zeroes"]
    yield "ONCS DSM", bool(ctrl["oncs"] & 4), ["oncs.dataset_management", "oncs.dsm"]
    yield "MDTS", mdts, ["mdts_bytes"]
    yield "WZSL", wzsl, ["wzsl_bytes"]
    for field in ("npwg", "npwa", "npdg", "npda", "nows"):
        yield field.upper(), (ns[field] + 1) * block if optimal else None, [f"{field}_bytes"]
