# SPDX-License-Identifier: BSD-2-Clause
"""
The outputs of other tools in tests/data/peers, on their way from a terminal to whoever reads them:
each is read by `compare` as it is alone, or refused with the reason. What broke or encoded its text
is not undone: nothing of it is read. tests/data/tools has what each is alone.
"""
import json
import pathlib
import subprocess

import dress
import machine as machines
import pytest

PEERS = pathlib.Path(__file__).resolve().parents[1] / "data/peers"
FLOOR = PEERS.parent / "runs/quiet.log"
OUTPUTS = sorted(path for path in PEERS.rglob("*") if path.suffix not in ("", ".md")
                 and "redraw" not in path.name and "no-header" not in path.name)
PROMPT = "root@rack7:~# "
# The members that depend on the text around an output.
AROUND = {"run", "file", "line", "command"}


def noisefloor(*arguments):
    done = subprocess.run([machines.BUILD / "noisefloor", *arguments], capture_output=True,
                          text=True, check=False)
    return json.loads(done.stdout)


def save(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def of_file(rows, path):
    return [{key: without_unit(value) for key, value in row.items() if key not in AROUND}
            for row in rows if row["file"] == str(path)]


def without_unit(value):
    """A command line before the output has it."""
    if not isinstance(value, list):
        return value
    return [one for one in value
            if "unit-assumed" not in (one, isinstance(one, dict) and one.get("name"))]


def complaints(document, path):
    return " ".join(row["text"] for row in document["complaints"] if row["file"] == str(path))


@pytest.fixture(scope="module", name="outputs")
def fixture_outputs(tmp_path_factory):
    """outputs(way): of each output, what it alone is read as, and what it is in that way."""
    folder = tmp_path_factory.mktemp("ways")

    def read_all(name, way):
        paths = [save(folder / f"{name}-{path.name}", way(path.read_text())) for path in OUTPUTS]
        printed = noisefloor("compare", "--json", "--force", FLOOR, *paths)
        return [(of_file(printed["compared"], path), complaints(printed, path)) for path in paths]

    alone = [read for read, _ in read_all("alone", str)]
    return lambda way: zip(OUTPUTS, alone, read_all("way", way), strict=True)


def some(ways):
    return [pytest.param(way, id=name, marks=[pytest.mark.full] * bool(n % 3))
            for n, (name, way) in enumerate(ways.items())]


@pytest.mark.parametrize("way", some(dress.KEPT))
def test_kept(way, outputs):
    """A prefix is taken off, and what stands around an output is left out."""
    for path, alone, (read, complained) in outputs(way):
        assert alone and (read, complained) == (alone, ""), path.name


@pytest.mark.parametrize("way", some(dress.CHANGED))
def test_changed(way, outputs):
    any_read = False
    for path, alone, (read, complained) in outputs(way):
        assert read == alone or (read == [] and complained), (path.name, complained)
        any_read |= bool(read)
    assert any_read or way not in dress.READ


@pytest.mark.parametrize("between", ["", f"^C\n{PROMPT}uname -a\n{PROMPT}"], ids=["cat", "shell"])
def test_one_behind_the_other(tmp_path, between):
    """Each with the next, and noisefloor's own records before and behind: two are read. What is
    glued to a row without a word between may be refused; a trace without a head goes on with the
    one before it."""
    paths = [path for path in (*OUTPUTS, FLOOR) if "osnoise-figure" not in path.name]
    joined = {save(tmp_path / f"{n}.txt", first.read_text() + between + second.read_text()):
              (first, second)
              for n, (first, second) in enumerate(zip(paths, [*paths[1:], paths[0]]))}
    printed = noisefloor("compare", "--list", "--json", *joined, *paths)
    for path, (first, second) in joined.items():
        wanted = of_file(printed["runs"], first) + of_file(printed["runs"], second)
        found = of_file(printed["runs"], path), complaints(printed, path)
        assert found == (wanted, "") or (not between and not found[0] and found[1]), path
