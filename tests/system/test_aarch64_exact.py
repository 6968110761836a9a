# SPDX-License-Identifier: BSD-2-Clause
"""Every gap against every exception to level 2 that was really there, to the tick.

The injector puts itself below the firmware and the probe, and takes the core by an interrupt that
nothing at level 1 can mask. An instruction is a nanosecond, a tick 16 of them: each end of a gap
is off by a tick at most, and where two are taken for one there is no sample between them.
"""
import pytest

import injection
import match
import schedule
from schedule import MS

pytestmark = [pytest.mark.exact, pytest.mark.full]

START = 600 * MS  # from the probe's start; its first window begins before
AFTER = 20 * MS
RUN_SECONDS = 600
# Ticks. From the stamp at one's end to that at the next one's begin there are 13 instructions of
# the handler's own, and 5 make sure of a sample: in 18 ns the clock may step once.
BLIND = 2
PIECE, SLOW_PATH = 10, 60  # the slow path's longest piece, and the whole of it
TICKS_OFF = 2  # of a length, one at each end

# kind, seed, exceptions, configuration
DAILY = [("mixed", 1, 1000, "window=100ms")]
LONG = [
    ("storm", 1, 10000, "window=100ms"),
    ("bursts", 1, 2000, ""),
    ("pauses", 1, 2000, "window=3ms"),
    ("trains", 1, 2000, "window=5ms"),
    ("back_to_back", 1, 2000, "window=11ms"),
    ("tiny", 1, 2000, "threshold=300ns"),
    ("edges", 1, 1000, "window=3ms"),
    ("lengths", 1, 300, "window=100ms"),
    ("long", 1, 40, "window=30ms"),
    ("uniform", 1, 500, "window=250ms"),
    ("periodic", 1, 1000, "window=50ms"),
]
SCHEDULES = DAILY + [pytest.param(*row, marks=pytest.mark.long) for row in LONG]


@pytest.mark.parametrize("kind,seed,count,config", SCHEDULES)
def test_schedule(aarch64, aarch64_injector, out, exact_figure, kind, seed, count, config):
    exceptions = schedule.generate(kind, seed, count)
    length = START + sum(pause + length for pause, length in exceptions) + AFTER
    options = f"gaps=all live=no then=halt duration={length // 1000}us {config}"
    done = injection.run(
        aarch64, aarch64_injector, out, schedule.Plan(exceptions, START, options=options),
        firmware="aarch64", emulator="aarch64", timeout=RUN_SECONDS,
    )
    assert done.result.problem is None, done.result.problem
    assert done.truth.complete() is None, done.truth.complete()
    run = match.run_of(done.result.records)
    spans = done.truth.cores[0].spans
    rules = match.Rules(BLIND, PIECE, SLOW_PATH, "unknown")
    found = match.match(spans, run, rules)
    exact_figure(f"aarch64, {kind}-{seed}", found)
    assert len(spans) == count and found.found
    assert not found.problems, "\n".join(found.problems[:20])
    assert (found.missed, found.false) == (0, 0)
    for errors in (found.start_error, found.length_error):
        assert errors["loop"] <= TICKS_OFF, found.line()
        assert errors["slow path"] <= PIECE, found.line()
