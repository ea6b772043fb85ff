"""The checks of against/ must find each wrong value: python3 -m unittest discover -s tests/vm

The texts are what sg3_utils 1.46 and nvme-cli 2.3 printed of a scsi_debug disk with
lbpws=1 lbprz=1 and of nvmet on top of it; the report is what the contract asks for it.
"""

import copy
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from against import nvme_cli, plain_user, sg3, snapshot, sysfs  # noqa: E402
from checks import Checks  # noqa: E402
from stage import Stage  # noqa: E402

SYSFS = """\
/sys/block/sda/queue/logical_block_size:512
/sys/block/sda/queue/scheduler:none [mq-deadline]
/sys/block/sda/queue/write_zeroes_max_bytes:33553920
/sys/block/sda/queue/write_zeroes_unmap_max_bytes:33553920
/sys/block/sda/queue/write_zeroes_unmap_max_hw_bytes:33553920
/sys/block/sda/size:16384
/sys/block/sda/device/scsi_disk/0:0:0:0/provisioning_mode:writesame_16
/sys/block/sda/device/scsi_disk/0:0:0:0/zeroing_mode:writesame_16_unmap
"""
FILES = {
    "sysfs.txt": SYSFS,
    "readcap.sda.rc": "0",
    "readcap.sda.out": "   Logical block provisioning: lbpme=1, lbprz=1\n",
    "vpd-bl.sda.out": "  Write same non-zero (WSNZ): 0\n  Maximum unmap LBA count: -1 [unbounded]\n"
                      "  Maximum write same length: 0xffff blocks\n",
    "vpd-lbpv.sda.out": "  Unmap command supported (LBPU): 0\n"
                        "  Write same (16) with unmap bit supported (LBPWS): 1\n"
                        "  Logical block provisioning read zeros (LBPRZ): 1\n",
    "opcode-0x93.sda.out": "  Command is supported [conforming to SCSI standard]\n",
    "opcode-0x42.sda.out": "  Command is NOT supported\n",
    "id-ctrl.sda.out": '{"oncs": 44, "mdts": 0, "vwc": 1}',
    "id-ns.sda.out": '{"flbas": 0, "lbafs": [{"ms": 0, "ds": 9, "rp": 0}], "nsfeat": 16,'
                     ' "dlfeat": 9, "nsze": 65536, "ncap": 65536, "nuse": 65536, "anagrpid": 1,'
                     ' "npwg": 0, "npwa": 0, "npdg": 7, "npda": 7, "nows": 1023}',
    "nvm-id-ctrl.sda.out": '{"wzsl": 5, "dmrl": 0, "dmrsl": 8, "dmsl": 0}',
}
LIMITS = {"write_zeroes_max_bytes": 33553920, "write_zeroes_unmap_max_hw_bytes": 33553920,
          "write_zeroes_unmap_max_bytes": 33553920}
# One device with everything, so that one report serves all the checks.
DEVICE = {
    "kname": "sda", "size_bytes": 8388608, "agreement": "agree", "kernel": dict(LIMITS),
    "queue": {"logical_block_size": 512, "scheduler": "none [mq-deadline]", **LIMITS},
    "scsi": {"lbpme": True, "lbprz": True,
             "vpd_b0": {"wsnz": False, "maximum_unmap_lba_count": 0xFFFFFFFF,
                        "maximum_write_same_length": 65535},
             "vpd_b2": {"lbpu": False, "lbpws": True, "lbprz": 1},
             "opcodes": {"write_same_16": "standard", "unmap": "not-supported"},
             "zeroing_mode": {"predicted": "writesame_16_unmap", "kernel": "writesame_16_unmap"},
             "provisioning_mode": {"predicted": "writesame_16", "kernel": "writesame_16"}},
    "nvme": {"dlfeat": {"raw": 9, "read_behavior": "all-zeroes", "deac": True,
                        "guard_crc": False},
             "oncs_raw": 44, "oncs": ["dsm", "write-zeroes", "reservations"], "vwc": True,
             "nsfeat_raw": 16, "nsfeat": ["optperf"], "mdts": 0, "mdts_bytes": None,
             "wzsl": 5, "wzsl_bytes": 131072, "dmrl": 0, "dmrsl": 8, "dmsl": 0,
             "nsze": 65536, "ncap": 65536, "nuse": 65536, "anagrpid": 1,
             "lba_format": {"index": 0, "data_bytes": 512, "metadata_bytes": 0, "rp": 0}, "npwg_bytes": 512, "npwa_bytes": 512,
             "npdg_bytes": 4096, "npda_bytes": 4096, "nows_bytes": 524288},
    "unread": [],
}


def leaves(value, path=()):
    if isinstance(value, dict):
        for key in value:
            yield from leaves(value[key], (*path, key))
    else:
        yield path


def with_leaf(device: dict, path: tuple, value) -> dict:
    changed = copy.deepcopy(device)
    here = changed
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    return changed


class Against(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        for name, text in FILES.items():
            (self.path / name).write_text(text)

    def report(self, name: str, device: dict, source: str = "live"):
        report = {"source": source, "devices": [device]}
        (self.path / f"{name}.out").write_text(json.dumps(report))

    def failures(self, device: dict) -> list[str]:
        self.report("root", device)
        checks = Checks("test", "none")
        for module in (sysfs, sg3, nvme_cli):
            module.hold(Stage(self.path), checks, "root")
        sysfs.agreement(Stage(self.path), checks, "root")
        return checks.failed

    def test_right_report_passes(self):
        self.assertEqual([], self.failures(DEVICE))

    def test_every_wrong_value_is_found(self):
        for path in leaves(DEVICE):
            if path in (("kname",), ("unread",)):
                continue
            for wrong in (None, 12345, True, False, "x"):
                right = DEVICE
                for key in path:
                    right = right[key]
                if isinstance(right, list):
                    wrong = [str(wrong)]
                if wrong is right or path[-2:] == ("nvme", "mdts_bytes") and wrong is None:
                    continue
                with self.subTest(path=path, wrong=wrong):
                    self.assertTrue(self.failures(with_leaf(DEVICE, path, wrong)))

    def test_missing_queue_attribute_is_found(self):
        device = copy.deepcopy(DEVICE)
        del device["queue"]["scheduler"]
        self.assertIn("sda scheduler: not reported", " ".join(self.failures(device)))

    def plain(self, device: dict) -> list[str]:
        self.report("root", DEVICE)
        self.report("plain", device)
        checks = Checks("test", "none")
        plain_user.hold(Stage(self.path), checks, "root", "plain")
        return checks.failed

    def test_plain_user_may_know_less_when_it_says_so(self):
        less = with_leaf(DEVICE, ("nvme", "dlfeat"), None)
        self.assertIn("root knows nvme.dlfeat", " ".join(self.plain(less)))
        less["unread"] = [{"field": "nvme.dlfeat", "status": "denied", "detail": "EACCES"}]
        self.assertEqual([], self.plain(less))

    def test_plain_user_must_not_be_wrong(self):
        wrong = with_leaf(DEVICE, ("scsi", "lbprz"), False)
        self.assertIn("scsi.lbprz: root True, here False", " ".join(self.plain(wrong)))

    def test_snapshot_differs_in_source_only(self):
        self.report("live", DEVICE)
        for device, source, good in ((DEVICE, "snapshot", True), (DEVICE, "live", False),
                                     (with_leaf(DEVICE, ("scsi", "lbpme"), 1), "snapshot", False)):
            with self.subTest(source=source, good=good):
                self.report("snapshot", device, source)
                checks = Checks("test", "none")
                snapshot.hold(Stage(self.path), checks, "live", "snapshot")
                self.assertEqual(good, not checks.failed)


if __name__ == "__main__":
    unittest.main()
