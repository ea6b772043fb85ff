"""zinspect's decoding of Identify against nvme-cli's, on the same namespaces."""

from checks import Checks
from stage import Stage, pick

READ_BEHAVIOR = {0: "not-reported", 1: "all-zeroes", 2: "all-ones"}

# Bits of which nvme-cli's `-H` prints a name, with the name of the standard.
ONCS = {0: "COMPARE", 1: "WRITE_UNCORRECTABLE", 2: "DSM", 3: "WRITE_ZEROES", 4: "SAVE_SELECT",
        5: "RESERVATIONS", 6: "TIMESTAMP", 7: "VERIFY", 8: "COPY"}
NSFEAT = {0: "THINP", 1: "NSABP", 2: "DAE", 3: "UIDREUSE", 4: "OPTPERF"}


def hold(stage: Stage, checks: Checks, report: str):
    devices = stage.devices(report)
    seen = 0
    for kname, device in devices.items():
        namespace, controller = stage.json(f"id-ns.{kname}"), stage.json(f"id-ctrl.{kname}")
        if namespace is None or controller is None:
            continue
        seen += 1
        command_set = stage.json(f"nvm-id-ctrl.{kname}") or {}
        for field, expected in table(namespace, controller, command_set):
            try:
                got = pick(device.get("nvme"), field)
            except KeyError as missing:
                got = str(missing)
            checks.equal(f"nvme-cli {field}", kname, expected, got)
        for field, bits, raw in (("oncs", ONCS, controller["oncs"]),
                                 ("nsfeat", NSFEAT, namespace["nsfeat"])):
            names = (device.get("nvme") or {}).get(field) or []
            expected = {name for bit, name in bits.items() if raw >> bit & 1}
            got = {name.upper().replace("-", "_") for name in names} & set(bits.values())
            checks.equal(f"nvme-cli {field} by name", kname, sorted(expected), sorted(got))
    checks.true("nvme-cli", report, seen, "nvme-cli printed nothing to compare with")


def table(ns: dict, ctrl: dict, command_set: dict):
    """(field of zinspect, what nvme-cli says of it), of one namespace."""
    lba_format = ns["lbafs"][ns["flbas"] & 0x0F]
    block = 1 << lba_format["ds"]
    deallocate = ns["dlfeat"]
    yield "dlfeat.raw", deallocate
    yield "dlfeat.read_behavior", READ_BEHAVIOR[deallocate & 7]
    yield "dlfeat.deac", bool(deallocate & 8)
    yield "dlfeat.guard_crc", bool(deallocate & 16)
    yield "oncs_raw", ctrl["oncs"]
    yield "nsfeat_raw", ns["nsfeat"]
    yield "vwc", bool(ctrl["vwc"] & 1)
    yield "mdts", ctrl["mdts"]
    # 4096 is CAP.MPSMIN, which is 0 in QEMU and nvmet; MDTS 0 and WZSL 0 mean no limit.
    yield "mdts_bytes", 4096 << ctrl["mdts"] if ctrl["mdts"] else None
    # nvme-cli prints nothing for a controller that has no CNS 06h.
    wzsl = command_set.get("wzsl")
    yield "wzsl", wzsl
    yield "wzsl_bytes", 4096 << wzsl if wzsl else None
    for field in ("dmrl", "dmrsl", "dmsl"):
        yield field, command_set.get(field)
    for field in ("nsze", "ncap", "nuse", "anagrpid"):
        yield field, ns[field]
    # NPWG and the others are 0's based, and mean something only with NSFEAT bit 4, OPTPERF.
    for field in ("npwg", "npwa", "npdg", "npda", "nows"):
        yield f"{field}_bytes", (ns[field] + 1) * block if ns["nsfeat"] & 0x10 else None
    yield "lba_format.index", ns["flbas"] & 0x0F
    yield "lba_format.data_bytes", block
    yield "lba_format.metadata_bytes", lba_format["ms"]
    yield "lba_format.rp", lba_format["rp"]
