"""The units under a real systemd: socket activation, sandbox, watchdog, timer; what its tools say of them; what the
hooks put into an initramfs."""

import re
from pathlib import Path

import boot_images
import debian
from cache import HERE, REPOSITORY
from context import Context
from disks import Disk, nvme
from stage import Stage

TITLE = "units under systemd: socket, sandbox, watchdog, timer, marks; udevadm verify; initramfs hooks"
KERNELS = ["7.3"]
NEEDS_ZINSPECT = True
# Five minutes where nothing else runs, with a root of Debian to be made at first: `make test-kernels`.
DEFAULT = False

UNITS = ["zinspect.socket", "zinspect.service", "zinspect-textfile.service", "zinspect-textfile.timer"]
DROP_INS = ["devices.conf", "dm-tables.conf"]
# What the issue promises of each level of reading.
MARKS = {"sysfs": 0.5, "textfile": 1.0, "devices": 1.0, "tables": 1.5}
TIMES = "zinspect_scrape_collector_duration_seconds"


def files(zinspect: Path) -> dict[str, Path]:
    """Onto the root: its own libraries are newer than those that the program was built with, and stay."""
    root = {"usr/bin/zinspect": zinspect, "etc/systemd/system/rig.service": HERE / "guest/rig.service",
            "usr/lib/udev/rules.d/60-zinspect.rules": REPOSITORY / "udev-rules/60-zinspect.rules"}
    for unit in UNITS:
        root[f"etc/systemd/system/{unit}"] = REPOSITORY / "systemd" / unit
    for name in DROP_INS:
        example = f"{name}.example"
        root[f"opt/zinspect/{example}"] = REPOSITORY / "systemd/zinspect.service.d" / example
    return {f"/newroot/{inside}": outside for inside, outside in root.items()}


def run(context: Context):
    boot_images.check(context.checks, context.zinspect, context.kernel, context.work / "images")
    image, disk = debian.image(), Disk(context.work / "nvme.img", 64 << 20)
    devices = ["-drive", f"file={image},if=none,id=root,format=raw,snapshot=on,cache=unsafe",
               "-device", "virtio-blk-pci,drive=root", *nvme(disk, "nvme")]
    append = ("rig.root=vda rig.modules=nvme,sd_mod,scsi_debug,dm-mod scsi_debug.dev_size_mb=32 scsi_debug.lbpu=1 "
              "scsi_debug.lbpws=1 scsi_debug.lbprz=1 scsi_debug.delay=0 systemd.wants=rig.service "
              "systemd.unit=basic.target systemd.mask=serial-getty@ttyS0.service systemd.show_status=0")
    machine = context.machine("systemd.sh", root=files(context.zinspect), devices=devices, append=append,
                              timeout=1800)
    out = context.boot(machine, disk.create).out
    checks = context.checks
    for name, check in (("units", units), ("sysfs", sysfs), ("probed", probed), ("devices", commands), ("tables", tables),
                        ("watchdog", watchdog), ("textfile", textfile)):
        with checks.within(name):
            check(checks, Stage(out / name), Stage(out / "units").text("disk").strip())
    for name, most in MARKS.items():
        where = {"textfile": "units", "sysfs": "units"}.get(name, name)
        mark = level(Stage(out / where).text(f"security-{name}.out"))
        checks.true("systemd-analyze security", name, mark is not None and mark <= most, f"{mark}, promised {most}")
        print(f"note systemd: systemd-analyze security {name}: {mark}")


def level(said: str) -> float | None:
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", said)
    return float(found.group(1)) if found else None


def samples(text: str) -> dict[str, str]:
    """Series -> value, but for how long things took."""
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith(("#", TIMES)))
    return dict(lines)


def words(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def units(checks, stage: Stage, _disk: str):
    checks.equal("systemd-analyze verify", "status", 0, stage.status("verify"))
    checks.equal("systemd-analyze verify", "says", "", stage.text("verify.err").strip())
    checks.equal("udevadm verify", "status", 0, stage.status("rules"))
    checks.equal("udevadm verify", "says", "", stage.text("rules.err").strip())
    checks.true("udevadm verify", "broken rules", stage.status("broken") not in (0, None), "it takes anything")


def sysfs(checks, stage: Stage, disk: str):
    checks.equal("before the first scrape", "zinspect.service", "inactive", stage.text("before.out").strip())
    checks.equal("healthz", "body", "ok\n", stage.text("healthz.out"))
    checks.true("page", disk, f"{disk}" in stage.text("page.out"), stage.text("page.err"))
    report = stage.devices("devices")
    checks.true("devices.json", disk, disk in report, f"{sorted(report)}")
    served, direct = samples(stage.text("metrics.out")), samples(stage.text("direct.txt"))
    checks.true("metrics", "series", len(served) > 20, stage.text("metrics.err"))
    # The sandbox hides nothing that sysfs alone tells: as root without it.
    checks.equal("metrics", "as root gets them", direct, served)
    for line in stage.text("limits").splitlines():
        path, value = line.split(":")
        _, _, _, device, _, name = path.split("/")
        if device == disk:
            got = served.get(f'zinspect_queue_{name}{{device="{disk}"}}')
            checks.equal("metrics", name, value, got)
    checks.true("no command", "nvme0n1", not any("dlfeat" in name for name in served), "it asked the device")
    status = dict(line.split(":\t", 1) for line in stage.text("status").splitlines() if ":\t" in line)
    checks.true("DynamicUser", "Uid", int(status["Uid"].split()[0]) >= 61184, status["Uid"])
    for field in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
        checks.equal("rights", field, 0, int(status[field], 16))
    checks.equal("rights", "NoNewPrivs", "1", status["NoNewPrivs"])
    checks.equal("rights", "Seccomp", "2", status["Seccomp"])
    checks.equal("PrivateNetwork", "namespaces", 2, len(set(stage.text("namespaces").split())))
    interfaces = re.findall(r"^\s*(\S+):", stage.text("interfaces"), re.M)
    checks.equal("PrivateNetwork", "interfaces", ["lo"], interfaces)
    show = words(stage.text("show"))
    checks.equal("service", "state", ("active", "running", "notify"),
                 (show.get("ActiveState"), show.get("SubState"), show.get("Type")))
    checks.equal("reload", "MainPID", stage.text("pid"), stage.text("pid-again"))
    checks.equal("reload", "metrics", served, samples(stage.text("again.out")))


def probed(checks, stage: Stage, disk: str):
    """BLKZEROOUT never unmaps. Root's result reaches a service that may do nothing; what is no result is counted."""
    before, served = samples(stage.text("before.out")), samples(stage.text("after.out"))
    checks.equal("probe", "status", 0, stage.status("probe"))
    checks.equal("no result yet", "unreadable", "0", before.get("zinspect_probe_results_unreadable"))
    found = [(name, value) for name, value in served.items() if name.startswith("zinspect_probe_timestamp_seconds{")]
    checks.equal("result", "devices", 1, len(found))
    for name, value in found:
        for label in (f'device="{disk}"', 'mode="destroy"', 'blkzeroout="zeroed-written"', 'pwrite="zeroed-written"'):
            checks.true("result", label, label in name, name)
        now = int(stage.text("now"))
        checks.true("result", "time", now - 600 <= float(value) <= now, f"{value}, now {now}")
    checks.true("result", "speed", f'zinspect_probe_speed_ratio{{device="{disk}"}}' in served, f"{sorted(served)}")
    checks.equal("two that are none", "unreadable", "2", served.get("zinspect_probe_results_unreadable"))
    gone = samples(stage.text("gone.out"))
    checks.true("removed disk", "series", len(gone) > 10 and not any(f'"{disk}"' in name for name in gone), f"{sorted(gone)}")


def commands(checks, stage: Stage, disk: str):
    served = samples(stage.text("metrics.out"))
    # QEMU's controller: deallocated blocks read as zeroes, no deallocate bit.
    checks.equal("Identify", "read behavior", "1", served.get('zinspect_nvme_dlfeat_read_behavior{device="nvme0n1"}'))
    report = stage.devices("devices")
    provisioning = report.get(disk, {}).get("scsi") or {}
    checks.true("VPD pages", disk, provisioning.get("lbpws") is True or
                (provisioning.get("vpd") or provisioning), f"{provisioning}")
    checks.true("tables are not read", "dm-0", denied(report.get("dm-0", {})), f"{report.get('dm-0')}")
    status = dict(line.split(":\t", 1) for line in stage.text("status").splitlines() if ":\t" in line)
    checks.true("groups", "disk", "6" in status["Groups"].split(), status["Groups"])
    checks.equal("rights", "CapEff", 0, int(status["CapEff"], 16))
    # They reach a network of its own, as its owner is the first user namespace (PrivateUsers=no).
    checks.equal("the kernel's events", "servers that hear none", "1", stage.text("deaf").strip())


def denied(device: dict) -> bool:
    return any(unread["status"] == "denied" and "table" in unread["field"] for unread in device.get("unread", []))


def tables(checks, stage: Stage, _disk: str):
    device = stage.devices("devices").get("dm-0", {})
    checks.true("tables", "dm-0", not denied(device), f"{device.get('unread')}")
    table = (device.get("dm") or {}).get("table") or []
    checks.equal("tables", "targets", ["linear"], [line.split()[2] for line in table])


def watchdog(checks, stage: Stage, _disk: str):
    before, now, restarts = stage.text("beating").split()
    checks.equal("beating", "is left alone", (before, "0"), (now, restarts))
    before, now, restarts = stage.text("stopped").split()
    checks.true("stopped", "MainPID", before != now and now != "0", f"{before} {now}")
    checks.true("stopped", "journal", "Watchdog timeout" in stage.text("journal"), stage.text("journal")[-400:])
    served = samples(stage.text("after.out"))
    checks.equal("stopped", "the socket outlived it", samples(stage.text("before.out")), served)


def textfile(checks, stage: Stage, disk: str):
    without = words(stage.text("without-folder"))
    checks.equal("no folder", "result", ("no", "success"), (without.get("ConditionResult"), without.get("Result")))
    show = words(stage.text("show"))
    checks.equal("timer", "result", ("success", "0"), (show.get("Result"), show.get("ExecMainStatus")))
    checks.true("timer", "triggered", stage.text("triggered").strip(), "never")
    checks.equal("file", "mode and owner", "644 0", stage.text("mode").strip())
    checks.equal("file", "nothing beside it", "zinspect.prom", stage.text("left").strip())
    checks.true("file", disk, f'zinspect_verdict{{device="{disk}",zeroing="unmap"}} 1' in stage.text("file"),
                stage.text("file")[:400])
