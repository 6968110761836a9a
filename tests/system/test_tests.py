# SPDX-License-Identifier: BSD-2-Clause
"""The tests' own tools: what is counted, what ends a program, and what an interrupt leaves."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from collecting import wait_for
from ran import ran

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import patience  # noqa: E402
import programs  # noqa: E402

pytestmark = pytest.mark.full


def run_tests(folder, text, *arguments, code=0):
    """(all lines but the last, the last) of a file of tests."""
    (folder / "test_a.py").write_text(text)
    done = ran(ROOT / "tests" / "run", "--build", folder, "--workers", "0", *arguments, "--pytest",
               "--confcutdir", folder, folder)
    assert done.returncode == code, done.stdout + done.stderr
    *lines, last = done.stdout.splitlines()
    return "\n".join(lines), last


# Counting of tests


def test_each_test_is_counted_once(tmp_path):
    one, two = "def test_one(): pass\n", "def test_two(): assert False, 'because'\n"
    tally = tmp_path / "tally"
    assert run_tests(tmp_path, one, "--tally", tally)[1] == "1 passed, 0 failed"
    printed, last = run_tests(tmp_path, one + two, "--after", tally, "--tally", tally, code=1)
    assert last == "1 passed, 1 failed" and "test_two: AssertionError: because" in printed
    # A test that failed once has failed.
    good = two.replace("False", "True")
    assert run_tests(tmp_path, good, "--after", tally, code=1)[1] == "1 passed, 1 failed"
    assert sorted(json.loads(tally.read_text()).values()) == ["failed", "passed"]


@pytest.mark.parametrize("text, why", [
    ("", "ran no test"), ("import os\ndef test_one(): os._exit(3)\n", "no results"),
], ids=["nothing", "no end"])
def test_nothing_is_no_success(tmp_path, text, why):
    printed, last = run_tests(tmp_path, text, code=1)
    assert why in printed and last == "0 passed, 1 failed"


# Tests in C that go more rounds

ROUNDS = """#include "tests/unit/rounds.h"
#define MANY rounds(3, 30)

static void try_many(unsigned first,
		     unsigned step)
{
	while (first < MANY)
		first += step;
}

static void try_one(void)
{
	try_another();
}

TEST(test_one)
{
	try_one();
}

TEST_F(NULL, forget, test_many)
{
	try_many(1, 2);
}
"""


def test_rounds_are_those_of_a_test_alone():
    tests = programs.TEST.findall(ROUNDS)
    assert [test for test in tests if test in programs.with_rounds(ROUNDS)] == ["test_many"]
    assert tests == ["test_one", "test_many"]
    assert not programs.with_rounds(ROUNDS.replace("/rounds.h", "/other.h"))


# Output of a program of C tests

CASE = '<testcase name="{}" time="0.100" >{}</testcase>'
FAILED = "<failure><![CDATA[1 != 2]]></failure>"


def part(name, text, how="well"):
    return f"## {name}: begins\n{text}\n## {name}: ends: {how}\n"


def cases(*names, bad=()):
    return "".join(CASE.format(name, FAILED if name in bad else "") + "\n" for name in names)


def outcome(out, test, err="", ended=None):
    found, _, text = programs.Outcomes(out, err, ended).get("a.c", test)
    return found, text


def test_an_assertion_fails_its_test():
    out = part("a.c", cases("x", "y", bad="y"))
    assert outcome(out, "x") == ("passed", "")
    found, text = outcome(out, "y", part("a.c", "of fail_msg()"))
    assert found == "failed" and "1 != 2" in text and "of fail_msg()" in text


def test_a_crash_fails_its_test_alone():
    out = part("a.c", "", "signal 11") + part("a.c::x", cases("x")) + part("a.c::y", "", "signal 6")
    assert outcome(out, "x")[0] == "passed"
    found, text = outcome(out, "y", part("a.c::y", "AddressSanitizer"))
    assert found == "failed" and "ended by signal 6" in text and "AddressSanitizer" in text


def test_what_only_happens_together_fails_all():
    """A leak is found at the end; alone, each case ends well."""
    out = part("a.c", cases("x", "y"), "status 23")
    out += part("a.c::x", cases("x")) + part("a.c::y", cases("y"))
    assert {outcome(out, test)[0] for test in "xy"} == {"failed"}
    assert "status 23" in outcome(out, "x")[1]


def test_what_did_not_run_has_failed():
    assert outcome(part("a.c", cases("x")), "y")[0] == "failed"
    found, text = outcome("## a.c: begins\n", "x", ended="killed after 9 s")
    assert found == "failed" and "killed after 9 s" in text
    errors = '<testsuite name="a.c" time="0" tests="1" errors="1" >'
    assert outcome(part("a.c", errors + cases("x")), "x")[0] == "failed"


def test_a_skipped_test_and_a_stray_one():
    out = part("a.c", CASE.format("x", "<skipped/>"))
    assert outcome(out, "x")[0] == "skipped"
    assert programs.Outcomes(out, "", None).stray("a.c", {"y"}) == ["x"]


# Limits that end a process


def test_waiting_for_a_processor_does_not_count():
    """Four that want one processor: each has a quarter of the seconds."""
    busy = ["taskset", "-c", str(min(os.sched_getaffinity(0))), "sh", "-c", "while :; do :; done"]
    started = [subprocess.Popen(busy) for _ in range(4)]
    try:
        clock, begin = patience.Clock(started[0].pid), time.monotonic()
        wait_for(lambda: clock.seconds() < 0.4 * (time.monotonic() - begin))
    finally:
        for process in started:
            process.kill()
            process.wait()


# Processes after an interrupt


LEAVES = """
import subprocess
def test_leaves():
    subprocess.run(["sh", "-c", '''(setsid sh -c 'trap "" INT TERM HUP
        echo $$ >>{pids}; sleep 1000; :' &)
        echo $$ >>{pids}; sleep 1000; :'''])
"""


def test_an_interrupt_leaves_nothing(tmp_path):
    """Not even what has another session and no parent: pytest, two shells, what they sleep in."""
    pids = tmp_path / "pids"
    (tmp_path / "test_a.py").write_text(LEAVES.format(pids=pids))
    with subprocess.Popen(
        [ROOT / "tests" / "run", "--build", tmp_path, "--workers", "0", "--pytest", "--confcutdir",
         tmp_path, tmp_path], stdout=subprocess.PIPE, text=True
    ) as process:
        wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 2)
        process.send_signal(signal.SIGTERM)
        printed, _ = process.communicate()
    assert process.returncode == 128 + signal.SIGTERM and "SIGTERM: all" in printed
    assert not any(pathlib.Path("/proc", pid).exists() for pid in pids.read_text().split())
