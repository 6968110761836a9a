# SPDX-License-Identifier: BSD-2-Clause
"""Every number that `noisefloor show` has of five recorded runs, computed from the records."""
import copy
import json
import pathlib
import re
import subprocess

import capture
import figures
import independent
import machine as machines
import pytest
import shown

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = "tests/data/numbers"
RUNS = ("smis", "cores", "services", "stretch", "ladder")
DEFAULT = re.compile(r"^### (\w+)$.*?^Default: `(.*?)`", re.MULTILINE | re.DOTALL)


def file_of(name):
    return f"{DATA}/{name}.log"


def read(name):
    data = (ROOT / file_of(name)).read_bytes()
    return data, capture.records(data)


def show(*arguments):
    done = subprocess.run(
        [machines.BUILD / "noisefloor", "show", *arguments], cwd=ROOT, capture_output=True,
        text=True, check=False,
    )
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def document_of(name):
    """What `show` prints of a run: its document, with the records in it."""
    status, text = show("--json", file_of(name))
    document = json.loads(text)
    lines = show("--jsonl", file_of(name))[1].encode()
    document["runs"][0]["records"] = capture.records(lines)
    return status, document


def wrong(document, own):
    """Numbers that differ or were not computed, and those that are missing."""
    there = dict(figures.leaves(document))
    for path, value in there.items():
        if path not in own and figures.is_number(value):
            yield f"{path}: {value} was not computed"
        elif path in own and not own[path] == value:
            yield f"{path}: {value}, computed {own[path]}"
    for path, value in own.items():
        if path not in there and value is not None:
            yield f"{path}: is missing, computed {value}"


@pytest.mark.parametrize("name", RUNS)
def test_json(name):
    data, records = read(name)
    status, document = document_of(name)
    assert list(wrong(document, figures.document(records, data))) == []
    verdict = shown.verdict(figures.Run(records))[0]
    assert verdict == document["runs"][0]["verdict"]
    assert status == (verdict == "fail")


@pytest.mark.parametrize("name", RUNS)
def test_json_by_the_documents(name):
    """By a computation that was written from docs/ and these captures, without the code."""
    data, records = read(name)
    own = independent.document(records, data)
    _, document = document_of(name)
    assert list(wrong(document, own)) == []
    for path, other in changed(document):
        assert [line.partition(": ")[0] for line in wrong(other, own)] == [path]


def changed(document):
    """The document with one number of its summary changed, and where."""
    for path, value in figures.leaves(document):
        if not figures.is_number(value) or ".records[" in path:
            continue
        other = copy.deepcopy(document)
        *steps, last = re.findall(r"\[(\d+)\]|([^.\[\]]+(?:\.99?)?)", path)
        at = other
        for index, key in steps:
            at = at[int(index) if index else key]
        index, key = last
        at[int(index) if index else key] = value + (0.01 if isinstance(value, float) else 1)
        yield path, other


@pytest.mark.parametrize("name", RUNS)
def test_each_number_matters(name):
    """One that is off by one is found, and by no other path than its own."""
    data, records = read(name)
    _, document = document_of(name)
    own = figures.document(records, data)
    for path, other in changed(document):
        assert [line.partition(": ")[0] for line in wrong(other, own)] == [path]


def test_a_number_that_was_not_computed():
    data, records = read("smis")
    _, document = document_of("smis")
    document["runs"][0]["cores"][0]["more"] = {"of_it": 7}
    assert list(wrong(document, figures.document(records, data))) == [
        "runs[0].cores[0].more.of_it: 7 was not computed"]


def test_a_damaged_record():
    data = (ROOT / file_of("smis")).read_bytes()
    with pytest.raises(ValueError, match="checksum"):
        capture.records(data.replace(b'"exposure_ns":', b'"exposure_ns":1', 1))
    with pytest.raises(ValueError, match="not of one whole run"):
        capture.records(data[: data.rindex(b'{"nf":1')])


def defaults():
    return dict(DEFAULT.findall((ROOT / "docs/keys.md").read_text()))


def odd(text, run, file):
    """Cells and lines that differ, were not computed, or are missing."""
    known = {"all", *figures.STAGES, *(r["kernel"] for r in run.of["stretch"]),
             *(r["service"] for r in run.of["service"])}
    cells, lines = shown.read(text, known)
    own = shown.cells(run)
    for place in cells.keys() | own.keys():
        if cells.get(place) != own.get(place):
            yield f"{place}: {cells.get(place)}, computed {own.get(place)}"
    ways = [line if isinstance(line, tuple) else (line,)
            for line in shown.lines(run, file, defaults())]
    ways = [[" ".join(line.split()) for line in way] for way in ways if re.search(r"\d", way[0])]
    for line in lines:
        found = next((way for way in ways if line in way), None)
        if found:
            ways.remove(found)
        else:
            yield f"{line!r} was not computed"
    yield from (f"{way[0]!r} is missing" for way in ways)


@pytest.mark.parametrize("name", RUNS)
def test_text(name):
    run = figures.Run(read(name)[1])
    assert list(odd(show(file_of(name))[1], run, file_of(name))) == []


@pytest.mark.parametrize("name", RUNS)
def test_each_printed_number_matters(name):
    """A digit that is another, in whatever line, is found."""
    run = figures.Run(read(name)[1])
    lines = show(file_of(name))[1].splitlines()
    for n, line in enumerate(lines):
        digit = re.search(r"(?<!p)\d(?=[^\d]*$)", line)
        if not digit or line.split()[0] in shown.HEADS or line.endswith(".log"):
            continue
        at = digit.start()
        other = line[:at] + str((int(line[at]) + 5) % 10) + line[at + 1:]
        text = "\n".join(lines[:n] + [other] + lines[n + 1:])
        try:
            assert list(odd(text, run, file_of(name))), other
        except ValueError:  # two cells of one place
            pass
