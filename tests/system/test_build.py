# SPDX-License-Identifier: BSD-2-Clause
"""make and what it is given; BUILD names the folder of all that is written."""
import json
import pathlib
import subprocess

import pytest
import test_docs
from environment import without_make
from ran import ran

ROOT = test_docs.ROOT
MADE_OF_ONE = ("core/config/config.c", "efi/main.c", "host/main.c")
CLEAN = without_make("BUILD")


def run(*argv, cwd=ROOT, **environment):
    return ran(*argv, cwd=cwd, env={**CLEAN, **environment}, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("name", ["BUILD", "SIGNED", "IMAGE_CONF", "FONT_FILE", "DESTDIR"])
def test_a_name_with_a_blank_is_refused(name, tmp_path):
    """Make would take such a name for two, and remove or write one or the other."""
    done = run("make", "-n", "install", f"{name}={tmp_path}/a b")
    assert done.returncode == 2 and not done.stdout
    folder = tmp_path
    if name == "BUILD" and folder.is_relative_to(ROOT):
        folder = folder.relative_to(ROOT)  # make's name for it
    assert f"{name}={folder}/a b: make cannot take a name with a blank in it" in done.stderr


def test_no_name_is_refused():
    done = run("make", "-n", "clean", "BUILD=")
    assert done.returncode == 2 and "BUILD= is empty" in done.stderr


@pytest.mark.parametrize("name", ["a tree", "tree"])
def test_a_name_in_the_tree_is_one(name, tmp_path):
    """Relative and absolute, which is how tests and other makes give it."""
    tree = tmp_path / name
    test_docs.copy_sources(tree)
    for build in ("out", tree / "out"):
        done = run("make", "-n", "clean", f"BUILD={build}", cwd=tree)
        assert (done.returncode, done.stdout) == (0, "rm -rf out\n"), done.stderr


def files(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*"))


@pytest.mark.full
def test_compile_commands_are_in_the_build(tmp_path):
    tree, build = tmp_path / "tree", tmp_path / "out"
    test_docs.copy_sources(tree)
    before = files(tree)
    done = run("make", "compile_commands.json", f"BUILD={build}", cwd=tree)
    assert done.returncode == 0, done.stderr
    assert files(tree) == before
    entries = json.loads((build / "compile_commands.json").read_text())
    assert all(entry["directory"] == str(tree) for entry in entries)
    assert set(MADE_OF_ONE) <= {entry["file"] for entry in entries}


@pytest.mark.parametrize("relative", [False, True])
def test_runner_takes_the_application_of_the_build(tmp_path, relative):
    """A folder in its place is no application, and is not made either."""
    (tmp_path / "out" / "noisefloor.efi").mkdir(parents=True)
    build = pathlib.Path("out") if relative else tmp_path / "out"
    done = run(ROOT / "qemu" / "run", cwd=tmp_path, BUILD=str(build))
    assert done.returncode == 2
    assert f"there is no {build / 'noisefloor.efi'}" in done.stderr
