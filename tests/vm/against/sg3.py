"""zinspect's decoding of READ CAPACITY(16), VPD B0/B1/B2 and RSOC against sg3_utils' text."""

import re

from checks import Checks
from stage import Stage, pick

# (page of sg_vpd, its line, kind, where zinspect says it). Names of SBC.
VPD_LINES = [
    ("bl", r"\(WSNZ\): (\d)", bool, "vpd_b0.wsnz"),
    ("bl", r"Maximum unmap LBA count: (-?\d+)", "u32", "vpd_b0.maximum_unmap_lba_count"),
    ("bl", r"Maximum unmap block descriptor count: (-?\d+)", "u32",
     "vpd_b0.maximum_unmap_block_descriptor_count"),
    ("bl", r"Optimal unmap granularity: (\d+)", int, "vpd_b0.optimal_unmap_granularity"),
    ("bl", r"Unmap granularity alignment valid: (\w+)", "word", "vpd_b0.ugavalid"),
    ("bl", r"Maximum write same length: (\w+)", int, "vpd_b0.maximum_write_same_length"),
    ("bl", r"Maximum transfer length: (\d+)", int, "vpd_b0.maximum_transfer_length"),
    ("bl", r"Optimal transfer length: (\d+)", int, "vpd_b0.optimal_transfer_length"),
    ("lbpv", r"\(LBPU\): (\d)", bool, "vpd_b2.lbpu"),
    ("lbpv", r"\(LBPWS\): (\d)", bool, "vpd_b2.lbpws"),
    ("lbpv", r"\(LBPWS10\): (\d)", bool, "vpd_b2.lbpws10"),
    ("lbpv", r"\(LBPRZ\): (\d)", int, "vpd_b2.lbprz"),
    ("lbpv", r"\(ANC_SUP\): (\d)", bool, "vpd_b2.anc_sup"),
    ("lbpv", r"Provisioning type: (\d)", "type", "vpd_b2.provisioning_type"),
    ("lbpv", r"\(DP\): (\d)", bool, "vpd_b2.dp"),
    ("lbpv", r"Minimum percentage: (\d+)", int, "vpd_b2.minimum_percentage"),
    ("lbpv", r"Threshold exponent: (\d+)", int, "vpd_b2.threshold_exponent"),
    ("bdc", r"ZONED=(\d)", int, "vpd_b1.zoned"),
    ("bdc", r"FUAB=(\d)", bool, "vpd_b1.fuab"),
    ("bdc", r"VBULS=(\d)", bool, "vpd_b1.vbuls"),
]
# Of SBC, PROVISIONING TYPE.
PROVISIONING_TYPES = {"0": "not-reported", "1": "resource", "2": "thin"}
OPCODES = {"0x93": "write_same_16", "0x41": "write_same_10", "0x42": "unmap"}


def hold(stage: Stage, checks: Checks, report: str):
    devices = stage.devices(report)
    seen = 0
    for kname, device in devices.items():
        if stage.status(f"readcap.{kname}") is None:
            continue
        seen += 1
        scsi = device.get("scsi")
        capacity(stage, checks, kname, scsi)
        for page, line, kind, path in VPD_LINES:
            if found := re.search(line, stage.text(f"vpd-{page}.{kname}.out")):
                compare(checks, f"sg_vpd {path}", kname, number(found.group(1), kind), scsi,
                        path)
            elif stage.status(f"vpd-{page}.{kname}"):
                # The disk has no such page: then zinspect must have none either.
                compare(checks, f"sg_vpd {page} absent", kname, None, scsi,
                        path.partition(".")[0])
        opcodes(stage, checks, kname, scsi)
        modes(stage, checks, kname, scsi)
    checks.true("sg3_utils", report, seen, "sg3_utils printed nothing to compare with")


def capacity(stage: Stage, checks: Checks, kname: str, scsi):
    text = stage.text(f"readcap.{kname}.out")
    found = re.search(r"lbpme=(\d), lbprz=(\d)", text)
    if not found:
        checks.skip("sg_readcap", kname, f"says nothing: {text.strip()[:80]!r}")
        return
    for line, kind, field in ((r"prot_en=(\d)", bool, "prot_en"),
                              (r"Logical block length=(\d+)", int, "block_length"),
                              (r"physical block exponent=(\d+)", int, "lbppbe")):
        if other := re.search(line, text):
            compare(checks, f"sg_readcap {field}", kname, number(other.group(1), kind), scsi,
                    field)
    compare(checks, "sg_readcap LBPME", kname, found.group(1) == "1", scsi, "lbpme")
    compare(checks, "sg_readcap LBPRZ", kname, found.group(2) == "1", scsi, "lbprz")


def opcodes(stage: Stage, checks: Checks, kname: str, scsi):
    for code, name in OPCODES.items():
        text = stage.text(f"opcode-{code}.{kname}.out")
        if "Command is supported" in text:
            expected = "supported"
        elif "NOT supported" in text:
            expected = "not-supported"
        else:
            continue  # The disk does not answer REPORT SUPPORTED OPERATION CODES.
        try:
            got = pick(scsi, f"opcodes.{name}")
        except KeyError as missing:
            got = str(missing)
        # "standard" is SPC's own word for "supported as the standard says".
        got = "supported" if got == "standard" else got
        checks.equal(f"sg_opcodes {name}", kname, expected, got)


def modes(stage: Stage, checks: Checks, kname: str, scsi):
    """Both halves: what the kernel says, and what zinspect worked out without it."""
    for path, value in stage.sysfs().items():
        found = re.fullmatch(rf"block/{kname}/device/scsi_disk/[^/]+/(\w+_mode)", path)
        if found and found.group(1) in ("zeroing_mode", "provisioning_mode"):
            mode = found.group(1)
            compare(checks, f"{mode} kernel", kname, value, scsi, f"{mode}.kernel")
            compare(checks, f"{mode} predicted", kname, value, scsi, f"{mode}.predicted")


def compare(checks: Checks, check: str, kname: str, expected, scsi, path: str):
    try:
        got = pick(scsi, path)
    except KeyError as missing:
        got = str(missing)
    checks.equal(check, kname, expected, got)


def number(text: str, kind):
    if kind is bool:
        return text == "1"
    if kind == "word":
        return text == "true"
    if kind == "type":
        return PROVISIONING_TYPES[text]
    value = int(text, 0)
    # sg_vpd prints 0xffffffff, which stands for "no limit", as -1.
    return value & 0xFFFFFFFF if kind == "u32" else value
