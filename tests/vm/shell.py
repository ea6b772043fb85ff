"""An interactive guest: the devices of the scenario `inspect`, the recipes at hand."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import disks
import rig


def run(kernel: str, zinspect: Path | None) -> int:
    with tempfile.TemporaryDirectory(prefix="zinspect-vm-") as folder:
        work = Path(folder)
        images, devices = disks.one_of_each(work, 1 << 30)
        for image in images:
            image.create()
        machine = rig.Machine(kernel, "none", work, devices, append="rig.shell=1",
                              root=rig.zinspect_files(zinspect) if zinspect else {})
        command = rig.prepared_command(machine)
        print(f"kernel {kernel}; zinspect: {zinspect or 'none built'}; leave with poweroff -f",
              file=sys.stderr)
        return subprocess.call(command, cwd=work, env=dict(os.environ))
