"""zinspect's numbers against sysfs: queue limits, sizes, the kernel's three, agreement."""

from checks import Checks
from stage import Stage

THREE = ("write_zeroes_max_bytes", "write_zeroes_unmap_max_hw_bytes",
         "write_zeroes_unmap_max_bytes")


def hold(stage: Stage, checks: Checks, report: str):
    devices = stage.devices(report)
    checks.true("report", report, devices, f"no devices; it said {stage.text(report + '.err')!r}")
    for kname, device in devices.items():
        # A partition has no queue/: it shares the disk's.
        disk = whole_disk(kname, stage)
        if disk is None:
            checks.true("in-sysfs", kname, False, "reported, but /sys/block has no such disk")
            continue
        queue_limits(device, disk, stage, checks)
        kernel_limits(device, disk, stage, checks)
        if disk == kname:
            size(device, stage, checks)


def whole_disk(kname: str, stage: Stage) -> str | None:
    queues = stage.queues()
    if kname in queues:
        return kname
    return next((d for d in sorted(queues, key=len, reverse=True) if kname.startswith(d)), None)


def zeroing(stage: Stage, kname: str) -> str:
    """What the kernel's own numbers amount to: holds our expectations against the kernel."""
    queue = stage.queues()[whole_disk(kname, stage)]
    if int(queue["write_zeroes_unmap_max_bytes"]):
        return "unmap"
    return "offload" if int(queue["write_zeroes_max_bytes"]) else "software"


def queue_limits(device: dict, disk: str, stage: Stage, checks: Checks):
    """Every attribute of queue/ is reported, with the value that stands there."""
    reported = device.get("queue") or {}
    for attribute, text in stage.queues()[disk].items():
        subject = f"{device['kname']} {attribute}"
        if attribute not in reported:
            checks.true("queue", subject, False, f"not reported; sysfs has {text!r}")
            continue
        checks.equal("queue", subject, as_reported(text), reported[attribute])
    for attribute, value in reported.items():
        if value is not None and attribute not in stage.queues()[disk]:
            checks.equal("queue-invented", f"{device['kname']} {attribute}", None, value)


def as_reported(text: str):
    text = text.strip()
    return int(text) if text.lstrip("-").isdigit() else text


def kernel_limits(device: dict, disk: str, stage: Stage, checks: Checks):
    """`kernel` has the three files' numbers, and null for a file that this kernel has not."""
    for attribute in THREE:
        text = stage.queues()[disk].get(attribute)
        expected = None if text is None else int(text)
        got = (device.get("kernel") or {}).get(attribute, "no such field")
        checks.equal("kernel", f"{device['kname']} {attribute}", expected, got)


def size(device: dict, stage: Stage, checks: Checks):
    sectors = stage.sysfs().get(f"block/{device['kname']}/size")
    if sectors is not None:
        checks.equal("size", device["kname"], int(sectors) * 512, device.get("size_bytes"))


def agreement(stage: Stage, checks: Checks, report: str):
    """On devices that nothing happened to, the prediction is what the kernel says."""
    expected = "agree" if stage.has_unmap_files() else "kernel-silent"
    for kname, device in stage.devices(report).items():
        got = device.get("agreement")
        text = f"expected {expected!r}, got {got!r}; predicted {device.get('predicted')}, " \
               f"kernel {device.get('kernel')}"
        checks.true("agreement", kname, got == expected, text)
