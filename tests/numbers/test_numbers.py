# SPDX-License-Identifier: BSD-2-Clause
"""Every number that `noisefloor show --json` has of five recorded runs, computed from the records
by what docs/ state: without the tool's code."""
import copy
import json
import pathlib
import re
import subprocess

import independent
import machine as machines
import pytest
import records

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = "tests/data/numbers"
RUNS = ("smis", "cores", "services", "stretch", "ladder")


def file_of(name):
    return f"{DATA}/{name}.log"


def records_of(data):
    """All of one run, up to its `end`."""
    lines = records.find(data)
    assert [line["seq"] for line in lines] == list(range(len(lines)))
    assert lines[-1]["type"] == "end"
    return records.join(lines)


def own_of(name):
    """Numbers computed independently from a run."""
    data = (ROOT / file_of(name)).read_bytes()
    return independent.document(records_of(data), data)


def show(*arguments):
    done = subprocess.run(
        [machines.BUILD / "noisefloor", "show", *arguments], cwd=ROOT, capture_output=True,
        text=True, check=False,
    )
    assert not done.stderr, done.stderr
    return done.stdout


def document_of(name):
    """The document that `show` prints of a run, with the records in it."""
    document = json.loads(show("--json", file_of(name)))
    document["runs"][0]["records"] = records_of(show("--jsonl", file_of(name)).encode())
    return document


def wrong(document, own):
    """Numbers that differ or were not computed, and those that are missing."""
    there = dict(independent.leaves(document))
    for path, value in there.items():
        if path not in own and independent.is_number(value):
            yield f"{path}: {value} was not computed"
        elif path in own and not own[path] == value:
            yield f"{path}: {value}, computed {own[path]}"
    for path, value in own.items():
        if path not in there and value is not None:
            yield f"{path}: is missing, computed {value}"


def changed(document):
    """The document with one number of its summary changed, and where."""
    for path, value in independent.leaves(document):
        if not independent.is_number(value) or ".records[" in path:
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
def test_json(name):
    """A number that is off by one is found, and by no other path than its own."""
    own, document = own_of(name), document_of(name)
    assert list(wrong(document, own)) == []
    for path, other in changed(document):
        assert [line.partition(": ")[0] for line in wrong(other, own)] == [path]


def test_a_number_that_was_not_computed():
    document = document_of("smis")
    document["runs"][0]["cores"][0]["more"] = {"of_it": 7}
    assert list(wrong(document, own_of("smis"))) == [
        "runs[0].cores[0].more.of_it: 7 was not computed"]
