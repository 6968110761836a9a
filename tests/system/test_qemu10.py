# SPDX-License-Identifier: BSD-2-Clause
"""Tests that QEMU 7.2 cannot run: the chipset's own SMI timers. `make test-machines` has it with
300 cores.

Under icount the timer's SMIs, handled by the firmware's own SMM code in some 650
instructions, are all there is to find.
"""
import advice
import pytest
import schedule
from schedule import US

PERIOD = {0: 1500 * US, 1: 16000 * US}  # ns, by the rate's number
NAME = {0: "SWSMI timer 1.5 ms", 1: "SWSMI timer 16 ms"}
WINDOWS = 4
KEYS = "gaps=all live=no then=halt duration=1s window=250ms threshold=100ns"
RUN_SECONDS = 900


@pytest.mark.exact
@pytest.mark.full
@pytest.mark.parametrize("rate", [pytest.param(0, marks=pytest.mark.long), 1],
                         ids=["1.5ms", "16ms"])
def test_the_swsmi_timer_is_found_and_named(saved10, out, tool, figure, rate):
    plan = schedule.Plan(mode="swsmi", swsmi_rate=rate, options=KEYS)
    done = saved10.run(out, plan, RUN_SECONDS)
    result = done.result
    assert result.problem is None, result.problem + result.text[-2000:]
    assert done.truth.period_ns == PERIOD[rate]
    (stage,) = result.of_type("stage")
    assert stage["smi_enabled"] == "GBL_SMI APMC SWSMI_TMR"
    assert stage["timers"] == {NAME[rate]: PERIOD[rate]}
    gaps = result.of_type("gap")
    windows = result.of_type("window")
    counted = sum(window["smi"] for window in windows)
    assert len(windows) == WINDOWS
    # As many as fit, or one more: where a window's first falls is not known.
    assert all(abs(w["smi"] * PERIOD[rate] - w["len_ns"]) < PERIOD[rate] for w in windows)
    assert all(gap["cause"] == "smi" for gap in gaps)
    assert sum(gap["smi"] for gap in gaps) == counted
    (source,) = result.of_type("source")
    assert source["cause"] == "smi"
    assert abs(source["period_ns"] - PERIOD[rate]) <= PERIOD[rate] // 1000
    assert source["origin"] == NAME[rate]
    assert advice.of(tool, result.serial, out) == (1, ["timer"], ["USB Periodic SMI"])
    figure(f"SWSMI timer, {NAME[rate][12:]}: {counted} SMIs, period {source['period_ns']} ns, "
           f"{source['fill_ppm'] / 10000:.2f} % of them seen, origin {source['origin']}")


@pytest.mark.full
def test_a_timer_that_is_off_is_not_found(saved10, out, tool):
    done = saved10.run(out, schedule.Plan(mode="idle", options=KEYS), RUN_SECONDS)
    result = done.result
    assert result.problem is None, result.problem
    (stage,) = result.of_type("stage")
    assert stage["smi_enabled"] == "GBL_SMI APMC"
    assert stage["timers"] == {}
    assert result.of_type("gap") == result.of_type("source") == result.of_type("event") == []
    assert sum(window["smi"] or 0 for window in result.of_type("window")) == 0
    assert advice.of(tool, result.serial, out) == (0, [], [])
