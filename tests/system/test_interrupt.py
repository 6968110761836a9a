# SPDX-License-Identifier: BSD-2-Clause
"""Ctrl-C ends `tests/run` at once, with all that it started."""
import os
import pathlib
import signal
import subprocess

import patience
import pytest
from collecting import wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.full
TEST = """import subprocess
def test_sleeps():
    with subprocess.Popen(["sleep", "600"]) as sleeper:
        open({started!r}, "a").write(f"{{sleeper.pid}}\\n")
"""


def pids(started):
    return [int(line) for line in started.read_text().split()] if started.exists() else []


def is_over(pid):
    """Gone, or waiting for a parent that is."""
    try:
        stat = (pathlib.Path("/proc") / str(pid) / "stat").read_text()
        return stat.rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.fixture
def started(tmp_path):
    """Where each sleeper leaves its PID."""
    return tmp_path / "started"


def interrupted(arguments, started, wanted):
    """What tests/run prints when Ctrl-C comes once as many as wanted sleep; each has ended."""
    process = subprocess.Popen(
        [ROOT / "tests" / "run", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL, text=True, start_new_session=True,
    )
    try:
        wait_for(lambda: len(pids(started)) >= wanted)
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=patience.HANG_SECONDS)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130, output
    wait_for(lambda: all(map(is_over, pids(started))))
    return output


@pytest.mark.parametrize("workers", ["0", "2"])
def test_pytest(started, tmp_path, workers):
    (tmp_path / "test_sleep.py").write_text(TEST.format(started=str(started)))
    arguments = ["--build", tmp_path, "--workers", workers, "--pytest", tmp_path]
    output = interrupted(arguments, started, 1)
    assert output.splitlines()[-1].startswith("SIGINT: ")
