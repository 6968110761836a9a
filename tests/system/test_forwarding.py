# SPDX-License-Identifier: BSD-2-Clause
"""How far runs are on their way to an engine, by the store. Whatever becomes of that, nothing is
lost, and what was accepted is not sent again."""
import contextlib
import pathlib
import re
import sqlite3
import time

import pytest

import node
from collecting import rows, wait_for
from test_collect import FULL, UUID, Engine, ended_run, runs_in

ACCEPTED, REFUSED, FAILED = (f"{n}{UUID[1:]}" for n in (1, 2, 3))
HOUR = 3600
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs/network.md"


def run_of(sid, uuid):
    return [line if seq else node.record(sid, 0, "begin", node.machine(uuid) + node.BEGIN)
            for seq, line in enumerate(ended_run(sid))]


def forward(folder, uuid):
    """{run: its (state, reason, next)} of a machine's runs that have ended."""
    return {int(run["sid"], 16): (run["forward_state"] or "waiting", run["forward_why"],
                                  run["forward_next_s"] or None)
            for run in rows(folder) if run["uuid"] == uuid and run["ended"]}


def taken(engine):
    return sorted(int(run, 16) for runs in runs_in(engine) for run in runs)


@pytest.fixture(name="engine")
def fixture_engine():
    """An engine that rejects run 2, and fails for run 3."""
    with contextlib.closing(Engine(failing={b"run=%016x" % 2: (400, FULL),
                                            b"run=%016x" % 3: (500, b"oops\x1b[31m")})) as engine:
        yield engine


def settled(folder):
    """Each run has the state that the engine gives it, with its reason."""
    states = [forward(folder, uuid) for uuid in (ACCEPTED, REFUSED, FAILED)]
    return (states[0] == {1: ("accepted", None, None)} and
            states[1] and states[1][2][0] == "refused" and states[1][2][1] and
            states[2] and states[2][3][0] == "waiting" and states[2][3][1])


@pytest.fixture(name="forwarding")
def fixture_forwarding(tool, collect, engine):
    """A collector that has sent one run, and two in vain."""
    collector = collect(*engine.option)
    for sid, uuid in enumerate((ACCEPTED, REFUSED, FAILED), 1):
        collector.deliver(sid, run_of(sid, uuid))
    wait_for(lambda: settled(collector.folder))
    return collector


def test_states(tool, forwarding, engine):
    """With the engine's words, and when it is tried again: hours, or some seconds."""
    now = time.time()
    folder = forwarding.folder
    state, reason, then = forward(folder, REFUSED)[2]
    assert state == "refused" and now <= then <= now + HOUR
    assert reason.startswith('HTTP status 400: {"error":"partial write: max-values-per-tag limit')
    assert forward(folder, FAILED)[3][:2] == ("waiting", "HTTP status 500: oops?[31m")
    # The query of docs/network.md.
    query = re.search(r'^sqlite3 runs/runs.sqlite \\\n  "(SELECT forward.*)"$',
                      DOCS.read_text(encoding="utf-8"), re.M)
    with contextlib.closing(sqlite3.connect(folder / "runs.sqlite")) as database:
        assert database.execute(query[1]).fetchall() == [
            (None, "HTTP status 500: oops?[31m", 1), ("accepted", None, 1), ("refused", reason, 1)]
    forwarding.deliver(4, run_of(4, FAILED))
    wait_for(lambda: forward(folder, FAILED).get(4) == ("accepted", None, None))
    assert forward(folder, FAILED)[3][0] == "waiting"
    forwarding.deliver(5, run_of(5, ACCEPTED))
    wait_for(lambda: forward(folder, ACCEPTED)[5] == ("accepted", None, None))
    # A run that has not ended is not forwarded.
    forwarding.deliver(6, run_of(6, ACCEPTED)[:-1])
    assert forward(folder, ACCEPTED).keys() == {1, 5}
    engine.failing = {}
    wait_for(lambda: forward(folder, FAILED)[3] == ("accepted", None, None))


def test_killed_while_runs_wait(tool, collect, forwarding, engine):
    """After the next start all is as it was, and in the end the engine has each run once."""
    folder = forwarding.folder
    forwarding.kill()
    collector = collect(*engine.option)
    wait_for(lambda: settled(folder))
    assert taken(engine) == [1] and collector.end() == 0
    engine.failing = {}
    collector = collect(*engine.option)
    wait_for(lambda: taken(engine) == [1, 2, 3])
    wait_for(lambda: forward(folder, FAILED) == {3: ("accepted", None, None)})
    assert collector.end() == 0
    assert taken(engine) == [1, 2, 3]


def test_not_forwarded_any_more(tool, collect, forwarding, engine):
    """Then nothing waits for it; where it is again, all does that did."""
    folder = forwarding.folder
    collector = collect()
    collector.deliver(4, run_of(4, ACCEPTED))
    assert collector.end() == 0
    assert forward(folder, ACCEPTED)[4] == ("waiting", None, None)
    engine.failing = {}
    collector = collect(*engine.option)
    wait_for(lambda: taken(engine) == [1, 2, 3, 4])
