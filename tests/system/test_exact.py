# SPDX-License-Identifier: BSD-2-Clause
"""Every gap against every SMI that was really there, to the tick.

Under icount shift 0 an instruction is a nanosecond is a tick. The injector's SMM handler logs
when it was entered and left; the log is read from outside and matched gap by gap.
"""
import pytest

import match
import schedule
from schedule import MS, S

pytestmark = pytest.mark.exact

START = 300 * MS  # from the probe's start; its first window begins some 120 ms after
AFTER = 20 * MS  # windows go on that long after the last SMI
RUN_SECONDS = 600
SILENCE = 5 * S  # long enough for a counter of 32 bits to wrap

# Instructions from where a core has set the window's start to where it first reads the clock: an
# SMI that comes there, and ends in the window, is followed by those that are left.
GATHERED = 30

DAILY, ALL, LONG = (), pytest.mark.full, (pytest.mark.full, pytest.mark.long)

# kind, seed, SMIs, configuration, tier
SCHEDULES = [
    ("storm", 1, 2000, "window=100ms", ALL),
    ("storm", 2, 28000, "quiet=yes", LONG),
    ("storm", 3, 28000, "window=17ms", LONG),
    ("bursts", 1, 1500, "", ALL),
    ("bursts", 2, 3000, "window=10ms", LONG),
    ("pauses", 1, 1500, "", ALL),
    ("pauses", 2, 3000, "window=3ms", LONG),
    ("trains", 1, 1000, "", ALL),
    ("trains", 2, 2000, "window=5ms", LONG),
    ("back_to_back", 1, 1500, "", ALL),
    ("back_to_back", 2, 3000, "window=11ms", LONG),
    ("tiny", 1, 3000, "", ALL),
    ("tiny", 2, 3000, "threshold=500ns window=50ms", LONG),
    ("tiny", 3, 3000, "threshold=250ns", LONG),
    ("edges", 1, 1000, "window=5ms", DAILY),
    ("edges", 2, 2000, "window=3ms", LONG),
    ("lengths", 1, 150, "window=100ms", ALL),
    ("lengths", 2, 300, "quiet=yes", LONG),
    ("long", 1, 20, "window=30ms", ALL),
    ("uniform", 1, 250, "window=250ms", ALL),
    ("periodic", 1, 500, "window=50ms", ALL),
    ("mixed", 1, 500, "window=100ms", ALL),
    ("mixed", 2, 1000, "threshold=300ns window=20ms", LONG),
]


def options(config, duration_ns):
    return f"gaps=all live=no then=halt duration={duration_ns // 1000}us {config}"


def measure(saved, out, plan, complete=True):
    """(what the probe reported, the SMIs, how they match)"""
    done = saved.run(out, plan, RUN_SECONDS)
    assert done.result.problem is None, done.result.problem
    if complete:
        assert done.truth.complete() is None, done.truth.complete()
    assert plan.smis or not done.result.of_type("pause")
    run = match.run_of(done.result.records)
    spans = done.spans()
    return run, spans, match.match(spans, run, match.Rules.of(run.interval))


def check(run, found):
    assert not found.problems, "\n".join(found.problems[:20])
    assert (found.missed, found.false) == (0, 0)
    assert found.found + found.short + found.outside == found.injected
    for errors in (found.start_error, found.length_error):
        for place, error in errors.items():
            assert error <= run.error + GATHERED * (place == "edge"), found.line()


@pytest.mark.parametrize(
    "kind,seed,count,config",
    [
        pytest.param(*row[:4], id=f"{row[0]}-{row[1]}", marks=row[4]) for row in SCHEDULES
    ],
)
def test_schedule(saved, out, exact_figure, kind, seed, count, config):
    smis = schedule.generate(kind, seed, count)
    length = sum(pause + length for pause, length in smis)
    plan = schedule.Plan(smis, START, options=options(config, START + length + AFTER))
    run, spans, found = measure(saved, out, plan)
    exact_figure(f"{kind}-{seed}", found)
    assert len(spans) == count
    assert found.found, "no SMI fell into a window"
    check(run, found)


@pytest.mark.full
def test_smis_from_the_first_instruction_on(saved, out, exact_figure):
    """SMIs hit the probe while it boots, learns its clock and times its own loop; some end late."""
    smis = schedule.generate("mixed", "boot", 1500)
    plan = schedule.Plan(smis, 0, options=options("window=100ms", 500 * MS))
    run, _, found = measure(saved, out, plan, complete=False)
    exact_figure("mixed-boot", found)
    assert found.outside and found.found
    check(run, found)


@pytest.mark.full
def test_nothing_injected_nothing_found(saved, out, exact_figure):
    plan = schedule.Plan(options=options("", SILENCE))
    run, spans, found = measure(saved, out, plan)
    exact_figure("none", found)
    assert spans == [] and run.gaps == []
    assert not found.problems


def test_short_silence(saved, out):
    plan = schedule.Plan(options=options("threshold=100ns window=100ms", 500 * MS))
    run, spans, _ = measure(saved, out, plan)
    assert spans == [] and run.gaps == []
