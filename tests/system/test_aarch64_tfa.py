# SPDX-License-Identifier: BSD-2-Clause
"""Real firmware at level 3: TF-A, whose BL31 has an injector in it, with U-Boot at level 2 above.

The noise begins when BL31 starts, before U-Boot does, and goes on to the end. TF-A saves and
restores the core's registers, asks the interrupt controller, and lets no cycles be counted
meanwhile, as on any machine that has it. The log has what lies between its way in and its way out.
An instruction is a nanosecond, a tick 16 of them.
"""
import pytest

import injection
import match
import schedule
from schedule import MS

pytestmark = [pytest.mark.exact, pytest.mark.full]

CORES = ["cortex-a53", "cortex-a72", "max"]
START = 1 * MS  # from BL31's
COUNT = 10_000  # more than there is time for
RUN_SECONDS = 600
HZ = 62_500_000  # QEMU's CNTFRQ
# Ticks. 160 instructions: 31 registers and some of the system's, saved or restored, and questions
# to the GIC.
WAY = 10
BETWEEN = 2 * WAY + 2  # where a way out and one in leave no sample
PIECE, SLOW_PATH = 10 + BETWEEN, 60 + BETWEEN  # see test_aarch64_exact.py
LONG = 4 * HZ // 1_000_000  # 4 us
KNOWN = 0.95  # least share of gaps with a known cause
MANY = 100
SILENT_SECONDS = 2


def run(images, out, tfa, core, exceptions, duration, icount=0, effects=()):
    plan = schedule.Plan(exceptions, START, effects=effects, options="gaps=all live=no then=halt "
                         f"window=250ms duration={duration}")
    done = injection.run(*images, out, plan, icount, firmware=tfa, emulator="aarch64",
                         extra=("-cpu", core), timeout=RUN_SECONDS)
    assert done.result.problem is None, done.result.problem
    assert b"BL31: v2." in done.result.serial
    return done.truth, match.run_of(done.result.records)


@pytest.mark.parametrize("core,kind", [(CORES[1], "rare"), *(
    pytest.param(*row, marks=pytest.mark.long)
    for row in ((CORES[0], "rare"), (CORES[2], "rare"), (CORES[1], "edges")))])
def test_noise_from_power_on(tfa, aarch64, aarch64_injector, out, exact_figure, figure, core, kind):
    """Nothing is missed and no gap is false, and what takes longer than 4 us has its cause, though
    the counters' rate was learned in that noise."""
    truth, seen = run((aarch64, aarch64_injector), out, tfa, core,
                      schedule.generate(kind, 5, COUNT), "700ms", effects=("power_on",))
    (log,) = truth.cores
    assert log.spans[0][1] < truth.armed_tsc < log.spans[-1][0]
    assert log.started < log.planned and not log.lost

    found = match.match(log.spans, seen, match.Rules(BETWEEN, PIECE, SLOW_PATH, "el3", True))
    exact_figure(f"TF-A, {core}, {kind}", found)
    assert not found.problems, "\n".join(found.problems[:20])
    assert (found.missed, found.false) == (0, 0)
    assert max(found.start_error.values()) <= WAY, found.line()
    assert max(found.length_error.values()) <= 2 * WAY, found.line()

    causes = [gap.cause for gap in seen.gaps if gap.ticks >= LONG]
    known = causes.count("el3")
    figure(f"TF-A, {core}, {kind}: {known} of {len(causes)} gaps of 4 us or more are el3, "
           f"{[gap.cause for gap in seen.gaps].count('el3')} of {len(seen.gaps)} in all")
    assert len(causes) >= MANY
    assert known >= KNOWN * len(causes)


@pytest.mark.parametrize("core", [pytest.param(core, marks=pytest.mark.long)
                                  for core in CORES[:2]] + CORES[2:])
def test_nothing_injected(tfa, aarch64, aarch64_injector, out, core):
    """TF-A alone takes no time: there is no gap. An instruction is half a tick here."""
    truth, seen = run((aarch64, aarch64_injector), out, tfa, core, (), f"{SILENT_SECONDS}s",
                      icount=3)
    assert truth.cores[0].spans == seen.gaps == []
    assert sum(end - start for start, end, *_ in seen.windows) >= SILENT_SECONDS * HZ
