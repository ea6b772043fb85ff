"""Random stacks from a seed: what zinspect predicts of each device against what the kernel made of it."""

import os
import random

import program
import stacks
from against import agreement
from context import Context
from stage import Stage

TITLE = "random stacks, ZINSPECT_STACKS of them, from ZINSPECT_SEED (printed): predicted against the kernel's"
KERNELS = ["7.3"]
NEEDS_ZINSPECT = True

# What may stand at a stack, or at a device of it, whose numbers are not those that it would be given now.
STALE = {"stacked-snapshot-stale", "dm-over-disabled", "md-cannot-start", "md-runtime-disabled"}
BATCHES_A_BOOT = 6


def run(context: Context):
    seed = int(os.environ.get("ZINSPECT_SEED") or random.SystemRandom().randrange(1 << 32))
    count = int(os.environ.get("ZINSPECT_STACKS") or 24)
    print(f"random {context.kernel}: seed {seed}, {count} stacks "
          f"(again: tests/vm/run --seed {seed} --stacks {count} random)", flush=True)
    maker = stacks.Maker(seed)
    batches = mixed(maker.before(count), maker.after(max(count // 4, 4)))
    results = []
    for first in range(0, len(batches), BATCHES_A_BOOT):
        some = batches[first:first + BATCHES_A_BOOT]
        work = context.work / f"boot-{first}"
        machine = context.machine("random.sh", work=work, root=plans(some, work), timeout=2400,
                                  memory="4G")
        out = context.boot(machine).out
        for batch in some:
            with context.checks.within(batch.name):
                if batch.states:
                    results += aged(out, batch, context)
                else:
                    results += agreement.hold(Stage(out / batch.name), context.checks,
                                              program.judge(context.zinspect))
        # After each boot: a run that is broken off counts as far as it came.
        agreement.save(results, f"random-{context.kernel}-seed-{seed}", alone=True)


def mixed(before: list, after: list) -> list:
    """Both sets in each boot, in proportion."""
    def place(batches):
        return [((at + 0.5) / len(batches), batch) for at, batch in enumerate(batches)]

    return [batch for _, batch in sorted(place(before) + place(after), key=lambda pair: pair[0])]


def plans(batches, work) -> dict:
    work.mkdir(parents=True, exist_ok=True)
    root = {}
    for batch in batches:
        for kind, lines in (("plan", batch.lines), ("states", batch.states)):
            if lines:
                path = work / f"{kind}.{batch.name}"
                path.write_text("".join(line + "\n" for line in lines))
                root[f"/{kind}.{batch.name}"] = path
    return root


def aged(out, batch, context) -> list:
    """Stacks whose leaves changed under them: predicted is what the kernel gave them built anew, and where that
    differs from what they show, zinspect says differ and why."""
    stage, rebuilt = Stage(out / batch.name), Stage(out / f"{batch.name}-rebuilt")
    quiet = type(context.checks)(*context.checks.scenario.split())
    everything = agreement.hold(stage, quiet, program.judge(context.zinspect))
    # The state itself, at the leaf, is the named cases' business.
    results = [result for result in everything if not result.case.endswith(("-disk", "-leaf"))]
    for result in results:
        if result.skipped:
            continue
        queue = rebuilt.queues().get(rebuilt.roles().get(result.case, ""))
        again = queue and [int(queue[attribute]) for attribute in agreement.THREE]
        result.expected = ["differ" if again != result.shown else "agree"]
        context.checks.true("aged", result.case, sound(result, again),
                            f"built anew {again}; {agreement.told(result)}")
    return results


def sound(result, again) -> bool:
    findings = set(result.findings)
    if again is None:
        # Not built anew: MD does not start on a member in that state.
        result.good = "md-cannot-start" in findings or result.predicted is None
    elif again == result.shown:
        result.good = result.predicted == again and result.agreement == "agree"
    else:
        result.good = (result.predicted == again and bool(findings & STALE)
                       and result.agreement in ("differ", "agree"))
    return result.good
