# SPDX-License-Identifier: BSD-2-Clause
"""Real SMIs from the chipset's watchdog, handled by the firmware's own SMM code.

Under icount, where QEMU's timer is never late: it starts anew when it has expired, and a host
that is late each time would make another period.
"""
import pytest

import injection
import schedule
from schedule import S

EXPECTED = 20  # SMIs at least, one every 1.2 s
SHIFT = 4  # 16 ns per instruction: some 650 of them make the firmware's handler
OPTIONS = "gaps=all then=halt threshold=5us duration=25s window=1s"
RUN_SECONDS = 900


@pytest.mark.full
def test_every_watchdog_smi_is_counted_and_found(app, injector, out):
    plan = schedule.Plan(mode="tco", options=OPTIONS)
    done = injection.run(
        app, injector, out, plan, icount=SHIFT, firmware="smm", timeout=RUN_SECONDS
    )
    assert done.result.problem is None, done.result.problem
    begin = done.result.of_type("begin")[0]
    windows = done.result.of_type("window")
    gaps = [gap for gap in done.result.of_type("gap") if gap["smi"]]
    hz = begin["clock"]["hz"]

    def expirations(tsc):
        """How often the watchdog had expired by then, as a fraction."""
        return (tsc - done.truth.armed_tsc) / hz * S / done.truth.period_ns

    def tick(ns):
        return begin["begin_tsc"] + ns * hz // S

    # The watchdog counts down, which is logged once.
    logs = done.result.logs()
    assert sum("watchdog (TCO) is running" in text for text in logs) == 1

    # The SMIs are one source, named as the watchdog's.
    (source,) = [source for source in done.result.of_type("source") if source["cause"] == "smi"]
    assert abs(source["period_ns"] - done.truth.period_ns) < done.truth.period_ns // 1000
    assert source["origin"] == "TCO timer 1.2 s"
    assert source["hint"] == "matches the TCO timer at 2 ticks of 0.6 s"
    first = expirations(tick(windows[0]["start_ns"]))
    last = expirations(tick(windows[-1]["start_ns"] + windows[-1]["len_ns"]))
    inside = sum(window["smi"] for window in windows)
    counted = inside + sum(window["smi_out"] for window in windows)
    # The last may have just happened, or be about to, when the last window ends.
    assert abs(counted - (int(last) - int(first))) <= 1
    assert counted >= EXPECTED
    # The counter and the gaps agree, each gap is another expiration, and none is far from its time.
    assert sum(gap["smi"] for gap in gaps) == inside
    assert all(gap["cause"] == "smi" for gap in gaps)
    times = [expirations(gap["start_tsc"]) for gap in gaps]
    assert len({round(time) for time in times}) == len(gaps) == inside
    assert all(abs(time - round(time)) < 0.01 for time in times)
