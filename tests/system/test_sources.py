# SPDX-License-Identifier: BSD-2-Clause
"""Injected trains of SMIs are reported as sources with their period, by the probe and by `show`.

Under icount nothing else makes a gap, so what is reported is what was injected.
"""
import json
import random
import subprocess

import pytest

import advice
import schedule
from schedule import MS, US

START = 300 * MS
RUN_SECONDS = 600
COUNT = 50
OPTIONS = "gaps=all live=no then=halt window=250ms duration="


def train(period, length):
    return ((period - length, length),) * COUNT


def measure(saved, out, smis):
    length = START + sum(pause + length for pause, length in smis) + 20 * MS
    plan = schedule.Plan(tuple(smis), START, options=f"{OPTIONS}{length // US}us")
    done = saved.run(out, plan, RUN_SECONDS)
    assert done.result.problem is None, done.result.problem
    return done.result


def searched(tool, result, out):
    """Sources that the host tool finds in the same report."""
    path = out / "serial.log"
    path.write_bytes(result.serial)
    shown = subprocess.run([tool, "show", "--json", path], capture_output=True, check=False)
    (stage,) = json.loads(shown.stdout)["runs"][0]["search"]
    assert stage["why_not"] is None
    return stage["sources"]


def has_period(source, period):
    return source["cause"] == "smi" and abs(source["period_ns"] - period) < period // 500


PERIOD = 64 * MS  # a period in the dictionary


@pytest.mark.exact
@pytest.mark.full
def test_train(saved, out, tool):
    result = measure(saved, out, train(PERIOD, 100 * US))
    events = result.of_type("event")
    assert len(events) >= COUNT - 5
    assert all(e["cause"] == "smi" and e["cpus"] == 1 for e in events)
    (source,) = result.of_type("source")
    assert has_period(source, PERIOD)
    assert source["hint"] == "matches the SWSMI timer's 64 ms"
    assert source["fill_ppm"] > 900_000
    (source,) = searched(tool, result, out)
    assert has_period(source, PERIOD)
    # None of the chipset's timers is enabled.
    assert advice.of(tool, result.serial, out) == (1, ["periodic"], ["USB Periodic SMI"])


@pytest.mark.exact
@pytest.mark.full
def test_no_train(saved, out, tool):
    rng = random.Random("no train")
    smis = [(rng.randint(1 * MS, 60 * MS), 100 * US) for _ in range(COUNT)]
    result = measure(saved, out, smis)
    assert len(result.of_type("event")) >= COUNT - 5
    assert result.of_type("source") == []
    assert searched(tool, result, out) == []
    assert advice.of(tool, result.serial, out) == (0, [], [])
