"""Random stacks from a seed, as lines for guest/random.sh: the same seed is the same stacks."""

import dataclasses
import random

# Kind -> (weight, fewest legs, most legs). Those that hand zeroes on come often, else nothing would be left of them
# two layers up.
KINDS = {
    "linear": (10, 1, 4), "linear_part": (3, 1, 1), "striped": (8, 2, 4), "mpath": (5, 1, 3), "mpath_bio": (2, 1, 2),
    "raid0": (8, 2, 4), "loop": (2, 1, 1),
    "linear_zero": (1, 1, 1), "linear_error": (1, 1, 1), "crypt": (1, 1, 1), "delay": (1, 1, 1), "flakey": (1, 1, 1),
    "unstriped": (1, 1, 1), "switch": (1, 2, 2), "mirror": (1, 2, 2), "origin": (1, 1, 1), "logwrites": (1, 2, 2),
    "integrity": (1, 1, 1), "era": (1, 2, 2), "writecache": (1, 2, 2), "snapshot": (1, 2, 2), "thin": (1, 2, 2),
    "cache": (1, 3, 3), "clone": (1, 3, 3), "raid1": (1, 2, 2), "raid10": (1, 4, 4), "raid5": (1, 3, 3),
}
MD = {"raid0", "raid1", "raid10", "raid5"}
CHUNKS_KIB = [4, 16, 64, 128, 512]
# Of a leaf before or after the stack is built. Numbers are blocks of a WRITE SAME.
STATES = ["user-0", "pinned", "blocks-0", "blocks-8", "blocks-100", "blocks-4000", "blocks-3000000", "mode-writesame",
          "mode-write", "disabled"]
# Beside scsi_debug's disks: without a zeroes command, and with one that never unmaps.
OTHER_LEAVES = ["null", "file"]
DISKS_A_BATCH = 64
DEEPEST = 5


@dataclasses.dataclass
class Batch:
    """Stacks that stand at the same time: each leaf belongs to one of them."""

    name: str
    disks: int = 0
    lines: list[str] = dataclasses.field(default_factory=list)
    states: list[str] = dataclasses.field(default_factory=list)  # set B: after the stacks were built
    stacks: list[str] = dataclasses.field(default_factory=list)


class Maker:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.batch = Batch("")
        self.stack = ""
        self.nodes = 0
        self.leaves: list[str] = []

    def before(self, count: int) -> list[Batch]:
        """Stacks over leaves in random states."""
        return self.batches("before", count, DEEPEST, after=False)

    def after(self, count: int) -> list[Batch]:
        """Stacks over healthy leaves, one of which gets a state once it stands."""
        return self.batches("after", count, 3, after=True)

    def batches(self, name: str, count: int, deepest: int, after: bool) -> list[Batch]:
        made: list[Batch] = []
        for number in range(count):
            # A new batch before the stack: how many leaves it takes shows only when it is drawn.
            if not made or self.batch.disks > DISKS_A_BATCH - 24:
                self.batch = Batch(f"{name}-{len(made):02}")
                made.append(self.batch)
            self.stack, self.nodes, self.leaves = f"{name}{number:03}", 0, []
            self.batch.stacks.append(self.stack)
            self.node(self.random.randint(1, deepest), healthy=after, top=True)
            if after and self.leaves:
                leaf = self.random.choice(self.leaves)
                self.batch.states.append(f"{leaf} {self.random.choice(STATES)}")
        return made

    def node(self, depth: int, healthy: bool, top: bool = False, below: str = "") -> str:
        """Draws a device and all below it, leaves first; gives its name."""
        room = DISKS_A_BATCH - self.batch.disks
        if not top and (depth == 0 or room < 8 or self.random.random() < 0.15):
            return self.leaf(healthy, below)
        kind = self.random.choices(list(KINDS), [weight for weight, _, _ in KINDS.values()])[0]
        _, fewest, most = KINDS[kind]
        # Wide or deep, not both: leaves are as many as disks.
        legs = self.random.randint(fewest, max(fewest, most if depth < 3 else min(most, 2)))
        names = []
        for leg in range(legs):
            deeper = depth - 1 if leg == 0 else self.random.randint(0, max(0, depth - 2))
            names.append(self.node(deeper, healthy, below=kind))
        self.nodes += 1
        name = f"{self.stack}-{self.nodes}-{kind}"
        chunk = self.random.choice(CHUNKS_KIB)
        self.batch.lines.append(f"{name} {kind} {chunk} {' '.join(names)}")
        return name

    def leaf(self, healthy: bool, above: str) -> str:
        self.nodes += 1
        if self.random.random() < 0.12:
            name = f"{self.stack}-{self.nodes}-leaf"
            self.batch.lines.append(f"{name} {self.random.choice(OTHER_LEAVES)} 0")
            return name
        self.batch.disks += 1
        name = f"{self.stack}-{self.nodes}-disk"
        state = "none" if healthy or self.random.random() < 0.5 else self.random.choice(STATES)
        # MD does not start on a disk in this state; the named cases have that.
        if state == "disabled" and above in MD:
            state = "none"
        self.batch.lines.append(f"{name} disk {state}")
        self.leaves.append(name)
        return name
