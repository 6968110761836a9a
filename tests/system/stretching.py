# SPDX-License-Identifier: BSD-2-Clause
"""Checks of mode=stretch's records that the tests on each processor share."""
import pytest

ONE = 1_000_000  # ppm
WITHIN = 100  # ppm: 1e-4
KERNELS = ("adds", "l2", "llc", "dram", "fma")
PHASES = ("alone", "all", "victims")
ABOVE = ("p50", "p90", "p99", "p999", "max", "mean")


def pairs_of(result):
    """(ratio, bound) by kernel, victim and aggressor."""
    found = result.of_type("interfere")
    return {(r["kernel"], r["victim"], r["aggressor"]): (r["ratio"], r["bound"]) for r in found}


def cores_of(result):
    """(kernel, phase, core) of which there are quanta."""
    return {(r["kernel"], r["phase"], r["cpu"]) for r in result.of_type("stretch") if r["quanta"]}


def tick(record):
    """A tick of the clock, in ppm of the record's best, rounded up."""
    return -(-ONE // record["best"])


def nothing_is_slow(result, *checks):
    """One core with each kernel, and each record passes the checks."""
    stretch = result.of_type("stretch")
    assert [(r["kernel"], r["phase"]) for r in stretch] == [(k, "alone") for k in KERNELS]
    for record in stretch:
        for check in checks:
            check(record)
    assert result.of_type("interfere") == []
    assert result.of_type("end")[0]["verdict"] == "pass"


def gaps_alone(done, lengths):
    """The one record. Its gaps are interruptions of these lengths, ticks; nothing else is slow."""
    assert done.result.problem is None, done.result.problem
    assert done.truth.complete() is None, done.truth.complete()
    (record,) = done.result.of_type("stretch")
    ticks = record["quanta"] * record["best"]
    # Less than a hundredth of them came between two quanta.
    assert record["gaps"] == pytest.approx(ONE + ONE * sum(lengths) / ticks, abs=WITHIN)
    assert sum(lengths) / ticks * ONE > 10 * WITHIN
    assert record["rest"] == pytest.approx(ONE, abs=WITHIN)
    assert record["max"] * record["best"] / ONE == pytest.approx(max(lengths), abs=3)
    assert done.result.of_type("end")[0]["verdict"] == "fail"
    assert not [r for r in done.result.records if r["type"] in ("window", "gap", "cpu")]
    return record


def no_core_was_slowed(result, kernels, step, check):
    """No pair of two cores is significant, and each record passes the check. `step`: of a record,
    ppm by which two that are alike may be apart."""
    stretch = result.of_type("stretch")
    assert [(r["kernel"], r["phase"], r["cpu"]) for r in stretch] == [
        (k, phase, cpu) for k in kernels for phase in PHASES for cpu in (0, 1)
    ]
    for record in stretch:
        assert record["quanta"] >= 80, record
        assert record["p50"] <= record["p90"] <= tick(record), record
        # A turn that ended inside a quantum may add less than a gap.
        assert record["rest"] == pytest.approx(ONE, abs=10 * WITHIN), record
        check(record)
    pairs = pairs_of(result)
    assert set(pairs) == {(k, v, 1 - v) for k in kernels for v in (0, 1)}
    for (kernel, *_), (ratio, bound) in pairs.items():
        apart = max(step(r) for r in stretch if r["kernel"] == kernel)
        assert ratio == pytest.approx(ONE, abs=apart) and ratio <= bound
    for kernel in kernels:
        assert f"{kernel}: 0 of 2 pairs slow each other significantly".encode() in result.serial
    assert result.of_type("end")[0]["verdict"] == "pass"


def cores_met(result, kernels):
    """Two of them: who was measured beside whom, and no time."""
    assert cores_of(result) == {(k, p, c) for k in kernels for p in PHASES for c in (0, 1)}
    for record in result.of_type("stretch"):
        assert sum(count for _, count in record["hist"]) == record["quanta"]
        assert record["p50"] <= record["p90"] <= record["p99"] <= record["p999"] <= record["max"]
    assert set(pairs_of(result)) == {(k, v, 1 - v) for k in kernels for v in (0, 1)}
    assert result.of_type("end")[0]["verdict"] == "none"


def core_1_was_slowed(result, step=0):
    """Core 1 took four times as long while core 0 worked, and no other core did. `step`: ppm by
    which other quanta may be apart."""
    (slow, slow_bound), (same, same_bound) = (
        pairs_of(result)["adds", victim, 1 - victim] for victim in (1, 0)
    )
    assert slow == pytest.approx(4 * ONE, abs=WITHIN) and slow > slow_bound
    assert same == pytest.approx(ONE, abs=WITHIN) and same <= same_bound
    assert b"adds: 1 of 2 pairs slow each other significantly" in result.serial
    stretch = {(r["phase"], r["cpu"]): r["p50"] for r in result.of_type("stretch")}
    slowed = {("all", 1), ("victims", 1)}
    for where, above in stretch.items():
        assert above == pytest.approx(3 * ONE if where in slowed else 0, rel=0.04, abs=step), where
    (end,) = result.of_type("end")
    assert end["verdict"] == "fail" and "cpu 1" in " ".join(end["reasons"]), end
