# SPDX-License-Identifier: BSD-2-Clause
"""make and the names that it is given."""
import os
import subprocess

import pytest
import test_docs

ROOT = test_docs.ROOT
CLEAN = {name: value for name, value in os.environ.items() if name not in test_docs.MAKES}


def run(*argv, cwd=ROOT, **environment):
    return subprocess.run(argv, cwd=cwd, env={**CLEAN, **environment}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)


@pytest.mark.parametrize("name", ["BUILD", "SIGNED", "IMAGE_CONF", "FONT_FILE", "DESTDIR"])
def test_a_name_with_a_blank_is_refused(name, tmp_path):
    """Or else make would take it for two, and remove or write the one or the other."""
    done = run("make", "-n", "install", f"{name}={tmp_path}/a b")
    assert done.returncode == 2 and not done.stdout
    assert f"{name}={tmp_path}/a b: make cannot take a name with a blank in it" in done.stderr


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
