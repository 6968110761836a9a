# SPDX-License-Identifier: BSD-2-Clause
"""Checks of mode=stretch's records that the tests on each processor share."""
import pytest

ONE = 1_000_000  # ppm
WITHIN = 100  # ppm: 1e-4
KERNELS = ("adds", "l2", "llc", "dram", "fma")
PHASES = ("alone", "all", "victims")
ABOVE = ("p50", "p90", "p99", "p999", "max", "mean")


def of_type(result, name):
    return [r for r in result.records if r["type"] == name]


def pairs_of(result):
    """(ratio, bound) by kernel, victim and aggressor."""
    found = of_type(result, "interfere")
    return {(r["kernel"], r["victim"], r["aggressor"]): (r["ratio"], r["bound"]) for r in found}


def cores_of(result):
    """(kernel, phase, core) of which there are quanta."""
    return {(r["kernel"], r["phase"], r["cpu"]) for r in of_type(result, "stretch") if r["quanta"]}


def tick(record):
    """A tick of the clock, in ppm of the record's best, rounded up."""
    return -(-ONE // record["best"])


def nothing_is_slow(result, *checks):
    """One core with each kernel, and each record passes the checks."""
    stretch = of_type(result, "stretch")
    assert [(r["kernel"], r["phase"]) for r in stretch] == [(k, "alone") for k in KERNELS]
    for record in stretch:
        for check in checks:
            check(record)
    assert of_type(result, "interfere") == []
    assert of_type(result, "end")[0]["verdict"] == "pass"


def cores_met(result, kernels):
    """Two of them: who was measured beside whom, and no time."""
    assert cores_of(result) == {(k, p, c) for k in kernels for p in PHASES for c in (0, 1)}
    for record in of_type(result, "stretch"):
        assert sum(count for _, count in record["hist"]) == record["quanta"]
        assert record["p50"] <= record["p90"] <= record["p99"] <= record["p999"] <= record["max"]
    assert set(pairs_of(result)) == {(k, v, 1 - v) for k in kernels for v in (0, 1)}
    assert of_type(result, "end")[0]["verdict"] == "none"


def core_1_was_slowed(result, step=0):
    """Core 1 took four times as long while core 0 worked, and no other core did. `step`: ppm by
    which other quanta may be apart."""
    (slow, slow_bound), (same, same_bound) = (
        pairs_of(result)["adds", victim, 1 - victim] for victim in (1, 0)
    )
    assert slow == pytest.approx(4 * ONE, abs=WITHIN) and slow > slow_bound
    assert same == pytest.approx(ONE, abs=WITHIN) and same <= same_bound
    assert b"adds: 1 of 2 pairs slow each other significantly" in result.serial
    stretch = {(r["phase"], r["cpu"]): r["p50"] for r in of_type(result, "stretch")}
    slowed = {("all", 1), ("victims", 1)}
    for where, above in stretch.items():
        assert above == pytest.approx(3 * ONE if where in slowed else 0, rel=0.04, abs=step), where
    (end,) = of_type(result, "end")
    assert end["verdict"] == "fail" and "cpu 1" in " ".join(end["reasons"]), end
