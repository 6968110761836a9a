# SPDX-License-Identifier: BSD-2-Clause
"""
Each session is read as its pieces alone, in their order, or refused with the reason: by `runs`,
`compare` and `show`.
"""
import collections
import functools
import json
import subprocess

import dress
import machine as machines
import pytest
from pieces import KNOWN, OWN, RUNS
from sessions import SESSIONS

FLOOR = RUNS / "quiet.log"
LEAST = 80
# What the text around a piece decides.
AROUND = {"run", "file", "line", "command", "kernel"}
EACH = pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.name)
READ = pytest.mark.parametrize(
    "session", [session for session in SESSIONS
                if not (session.refused or session.damaged or OWN in session.pieces)],
    ids=lambda session: session.name)


def noisefloor(*arguments):
    done = subprocess.run([machines.BUILD / "noisefloor", *arguments], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def read(path):
    code, printed, complaints = noisefloor("runs", "--json", path)
    return code, json.loads(printed)["runs"], complaints


def compare(path):
    printed = noisefloor("compare", "--json", "--force", FLOOR, path)[1]
    return [{key: value for key, value in one.items() if key not in AROUND}
            for one in json.loads(printed)["compared"]]


def save(folder, text):
    path = folder / "session"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture
def alone(tmp_path_factory):
    """What a piece alone is read as."""
    return functools.partial(read_alone, tmp_path_factory.getbasetemp())


@functools.lru_cache(maxsize=None)
def read_alone(folder, text):
    (run,) = read(save(folder, text))[1]
    return {key: value for key, value in run.items() if key not in AROUND}


@functools.lru_cache(maxsize=None)
def compare_alone(folder, text):
    return compare(save(folder, text))


def check_figures(run, piece):
    """By what is written of it here."""
    longest, watched = run["max_ns"], run["exposure_ns"]
    assert (run["tool"], run["cores"]) == (piece.tool, piece.cores)
    if piece.unit_us is None:
        assert longest["high"] is None and longest["low"] <= piece.longest_us * 1000
    else:
        for bound in longest["low"], longest["high"]:
            assert abs(bound / 1000 - piece.longest_us) <= piece.unit_us + 1e-6, longest
    if piece.watched_s:
        assert (watched["low"], watched["high"]) == tuple(round(s * 1e9) for s in piece.watched_s)
    else:
        assert run["exposure"] != "stated" or piece.tool in ("FTQ", "FWQ", "P-SNAP")
    assert piece.missing <= set(run["notes"])


@pytest.mark.parametrize("name", KNOWN)
def test_pieces(name, tmp_path):
    code, (run,), complaints = read(save(tmp_path, KNOWN[name].text))
    assert (code, complaints) == (0, "")
    check_figures(run, KNOWN[name])


@EACH
def test_runs(session, tmp_path, alone):
    code, runs, complaints = read(save(tmp_path, session.text))
    complaints = complaints.replace(str(tmp_path), "")
    if session.refused:
        assert (code, runs) == (2, [])
        assert session.refused in complaints
        return
    assert session.remark in complaints
    assert (code != 0) == bool(session.remark)
    assert [run["tool"] for run in runs] == [piece.tool for piece in session.pieces], complaints
    if session.damaged:
        assert any({"damaged", "cut-off"} & set(run["notes"]) for run in runs)
        return
    for run, piece in zip(runs, session.pieces, strict=True):
        check_figures(run, piece)
        want = alone(piece.text)
        assert {key: run[key] for key in want} == want
    for key, values in ("command", session.commands), ("kernel", session.kernels):
        assert values is None or [run[key] for run in runs] == values


@READ
def test_compare(session, tmp_path, tmp_path_factory):
    """All figures, of each core and cause."""
    assert compare(save(tmp_path, session.text)) == [
        one for piece in session.pieces
        for one in compare_alone(tmp_path_factory.getbasetemp(), piece.text)]


@EACH
def test_limit(session, tmp_path):
    """One that a piece exceeds is never met; our own records are a floor, and none of an OS."""
    path = save(tmp_path, session.text)
    worst = max((piece.longest_us - (piece.unit_us or piece.longest_us)
                 for piece in session.pieces), default=0)
    code = noisefloor("compare", "--force", "--max", f"{max(worst - .002, .001) * 1000:.0f}ns",
                      FLOOR, path)[0]
    assert code == 2 if session.refused or OWN in session.pieces else code != 0


@EACH
def test_show(session, tmp_path):
    """What has none of our own records is refused, with the reason."""
    code, printed, complaints = noisefloor("show", save(tmp_path, session.text))
    if OWN in session.pieces:
        assert code == 0 and "verdict: none" in printed
    else:
        assert (code, printed) == (2, "")
        assert "no noisefloor record" in complaints or "empty" in complaints


WAYS = (str, dress.quoted, dress.ts, dress.journalctl, dress.container, dress.jenkins, dress.lava,
        dress.crlf, dress.tmux, dress.screen, dress.page, dress.terminal,
        lambda text: dress.mail(text, "quoted-printable"), lambda text: dress.mail(text, "base64"))


@pytest.mark.parametrize("name", KNOWN)
def test_pairs(name, tmp_path, alone):
    """With any output of another tool behind it."""
    first, read_any = KNOWN[name], 0
    for n, (other, second) in enumerate(KNOWN.items()):
        if first.tool == second.tool or {"osnoise", "timerlat"} == {first.tool, second.tool}:
            continue  # its rows, or events, may be of one run
        text = WAYS[n % len(WAYS)](f"{first.text}root@rack7:~# ./again\n{second.text}")
        runs, complaints = read(save(tmp_path, text))[1:]
        got = [{key: value for key, value in run.items() if key not in AROUND} for run in runs]
        if "not understood" not in complaints:
            assert got == [alone(first.text), alone(second.text)], (other, complaints)
            read_any += 1
    assert read_any >= 20


def test_enough():
    """Each tool's output is in two sessions at least."""
    assert len(SESSIONS) >= LEAST
    assert len({session.name for session in SESSIONS}) == len(SESSIONS)
    tools = collections.Counter(
        tool for session in SESSIONS for tool in {piece.tool for piece in session.pieces})
    assert not {piece.tool: tools[piece.tool] for piece in KNOWN.values() if tools[piece.tool] < 2}
    refused, damaged = (sum(bool(value) for value in values) for values in zip(
        *((session.refused, session.damaged) for session in SESSIONS)))
    print(f"{len(SESSIONS)} sessions: {len(SESSIONS) - refused - damaged} read, {damaged} with a "
          f"loss that is reported, {refused} refused")
