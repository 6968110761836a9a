# SPDX-License-Identifier: BSD-2-Clause
"""Every gap against every exception to level 2 or 3 that was really there, to the tick.

The injector puts itself below the firmware and the probe, or asks the monitor that is there at
level 3, and takes the core by an interrupt that nothing above can mask. An instruction is a
nanosecond, a tick 16 of them: each end of a gap is off by a tick at most, and where two are taken
for one there is no sample between them.
"""
import bisect

import pytest

import match
import schedule
from schedule import MS, S

pytestmark = [pytest.mark.exact, pytest.mark.full]

START = 450 * MS  # from the probe's start; its first window begins some 270 ms after that
START_UNCOUNTED = 120 * MS  # without counters there is no rate to learn: it begins after some 10 ms
AROUND = 220 * MS  # time that windows last before and after
HZ = 62_500_000  # QEMU's CNTFRQ
# Ticks. From the stamp at one's end to that at the next one's begin there are 13 instructions of
# the handler's own, and 5 make sure of a sample: in 18 ns the clock may step once.
BLIND = 2
# The slow path's longest piece, and the whole of it, with counters or without.
PIECE, SLOW_PATH = 10, 60
READABLE, APART = 100, 2 * SLOW_PATH
LEAD = 100  # from the last reading to a window's begin
TICKS_OFF = 2  # error of a length, one tick at each end
LONE = 20
BOOT = 100
WHILE_LEARNING = 20  # least number of interruptions while the rate is learned
SLOW_TRNG = 200 * 1000  # ns; tests/inject/layout.h
SMC = 10 * 16  # ns, in which a call that does nothing has returned: some hundred instructions
PSCI_BY_SMC = ("setenv fdt_addr_r $fdt_addr; fdt addr $fdt_addr; fdt resize",
               "fdt mknode / psci; fdt set /psci compatible arm,psci-1.0",
               "fdt set /psci method smc")
PMU_OFF = ("-cpu", "neoverse-n1,pmu=off")

# level, kind, seed, exceptions, configuration
DAILY = [(2, "mixed", 1, 250, "window=100ms"), (3, "mixed", 2, 150, "window=100ms")]
LONG = [
    (2, "mixed", 3, 500, "window=100ms"),
    (2, "storm", 1, 10000, "window=100ms"),
    (2, "bursts", 1, 2000, ""),
    (2, "pauses", 1, 2000, "window=3ms"),
    (2, "trains", 1, 2000, "window=5ms"),
    (2, "back_to_back", 1, 2000, "window=11ms"),
    (2, "tiny", 1, 2000, "threshold=300ns"),
    (2, "edges", 1, 1000, "window=3ms"),
    (2, "lengths", 1, 300, "window=100ms"),
    (2, "long", 1, 40, "window=30ms"),
    (2, "uniform", 1, 500, "window=250ms"),
    (2, "periodic", 1, 1000, "window=50ms"),
    (3, "storm", 2, 2000, "window=100ms"),
    (3, "bursts", 2, 600, ""),
    (3, "pauses", 2, 800, "window=3ms"),
    (3, "trains", 2, 500, "window=5ms"),
    (3, "back_to_back", 2, 600, "window=11ms"),
    (3, "tiny", 2, 500, "threshold=300ns"),
    (3, "edges", 2, 300, "window=3ms"),
    (3, "lengths", 2, 150, "window=100ms"),
    (3, "lengths", 3, 150, "window=250ms"),
    (3, "long", 2, 20, "window=30ms"),
    (3, "uniform", 2, 300, "window=250ms"),
    (3, "periodic", 2, 500, "window=50ms"),
]


def marked(rows):
    return [pytest.param(*row, marks=pytest.mark.long) for row in rows]


CAUSE = {2: "hypervisor", 3: "el3"}


def causes_of_lone(spans, run):
    """Causes of lone gaps, which must be known: no shorter gap came since the gap before or since
    the window's begin, nor across that, none while the counters were read, and they take longer
    than reading does."""
    entries = [entry for entry, _ in spans]
    starts = {start for start, *_ in run.windows}
    edges = sorted([gap.end for gap in run.gaps] + list(starts))

    def is_torn(start):
        last = bisect.bisect(entries, start) - 1
        return last >= 0 and spans[last][1] + LEAD > start

    def is_alone(gap):
        before = edges[bisect.bisect_right(edges, gap.start) - 1]
        return (gap.ticks >= READABLE and before + APART < gap.start
                and not (before in starts and is_torn(before))
                and bisect.bisect(entries, before) == bisect.bisect(entries, gap.start - BLIND)
                and bisect.bisect(entries, gap.end) == bisect.bisect(entries, gap.end + APART))

    return {gap.cause for gap in run.gaps if is_alone(gap)}


@pytest.fixture
def run(inject_arm):
    """run(level, exceptions, config, ...): of inject_arm, checked to be complete."""

    def run(level, exceptions, config, length=None, effects=(), start=START, **odd):
        length = length or AROUND + sum(map(sum, exceptions))
        options = f"gaps=all live=no then=halt duration={length // 1000}us {config}"
        plan = schedule.Plan(exceptions, start, effects=effects, options=options)
        done = inject_arm(plan, level, **odd)
        assert done.result.problem is None, done.result.problem
        assert done.truth.complete() is None, done.truth.complete()
        return done

    return run


def seen(done):
    return done.truth.cores[0].spans, match.run_of(done.result.records)


def check(found):
    assert found.found
    assert not found.problems, "\n".join(found.problems[:20])
    assert (found.missed, found.false) == (0, 0)
    for errors in (found.start_error, found.length_error):
        assert errors["loop"] <= TICKS_OFF, found.line()
        assert errors["slow path"] <= PIECE, found.line()


@pytest.mark.parametrize("level,kind,seed,count,config", marked(DAILY + LONG))
def test_schedule(run, exact_figure, level, kind, seed, count, config):
    """Without counters nothing is known of a cause, and a gap is recorded soonest."""
    exceptions = schedule.generate(kind, seed, count)
    spans, reported = seen(run(level, exceptions, config, start=START_UNCOUNTED, extra=PMU_OFF))
    found = match.match(spans, reported, match.Rules(BLIND, PIECE, SLOW_PATH, "unknown"))
    exact_figure(f"aarch64, level {level}, {kind}-{seed}", found)
    assert len(spans) == count
    check(found)


@pytest.mark.parametrize("level,kind,seed,count,config", DAILY + marked(LONG))
def test_counted(run, exact_figure, level, kind, seed, count, config):
    """With counters a gap that comes alone has its cause, and no other has a wrong one."""
    exceptions = schedule.generate(kind, seed, count)
    spans, reported = seen(run(level, exceptions, config))
    rules = match.Rules(BLIND, PIECE, SLOW_PATH, CAUSE[level], or_unknown=True)
    found = match.match(spans, reported, rules)
    exact_figure(f"aarch64, level {level}, counters, {kind}-{seed}", found)
    assert len(spans) == count
    check(found)
    assert causes_of_lone(spans, reported) <= {CAUSE[level]}
    assert kind != "mixed" or causes_of_lone(spans, reported)


def lone(run, level, pmu, effects=()):
    """Gaps that come alone: what the run has of them."""
    odd = {} if pmu == "on" else {"extra": PMU_OFF}
    if odd and "pv_time" not in effects:
        odd["start"] = START_UNCOUNTED
    done = run(level, schedule.generate("uniform", 3, LONE), "window=250ms", effects=effects, **odd)
    spans, found = seen(done)
    assert len(spans) == len(found.gaps) == LONE
    return done.result, sum(end - start for start, end in spans), {gap.cause for gap in found.gaps}


@pytest.mark.long
@pytest.mark.parametrize("pmu,cause", [("on", "el3"), ("off", "unknown")])
def test_cause(run, pmu, cause):
    """Counters stand still at level 3; without counters nothing is known. All gaps are lone."""
    result, _, causes = lone(run, 3, pmu)
    assert causes == {cause}
    assert result.of_type("begin")[0]["hypervisor"] is None
    assert "steal_clock" not in result.of_type("begin")[0]["evidence"]


@pytest.mark.long
@pytest.mark.parametrize("kind,count", [("uniform", BOOT), ("edges", 10 * BOOT)])
def test_noise_from_boot(run, kind, count):
    """Noise begins at once: firmware does not wait until the probe has learned its counters' rate,
    nor need there be a stretch of some ms in which it does nothing."""
    exceptions = schedule.generate(kind, 5, count)
    done = run(3, exceptions, "window=250ms", effects=("prohibits",), start=1 * MS)
    spans, found = seen(done)
    before = sum(end < found.windows[0][0] for _, end in spans)
    assert before >= WHILE_LEARNING, "nothing came while the rate was learned"
    assert len(found.gaps) > count // 4
    assert causes_of_lone(spans, found) == {"el3"}


@pytest.mark.parametrize("pmu,moves,cause", [
    ("on", True, "steal"), *marked([("off", True, "steal"), ("on", False, "hypervisor")]),
])
def test_stolen_time(run, pmu, moves, cause):
    """The cause is stolen time if the injector reports its time in PV-time's structure, unless the
    structure stands still."""
    effects = ("pv_time", "steals") if moves else ("pv_time",)
    result, ticks, causes = lone(run, 2, pmu, effects)
    assert causes == {cause}
    assert "steal_clock" in result.of_type("begin")[0]["evidence"]
    (cpu,) = result.of_type("cpu")
    stolen = cpu["cause"].get("steal", {"ns": 0})["ns"]
    assert abs(stolen - (ticks * 16 if moves else 0)) <= LONE * TICKS_OFF * 16


def test_hypervisor_that_answers(run):
    """By HVC: it is named by its UID. Each time ends with an SError, and the virtual counter is set
    back by its length: time that no gap shows, and a pause of the physical one does."""
    exceptions = ((50 * MS, 4 * MS),) * 3
    done = run(
        2, exceptions, "window=2s", extra=PMU_OFF, effects=("kvm", "pv_time", "serror", "hides"),
        firmware="uboot-aarch64",
        prompt=("setenv fdt_addr_r $fdt_addr; fdt addr $fdt_addr", "fdt set /psci method hvc"),
    )
    spans, found = seen(done)
    assert done.result.of_type("begin")[0]["hypervisor"] == "KVM"
    assert [gap.cause for gap in found.gaps] == ["serror"] * len(spans) == ["serror"] * 3
    (cpu,) = done.result.of_type("cpu")
    assert cpu["mce"] == len(spans)
    pauses = done.result.of_type("pause")
    assert {pause["clock"] for pause in pauses} == {"cntpct"}
    hidden = sum(end - start for start, end in spans) * 16
    assert sum(pause["least_ns"] for pause in pauses) <= hidden
    assert sum(pause["most_ns"] for pause in pauses) >= hidden


def test_cause_of_what_is_not_stored(run):
    """Gaps wait in the ring to be judged; those it has no room for are judged at once."""
    done = run(2, schedule.generate("uniform", 3, LONE), "records=10 window=250ms")
    (cpu,) = done.result.of_type("cpu")
    assert (cpu["gaps"], cpu["dropped"]) == (LONE, LONE - 10)
    assert cpu["cause"]["hypervisor"]["gaps"] == LONE
    assert {gap["cause"] for gap in done.result.of_type("gap")} == {"hypervisor"}


@pytest.mark.long
def test_calls_of_level_3(inject_arm, figure):
    """mode=services, in which each is an SMC: one of the monitor's takes 200 us, the others return
    at once, and each has the length that it has."""
    plan = schedule.Plan(effects=("pv_time", "slow_trng"), options="mode=services live=no "
                         "then=halt service_calls=20 services=psci_version,smccc_version,trng")
    done = inject_arm(plan, 3, prompt=PSCI_BY_SMC)
    assert done.result.problem is None, done.result.problem
    of = {record["service"]: record for record in done.result.of_type("service")}
    assert len(of) == 3
    for name, r in of.items():
        assert r["calls"] == 20 and not r["failed"] and r["why"] is None, r
        taken = SLOW_TRNG if name == "trng" else 0
        assert taken <= r["p50_ns"] <= r["p99_ns"] <= r["max_ns"] <= taken + SMC, r
    text = done.result.serial.decode(errors="replace")
    assert "trng takes up to 200 us; whom it stops is not known" in text
    figure(f"services, level 3: an SMC of {SLOW_TRNG} ns takes {of['trng']['p50_ns']} to "
           f"{of['trng']['max_ns']} ns, PSCI_VERSION at most {of['psci_version']['max_ns']} ns")


@pytest.mark.long
def test_nothing_injected(run):
    """The monitor is there, and leaves the core alone. An instruction is half a tick here."""
    spans, found = seen(run(3, (), "threshold=500ns window=1s", 20 * S, icount=3))
    assert spans == found.gaps == []
    measured = sum(end - start for start, end, *_ in found.windows)
    assert measured >= 20 * HZ
