"""The matrix must find a wrong prediction, and draw the same stacks from the same seed."""

import io
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import stacks  # noqa: E402
from against import agreement  # noqa: E402

SD = [33553920, 33553920, 33553920]


def result(predicted, shown, said="agree", **more) -> agreement.Result:
    return agreement.Result("case", "7.3", predicted, shown, said, **more)


class Judging(unittest.TestCase):
    def test_a_healthy_case_agrees_in_all_three(self):
        self.assertTrue(agreement.healthy(result(SD, SD)))
        for wrong in ([0, 0, 0], [33553920, 0, 0], [33553920, 33553920, 0]):
            self.assertFalse(agreement.healthy(result(wrong, SD)))
        self.assertFalse(agreement.healthy(result(None, SD, "not-predicted")))
        self.assertFalse(agreement.healthy(result(SD, SD, "differ")))

    def test_a_lower_un_needs_its_finding(self):
        lowered = [33553920, 33553920, 0]
        self.assertFalse(agreement.healthy(result(SD, lowered)))
        self.assertTrue(agreement.healthy(result(SD, lowered, findings=["user-limit"])))

    def test_an_old_kernel_shows_wz_alone(self):
        self.assertTrue(agreement.healthy(result(SD, [33553920, None, None], "kernel-silent")))
        self.assertFalse(agreement.healthy(result(SD, [0, None, None], "kernel-silent")))

    def test_a_state_needs_its_finding_and_its_agreement(self):
        wanted = ["differ", "head-shrunk"]
        self.assertTrue(agreement.as_expected(
            result(SD, SD, "differ", expected=wanted, findings=["head-shrunk", "other"])))
        self.assertFalse(agreement.as_expected(result(SD, SD, "differ", expected=wanted)))
        self.assertFalse(agreement.as_expected(
            result(SD, SD, "agree", expected=wanted, findings=["head-shrunk"])))

    def test_an_assertion_is_of_the_prediction_too(self):
        none, off = [33553920, 0, 0], [33553920, 33553920, 0]
        self.assertTrue(agreement.holds("none", result(none, none)))
        self.assertFalse(agreement.holds("none", result(SD, none)))
        self.assertTrue(agreement.holds("unmap", result(SD, SD)))
        self.assertFalse(agreement.holds("unmap", result([0, 0, 0], [0, 0, 0])))
        self.assertTrue(agreement.holds("off", result(SD, off)))
        self.assertFalse(agreement.holds("off", result(SD, SD)))


class Captures(unittest.TestCase):
    def test_only_the_three_files_of_stacked_devices_are_taken_out(self):
        kept = ["manifest", "sys/devices/virtual/block/dm-0/queue/logical_block_size",
                "sys/devices/pci0/block/sda/queue/write_zeroes_max_bytes",
                "sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0c1n1/queue/write_zeroes_max_bytes",
                "sys/devices/virtual/block/loop0/queue/write_zeroes_unmap_max_bytes"]
        gone = ["sys/devices/virtual/block/dm-0/queue/write_zeroes_max_bytes",
                "sys/devices/virtual/block/md127/queue/write_zeroes_unmap_max_hw_bytes",
                "sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/queue/write_zeroes_unmap_max_bytes"]
        with tempfile.TemporaryDirectory() as folder:
            whole, bare = Path(folder) / "whole.tar.gz", Path(folder) / "bare.tar.gz"
            with tarfile.open(whole, "w:gz") as archive:
                for name in kept + gone:
                    member = tarfile.TarInfo(name)
                    member.size = 2
                    archive.addfile(member, io.BytesIO(b"0\n"))
            agreement.take_out(agreement.STACKED, whole, bare)
            with tarfile.open(bare) as archive:
                self.assertEqual(kept, archive.getnames())


class Stacks(unittest.TestCase):
    def test_a_seed_is_its_stacks(self):
        def lines(seed):
            maker = stacks.Maker(seed)
            return [batch.lines for batch in maker.before(20) + maker.after(5)]
        self.assertEqual(lines(7), lines(7))
        self.assertNotEqual(lines(7), lines(8))

    def test_each_leg_is_built_before_what_stands_on_it(self):
        for batch in stacks.Maker(1).before(50):
            there = set()
            for name, _, _, *legs in map(str.split, batch.lines):
                self.assertLessEqual(set(legs), there)
                there.add(name)
            self.assertLessEqual(batch.disks, 100)


if __name__ == "__main__":
    unittest.main()
