# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor-collect --keep`: which runs it removes, and what is left of them.

Time in which nothing was received counts in part only, so where ages matter another machine has
runs in between.
"""
import json
import os
import signal
import subprocess
import time

import node
import pytest
from collecting import SECONDS, index, old_index, program, spoil_index, wait_for
from test_collect_fleet import bad_disk

DAY = 86400
ONE, TWO = "11111111-2222-3333-4444-555555555555", "22222222-2222-3333-4444-555555555555"
OTHER, OTHERS = "33333333-2222-3333-4444-555555555555", 1000  # sids from there on
WRONG = ("", "d", "90", "0d", "1h", "90m", "90D", "1.5d", "-1d", "5g", "50GB", "0G", "d90",
         "99999999999999999999d", "18446744073709551615T")


@pytest.fixture(name="folder")
def fixture_folder(tmp_path):
    """That of the collectors."""
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


def name(sid):
    return f"{sid:016x}.jsonl"


def put(folder, sid, uuid, days, *, verdict="pass", ended=True, gaps=3):
    """A run's file, so many days old, and its entry at the end of an index of old."""
    if (folder / "index.sqlite").exists():
        old_index(folder, index(folder))
    lines = node.run_lines(sid, uuid, gaps, verdict)
    path = folder / name(sid)
    path.write_bytes(b"".join(lines if ended else lines[:-1]))
    when = time.time() - days * DAY
    os.utime(path, (when, when))
    entry = {"sid": f"{sid:016x}", "uuid": uuid, "from": "127.0.0.1", "at": int(when),
             "lines": len(lines) - (not ended), "ended": ended, "verdict": verdict if ended else ""}
    with (folder / "index.jsonl").open("a", encoding="ascii") as file:
        # Begun, and ended.
        for line in ({**entry, "lines": 1, "ended": False, "verdict": ""}, entry)[not ended:]:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")


def put_others(folder, days, step):
    """Of another machine, from so many days ago to today."""
    for n, age in enumerate(range(days, -1, -step)):
        put(folder, OTHERS + n, OTHER, age)


def left(folder):
    """The sids that have a file, but for those of the other machine."""
    sids = {int(path.name[:16], 16) for path in folder.glob("????????????????.jsonl")}
    return {sid for sid in sids if sid < OTHERS}


def indexed(folder):
    sids = {int(entry["sid"], 16) for entry in index(folder)}
    return {sid for sid in sids if sid < OTHERS}


def status(tool, folder, uuid):
    return subprocess.run([tool, "status", uuid, "--dir", folder], capture_output=True,
                          check=False).returncode


def used(folder, *sids):
    return sum((folder / name(sid)).stat().st_blocks * 512 for sid in sids)


def receive(collector, sid):
    sender = node.Node(("127.0.0.1", collector.port), sid, node.run_lines(sid, TWO, 3))
    assert sender.run(SECONDS), sender.state
    sender.close()


def grow_old(folder, *sids):
    when = time.time() - 100 * DAY
    for sid in sids:
        os.utime(folder / name(sid), (when, when))


def kept(collect, folder, *options, **more):
    """What is left after a start with these options, and what was logged."""
    before = left(folder)
    collector = collect(*options, **more)
    assert collector.end() == 0
    runs = left(folder)
    assert runs <= indexed(folder) and not indexed(folder) & (before - runs)
    return runs, collector.text()


def test_by_age(tool, collect, folder):
    put_others(folder, 100, 3)
    for sid, days in ((1, 100), (2, 91), (3, 89), (4, 0)):
        put(folder, sid, ONE, days)
    put(folder, 6, TWO, 95, verdict="fail")
    (folder / f"{1:016x}.cut").write_text("rest")
    # The last verdict of a machine is not replaced by an older one, or one that is missing.
    assert kept(collect, folder)[0] == {1, 2, 3, 4, 6}
    before = status(tool, folder, TWO)
    runs, printed = kept(collect, folder, "--keep", "90d")
    assert runs == {3, 4, 6} and before == status(tool, folder, TWO) == 1
    assert f"{ONE}: run {1:016x} removed" in printed and f"run {6:016x}" not in printed
    assert not (folder / f"{1:016x}.cut").exists()
    assert status(tool, folder, ONE) == 0
    # Alone, it stays, too: the machine has reported no other.
    assert kept(collect, folder, "--keep", "2w", "--keep", "1K")[0] == {4, 6}
    assert status(tool, folder, ONE) == 0 and status(tool, folder, TWO) == 1


def test_runs_without_an_end(tool, collect, folder):
    """Runs that somebody only began go, too, once nothing was received of them for a day; but for
    the latest of a machine, of which no older one gives the verdict."""
    put(folder, 1, TWO, 3, verdict="pass")
    for sid, uuid, days in ((2, ONE, 2), (3, TWO, 1.2), (4, "", 1.1), (5, TWO, 1.1), (6, "", 0.9),
                            (7, ONE, 0.9), (8, ONE, 0)):
        put(folder, sid, uuid, days, ended=False)
    assert kept(collect, folder, "--keep", "1K")[0] == {1, 5, 6, 7, 8}
    assert status(tool, folder, TWO) == 3


def test_runs_without_an_end_do_not_fill_it(collect, folder):
    """A node that begins as many as it may, and ends none, can begin others later."""
    put_others(folder, 30, 2)
    for sid in range(1, 9):
        put(folder, sid, TWO, 30, ended=False)
    assert kept(collect, folder, "--keep", "20d")[0] == {8}
    collector = collect("--runs-per-host", str(len(list(folder.glob("*.jsonl"))) + 1))
    receive(collector, 9)
    assert collector.end() == 0


def test_latest_of_each_machine_stays(tool, collect, folder):
    """Also where a later run has begun that does not end."""
    put_others(folder, 400, 20)
    put(folder, 1, ONE, 400, verdict="fail")
    put(folder, 2, ONE, 399, verdict="fail")
    put(folder, 3, ONE, 100, ended=False)
    put(folder, 4, TWO.upper(), 400)
    put(folder, 5, TWO, 399, verdict="fail")
    put(folder, 6, "", 400)
    assert kept(collect, folder, "--keep", "90d", "--keep", "1K")[0] == {2, 3, 5}
    assert (status(tool, folder, ONE), status(tool, folder, TWO)) == (3, 1)


@pytest.mark.parametrize("days", [200, 20000])
def test_clock_has_jumped(collect, folder, days):
    """One start so far ahead, and a run received then, remove nothing; nor does the next start."""
    for sid in range(1, 9):
        put(folder, sid, ONE, days + 8 - sid)
    runs, printed = kept(collect, folder, "--keep", "90d")
    assert runs == set(range(1, 9))
    assert f"--keep: nothing was received for {24 * days} h, or the clock has jumped" in printed
    put(folder, 9, ONE, 0)
    runs, printed = kept(collect, folder, "--keep", "90d")
    assert runs == set(range(1, 10)) and "--keep" not in printed
    # Set right again: what was received meanwhile is of the future.
    for path in folder.glob("*.jsonl"):
        when = path.stat().st_mtime + days * DAY
        os.utime(path, (when, when))
    assert kept(collect, folder, "--keep", "90d")[0] == set(range(1, 10))


def test_quiet_time_counts_a_quarter_of_the_limit(collect, folder):
    for sid, days in ((1, 100), (2, 50), (3, 40), (4, 0)):
        put(folder, sid, ONE, days)
    # 15 of the 40 days, 10, 15 of the 50.
    assert kept(collect, folder, "--keep", "60d")[0] == {1, 2, 3, 4}
    for sid, days in ((5, 90), (6, 80), (7, 70), (8, 61), (9, 59), (10, 30), (11, 20), (12, 10)):
        put(folder, sid, ONE, days)
    assert kept(collect, folder, "--keep", "60d")[0] == {2, 3, 4, 9, 10, 11, 12}


def test_by_size(collect, folder):
    for sid in range(1, 9):
        put(folder, sid, ONE, 8 - sid, gaps=200)
    one = used(folder, 1)
    assert one and used(folder, *range(1, 9)) == 8 * one
    both = ("--keep", f"{5 * one // 1024}K")
    assert kept(collect, folder, *both)[0] == {4, 5, 6, 7, 8}
    assert kept(collect, folder, *both, "--keep", "4d")[0] == {5, 6, 7, 8}
    runs, printed = kept(collect, folder, "--keep", "1K")
    # What has ended within two hours stays.
    assert runs == {8} and f"--keep: {one - 1024} bytes too many" in printed


def test_order_is_that_of_the_index(tool, collect, folder):
    """The clock was set back: the later run has the older file."""
    put_others(folder, 100, 2)
    put(folder, 1, ONE, 10, verdict="fail")
    put(folder, 2, ONE, 100)
    assert kept(collect, folder, "--keep", "90d")[0] == {1, 2}
    assert kept(collect, folder, "--keep", "9d")[0] == {2}
    put(folder, 3, ONE, -10)  # of the future
    assert kept(collect, folder, "--keep", "2h", "--keep", "1K")[0] == {3}
    assert status(tool, folder, ONE) == 0


def test_not_forwarded_yet(collect, folder):
    put_others(folder, 100, 5)
    for sid in (1, 2, 3, 4):
        put(folder, sid, ONE, 100)
    (folder / "forwarded").write_text(f"{1:016x} taken\n{3:016x} refused\n{2:016x}")
    nobody = ("--forward", "influx:http://127.0.0.1:1/write?db=nf")
    assert kept(collect, folder, *nobody, "--keep", "90d")[0] == {2, 4}
    assert kept(collect, folder, "--keep", "90d")[0] == {4}


def test_there_is_room_for_others(collect, folder):
    for sid in (1, 2):
        put(folder, sid, ONE, 100)
    collector = collect("--runs", "3", "--runs-per-host", "3", "--keep", "1K")
    for sid in (3, 4):
        receive(collector, sid)
    # While it collects, and those it has in memory.
    grow_old(folder, 3)
    collector.process.send_signal(signal.SIGHUP)
    wait_for(lambda: left(folder) == {2, 4})
    receive(collector, 5)
    assert collector.end() == 0
    assert indexed(folder) == left(folder) == {2, 4, 5}


class Held:
    """A collector with --keep, to which this of its disk can happen while it works."""

    def __init__(self, collect, tmp_path, setting):
        self.file = tmp_path / "held"
        self.collector = collect("--keep", "1K", env=bad_disk(**{setting: self.file}))

    def begin(self):
        self.file.touch()
        self.collector.process.send_signal(signal.SIGHUP)

    def end(self):
        self.file.unlink()


def test_receives_while_it_chooses(collect, folder, tmp_path):
    for sid in (1, 2, 3):
        put(folder, sid, ONE, 0)
    held = Held(collect, tmp_path, "BAD_DISK_LOOK")
    grow_old(folder, 1, 2, 3)
    held.begin()
    for sid in (4, 5):
        receive(held.collector, sid)
    assert left(folder) == {1, 2, 3, 4, 5}
    held.end()
    wait_for(lambda: left(folder) == {3, 4, 5})
    assert held.collector.end() == 0
    assert indexed(folder) == {3, 4, 5}


def test_ended_while_it_chooses(collect, folder, tmp_path):
    for sid in (1, 2):
        put(folder, sid, ONE, 0)
    held = Held(collect, tmp_path, "BAD_DISK_LOOK")
    grow_old(folder, 1, 2)
    held.begin()
    receive(held.collector, 3)
    held.collector.process.send_signal(signal.SIGTERM)
    wait_for(lambda: "SIGTERM; " in held.collector.text())
    held.end()
    assert held.collector.ended() == 0
    assert left(folder) == indexed(folder) == {1, 2, 3}


def test_damaged_index(collect, folder):
    """It is made again, though nothing was received since, and then chosen from."""
    for sid in (1, 2):
        put(folder, sid, ONE, 0)
    collector = collect("--keep", "1K")
    grow_old(folder, 1, 2)
    spoil_index(folder / "index.sqlite")

    def is_left_after_a_request():
        """One that comes while it still looks after its start is answered by that look."""
        collector.process.send_signal(signal.SIGHUP)
        return left(folder) == {2}

    wait_for(is_left_after_a_request)
    assert collector.end() == 0
    assert indexed(folder) == {2} and (folder / "index.sqlite.bad").exists()


def test_receives_while_it_removes(collect, folder, tmp_path):
    many = range(1, 400)
    for sid in (*many, 400):
        put(folder, sid, ONE, 0)
    held = Held(collect, tmp_path, "BAD_DISK_REMOVE")
    grow_old(folder, *many, 400)
    held.begin()
    wait_for(lambda: len(left(folder)) < 400)
    receive(held.collector, 401)
    assert "--keep: 399 runs removed" not in held.collector.text()
    held.end()
    wait_for(lambda: "--keep: 399 runs removed" in held.collector.text())
    assert held.collector.end() == 0
    assert left(folder) == indexed(folder) == {400, 401}


@pytest.mark.parametrize("last", [1, 2, 3, 4])
def test_killed_within_it(tool, collect, folder, last):
    """After each of its steps: what is left is consistent, and the next start goes on."""
    put_others(folder, 88, 20)
    for sid in (1, 2, 3):
        put(folder, sid, ONE, 100, verdict="fail")
    (folder / f"{2:016x}.cut").write_text("rest")
    put(folder, 4, ONE, 1)
    done = subprocess.run(
        [program(tool), "--listen", "127.0.0.1:0", "--dir", folder, "--keep", "90d"],
        env=bad_disk(BAD_DISK_LAST=last), stdin=subprocess.DEVNULL, capture_output=True,
        timeout=SECONDS, check=False)
    assert done.returncode == -signal.SIGKILL
    # Files 1, 2 with what was cut off it, and 3; the index meanwhile.
    assert left(folder) == {4, *(sid for sid, step in ((1, 1), (2, 3), (3, 4)) if step > last)}
    assert left(folder) <= indexed(folder) <= {1, 2, 3, 4}
    assert status(tool, folder, ONE) == 0
    shown = subprocess.run([tool, "fleet", folder, "--json"], capture_output=True, check=True)
    assert f"{1:016x}".encode() not in shown.stdout
    collector = collect("--keep", "90d")
    assert collector.end() == 0
    assert left(folder) == indexed(folder) == {4} and "uncertain" not in collector.text()
    assert status(tool, folder, ONE) == 0


def test_usage(tool, folder):
    for wrong in WRONG:
        done = subprocess.run(
            [program(tool), "--listen", ":0", "--dir", folder, "--keep", wrong],
            capture_output=True, text=True, timeout=SECONDS, check=False)
        assert done.returncode == 2 and "an age, such as 90d" in done.stderr, wrong
