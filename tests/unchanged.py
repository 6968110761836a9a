# SPDX-License-Identifier: BSD-2-Clause
"""Tests of the tests' own tools need not run again while those are as they were.

The tests marked `harness` are about qemu/, mk/, tests/run and tests/lint, not about the product. A
stamp in the build has those that passed, and a digest of all that they depend on. With
`--unless-passed STAMP` they are skipped, with that reason, as long as the digest is the same; one
that failed or was skipped runs again. On a clone without a stamp, whose tools are as they were
committed, they are skipped as well. `make test` does so, test-all and .ci/run do not.
"""
import hashlib
import json
import os
import pathlib
import platform
import subprocess

import pytest

import sources

MARK = "harness"
REASON = "what it tests is as it was when it passed, or was committed; test-all runs it"
FOLDERS = ("qemu", "mk", "tests/lint", "tests/inject", "tests/machines")
# And what they are run with.
FILES = ("Makefile", "tests/run", "tests/pytest.ini", "tests/system/puppet.c")


def depends(path):
    """Whether the outcome may depend on this file of the tree."""
    return (
        str(path) in FILES
        or any(str(path).startswith(f"{folder}/") for folder in FOLDERS)
        or path.suffix == ".py" and path.parts[0] == "tests"
    )


def digest(others=()):
    """Of those files, and of others, on this system, by their size and time."""
    whole = hashlib.sha256(platform.python_version().encode())
    for path in filter(depends, sources.files()):
        content = (sources.ROOT / path).read_bytes()
        whole.update(f"{path} {len(content)}\n".encode() + content)
    for path in others:
        stat = os.stat(path) if os.path.exists(path) else None
        whole.update(f"{path} {stat and (stat.st_size, stat.st_mtime_ns)}\n".encode())
    return whole.hexdigest()


def is_committed():
    """Whether git has each of those files as it is."""
    status = subprocess.run(
        ["git", f"--git-dir={sources.ROOT}/.git", f"--work-tree={sources.ROOT}", "status",
         "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"],
        cwd=sources.ROOT, capture_output=True, text=True, check=False)
    changed = [pathlib.Path(line[3:]) for line in status.stdout.split("\0") if line]
    return status.returncode == 0 and not any(map(depends, changed))


class Unchanged:
    """A plugin of pytest: in each worker it skips, and in the process above it writes the stamp."""

    def __init__(self, stamp, now, writes, is_committed=is_committed):
        self._stamp, self._now, self._writes = stamp, now, writes
        self._passed, self._committed = set(), False
        if stamp.exists():
            self._read()
        else:
            self._committed = is_committed()

    def _read(self):
        try:
            kept = json.loads(self._stamp.read_text())
            if kept["digest"] == self._now:
                self._passed, self._committed = set(kept["passed"]), kept["committed"] is True
        except (OSError, ValueError, KeyError, TypeError):
            pass

    def pytest_collection_modifyitems(self, items):
        for item in items:
            if item.get_closest_marker(MARK) and (self._committed or item.nodeid in self._passed):
                item.add_marker(pytest.mark.skip(reason=REASON))

    def pytest_runtest_logreport(self, report):
        if MARK in report.keywords and report.failed:
            self._passed.discard(report.nodeid)
        elif MARK in report.keywords and report.passed and report.when == "call":
            self._passed.add(report.nodeid)

    def pytest_sessionfinish(self):
        if self._writes:
            part = self._stamp.with_suffix(".part")
            part.write_text(json.dumps({"digest": self._now, "passed": sorted(self._passed),
                                        "committed": self._committed}))
            part.rename(self._stamp)
