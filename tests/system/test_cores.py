# SPDX-License-Identifier: BSD-2-Clause
"""SMIs and NMIs on chosen cores of a machine in real time.

The host interrupts every core when it likes, so nothing is asserted of gaps without a counter's
step; but each SMI the handler logged must be under a gap of its core that counted it.
"""
import pytest

import injection
import schedule
from schedule import ALL_CORES, MS, S
from tiers import full

CORES = 2
RUN_SECONDS = 300
RECORDING_TICKS = 3_000_000  # a gap is recorded within this, host noise included
EDGE_TICKS = 1000
EDGE_SMIS = 2  # at the begin and end of the time watched
WINDOW = 1 * S
OPTIONS = "gaps=all then=halt threshold=50us window=1s duration=3s live=no"
SMIS = schedule.generate("demo", "cores", 14)


def inject(app, injector, out, **wanted):
    plan = schedule.Plan(SMIS, start=1500 * MS, options=OPTIONS, **wanted)
    done = injection.run(app, injector, out, plan, icount=None, smp=CORES, timeout=RUN_SECONDS)
    assert done.result.problem is None, done.result.problem
    return done


def cores(done):
    return {r["cpu"]: r for r in done.result.of_type("cpu")}


def counted(core, what):
    return core[what] + core[f"{what}_out"]


def watched(done):
    """(first, last tick) of every window; a core that was held may have gone on for longer."""
    begin = done.result.of_type("begin")[0]
    hz, zero = begin["clock"]["hz"], begin["begin_tsc"]
    for window in done.result.of_type("window"):
        start = zero + window["start_ns"] * hz // S
        yield start, start + min(window["len_ns"], WINDOW) * hz // S


def check_core(done, cpu):
    """Every SMI of the core that lies in a window is in a gap that counted it."""
    spans = done.truth.cores[cpu].spans
    shown = [g for g in bouts(done, cpu) if g[2]]
    inside = [s for s in spans if any(a < s[0] and s[1] < b for a, b in watched(done))]
    # A core that came late to a window does not know which of its SMIs were in it.
    begins = [begin for begin, _ in watched(done)]
    late = [g for g in bouts(done, cpu) if any(abs(g[0] - a) < EDGE_TICKS for a in begins)]
    unseen = [s for s in inside if not any(_overlap(bout, s) for bout in shown + late)]
    assert inside, "no SMI fell into a window"
    assert not unseen, f"{unseen[:5]} are in no gap with an SMI"
    strangers = [bout for bout in shown if not any(_overlap(bout, s) for s in spans)]
    assert not strangers, f"{strangers[:5]} counted SMIs that were not there"
    edges = list(watched(done))
    there = sum(edges[0][0] < entry < edges[-1][1] for entry, _ in spans)
    assert abs(counted(cores(done)[cpu], "smi") - there) <= EDGE_SMIS


def bouts(done, cpu):
    """Gaps as [first, last tick, SMIs], those one behind the other taken together: when the
    host holds the core and an SMI follows at once, the counter does not show which had it."""
    found = []
    for gap in done.result.of_type("gap"):
        start, end = gap["start_tsc"], gap["start_tsc"] + gap["ticks"]
        if gap["cpu"] != cpu:
            continue
        if found and start - found[-1][1] < RECORDING_TICKS:
            found[-1] = [found[-1][0], end, found[-1][2] + gap["smi"]]
        else:
            found.append([start, end, gap["smi"]])
    return found


def _overlap(bout, span):
    return bout[0] < span[1] and span[0] < bout[1]


@pytest.mark.full
def test_smis_on_one_core_nmis_on_the_other(app, injector, out):
    done = inject(app, injector, out, target=1, nmi_target=0, nmi_period=20 * MS)
    check_core(done, 1)
    assert not done.truth.cores[0].spans
    found = cores(done)
    assert counted(found[0], "smi") == 0
    assert counted(found[0], "nmi") > 0 and found[0]["cause"]["nmi"]["gaps"] > 0
    assert counted(found[1], "nmi") == 0


@pytest.mark.full
def test_smis_on_all_cores_at_once(app, injector, out):
    done = inject(app, injector, out, target=ALL_CORES)
    for cpu in range(CORES):
        check_core(done, cpu)
        assert counted(cores(done)[cpu], "nmi") == 0


@pytest.mark.full
@pytest.mark.parametrize(
    "build,stage",
    [full("late-cores", "bare"), ("late-loan", "firmware"), full("late-sleep", "bare")],
)
def test_cores_that_a_busy_host_keeps_waiting(run, variant, build, stage):
    """The cores answer after seconds, or are woken in the moment before they sleep."""
    result = run(app=variant(build), smp=CORES,
                 config=f"stages={stage} duration=300ms window=100ms then=qemu-exit")
    cores = [record["cpu"] for record in result.of_type("cpu")]
    assert cores == [0, 1], result.logs()
