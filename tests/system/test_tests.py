# SPDX-License-Identifier: BSD-2-Clause
"""The tests' own tools: what is counted, what ends a program, and what an interrupt leaves."""
import functools
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import types

import pytest

from collecting import wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "mk")]

import compile_commands  # noqa: E402
import descendants  # noqa: E402
import patience  # noqa: E402

pytestmark = pytest.mark.harness
SUITE = """<testsuites>
  <testsuite name="group" time="0.000" tests="1" failures="0" errors="0" skipped="0" >
    <testcase name="{name}" time="0.000" >{body}</testcase>
  </testsuite>
</testsuites>"""
FAILURE = "<failure><![CDATA[because]]></failure>"
ERRORS = "of fail_msg()"


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def program(folder, name, case, body="", status=0):
    """Acts as a cmocka program with one test."""
    printed = SUITE.format(name=case, body=body)
    return script(
        folder / name, f"echo '{ERRORS}' >&2\ncat <<'end'\n{printed}\nend\nexit {status}"
    )


def run_tests(*arguments, code=0):
    """(all lines but the last, the last)"""
    done = subprocess.run(
        [ROOT / "tests" / "run", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    *lines, last = done.stdout.splitlines()
    return "\n".join(lines), last


# What is counted


def test_each_test_is_counted_once(tmp_path):
    good = program(tmp_path, "test_a", "one")
    tally = tmp_path / "tally"
    assert run_tests("--unit", good, "--tally", tally)[1] == "1 passed, 0 failed"
    other = program(tmp_path, "test_b", "one")
    _, last = run_tests("--after", tally, "--unit", good, other, "--tally", tally)
    assert last == "2 passed, 0 failed"
    bad = program(tmp_path, "test_a", "one", FAILURE, status=1)
    printed, last = run_tests("--after", tally, "--unit", bad, "--tally", tally, code=1)
    assert last == "1 passed, 1 failed" and f"    because\n    {ERRORS}" in printed
    # What failed once has failed.
    good = program(tmp_path, "test_a", "one")
    assert run_tests("--after", tally, "--unit", good, code=1)[1] == "1 passed, 1 failed"
    assert json.loads(tally.read_text()) == {"test_a: one": "failed", "test_b: one": "passed"}


def test_nothing_is_no_success(tmp_path):
    assert run_tests(code=1)[1] == "0 passed, 1 failed"
    silent = script(tmp_path / "test_silent", "exit 0")
    printed, last = run_tests("--unit", silent, code=1)
    assert "test_silent: ran no test" in printed and last == "0 passed, 1 failed"


def test_rounds_are_handed_on(tmp_path):
    all_rounds = f'[ "$TEST_ROUNDS" = all ] && {program(tmp_path, "x", "y")}'
    asks = script(tmp_path / "test_asks", all_rounds)
    assert run_tests("--rounds", "all", "--unit", asks)[1] == "1 passed, 0 failed"
    assert run_tests("--unit", asks, code=1)[1] == "0 passed, 1 failed"


BESIDE = """
import pathlib, time

def test_meets_a_program():
    pathlib.Path("{here}").touch()
    deadline = time.monotonic() + 300
    while not pathlib.Path("{there}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert pathlib.Path("{there}").exists()
"""


def test_programs_run_beside_pytest(tmp_path):
    """Each waits for the other."""
    here, there = tmp_path / "here", tmp_path / "there"
    (tmp_path / "test_beside.py").write_text(BESIDE.format(here=here, there=there))
    waits = f"touch {there}; until [ -e {here} ]; do sleep 0.05; done"
    meets = script(tmp_path / "test_meets", f"{waits}; {program(tmp_path, 'x', 'y')}")
    seed = script(tmp_path / "fuzz_seed", "exit 0")
    arguments = ["--build", tmp_path, "--hang", "600", "--unit", meets, "--seeds", seed]
    printed, last = run_tests(*arguments, "--workers", "0", "--pytest", tmp_path)
    assert last == "3 passed, 0 failed"
    assert printed.endswith("test_meets: 1 tests\nfuzz_seed: 0 seeds")


# What ends a program


@pytest.mark.skipif(os.geteuid(), reason="only root may raise a priority")
def test_programs_give_way_until_pytest_has_ended(tmp_path):
    """The program prints how low it runs beside pytest, and ends once it runs as high as we do."""
    low = tmp_path / "low"
    passed = program(tmp_path, "passed", "one")
    until = 'until [ "$(nice)" {} {} ]; do sleep 0.1; done\n'
    lowered, raised = until.format("!=", os.nice(0)), until.format("=", os.nice(0))
    waits = f"{lowered}nice >{low}\n{raised}exec {passed}"
    test = tmp_path / "test_low.py"
    test.write_text(
        f"import pathlib, time\ndef test_low():\n"
        f"    while not pathlib.Path({str(low)!r}).exists(): time.sleep(0.1)\n"
    )
    arguments = ["--hang", "300", "--build", tmp_path, "--unit", script(tmp_path / "p", waits)]
    _, last = run_tests(*arguments, "--pytest", test)
    assert last == "2 passed, 0 failed"
    assert int(low.read_text()) == min(os.nice(0) + 10, 19)


def test_a_program_that_hangs_is_ended(tmp_path):
    hangs = script(tmp_path / "test_hangs", "exec sleep 1000")
    printed, last = run_tests("--hang", "1", "--unit", hangs, code=1)
    assert "test_hangs: still running after 1.0 s of its own, killed" in printed
    assert last == "0 passed, 1 failed"


@pytest.fixture(name="start")
def fixture_start():
    started = []

    def start(*argv):
        started.append(subprocess.Popen(argv, stdin=subprocess.DEVNULL))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_waiting_for_a_processor_does_not_count(start):
    """Four that want one processor: each has a quarter of the seconds."""
    cpu = str(min(os.sched_getaffinity(0)))
    busy = [start("taskset", "-c", cpu, "sh", "-c", "while :; do :; done") for _ in range(4)]
    clock, begin = patience.Clock(busy[0].pid), time.monotonic()
    wait_for(lambda: clock.seconds() < 0.4 * (time.monotonic() - begin))


def test_waiting_for_a_child_that_waits_does_not_count(start):
    """The children come and go, as where each test of a program is a process of its own."""
    cpu = str(min(os.sched_getaffinity(0)))
    for _ in range(3):
        start("taskset", "-c", cpu, "sh", "-c", "while :; do :; done")
    once = "i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done"
    parent = start("taskset", "-c", cpu, "sh", "-c", f"while :; do sh -c '{once}; :'; done").pid
    clock, begin = patience.Clock(parent, lambda: descendants.below(parent)), time.monotonic()
    wait_for(lambda: clock.seconds() < 0.4 * (time.monotonic() - begin))


@pytest.mark.parametrize("threads", [["1"], ["1", "2"]])
def test_a_wait_counts_once_it_has_ended(tmp_path, monkeypatch, threads):
    """A wait of a second is in schedstat when it is over; the clock was read meanwhile."""
    now, waited = 100.0, 0
    monkeypatch.setattr(patience, "pathlib", types.SimpleNamespace(Path=lambda _: tmp_path))
    monkeypatch.setattr(patience, "time", types.SimpleNamespace(monotonic=lambda: now))

    def count():
        for thread in threads:
            (tmp_path / thread).mkdir(exist_ok=True)
            (tmp_path / thread / "schedstat").write_text(f"0 {waited} 0")

    count()
    clock = patience.Clock(1)
    for tenth in range(1, 41):
        now = 100 + tenth / 10
        waited = 10**9 * (tenth >= 11)
        count()
        clock.seconds()
    assert clock.seconds() == pytest.approx(3)


def test_sleeping_counts(start):
    asleep = start("sleep", "1000")
    clock = patience.Clock(asleep.pid)
    wait_for(lambda: clock.seconds() > 1)


# What an interrupt leaves


def test_a_process_may_end_while_it_is_looked_at(start, monkeypatch):
    """What the kernel has of it is an error then, wherever it is noticed."""
    gone, there = start("sleep", "1000").pid, start("sleep", "1000").pid
    looks = {"stat": os.stat, "open": io.open}

    def look(what, path, *args, **more):
        if f"/{gone}/" in str(path):
            raise ProcessLookupError(3, "No such process", str(path))
        return looks[what](path, *args, **more)

    monkeypatch.setattr(os, "stat", functools.partial(look, "stat"))
    monkeypatch.setattr(io, "open", functools.partial(look, "open"))
    below = descendants.below(os.getpid())
    assert there in below and gone not in below


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_leaves_nothing(tmp_path, number):
    """Not even what has another session and no parent."""
    pids = tmp_path / "pids"
    leaves = script(
        tmp_path / "test_leaves",
        f"(setsid sh -c 'trap \"\" INT TERM HUP; echo $$ >> {pids}; sleep 1000; :' &)\n"
        f"echo $$ >> {pids}\nsleep 1000; :",
    )
    with subprocess.Popen(
        [ROOT / "tests" / "run", "--unit", leaves], stdout=subprocess.PIPE, text=True
    ) as process:
        wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 2)
        process.send_signal(number)
        printed, _ = process.communicate()
    assert process.returncode == 128 + number
    assert f"{number.name}: 4 processes were ended" in printed
    assert not any(pathlib.Path("/proc", pid).exists() for pid in pids.read_text().split())


# make compile_commands.json


def test_each_source_has_one_command():
    text = (
        "mkdir -p build/a\n"
        "gcc -std=gnu11 -DV='\"0.1\"' -maccumulate-outgoing-args -c -o build/a/x.o core/x.c\n"
        "clang -fsanitize=fuzzer -c -o build/b/x.o core/x.c\n"
        "gcc -o build/x build/a/x.o\n"
        "for 'unfinished\n"
    )
    (entry,) = compile_commands.entries(text, "/src")
    assert entry == {
        "directory": "/src",
        "file": "core/x.c",
        "arguments": ["gcc", "-std=gnu11", '-DV="0.1"', "-c", "-o", "build/a/x.o", "core/x.c"],
    }
