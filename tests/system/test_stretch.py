# SPDX-License-Identifier: BSD-2-Clause
"""mode=stretch. Where an instruction is a nanosecond is a tick, all that is slow was injected."""
import pytest
import schedule
from schedule import MS, US
from stretching import (KERNELS, ONE, core_1_was_slowed, cores_met, gaps_alone,
                        no_core_was_slowed, nothing_is_slow)

pytestmark = pytest.mark.exact

INTEL = "max,vendor=GenuineIntel"  # CPUID describes its caches
SECONDS = 600


@pytest.fixture
def measure(run):
    """measure("kernel=adds", ...): all phases of a machine that has all kernels."""
    return lambda keys, **machine: run(
        config=f"mode=stretch selftest=no {keys}", timeout=SECONDS,
        **{"smp": 1, "cpu": INTEL, "memory": "256M", **machine})


def is_calm(record):
    """Each quantum took as long as the best."""
    assert record["quanta"] >= 80, record
    assert [record[p] for p in ("p50", "p90", "p99", "p999", "max", "mean")] == [0] * 6, record
    assert (record["gaps"], record["rest"]) == (ONE, ONE), record
    assert record["hist"] == [[0, record["quanta"]]], record


def is_unexplained(record):
    """TCG has no counters: nothing is made of what is not known."""
    assert record["clock"] is None and record["cpi"] is None, record


def test_smis_are_gaps_and_nothing_else(saved, out):
    smis = [(10 * MS + n * 7 * US, (5 + n % 40) * US) for n in range(150)]
    length = sum(pause + took for pause, took in smis)
    keys = "mode=stretch kernel=adds threshold=1us max_stretch=1.01 then=halt"
    plan = schedule.Plan(smis, 300 * MS, options=f"{keys} duration={length // MS + 400}ms")
    done = saved.run(out, plan, SECONDS)
    record = gaps_alone(done, [end - begin for begin, end in done.spans()])
    assert record["mean"] + ONE == pytest.approx(record["gaps"], abs=1)
    assert record["p50"] == 0
    is_unexplained(record)


@pytest.mark.full
def test_nothing_is_slow(measure):
    """Each kernel, on a processor that has them all."""
    result = measure(f"duration=60ms kernel={','.join(KERNELS)} max_stretch=1", icount=0)
    nothing_is_slow(result, is_calm, is_unexplained)


@pytest.mark.full
def test_cores_meet(measure):
    """On a host with other work to do."""
    result = measure("duration=1s kernel=adds,dram", smp=2)
    cores_met(result, ("adds", "dram"))
    for record in result.of_type("stretch"):
        is_unexplained(record)


@pytest.mark.full
def test_a_small_machine_keeps_its_memory(measure):
    """A ring of 32 MiB would be more than a quarter of what is free."""
    result = measure("duration=60ms kernel=adds,dram max_stretch=100", icount=0, memory="128M")
    assert {r["kernel"] for r in result.of_type("stretch")} == {"adds"}
    (log,) = (r for r in result.of_type("log") if "kernel dram" in r["text"])
    assert log["level"] == "warning" and "too little memory" in log["text"], log
    (end,) = result.of_type("end")
    assert (end["verdict"], end["reasons"]) == ("incomplete", ["kernel dram was not measured"])


def taking_turns(measure, keys, **more):
    """Two processors under icount: PAUSE, which is between two quanta, hands over to the other. A
    timer may end a turn before, in the middle of a quantum; what the other then does is a gap."""
    return measure(f"duration=10ms max_stretch=3 {keys}", icount=0, extra=("-smp", "2"), **more)


@pytest.mark.full
def test_no_core_slows_another(measure):
    """No pair is significant; the next test shows that a slow core would be seen."""
    kernels = ("adds", "llc", "dram")
    result = taking_turns(measure, f"kernel={','.join(kernels)}")
    no_core_was_slowed(result, kernels, lambda record: ONE / record["best"], is_unexplained)
    best = {(r["kernel"], r["best"]) for r in result.of_type("stretch")}
    assert len(best) == len(kernels), best


@pytest.mark.full
def test_a_core_slows_another(variant, measure):
    result = taking_turns(measure, "kernel=adds", app=variant("beside"))
    core_1_was_slowed(result)
