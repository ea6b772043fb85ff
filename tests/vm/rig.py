"""Boots a kernel under QEMU's software emulation and runs a script in it.

The guest gets what it needs, and returns what it found, through one shared folder: `in/` holds
the script, the recipes and zinspect, `out/` what the script wrote. The serial console carries
only the closing line, whose absence is a fault of the rig and not of what is tested.

`run` is for a script that comes to its end. `Vm` is for everything else: wait for a line, talk
to QEMU's monitor, kill it in mid-write, boot again with the same disks.
"""

import dataclasses
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path

import initramfs
import kernels
from cache import HERE, CannotRunHere, RigError

ATTEMPTS = 3
# Relative to the boot's folder: a socket's path may have 107 bytes only.
MONITOR = "monitor"

# Software emulation unless asked for otherwise. With thread=multi guests panic now and then.
ACCELERATION = os.environ.get("ZINSPECT_VM_ACCEL", "tcg,thread=single")


@dataclasses.dataclass
class Machine:
    """What to boot, and with what."""

    kernel: str  # a series, as in kernels.py
    script: str  # a file of guest/
    work: Path  # folder of this boot: in/, out/, console.log; disks are the caller's
    devices: list[str] = dataclasses.field(default_factory=list)  # arguments for QEMU
    append: str = ""  # more for the kernel's command line
    root: dict[str, Path] = dataclasses.field(default_factory=dict)  # path in the guest -> file
    settings: dict[str, str] = dataclasses.field(default_factory=dict)  # variables for the script
    memory: str = "1536M"
    cpus: int = 1
    timeout: float = 600.0


@dataclasses.dataclass
class Result:
    out: Path
    console: str
    status: str  # the script's exit status, or why init did not get to it
    seconds: float
    faults: list[str]  # attempts that ended without the closing line


def run(machine: Machine, prepare=None) -> Result:
    """Boots until the closing line comes, at most three times.

    `prepare` is called before each attempt, to make the disks new: a boot that broke off may
    have written to them.
    """
    faults = []
    for _ in range(ATTEMPTS):
        if prepare:
            prepare()
        with Vm(machine) as vm:
            status = vm.wait_closing(machine.timeout)
            if status is not None:
                return Result(vm.out, vm.console(), status, vm.seconds(), faults)
            faults.append(f"no closing line after {vm.seconds():.0f} s; {vm.how_it_ended()}; "
                          f"the script's output ends: {vm.script_output()[-400:]!r}; "
                          f"the console: {vm.console()[-400:]!r}")
    raise RigError(f"{machine.script} on {machine.kernel}: {ATTEMPTS} boots without their closing "
                   "line:\n  " + "\n  ".join(faults))


class Vm:
    """A running QEMU; leaving the `with` block ends it."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.closing = secrets.token_hex(4)  # an earlier boot's line must not count as this one's
        self.out = machine.work / "out"
        self._lines: list[str] = []
        self._changed = threading.Condition()
        self._ended = False
        self._start(prepared_command(machine, self.closing))

    def _start(self, command: list[str]):
        self.started = time.monotonic()
        try:
            self.process = subprocess.Popen(
                command, cwd=self.machine.work, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=open(self.machine.work / "qemu.log", "wb"))
        except FileNotFoundError:
            raise CannotRunHere("qemu-system-x86_64 is not installed: run tests/vm/setup") from None
        threading.Thread(target=self._read_console, daemon=True).start()

    def _read_console(self):
        with open(self.machine.work / "console.log", "wb") as log:
            for line in self.process.stdout:
                log.write(line)
                log.flush()
                with self._changed:
                    self._lines.append(line.decode(errors="replace"))
                    self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def wait_for(self, pattern: str, timeout: float) -> re.Match | None:
        """The first match of a pattern in a line of the console; None when it cannot come."""
        deadline = time.monotonic() + timeout
        seen = 0
        with self._changed:
            while True:
                for line in self._lines[seen:]:
                    if found := re.search(pattern, line):
                        return found
                seen = len(self._lines)
                left = deadline - time.monotonic()
                if self._ended or left <= 0:
                    return None
                self._changed.wait(left)

    def wait_closing(self, timeout: float) -> str | None:
        found = self.wait_for(rf"rig: closing {self.closing} status (\S+)", timeout)
        return found.group(1) if found else None

    def send(self, text: str):
        """Types at the serial console."""
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def monitor(self, command: str, **arguments) -> dict:
        """One QMP command, on a connection of its own: device_del, system_reset, quit."""
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(60)
            link.connect(os.path.relpath(self.machine.work / MONITOR))
            stream = link.makefile("rwb")
            stream.readline()  # QEMU's greeting
            for message in ({"execute": "qmp_capabilities"},
                            {"execute": command, "arguments": arguments}):
                stream.write(json.dumps(message).encode() + b"\n")
                stream.flush()
                answer = json.loads(stream.readline())
                while "event" in answer:
                    answer = json.loads(stream.readline())
        if "error" in answer:
            raise RigError(f"QEMU's monitor refuses {command}: {answer['error']}")
        return answer["return"]

    def kill(self):
        """As a power cut would, except that what QEMU has handed to its host stays."""
        self.process.kill()
        self.process.wait()

    def console(self) -> str:
        with self._changed:
            return "".join(self._lines)

    def script_output(self) -> str:
        log = self.out / "guest.log"
        return log.read_text(errors="replace") if log.exists() else ""

    def seconds(self) -> float:
        return time.monotonic() - self.started

    def how_it_ended(self) -> str:
        if self.process.poll() is None:
            return "QEMU was still running"
        log = (self.machine.work / "qemu.log").read_text(errors="replace").strip()
        return f"QEMU exited with {self.process.returncode}" + (f": {log[-400:]}" if log else "")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.process.wait(10 if self._ended else 5)
        except subprocess.TimeoutExpired:
            self.kill()


def prepared_command(machine: Machine, closing: str = "none") -> list[str]:
    """Lays the share of a machine, and gives the command that boots it, to be run in `work`."""
    lay_share(machine)
    kernel = kernels.get(machine.kernel)
    append = (f"console=ttyS0 quiet panic=-1 rig.closing={closing} rig.script={machine.script} "
              f"{machine.append}")
    return [
        "qemu-system-x86_64", "-machine", "q35", "-accel", ACCELERATION, "-cpu", "max",
        "-smp", str(machine.cpus), "-m", machine.memory, "-nodefaults", "-no-user-config",
        "-display", "none", "-serial", "stdio", "-no-reboot",
        "-qmp", f"unix:{MONITOR},server=on,wait=off",
        "-kernel", str(kernel.image), "-initrd", str(initramfs.build(kernel)), "-append", append,
        "-virtfs", f"local,path={machine.work},mount_tag=share,security_model=none,"
                   "multidevs=remap",
        *machine.devices,
    ]


def lay_share(machine: Machine):
    share = machine.work / "in"
    for folder in (share, machine.work / "out"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for path in (HERE / "guest").glob("*.sh"):
        shutil.copy(path, share / path.name)
    for inside, outside in machine.root.items():
        target = share / "root" / inside.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(outside, target)
    # They are laid over the guest's own, where a plain user must get through.
    for folder in [path for path in (share / "root").rglob("*") if path.is_dir()]:
        folder.chmod(0o755)
    (share / "root").mkdir(mode=0o755, exist_ok=True)
    (share / "root").chmod(0o755)
    lines = [f"{key}='{value}'\n" for key, value in machine.settings.items()]
    (share / "settings.sh").write_text("".join(lines))


def zinspect_files(program: Path) -> dict[str, Path]:
    """The program as /bin/zinspect of the guest, with the libraries that it needs."""
    files = {f"/{inside}": outside for inside, outside in initramfs.libraries(program).items()}
    return {**files, "/bin/zinspect": program}
