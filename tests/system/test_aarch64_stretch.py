# SPDX-License-Identifier: BSD-2-Clause
"""mode=stretch on AArch64. Where an instruction is a nanosecond, all that is slow was injected; a
tick of the clock is 16 of them, and what takes one time is up to a tick apart."""
import pytest
import schedule
from schedule import MS, US
from stretching import (ABOVE, KERNELS, ONE, WITHIN, core_1_was_slowed, cores_met, gaps_alone,
                        no_core_was_slowed, tick)

pytestmark = [pytest.mark.exact, pytest.mark.full]

SECONDS = 600
CHUNKS_LEAST = 256  # chunks per quantum
CHUNKS = 6 * CHUNKS_LEAST  # at this clock
CHUNK = {"adds": 512, "l2": 32, "llc": 8, "dram": 2, "fma": 960}
START = 450 * MS  # from the probe's start, when it measures
AROUND = 220 * MS  # time measured before and after
NANOSECOND = "neoverse-n1,cntfrq=1000000000"  # a tick


@pytest.fixture
def arm(run, aarch64):
    def arm(keys, **machine):
        return run(config=f"mode=stretch selftest=no {keys}", emulator="aarch64", timeout=SECONDS,
                   **{"app": aarch64, "firmware": "aarch64", "board": "virt", **machine})

    return arm


@pytest.fixture
def with_caches(arm, quirks_aarch64):
    """Runs on a machine whose PPTT describes its caches, as QEMU's does not."""
    return lambda keys, **machine: arm(keys, inject=quirks_aarch64,
                                       files={"quirks.txt": b"caches-described"}, **machine)


def is_calm(record):
    """Each quantum took as long as the best, to a tick."""
    assert record["quanta"] >= 80, record
    assert record["work"] == CHUNKS * CHUNK[record["kernel"]], record
    assert max(record[p] for p in ABOVE) <= tick(record), record
    assert record["gaps"] == ONE, record
    # The quickest quantum and the mean are rounded to ticks separately.
    assert record["rest"] == pytest.approx(ONE, abs=3 * tick(record)), record
    assert sum(count for _, count in record["hist"]) == record["quanta"]


def is_explained(record):
    """QEMU's core has one clock, of 1 GHz, and executes an instruction in each cycle."""
    assert record["clock"] == pytest.approx(ONE, abs=2 * tick(record)), record
    assert record["cpi"] == pytest.approx(ONE, abs=1), record
    assert len(record["course"]) == 20, record
    for _, clock in record["course"]:
        assert clock == pytest.approx(ONE, abs=2 * tick(record)), record


def is_unexplained(record):
    assert record["clock"] is None and record["cpi"] is None and record["course"] == [], record


@pytest.mark.parametrize("firmware,board", [
    ("aarch64", "virt"), pytest.param("uboot-aarch64", "virt-el2", marks=pytest.mark.long)])
def test_nothing_is_slow_to_the_nanosecond(arm, firmware, board):
    """Where a tick is one, and also while the firmware is there."""
    result = arm("duration=20ms stages=firmware,bare kernel=adds,l2,dram,fma max_stretch=1",
                 icount=0, firmware=firmware, board=board, cpu=NANOSECOND)
    stretch = result.of_type("stretch")
    assert [(r["stage"], r["kernel"]) for r in stretch] == [
        (stage, k) for stage in ("firmware", "bare") for k in ("adds", "l2", "dram", "fma")
    ]
    for record in stretch:
        assert record["quanta"] >= 80, record
        assert [record[p] for p in ABOVE] == [0] * len(ABOVE), record
        assert [record[p] for p in ("gaps", "clock", "cpi", "rest")] == [ONE] * 4, record
        assert record["hist"] == [[0, record["quanta"]]], record
    assert result.of_type("end")[0]["verdict"] == "pass"


@pytest.mark.long
def test_nothing_is_slow_without_counters(arm):
    """By the registers of the caches, among which there is no third level."""
    result = arm(f"duration=60ms kernel={','.join(KERNELS)} max_stretch=1.001", icount=0,
                 cpu="neoverse-n1,pmu=off")
    stretch = result.of_type("stretch")
    assert [r["kernel"] for r in stretch] == ["adds", "l2", "dram", "fma"]
    for record in stretch:
        is_calm(record)
        is_unexplained(record)
    (log,) = (r for r in result.of_type("log") if r["text"] and "kernel llc" in r["text"])
    assert log["level"] == "warning"
    (end,) = result.of_type("end")
    assert (end["verdict"], end["reasons"]) == ("incomplete", ["kernel llc was not measured"])


@pytest.mark.parametrize("level", [2, pytest.param(3, marks=pytest.mark.long)])
def test_exceptions_are_gaps_and_nothing_else(inject_arm, level):
    """Taken by who is at level 2 below the firmware, or by the monitor at level 3."""
    exceptions = [(5 * MS + n * 7 * US, (5 + n % 40) * US) for n in range(150)]
    length = sum(pause + took for pause, took in exceptions)
    keys = "mode=stretch kernel=adds selftest=no max_stretch=1.01 live=no then=halt"
    plan = schedule.Plan(exceptions, START, options=f"{keys} duration={(AROUND + length) // MS}ms")
    done = inject_arm(plan, level)
    lengths = [end - begin for begin, end in done.truth.cores[0].spans]
    record = gaps_alone(done, lengths)
    assert len(lengths) == 150
    assert record["mean"] + ONE == pytest.approx(record["gaps"], abs=2 * tick(record))
    assert record["p50"] <= tick(record)
    is_explained(record)


def test_cores_meet(arm):
    """Started by PSCI, on a host with other work to do."""
    result = arm("duration=1s kernel=adds,dram", smp=2)
    cores_met(result, ("adds", "dram"))


def taking_turns(machine, keys, **more):
    """Two processors under icount, as in test_stretch.py: YIELD hands over to the other."""
    return machine(f"duration=10ms max_stretch=3 {keys}", icount=0, extra=("-smp", "2"), **more)


@pytest.mark.long
def test_no_core_slows_another(with_caches):
    """No pair is significant; the next test shows that a slow core would be seen. The clock is
    Armv8.6's, whose quanta are the shortest."""
    kernels = ("adds", "llc", "dram")
    result = taking_turns(with_caches, f"kernel={','.join(kernels)}", cpu=NANOSECOND)

    def check(record):
        assert record["work"] == CHUNKS_LEAST * CHUNK[record["kernel"]], record
        assert record["cpi"] == pytest.approx(ONE, abs=10 * WITHIN), record

    no_core_was_slowed(result, kernels, tick, check)


@pytest.mark.long
def test_a_core_slows_another(arm, aarch64):
    result = taking_turns(arm, "kernel=adds", app=aarch64.with_name("noisefloor-beside.efi"))
    core_1_was_slowed(result, tick(result.of_type("stretch")[0]))
