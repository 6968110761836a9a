# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor-collect --keep`: which runs it removes, and what is left of them.

Time in which nothing was received counts in part only, so where ages matter another machine has
runs in between.
"""
import subprocess
import time

import node
import pytest
from collecting import ask, change, put, rows, status, wait_for

DAY = 86400
ONE, TWO = "11111111-2222-3333-4444-555555555555", "2222aaaa-bbbb-3333-4444-555555555555"
OTHER, OTHERS = "33333333-2222-3333-4444-555555555555", 1000  # sids from there on


@pytest.fixture(name="folder")
def fixture_folder(tmp_path):
    """The collectors' folder."""
    return tmp_path / "runs"


def run(uuid, verdict="pass"):
    return lambda sid: node.run_lines(sid, uuid, 3, verdict)


def put_all(tool, folder, runs):
    """{sid: (run, days ago)}, in the order in which they were begun."""
    put(tool, folder, {sid: made(sid) for sid, (made, _) in runs.items()})
    now = int(time.time())
    change(folder, *(f"UPDATE progress SET heard_s={now - int(days * DAY)} WHERE run=(SELECT id "
                     f"FROM run WHERE sid='{sid:016x}')" for sid, (_, days) in runs.items()))


def others(days, step):
    """Runs of another machine, from so many days ago to today."""
    return {OTHERS + n: (run(OTHER), age) for n, age in enumerate(range(days, -1, -step))}


def left(folder):
    """The sids that are stored, but for those of the other machine."""
    return {sid for sid in (int(one["sid"], 16) for one in rows(folder)) if sid < OTHERS}


def kept(collect, folder, wanted, *options):
    """Runs left with these options; the log."""
    collector = collect(*options)
    wait_for(lambda: left(folder) == wanted)
    assert collector.end() == 0
    assert left(folder) == wanted
    return collector.text()


def test_by_age(tool, collect, folder):
    put_all(tool, folder, {
        **others(100, 3), 1: (run(ONE), 100), 2: (run(ONE), 91), 3: (run(ONE), 89),
        4: (run(ONE), 0), 6: (run(TWO, verdict="fail"), 95)})
    # The last verdict of a machine is not replaced by an older one, or one that is missing.
    printed = kept(collect, folder, {3, 4, 6}, "--keep", "90d")
    assert f"{ONE}: run {1:016x} removed" in printed and f"run {6:016x}" not in printed
    assert (status(tool, folder, ONE)[0], status(tool, folder, TWO)[0]) == (0, 1)
    checked = subprocess.run([tool, "fleet", "check", folder], capture_output=True, check=False)
    assert checked.returncode == 0, checked


def test_clock_has_jumped(tool, collect, folder):
    """One start so far ahead removes nothing, and is logged."""
    put_all(tool, folder, {sid: (run(ONE), 208 - sid) for sid in range(1, 9)})
    collector = collect("--keep", "90d")
    wait_for(lambda: "--keep: nothing was received for" in collector.text())
    assert f"for {24 * 200} h, or the clock has jumped" in collector.text()
    assert collector.end() == 0 and left(folder) == set(range(1, 9))


def test_not_forwarded_yet(tool, collect, folder):
    put_all(tool, folder, {**others(100, 5), **{sid: (run(ONE), 100) for sid in (1, 2, 3, 4)}})
    change(folder, f"UPDATE run SET forward_state='accepted' WHERE sid='{1:016x}'",
           f"UPDATE run SET forward_state='refused' WHERE sid='{3:016x}'")
    nobody = ("--forward", "influx:http://127.0.0.1:1/write?db=nf")
    kept(collect, folder, {2, 4}, *nobody, "--keep", "90d")
    kept(collect, folder, {4}, "--keep", "90d")


def test_there_is_room_for_others(tool, collect, folder):
    """While it collects, and those that it has in memory."""
    put_all(tool, folder, {sid: (run(ONE), 100) for sid in (1, 2)})
    collector = collect("--runs", "2", "--runs-per-host", "2", "--keep", "1K")
    wait_for(lambda: left(folder) == {2})
    for sid, more in ((3, {2, 3}), (4, {2, 4})):
        collector.deliver(sid, node.run_lines(sid, TWO, 3))
        assert left(folder) == more
        if sid == 3:
            change(folder, "UPDATE progress SET heard_s=heard_s-8640000",
                   f"UPDATE run SET latest=0, uuid='' WHERE sid='{3:016x}'")
            collector.hang_up()
            wait_for(lambda: left(folder) == {2})


def test_killed_within_it(tool, collect, folder):
    """A run is removed with its lines, if not by this process then by the next."""
    put_all(tool, folder, {**others(100, 20), **{sid: (run(ONE), 100) for sid in range(1, 400)}})
    collector = collect("--keep", "90d")
    wait_for(lambda: len(left(folder)) < 399)
    collector.kill()
    collector = collect("--keep", "90d")
    wait_for(lambda: left(folder) == {399})

    def lines_without_a_run():
        return ask(folder, "SELECT count(*) FROM chunk WHERE run NOT IN (SELECT id FROM run)")

    wait_for(lambda: not lines_without_a_run())
