# SPDX-License-Identifier: BSD-2-Clause
"""mode=stretch. Where an instruction is a nanosecond is a tick, all that is slow was injected."""
import machine as machines
import pytest
import runner
import schedule
from schedule import MS, US

pytestmark = pytest.mark.exact

ONE = 1_000_000  # ppm
WITHIN = 100  # ppm: 1e-4
KERNELS = ("adds", "l2", "llc", "dram", "fma")
INTEL = "max,vendor=GenuineIntel"  # whose caches CPUID describes
SECONDS = 600


def run(out, keys, smp=1, **machine):
    """All phases of a machine that has all kernels."""
    options = runner.Options(
        app=machines.BUILD / "noisefloor.efi", out=out, timeout=SECONDS,
        machine=machines.Machine(smp=smp, cpu=INTEL, memory="256M", **machine),
        config=f"mode=stretch selftest=no {keys}",
    )
    result = runner.run(options)
    assert result.problem is None, result.problem
    return result


def of_type(result, name):
    return [r for r in result.records if r["type"] == name]


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
    assert done.result.problem is None, done.result.problem
    assert done.truth.complete() is None, done.truth.complete()
    lengths = [end - begin for begin, end in done.spans()]
    (record,) = of_type(done.result, "stretch")
    ticks = record["quanta"] * record["best"]
    # What of them came between two quanta is less than a hundredth.
    assert record["gaps"] == pytest.approx(ONE + ONE * sum(lengths) / ticks, abs=WITHIN)
    assert sum(lengths) / ticks * ONE > 10 * WITHIN
    assert record["mean"] + ONE == pytest.approx(record["gaps"], abs=1)
    assert record["rest"] == pytest.approx(ONE, abs=WITHIN)
    assert record["max"] * record["best"] / ONE == pytest.approx(max(lengths), abs=3)
    assert record["p50"] == 0
    is_unexplained(record)
    # 150 of some 12,000 quanta are more than one of a thousand.
    assert of_type(done.result, "end")[0]["verdict"] == "fail"
    assert not [r for r in done.result.records if r["type"] in ("window", "gap", "cpu")]


def test_nothing_is_slow(out):
    """Each kernel, on a processor that has them all."""
    result = run(out, f"duration=200ms kernel={','.join(KERNELS)} max_stretch=1", icount=0)
    stretch = of_type(result, "stretch")
    assert [(r["kernel"], r["phase"]) for r in stretch] == [(k, "alone") for k in KERNELS]
    for record in stretch:
        is_calm(record)
        is_unexplained(record)
    assert of_type(result, "interfere") == []
    assert of_type(result, "end")[0]["verdict"] == "pass"


def test_cores_meet(out):
    """On a host with other work to do: who was measured beside whom, and no time."""
    result = run(out, "duration=1s kernel=adds,dram", smp=2)
    cores = {
        (r["kernel"], r["phase"], r["cpu"]) for r in of_type(result, "stretch") if r["quanta"]
    }
    phases = ("alone", "all", "victims")
    assert cores == {(k, p, c) for k in ("adds", "dram") for p in phases for c in (0, 1)}
    for record in of_type(result, "stretch"):
        assert sum(count for _, count in record["hist"]) == record["quanta"]
        assert record["p50"] <= record["p90"] <= record["p99"] <= record["p999"] <= record["max"]
        is_unexplained(record)
    pairs = of_type(result, "interfere")
    assert {(r["kernel"], r["victim"], r["aggressor"]) for r in pairs} == {
        (kernel, victim, 1 - victim) for kernel in ("adds", "dram") for victim in (0, 1)
    }
    assert of_type(result, "end")[0]["verdict"] == "none"
