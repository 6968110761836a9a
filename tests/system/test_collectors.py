# SPDX-License-Identifier: BSD-2-Clause
"""Several collectors: nodes move from one to another, and their stores are merged."""
import json
import signal

import pytest

import node
from collecting import ask, change, export, put as store
from ran import ran
from test_collect_fleet import Fleet, bad_disk, key_options

UUID = "11111111-2222-3333-4444-555555555555"


def asked(tool, *arguments):
    done = ran(tool, *arguments)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.full
def test_moved(tool, tmp_path, collect):
    """
    One is killed, the other gets its address, and the first comes back. Nothing is lost, also of
    nodes with keys of their own.
    """
    (ours, theirs), nodes, gaps = key_options(tmp_path), 100, 600
    first, second = tmp_path / "first", tmp_path / "second"
    # A node has at least nine writes' worth of lines: at most 16 datagrams of four wait.
    last_write = bad_disk(BAD_DISK_KILL=3 * nodes)
    collector = collect(*ours, folder=first, env=last_write)
    port, size = collector.port, nodes * (gaps + 6)
    fleet = Fleet(port, nodes, gaps, *theirs, "--own-keys")
    assert collector.ended() == -signal.SIGKILL
    where = f"127.0.0.1:{port}"
    assert collect(*ours, folder=second, listen=where, env=last_write).ended() == -signal.SIGKILL
    collect(*ours, folder=first, listen=where)
    printed = fleet.end()
    assert (printed["code"], printed["delivered"], printed["undelivered_lines"]) == (0, nodes, 0)
    code, stated, errors = asked(tool, "fleet", "import", "--dir", tmp_path / "merged", first,
                                 second)
    assert (code, errors) == (0, "")
    assert stated.startswith(f"{nodes} runs, 0 incomplete; {size} lines stored, ")
    assert " 0 conflicts, " in stated
    assert all(ask(folder, "SELECT count(*) FROM run") for folder in (first, second))
    fleet.assert_whole(tmp_path / "merged")
    # The rows of all runs agree with their lines.
    assert asked(tool, "fleet", "check", tmp_path / "merged")[0] == 0


def test_merge(tool, tmp_path):
    """Lines that both have count once; what is missing, and what contradicts, is named."""
    a, b, out = tmp_path / "a", tmp_path / "b", tmp_path / "out"
    whole, holed, two = (node.run_lines(sid, UUID, 20) for sid in (1, 2, 4))
    store(tool, a, {1: whole[:12], 2: holed[:5] + holed[15:18], 4: two})
    store(tool, b, {1: whole[9:], 2: holed[7:10],
                    4: two[:3] + [node.record(4, 3, "gap", ',"stage":"bare","cpu":1')] + two[4:]})
    code, stated, errors = asked(tool, "fleet", "import", "--dir", out, a, b)
    assert code == 1
    assert stated == ("3 runs, 1 incomplete; "
                      f"{2 * 22 + 5 + 3 + 3} lines stored, {3 + 22} more than once, "
                      "1 conflicts, 0 not printable\n")
    assert sorted(errors.splitlines()) == [
        f"fleet import: run {2:016x}: {2 + 5} lines are missing, from line 5 on",
        f"fleet import: run {2:016x}: its end is missing",
        f"fleet import: run {4:016x}: line 3 of {b} differs from the stored one",
    ]
    for sid, lines in ((1, whole), (2, holed[:5] + holed[7:10] + holed[15:18]), (4, two)):
        assert export(tool, out, "--run", f"{sid:016x}") == b"".join(lines)
    # Once more, and into itself: all lines are there already.
    kept = export(tool, out)
    for parts in ((a, b), (out,)):
        assert " 0 lines stored, " in asked(tool, "fleet", "import", "--dir", out, *parts)[1]
        assert export(tool, out) == kept
    (tmp_path / "none").mkdir()
    for arguments in ((a, tmp_path / "none"), (tmp_path / "none",)):
        code, _, errors = asked(tool, "fleet", "import", "--dir", tmp_path / "new", *arguments)
        assert code == 2 and (f"fleet import: {tmp_path / 'none'}/runs.sqlite: "
                              "No such file or directory\n") in errors


def test_damaged_part(tool, tmp_path):
    """A damaged part is named, wherever it is, and the others are merged."""
    a, b = tmp_path / "a", tmp_path / "b"
    lines = node.run_lines(1, UUID, 20)
    store(tool, a, {1: lines[:12]})
    store(tool, b, {1: lines[12:], 2: node.run_lines(2, UUID, 5)})
    change(a, "UPDATE chunk SET crc32c=0")
    why = f"{a}/runs.sqlite: run {1:016x}: 1 chunks are damaged, and left out"
    for command in (("import", "--dir", tmp_path / "out", a, b), ("export", a)):
        code, _, errors = asked(tool, "fleet", *command)
        assert code == 2 and f"fleet {command[0]}: {why}" in errors
    assert export(tool, tmp_path / "out", "--run", f"{1:016x}") == b"".join(lines[12:])
    assert asked(tool, "fleet", "check", a)[0] == 1


def test_import_cannot_write(tool, tmp_path):
    """A run whose lines can be written, and its end cannot, leaves nothing of its transaction."""
    a, out = tmp_path / "a", tmp_path / "out"
    store(tool, a, {sid: node.run_lines(sid, UUID, 20) for sid in (1, 2)})
    store(tool, out, {9: node.run_lines(9, UUID, 1)})
    change(out, *(f"DELETE FROM {table}" for table in ("chunk", "progress", "run")),
           "CREATE TRIGGER refuse BEFORE UPDATE ON progress WHEN NEW.run="
           f"(SELECT id FROM run WHERE sid='{2:016x}') BEGIN SELECT RAISE(FAIL, 'no'); END")
    code, _, errors = asked(tool, "fleet", "import", "--dir", out, a)
    assert code == 2 and errors.startswith(f"fleet import: {out}/runs.sqlite: ")
    assert [ask(out, f"SELECT count(*) FROM {table}") for table in ("chunk", "progress", "run")
            ] == [0, 0, 0]
    change(out, "DROP TRIGGER refuse")
    assert asked(tool, "fleet", "import", "--dir", out, a)[0] == 0
    assert export(tool, out) == export(tool, a)


def test_which_is_latest(tool, tmp_path):
    """The latest of several stores' runs has the latest time; of one store's, the last place."""
    a, b, out = tmp_path / "a", tmp_path / "b", tmp_path / "out"
    for folder, sid, verdict, when in ((a, 1, "pass", 1000), (b, 2, "fail", 2000),
                                       (a, 3, "pass", 900)):  # its clock was set back
        store(tool, folder, {sid: node.run_lines(sid, UUID, 5, verdict)}, when)
    assert asked(tool, "fleet", "import", "--dir", out, b, a)[0] == 0
    code, stated, errors = asked(tool, "fleet", "status", UUID, "--dir", out, "--json")
    assert (code, errors) == (1, "")
    assert (json.loads(stated)["sid"], json.loads(stated)["runs"]) == (f"{2:016x}", 3)
    code, stated, _ = asked(tool, "fleet", "status", UUID, "--dir", a, "--json")
    assert json.loads(stated)["sid"] == f"{3:016x}"


def test_collector_in_use(tool, tmp_path, collect):
    """Its folder may be read, and not be written."""
    collect(folder="used")
    store(tool, tmp_path / "a", {1: node.run_lines(1, UUID, 5)})
    code, _, errors = asked(tool, "fleet", "import", "--dir", tmp_path / "used", tmp_path / "a")
    assert code == 2 and "another collector uses it" in errors
    merged = asked(tool, "fleet", "import", "--dir", tmp_path / "b", tmp_path / "a",
                   tmp_path / "used")
    assert merged[0] == 0


def put_capture(tool, folder, lines):
    """Import `lines`, in this order, into the store folder / "runs". Its code, what it printed, and
    its own errors: others are of a capture's end without records, which node.py has."""
    capture = folder / "capture"
    capture.write_bytes(b"".join(lines))
    code, stated, errors = asked(tool, "fleet", "import", "--dir", folder / "runs", capture)
    return code, stated, [line for line in errors.splitlines() if line.startswith("fleet import")]


def test_import_conflict(tool, tmp_path):
    """A line that differs from the stored one is reported, wherever it is among those of its
    capture, and the stored one stays; one that does not differ is no conflict. Lines that are out
    of order are stored, too."""
    lines = node.run_lines(1, UUID, 20)
    other = node.record(1, 5, "gap", ',"stage":"bare","cpu":1')
    differing = lines[:5] + [other] + lines[6:]
    code, stated, errors = put_capture(tool, tmp_path, lines[:3] + lines[:2:-1])
    assert (code, errors) == (0, [])
    assert stated == ("1 runs, 0 incomplete; 22 lines stored, 0 more than once, 0 conflicts, "
                      "0 not printable\n")
    for given in (differing, differing[::-1]):
        code, stated, errors = put_capture(tool, tmp_path, given)
        assert (code, errors) == (1, [f"fleet import: run {1:016x}: line 5 of "
                                      f"{tmp_path / 'capture'} differs from the stored one"])
        assert stated == ("1 runs, 0 incomplete; 0 lines stored, 22 more than once, "
                          "1 conflicts, 0 not printable\n")
    assert put_capture(tool, tmp_path, lines)[::2] == (0, [])
    assert export(tool, tmp_path / "runs") == b"".join(lines)
    assert asked(tool, "fleet", "check", tmp_path / "runs")[0] == 0


def test_import_fills_gaps(tool, tmp_path):
    """Lines of a run's middle that come later fill its gaps; stored lines stay."""
    lines = node.run_lines(1, UUID, 20)
    other = node.record(1, 5, "gap", ',"stage":"bare","cpu":1')
    for number, part in enumerate((lines[15:], lines[:4], [lines[3], other, lines[6]])):
        store(tool, tmp_path / "runs", {1: part}, 1000 + number)
    assert put_capture(tool, tmp_path, lines)[0] == 1
    wanted = lines[:5] + [other] + lines[6:]
    assert export(tool, tmp_path / "runs") == b"".join(wanted)
    assert asked(tool, "fleet", "check", tmp_path / "runs")[0] == 0
    code, stated, _ = asked(tool, "fleet", "status", UUID, "--dir", tmp_path / "runs", "--json")
    assert (code, json.loads(stated)["lost"], json.loads(stated)["lines"]) == (0, 0, len(wanted))
