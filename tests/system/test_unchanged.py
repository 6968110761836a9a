# SPDX-License-Identifier: BSD-2-Clause
"""Which tests of the tests' own tools `make test` skips, and when it no longer does."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

import sources
import unchanged
from environment import without_make

TESTS = pathlib.Path(unchanged.__file__).parent
pytestmark = pytest.mark.harness
CONFTEST = """
import os, pathlib, sys
sys.path[:0] = {paths!r}
import unchanged

def pytest_configure(config):
    config.addinivalue_line("markers", "harness: of the tools")
    stamp = pathlib.Path({stamp!r})
    writes = not hasattr(config, "workerinput")
    committed = pathlib.Path({committed!r}).exists
    config.pluginmanager.register(unchanged.Unchanged(stamp, os.environ["NOW"], writes, committed))
"""
CASES = """
import pathlib, pytest
bad = pathlib.Path({bad!r})

@pytest.mark.harness
def test_good():
    pass

@pytest.mark.harness
def test_other():
    assert not bad.exists()

@pytest.mark.harness
def test_cannot():
    pytest.skip("no such machine")

@pytest.fixture
def leaves():
    yield
    assert not bad.exists()

@pytest.mark.harness
def test_leaves(leaves):
    pass

def test_product():
    pass
"""
ALL = {"good": "PASSED", "other": "PASSED", "cannot": "SKIPPED", "leaves": "PASSED",
       "product": "PASSED"}
NONE = ALL | {"good": "SKIPPED", "other": "SKIPPED", "leaves": "SKIPPED"}


@pytest.fixture(name="outcomes", params=["0", "2"], ids=["alone", "workers"])
def fixture_outcomes(tmp_path, request):
    """outcomes(now): of each test by its name, where the tools' digest is `now`."""
    paths = [str(TESTS), str(TESTS / "lint")]
    stamp = str(tmp_path / "stamp")
    committed = str(tmp_path / "committed")
    (tmp_path / "conftest.py").write_text(
        CONFTEST.format(paths=paths, stamp=stamp, committed=committed))
    (tmp_path / "test_it.py").write_text(CASES.format(bad=str(tmp_path / "bad")))

    def outcomes(now):
        done = subprocess.run(
            [sys.executable, "-B", "-m", "pytest", "-vrs", "-p", "no:cacheprovider",
             f"--numprocesses={request.param}", tmp_path],
            cwd=tmp_path, env={**os.environ, "NOW": now}, capture_output=True, text=True)
        of_pytest = "PASSED|FAILED|SKIPPED|ERROR"
        alone = re.findall(rf"::test_(\w+) ({of_pytest})", done.stdout)
        beside = re.findall(rf"({of_pytest}) test_it.py::test_(\w+)", done.stdout)
        found = dict(alone) | {name: outcome for outcome, name in beside}
        assert "SKIPPED" not in found["good"] or unchanged.REASON in done.stdout
        return found

    return outcomes


def test_what_passed_is_skipped_until_the_tools_change(outcomes):
    assert outcomes("one") == ALL
    assert outcomes("one") == NONE
    assert outcomes("two") == ALL


def test_what_failed_runs_again(outcomes, tmp_path):
    (tmp_path / "bad").touch()
    first = outcomes("one")
    assert (first["other"], first["leaves"]) == ("FAILED", "ERROR")
    (tmp_path / "bad").unlink()
    assert outcomes("one") == NONE | {"other": "PASSED", "leaves": "PASSED"}
    assert outcomes("one") == NONE


def test_as_committed_they_are_skipped_until_they_change(outcomes, tmp_path):
    (tmp_path / "committed").touch()
    assert outcomes("one") == NONE
    assert outcomes("one") == NONE
    assert outcomes("two") == ALL


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b"\xff", b'{"digest":"one","passed":1}',
                                  b'{"digest":"one","passed":[],"committed":1}'])
def test_a_damaged_stamp_skips_nothing(outcomes, tmp_path, text):
    (tmp_path / "committed").touch()
    (tmp_path / "stamp").write_bytes(text)
    assert outcomes("one") == ALL


def commit(folder):
    git = ["git", "-C", folder, "-c", "user.name=n", "-c", "user.email=n@localhost"]
    subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "-qm", "all"], check=True)


@pytest.fixture(name="tree")
def fixture_tree(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    # The folder may be in a build, which the repository above does not list.
    subprocess.run(["git", "init", "-q", tmp_path], check=True)

    def put(path, text):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    for path in ("qemu/guest.py", "mk/apt.sh", "tests/run", "core/text.c", "Makefile"):
        put(path, "")
    return put


@pytest.mark.parametrize("path", ["qemu/guest.py", "qemu/new", "mk/apt.sh", "tests/run",
                                  "tests/lint/words.py", "tests/system/test_new.py", "Makefile"])
def test_the_tools_make_the_digest(tree, path):
    before = unchanged.digest()
    tree(path, "changed")
    assert unchanged.digest() != before


@pytest.mark.parametrize("path", ["core/text.c", "tests/unit/core/test_text.c", "docs/howto.md"])
def test_the_product_does_not(tree, path):
    before = unchanged.digest()
    tree(path, "changed")
    assert unchanged.digest() == before


def test_tools_as_they_were_committed(tree, tmp_path):
    assert not unchanged.is_committed()
    commit(tmp_path)
    assert unchanged.is_committed()
    tree("core/text.c", "changed")
    tree("core/new.c", "")
    assert unchanged.is_committed()


@pytest.mark.parametrize("path", ["qemu/guest.py", "qemu/new", "tests/run"])
def test_a_tool_that_is_not_committed(tree, tmp_path, path):
    commit(tmp_path)
    tree(path, "changed")
    assert not unchanged.is_committed()
    subprocess.run(["git", "-C", tmp_path, "add", "--all"], check=True)
    assert not unchanged.is_committed()


def test_where_git_knows_nothing(tree, tmp_path):
    (tmp_path / ".git").rename(tmp_path / "other")
    assert not unchanged.is_committed()


def test_another_emulator_does(tree, tmp_path):
    program = tmp_path / "qemu-system"
    gone = unchanged.digest([program])
    program.write_text("one")
    first = unchanged.digest([program])
    program.write_text("another")
    assert len({gone, first, unchanged.digest([program])}) == 3


@pytest.mark.parametrize("goal, skips", [
    (["test"], True), (["test-system"], True), (["test", "TALLY=x"], False), (["test-all"], False),
])
def test_goals_that_skip(goal, skips):
    done = subprocess.run(["make", "-n", *goal], cwd=TESTS.parent, capture_output=True, text=True,
                          env=without_make("TALLY", "AFTER"), check=True)
    assert ("--unless-passed" in done.stdout) is skips
    assert done.stdout.count("tests/run ") == 1
