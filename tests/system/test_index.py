# SPDX-License-Identifier: BSD-2-Clause
"""The collector's index in hostile states: answers are right, and acknowledgements go on."""
import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree

import pytest

import node
from collecting import SECONDS, index, indexed, lose_index, spoil_index, wait_for
from test_collect import UUID, deliver, status
from test_fleet import machine

OTHER = UUID.replace("1", "4")


def lacking(folder):
    """Latest runs of machines whose figures the index does not have yet."""
    with contextlib.closing(sqlite3.connect(f"file:{folder}/index.sqlite?mode=ro",
                                            uri=True)) as database:
        return database.execute("SELECT count(*) FROM runs WHERE kind IS NOT NULL "
                                "AND figures IS NULL").fetchone()[0]


def answers(tool, folder, *, before=(), env=None):
    """What status and fleet report, but for the order, which only the index has."""
    found, errors = {}, ""
    for name, *command in (("one", "status", UUID, "--dir", folder, "--json"),
                           ("other", "status", OTHER, "--dir", folder, "--json"),
                           ("fleet", "fleet", folder, "--json")):
        done = subprocess.run([*before, tool, *command], capture_output=True, text=True,
                              timeout=SECONDS, check=False, env=env)
        found[name] = done.returncode, json.loads(done.stdout)
        errors += done.stderr
    for name in ("one", "other"):
        del found[name][1]["guessed"]
    return found, errors


@pytest.fixture(name="folder")
def fixture_folder(collect):
    """Of a collector that has ended."""
    collector = collect()
    for sid, uuid, verdict in ((1, UUID, "fail"), (2, OTHER, "fail"), (3, UUID, "pass")):
        deliver(collector, sid, node.run_lines(sid, uuid, 3, verdict))
    assert collector.end() == 0
    for sid in (1, 2, 3):  # also by the times of the files
        os.utime(collector.folder / f"{sid:016x}.jsonl", (1000 + sid, 1000 + sid))
    return collector.folder


def cut(path):
    os.truncate(path, path.stat().st_size // 2)


def another(path):
    path.unlink()
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE runs(place, sid, uuid, entry, crc)")


def another_version(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version=99")


def no_file(make):
    def replace(path):
        path.unlink()
        make(path)
    return replace


BAD = {
    "rubbish": spoil_index, "cut": cut, "another": another, "version": another_version,
    "empty": lambda path: path.write_bytes(b""),
    "gone": pathlib.Path.unlink,
    "folder": no_file(pathlib.Path.mkdir), "FIFO": no_file(os.mkfifo),
    "link": no_file(lambda path: path.symlink_to("/dev/zero")),
}


@pytest.mark.parametrize("bad", BAD)
def test_bad(tool, collect, folder, bad):
    """Who reads takes the runs' files; a collector makes it again."""
    wanted, errors = answers(tool, folder)
    assert not errors and wanted["one"][0] == 0 and wanted["other"][0] == 1
    BAD[bad](folder / "index.sqlite")
    found, errors = answers(tool, folder)
    assert found == wanted
    assert ("index.sqlite: not read; the runs' files are read" in errors) == (bad != "gone")
    collector = collect()
    deliver(collector, 4, node.run_lines(4, OTHER, 3))
    assert collector.end() == 0
    assert [int(entry["sid"], 16) for entry in index(folder)] == [1, 2, 3, 4]
    found, errors = answers(tool, folder)
    assert found["one"] == wanted["one"] and found["other"][0] == 0
    assert "index.sqlite" not in errors
    kept = folder / "index.sqlite.bad"
    assert kept.is_symlink() == (bad == "link")
    assert bad == "link" or kept.exists() == (bad not in ("gone", "empty"))


@pytest.mark.parametrize("bad", ["rubbish", "gone", "another", "folder"])
def test_bad_while_it_collects(tool, collect, folder, bad):
    """Every run is acknowledged, and the index has it, with what only the collector knows of it."""
    collector = collect()
    deliver(collector, 4, node.run_lines(4, OTHER, 3), host="127.0.0.2")
    wait_for(lambda: (indexed(folder, 4) or {}).get("ended"))
    BAD[bad](folder / "index.sqlite")
    for sid in range(5, 9):
        deliver(collector, sid, node.run_lines(sid, UUID, 3))
    assert status(tool, folder)[0] == 0
    assert collector.end() == 0
    found = index(folder)
    assert {int(entry["sid"], 16) for entry in found} == set(range(1, 9))
    assert all(entry["ended"] for entry in found)
    assert indexed(folder, 4)["from"] == "127.0.0.2"
    assert "index.sqlite" not in answers(tool, folder)[1]


def test_locked(tool, collect, folder):
    """By another process, as long as it likes: acknowledgements and answers go on without it."""
    wanted, _ = answers(tool, folder)
    collector = collect()
    with contextlib.closing(sqlite3.connect(folder / "index.sqlite",
                                            isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        deliver(collector, 4, node.run_lines(4, UUID[::-1], 3))
        wait_for(lambda: "index.sqlite: locked by another process" in collector.text())
        deliver(collector, 5, node.run_lines(5, UUID[::-1], 3))
        assert status(tool, folder, UUID[::-1])[0] == 0
        assert not indexed(folder, 5)
        database.execute("ROLLBACK")
    wait_for(lambda: "index.sqlite: rewritten" in collector.text())
    assert indexed(folder, 4)["ended"] and indexed(folder, 5)["ended"]
    found, _ = answers(tool, folder)
    assert found["one"] == wanted["one"] and collector.end() == 0


@pytest.mark.parametrize("killed", [False, True])
def test_locked_at_the_start(tool, collect, folder, killed):
    """It collects without the index, and adds to it once that is free; nothing is made again. Of
    one that was left in its log who reads gets nothing meanwhile, either."""
    if killed:
        collect().kill()
    before = index(folder)
    with contextlib.closing(sqlite3.connect(folder / "index.sqlite",
                                            isolation_level=None)) as database:
        database.execute("PRAGMA locking_mode=EXCLUSIVE")
        database.execute("BEGIN EXCLUSIVE")
        collector = collect()
        deliver(collector, 4, node.run_lines(4, OTHER, 3))
        found, errors = answers(tool, folder)
        assert found["one"][0] == found["other"][0] == 0
        assert ("index.sqlite: locked by another process" in errors) == killed
        # At the start, and when it would write.
        wait_for(lambda: collector.text().count("index.sqlite: locked by another process") == 2)
        database.execute("ROLLBACK")
    wait_for(lambda: "index.sqlite: rewritten" in collector.text())
    assert collector.end() == 0
    assert index(folder)[:3] == before and indexed(folder, 4)["ended"]


def test_junit_while_it_is_locked(collect, folder, tmp_path):
    """By the runs' files, then."""
    with contextlib.closing(sqlite3.connect(folder / "index.sqlite",
                                            isolation_level=None)) as database:
        database.execute("PRAGMA locking_mode=EXCLUSIVE")
        database.execute("BEGIN EXCLUSIVE")
        assert collect("--junit", tmp_path / "runs.xml").end() == 0
    suite = xml.etree.ElementTree.parse(tmp_path / "runs.xml").getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "2", "0")
    assert [case.get("name") for case in suite] == [
        f"{UUID} {1:016x}", f"{OTHER} {2:016x}", f"{UUID} {3:016x}"]


def test_without_the_collectors_program(tool, folder, tmp_path):
    """It is not beside the tool, and PATH does not have it."""
    wanted, _ = answers(tool, folder)
    alone = tmp_path / "bin" / "noisefloor"
    alone.parent.mkdir()
    shutil.copy(tool, alone)
    found, errors = answers(alone, folder, env={"PATH": "/nonexistent"})
    assert found == wanted
    assert "noisefloor-collect, which reads it, is not installed; the runs' files are" in errors
    found, errors = answers(alone, folder, env={"PATH": str(tool.parent)})
    assert found == wanted and not errors


@pytest.mark.parametrize("collecting", [False, True])
def test_who_may_only_read(tool, collect, folder, tmp_path, collecting):
    """Nobody else's files are made in the folder, and none are needed."""
    if os.geteuid() or not shutil.which("setpriv"):
        pytest.skip("not root, or no setpriv")
    wanted, _ = answers(tool, folder)
    collector = collect() if collecting else None
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_mode & 0o5 != 0o5 and path != pathlib.Path("/"):
            path.chmod(path.stat().st_mode | 0o5)
    names = {path.name for path in folder.iterdir()}
    found, errors = answers(tool, folder, before=(
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"))
    assert found == wanted and not errors
    assert {path.name for path in folder.iterdir()} == names
    assert not collector or collector.end() == 0


def test_killed_collector(tool, collect):
    """Its log is read, too, and by those who may not make it again."""
    collector = collect()
    folder = collector.folder
    deliver(collector, 1, node.run_lines(1, UUID, 3, "fail"))
    deliver(collector, 2, node.run_lines(2, OTHER, 3))
    wait_for(lambda: (indexed(folder, 2) or {}).get("ended"))
    collector.kill()
    wanted, errors = answers(tool, folder)
    assert wanted["one"][0] == 1 and wanted["other"][0] == 0 and not errors
    lose_index(folder)
    assert answers(tool, folder)[0] == wanted


def test_what_comes_and_goes_is_seen(tool, folder):
    """An index that has all that is there is taken as it is; a file more or less, and it is not."""
    times = folder.stat().st_atime_ns, folder.stat().st_mtime_ns
    assert status(tool, folder)[0] == 0
    path = folder / f"{9:016x}.jsonl"
    path.write_bytes(b"".join(node.run_lines(9, UUID, 3, "fail")))
    assert status(tool, folder)[0] == 1
    # As if it were not there: nobody lists the folder.
    os.utime(folder, ns=times)
    assert status(tool, folder)[0] == 0
    path.unlink()
    os.utime(folder, ns=times)
    (folder / f"{3:016x}.jsonl").unlink()
    assert status(tool, folder)[0] == 1
    os.utime(folder, ns=times)
    assert status(tool, folder)[0] == 1


def listed(folder):
    """What shows whether the index may be taken as it is."""
    return {path.name for path in folder.iterdir()}, folder.stat().st_mtime_ns


def test_opened_by_another_program(folder):
    """It makes no files in the folder, so that nobody has to list that from then on."""
    before = listed(folder)
    with contextlib.closing(sqlite3.connect(folder / "index.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM runs").fetchone() == (3,)
        assert listed(folder) == before
    assert listed(folder) == before


def test_open_when_the_collector_ends(tool, collect, folder):
    """It ends all the same, answers are right, and the next collector makes all well again."""
    wanted, _ = answers(tool, folder)
    collector = collect()
    with contextlib.closing(sqlite3.connect(folder / "index.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM runs").fetchone() == (3,)
        assert collector.end() == 0
        assert answers(tool, folder) == (wanted, "")
    assert answers(tool, folder) == (wanted, "")
    assert collect().end() == 0
    before = listed(folder)
    assert len(index(folder)) == 3 and listed(folder) == before


def test_acknowledged_is_known(tool, collect):
    """At once, whether the index has it already or not."""
    collector = collect()
    for sid in range(1, 41):
        verdict = ("pass", "fail")[sid % 2]
        deliver(collector, sid, node.run_lines(sid, UUID, 3, verdict))
        code, printed = status(tool, collector.folder)
        assert code == sid % 2 and f" {sid:016x} " in printed
    (collector.folder / f"{40:016x}.jsonl").unlink()
    assert status(tool, collector.folder)[0] == 1
    assert collector.end() == 0


def test_peers(tool, collect):
    """The same of the index as of the files."""
    collector = collect()
    folder = collector.folder
    for sid in range(1, 12):
        uuid = f"{sid % 8:08}{UUID[8:]}"
        deliver(collector, sid, node.run_lines(sid, uuid, 1, config=f"max={sid % 3 + 1}us"))
    assert collector.end() == 0
    times = folder.stat().st_atime_ns, folder.stat().st_mtime_ns
    for n in range(8):
        uuid = f"{n:08}{UUID[8:]}"
        os.utime(folder, ns=times)
        one = status(tool, folder, uuid)
        assert one[0] == 0 and "machines of its product and BIOS" in one[1]
        (folder / "more").touch()
        assert status(tool, folder, uuid) == one
        (folder / "more").unlink()
        assert status(tool, folder, uuid, "--dir", folder) == one


def fleet_of(tool, folder, *options):
    done = subprocess.run([tool, "fleet", folder, *options], capture_output=True, text=True,
                          timeout=SECONDS, check=False)
    assert not done.stderr
    return done.returncode, done.stdout


def service(sid, uuid):
    begin = node.machine(uuid) + node.BEGIN + ',"config":"mode=services"'
    call = (',"stage":"bare","service":"GetTime","cpu":0,"calls":9,"failed":0,"stops":true,'
            '"p50_ns":1000,"p99_ns":2000,"max_ns":3000')
    return [node.record(sid, 0, "begin", begin), node.record(sid, 1, "service", call),
            node.record(sid, 2, "end", ',"verdict":"pass","reasons":[]')]


def test_fleet_of_the_index(tool, collect, tmp_path):
    """The same as of the runs' files, which are not read for it."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for sid in range(1, 21):
        machine(folder, sid, longest=900000 if sid == 3 else 10000 + sid, smi=None if sid % 2
                else 60 + sid, periods=(64000000, 5000000)[:1 + (sid != 4)],
                config=f"max={sid % 3}us", verdict=("pass", "fail")[sid % 5 == 0])
    machine(folder, 21, uuid="machine-5", longest=700000)  # later than that
    for sid in (1, 2, 21):
        os.utime(folder / f"{sid:016x}.jsonl", (sid + 10**9, sid + 10**9))
    collector = collect()
    deliver(collector, 30, node.run_lines(30, "machine-30", 2, config="mode=stretch"))
    deliver(collector, 31, service(31, "machine-31"))
    deliver(collector, 32, node.run_lines(32, "machine-32", 2))  # without figures
    deliver(collector, 33, node.run_lines(33, "machine-1", 2)[:-1])  # it has not ended
    deliver(collector, 34, node.run_lines(34, "machine-2", 2, "pass", remark="too short"))
    deliver(collector, 35, node.run_lines(35, "", 2))
    wait_for(lambda: len(index(folder)) == 27 and not lacking(folder))
    assert collector.end() == 0
    times = folder.stat().st_atime_ns, folder.stat().st_mtime_ns
    found = fleet_of(tool, folder), fleet_of(tool, folder, "--json")
    (folder / "more").touch()
    assert found == (fleet_of(tool, folder), fleet_of(tool, folder, "--json"))
    (folder / "more").unlink()
    assert found[0][0] == 1 and "machine-3 " in found[0][1]
    assert json.loads(found[1][1])["machines"] == 24
    # As if nothing were in the files any more.
    os.utime(folder, ns=times)
    os.truncate(folder / f"{3:016x}.jsonl", 0)
    assert found == (fleet_of(tool, folder), fleet_of(tool, folder, "--json"))
    (folder / "more").touch()
    assert fleet_of(tool, folder) != found[0]


def test_file_that_the_index_had_not(tool, collect):
    """It comes later into the index, and is older by its time: not the latest."""
    collector = collect()
    folder = collector.folder
    deliver(collector, 1, node.run_lines(1, "machine-9", 2, "fail"))
    assert collector.end() == 0
    machine(folder, 9)
    os.utime(folder / f"{9:016x}.jsonl", (10**9, 10**9))
    collector = collect()
    wait_for(lambda: not lacking(folder))
    assert collector.end() == 0
    assert [int(entry["sid"], 16) for entry in index(folder)] == [1, 9]
    for _ in range(2):
        assert status(tool, folder, "machine-9")[0] == 1
        answer = json.loads(fleet_of(tool, folder, "--json")[1])
        assert answer["machines"] == 1 and not answer["groups"]  # without figures
        # Once more, without relying on the index alone.
        (folder / "more").touch()


def test_fleet_of_rubbish_in_the_index(tool, collect, tmp_path):
    """What it has of figures counts only as it was written."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for sid in range(1, 9):
        machine(folder, sid)
    collector = collect()
    wait_for(lambda: not lacking(folder))
    assert collector.end() == 0
    times = folder.stat().st_mtime_ns
    wanted = fleet_of(tool, folder)
    path = folder / "index.sqlite"
    before, old = path.stat(), path.read_bytes()
    assert old.count(b"\thandoff\t10000\t") == 8
    path.write_bytes(old.replace(b"\thandoff\t10000\t", b"\thandoff\t10009\t"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert folder.stat().st_mtime_ns == times
    done = subprocess.run([tool, "fleet", folder], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == wanted
    assert "the runs' files are read" not in done.stderr
