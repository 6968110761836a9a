# SPDX-License-Identifier: BSD-2-Clause
"""
Each session is read as its pieces alone, in their order, or refused with the reason, by
`compare`. What broke or encoded the text of one is not undone: nothing of it is read.
One process reads all texts, another compares them.
"""
import collections
import json
import re
import subprocess

import dress
import machine as machines
import pytest
from pieces import KNOWN, OWN, PEERS, RUNS
from sessions import SESSIONS

FLOOR = RUNS / "quiet.log"
LEAST = 80
# The members that depend on the text around a piece.
AROUND = {"run", "file", "line", "command"}
SAVE = "nothing of the file is: save the tool's own output"
# Sessions in which nothing is broken or encoded, so that they are read.
WHOLE = {session.name for session in SESSIONS if not re.search(
    r"mail|page|LAVA|tar |column|remark|emphasis|torn|compose|cut|blanks|UTF-16|cnf-tests|JSON|"
    r"without its head|attachments|fences|pdsh", session.name)}


def each(sessions, some=None):
    """With a `some`th of them in `make test`."""
    cases = sessions if some is None else [
        session if n % some == 0 else pytest.param(session, marks=pytest.mark.full)
        for n, session in enumerate(sessions)]
    return pytest.mark.parametrize(
        "session", cases, ids=[session.name for session in sessions])


COMPARED = [session for session in SESSIONS
            if not (session.refused or session.damaged or OWN in session.pieces)]


def noisefloor(*arguments):
    done = subprocess.run([machines.BUILD / "noisefloor", *arguments], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def save(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def save_all(folder, texts):
    """{text: its file}"""
    return {text: str(save(folder / f"{n}.txt", text)) for n, text in enumerate(texts)}


def of_file(rows, path):
    return [row for row in rows if row["file"] == path]


def bare(rows):
    return [{key: without_unit(value) for key, value in row.items() if key not in AROUND}
            for row in rows]


def without_unit(value):
    """A command line before the piece has it."""
    if not isinstance(value, list):
        return value
    return [one for one in value
            if "unit-assumed" not in (one, isinstance(one, dict) and one.get("name"))]


@pytest.fixture(scope="module", name="read")
def fixture_read(tmp_path_factory):
    """read(text): its runs, and the complaints about it."""
    texts = [session.text for session in SESSIONS]
    texts += [piece.text for session in SESSIONS for piece in session.pieces]
    texts += [piece.text for piece in KNOWN.values()]
    paths = save_all(tmp_path_factory.mktemp("read"), dict.fromkeys(texts))
    printed = json.loads(noisefloor("compare", "--list", "--json", *paths.values())[1])
    runs, complaints = collections.defaultdict(list), collections.defaultdict(list)
    for rows, of in (printed["runs"], runs), (printed["complaints"], complaints):
        for row in rows:
            of[row["file"]].append(row)
    return lambda text: (runs[paths[text]], " ".join(
        row["text"] for row in complaints[paths[text]]))


@pytest.fixture(scope="module", name="compare")
def fixture_compare(tmp_path_factory):
    """compare(text): all figures of its runs."""
    texts = [session.text for session in COMPARED]
    texts += [piece.text for session in COMPARED for piece in session.pieces]
    paths = save_all(tmp_path_factory.mktemp("compared"), dict.fromkeys(texts))
    printed = noisefloor("compare", "--json", "--force", FLOOR, *paths.values())[1]
    compared = json.loads(printed)["compared"]
    return lambda text: bare(of_file(compared, paths[text]))


@pytest.fixture(scope="module", name="alone")
def fixture_alone(read):
    """What a piece alone is read as."""

    def alone(text):
        (run,) = bare(read(text)[0])
        return run

    return alone


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
        assert run["exposure"] != "stated" or piece.tool in ("FTQ", "FWQ")
    assert piece.missing <= set(run["notes"])


@pytest.mark.parametrize("name", KNOWN)
def test_pieces(name, read):
    (run,), complaints = read(KNOWN[name].text)
    assert complaints == ""
    check_figures(run, KNOWN[name])


@each(SESSIONS)
def test_runs(session, read, alone):
    runs, complaints = read(session.text)
    if session.refused:
        assert runs == [] and (session.refused in complaints or SAVE in complaints)
        return
    if not runs and session.name not in WHOLE:
        assert complaints
        return
    assert session.remark in complaints
    lost = any({"damaged", "cut-off"} & set(run["notes"]) for run in runs)
    assert session.remark or not lost
    assert [run["tool"] for run in runs] == [piece.tool for piece in session.pieces], complaints
    if session.damaged:
        assert lost
        return
    for run, piece in zip(runs, session.pieces, strict=True):
        check_figures(run, piece)
        want = alone(piece.text)
        assert {key: bare([run])[0][key] for key in want} == want
    assert session.commands is None or [run["command"] for run in runs] == session.commands


@each(SESSIONS, some=20)
def test_exit_code(session, tmp_path):
    code = noisefloor("compare", "--list", save(tmp_path / "session", session.text))[0]
    if code != 2 or session.name in WHOLE:
        assert code == 2 if session.refused else bool(code) == bool(session.remark)


@each(COMPARED)
def test_compare(session, compare):
    """All figures, of each core and cause."""
    compared = compare(session.text)
    assert (not compared and session.name not in WHOLE) or compared == [
        one for piece in session.pieces for one in compare(piece.text)]


OUTPUTS = sorted(path for path in PEERS.rglob("*") if path.suffix not in ("", ".md")
                 and not re.search("redraw|no-header", path.name))


@pytest.fixture(scope="module", name="outputs")
def fixture_outputs(tmp_path_factory):
    """outputs(way): of each output, what it alone is read as, and what it is in that way."""
    folder = tmp_path_factory.mktemp("ways")

    def read_all(name, way):
        paths = [save(folder / f"{name}-{path.name}", way(path.read_text())) for path in OUTPUTS]
        printed = json.loads(noisefloor("compare", "--json", "--force", FLOOR, *paths)[1])
        return [(bare(of_file(printed["compared"], str(path))),
                 " ".join(row["text"] for row in of_file(printed["complaints"], str(path))))
                for path in paths]

    alone = [read for read, _ in read_all("alone", str)]
    return lambda way: zip(OUTPUTS, alone, read_all("way", way), strict=True)


def some(ways):
    return [pytest.param(way, id=name, marks=[pytest.mark.full] * bool(n % 3))
            for n, (name, way) in enumerate(ways.items())]


@pytest.mark.parametrize("way", some(dress.KEPT))
def test_kept(way, outputs):
    """A prefix is taken off, and what stands around an output is left out."""
    for path, alone, (read, complaints) in outputs(way):
        assert alone and (read, complaints) == (alone, ""), path.name


@pytest.mark.parametrize("way", some(dress.CHANGED))
def test_changed(way, outputs):
    for path, alone, (read, complaints) in outputs(way):
        assert read == alone or (read == [] and complaints), (path.name, complaints)


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
