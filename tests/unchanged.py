# SPDX-License-Identifier: BSD-2-Clause
"""Tests of the tests' own tools need not run again while those are as they were.

The tests marked `harness` are about qemu/, mk/, tests/run and tests/lint, not about the product. A
stamp in the build has those that passed, and a digest of all that they depend on. With
`--unless-passed STAMP` they are skipped, with that reason, as long as the digest is the same; one
that failed or was skipped runs again. `make test` does so, test-all and .ci/run do not.
"""
import hashlib
import json
import os
import platform

import pytest

import sources

MARK = "harness"
REASON = "what it tests is as it was when it passed; test-all runs it"
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


class Unchanged:
    """A plugin of pytest: in each worker it skips, and in the process above it writes the stamp."""

    def __init__(self, stamp, now, writes):
        self._stamp, self._now, self._writes = stamp, now, writes
        self._passed = self._read()

    def _read(self):
        try:
            kept = json.loads(self._stamp.read_text())
            return set(kept["passed"]) if kept["digest"] == self._now else set()
        except (OSError, ValueError, KeyError, TypeError):
            return set()

    def pytest_collection_modifyitems(self, items):
        for item in items:
            if item.get_closest_marker(MARK) and item.nodeid in self._passed:
                item.add_marker(pytest.mark.skip(reason=REASON))

    def pytest_runtest_logreport(self, report):
        if MARK in report.keywords and report.failed:
            self._passed.discard(report.nodeid)
        elif MARK in report.keywords and report.passed and report.when == "call":
            self._passed.add(report.nodeid)

    def pytest_sessionfinish(self):
        if self._writes:
            part = self._stamp.with_suffix(".part")
            part.write_text(json.dumps({"digest": self._now, "passed": sorted(self._passed)}))
            part.rename(self._stamp)
