# SPDX-License-Identifier: BSD-2-Clause
"""Several collectors: nodes move from one to another, and their folders are read as one."""
import json
import signal
import subprocess

import pytest

import node
from collecting import Collector
from test_collect_fleet import KEY, Fleet, bad_disk, key_options, program
from tiers import full

UUID = "11111111-2222-3333-4444-555555555555"


@pytest.fixture(name="collectors")
def fixture_collectors(tool, tmp_path):
    """start(folder, port=0) -> a collector; what still runs at the end is ended."""
    started = []

    def start(folder, port=0, *options, **more):
        started.append(Collector(tool, tmp_path / folder, *options, listen=f"127.0.0.1:{port}",
                                 **more))
        return started[-1]

    yield start
    for collector in started:
        if collector.process.poll() is None:
            collector.kill()


def asked(tool, *arguments):
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def put_reference(folder, nodes, gaps, *options):
    """The runs of the same nodes as one collector has them that nothing happens to."""
    folder.mkdir()
    printed = subprocess.run(
        [program(), "print", "--nodes", str(nodes), "--gaps", str(gaps), "--dir", ".", *options],
        stdout=subprocess.PIPE, check=True).stdout
    for line in printed.splitlines(keepends=True):
        with (folder / f"{line.split(b',')[1][7:23].decode()}.jsonl").open("ab") as file:
            file.write(line)


@pytest.mark.parametrize("nodes,gaps,odd,key", [
    full(100, 600, 7, None), full(100, 600, 7, KEY),
    pytest.param(2000, 600, 37, None, marks=(pytest.mark.full, pytest.mark.long)),
])
def test_moved(tool, tmp_path, collectors, nodes, gaps, odd, key):
    """
    One is killed, the other gets its address, and the first comes back. Nothing is lost, also of
    nodes with keys of their own.
    """
    ours, theirs = key_options(tmp_path, key)
    theirs += ["--own-keys"] if key else []
    first, second = tmp_path / "first", tmp_path / "second"
    # A node has at least nine writes' worth of lines: at most 16 datagrams of four wait.
    last_write = bad_disk(BAD_DISK_KILL=3 * nodes)
    collector = collectors(first, 0, *ours, env=last_write)
    port, size = collector.port, nodes * (gaps + 6)
    fleet = Fleet(port, nodes, gaps, "--odd", str(odd), *theirs)
    assert collector.ended() == -signal.SIGKILL
    assert collectors(second, port, *ours, env=last_write).ended() == -signal.SIGKILL
    collectors(first, port, *ours)
    printed = fleet.end()
    assert (printed["code"], printed["delivered"], printed["undelivered_lines"]) == (0, nodes, 0)
    code, stated, errors = asked(tool, "merge", first, second, "-o", tmp_path / "merged")
    assert (code, errors) == (0, "")
    assert stated.startswith(f"{nodes} runs, ") and f" 0 incomplete; {size} lines, " in stated
    assert 0 < int(stated.split(", ")[1].split()[0]) <= nodes
    assert " 0 conflicts, " in stated
    fleet.assert_whole(tmp_path / "merged")
    put_reference(tmp_path / "reference", nodes, gaps, "--odd", str(odd))
    for form in ("text", "json"):
        wanted = asked(tool, "fleet", tmp_path / "reference", "--format", form)
        assert wanted[0] == 1 and asked(tool, "fleet", tmp_path / "merged",
                                        "--format", form) == wanted
        assert asked(tool, "fleet", first, second, "--format", form) == wanted
        assert asked(tool, "fleet", second, first, "--format", form) == wanted
    answer = json.loads(wanted[1])
    assert answer["differing"] == odd and answer["machines"] == nodes
    for entry in answer["differ"][:8]:
        wanted = asked(tool, "status", entry["uuid"], "--dir", tmp_path / "reference", "--json")
        assert asked(tool, "status", entry["uuid"], "--dir", first, "--dir", second,
                     "--json") == wanted


def put(folder, sid, lines):
    folder.mkdir(exist_ok=True)
    (folder / f"{sid:016x}.jsonl").write_bytes(b"".join(lines))


def entry(folder, sid, at, **known):
    with (folder / "index.jsonl").open("a") as file:
        file.write(json.dumps({"sid": f"{sid:016x}", "at": at, **known}) + "\n")


def test_merge(tool, tmp_path):
    """Lines that both have count once; what is missing, and what contradicts, is named."""
    a, b, out = tmp_path / "a", tmp_path / "b", tmp_path / "out"
    whole, holed, torn, two = (node.run_lines(sid, UUID, 20) for sid in (1, 2, 3, 4))
    put(a, 1, whole[:12])
    put(b, 1, whole[9:])
    put(a, 2, holed[:5] + holed[15:18])
    put(b, 2, holed[7:10])
    put(a, 3, torn[:10] + [torn[10][:40]])
    put(b, 3, [b"rubbish\n"] + torn[10:])
    put(a, 4, two)
    put(b, 4, two[:3] + [node.record(4, 3, "gap", ',"stage":"bare","cpu":1')] + two[4:])
    code, stated, errors = asked(tool, "merge", a, b, "-o", out)
    assert code == 1
    assert stated == ("4 runs, 4 of them in several folders, 1 incomplete; "
                      f"{3 * 22 + 5 + 3 + 3} lines, {3 + 22} more than once, 1 conflicts, "
                      "1 damaged\n")
    assert sorted(errors.splitlines()) == [
        f"merge: run {2:016x}: its end is missing",
        f"merge: run {2:016x}: lines 10 to 14 are missing",
        f"merge: run {2:016x}: lines 5 to 6 are missing",
        f"merge: run {4:016x}: line 3 of {b} differs from that of {a}, which was taken",
    ]
    for sid, lines in ((1, whole), (2, holed[:5] + holed[7:10] + holed[15:18]), (3, torn),
                       (4, two)):
        assert (out / f"{sid:016x}.jsonl").read_bytes() == b"".join(lines)
    (a / f"{4:016x}.jsonl").unlink()
    (b / f"{4:016x}.jsonl").unlink()
    assert asked(tool, "merge", a, b, "-o", tmp_path / "again")[0] == 3
    code, _, errors = asked(tool, "merge", a, b, "-o", tmp_path / "again")
    assert (code, errors) == (2, f"merge: {tmp_path / 'again'}: has runs already\n")
    kept = {path: path.read_bytes() for path in a.iterdir()}
    assert asked(tool, "merge", a, b, "-o", a)[0] == 2
    assert {path: path.read_bytes() for path in a.iterdir() if path in kept} == kept
    for arguments in ((a, tmp_path / "none"), (tmp_path / "none",)):
        code, _, errors = asked(tool, "merge", *arguments, "-o", tmp_path / "new")
        assert (code, errors) == (2, f"merge: {tmp_path / 'none'}: No such file or directory\n")


def test_folder_that_fails(tool, tmp_path):
    """It is named, wherever it is among them: what cannot be opened, and what cannot be read."""
    a, b, c = (tmp_path / name for name in "abc")
    lines = node.run_lines(1, UUID, 5)
    put(a, 1, lines)
    put(b, 1, lines)
    put(c, 2, node.run_lines(2, UUID, 5))
    one = a / f"{1:016x}.jsonl"
    for make, why in ((lambda: one.symlink_to("nowhere"), "Too many levels of symbolic links"),
                      (one.mkdir, "Input/output error")):
        one.unlink()
        make()
        for command in (("merge", "-o", tmp_path / "out", a, b, c), ("fleet", a, b, c),
                        ("status", UUID, "--dir", a, "--dir", b, "--dir", c)):
            code, _, errors = asked(tool, *command)
            assert (code, errors) == (2, f"{command[0]}: {a}: {why}\n")
        if one.is_symlink():
            # A run of one folder is read later.
            code, _, errors = asked(tool, "merge", c, a, "-o", tmp_path / "other")
            assert (code, errors) == (2, f"merge: {a}: {why}\n")
            code, _, errors = asked(tool, "status", "another", "--dir", c, "--dir", a)
            assert (code, errors) == (2, f"status: {a}: {why}\n")


def test_which_is_latest(tool, tmp_path):
    """Over folders by the time of their collectors; within one by its index, whatever the clock."""
    a, b = tmp_path / "a", tmp_path / "b"
    for folder, sid, verdict in ((a, 1, "pass"), (b, 2, "fail"), (a, 3, "pass")):
        put(folder, sid, node.run_lines(sid, UUID, 5, verdict))
    entry(a, 1, 1000)
    entry(b, 2, 2000)
    entry(a, 3, 900)  # its clock was set back
    out = tmp_path / "out"
    assert asked(tool, "merge", b, a, "-o", out)[0] == 0
    for folders in ((a, b), (b, a), (out,)):
        options = [word for folder in folders for word in ("--dir", folder)]
        code, stated, errors = asked(tool, "status", UUID, *options, "--json")
        assert (code, errors) == (1, "")
        assert (json.loads(stated)["sid"], json.loads(stated)["runs"]) == (f"{2:016x}", 3)
        assert json.loads(stated)["guessed"] is False
    assert json.loads(asked(tool, "status", UUID, "--dir", a, "--json")[1])["sid"] == f"{3:016x}"


def test_collector_in_use(tool, tmp_path, collectors):
    """Its folder may be read, and not be written."""
    collectors("used")
    put(tmp_path / "a", 1, node.run_lines(1, UUID, 5))
    code, _, errors = asked(tool, "merge", tmp_path / "a", "-o", tmp_path / "used")
    assert code == 2 and "a collector uses it" in errors
    assert asked(tool, "merge", tmp_path / "a", tmp_path / "used", "-o", tmp_path / "b")[0] == 0
