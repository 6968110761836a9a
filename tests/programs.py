# SPDX-License-Identifier: BSD-2-Clause
"""The tests in C as tests of pytest: each of tests/unit, and each fuzz target with its seeds.

They are found in the sources. `make` keeps in build/programs which program has a source's tests.
That program runs once for all of its tests that were chosen, in one worker, and its output has how
each ended: cmocka's XML, between the lines of tests/unit/common/test.h.
"""
import functools
import html
import os
import pathlib
import re
import signal
import subprocess

import pytest

import machine as machines

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAP = machines.BUILD / os.environ.get("PROGRAMS", "programs")
HANG_SECONDS = 3600  # a guard: none takes nearly as long on a machine with other work
OUTPUT_SHOWN = 20000  # characters, from the end
ENVIRONMENT = {
    "CMOCKA_MESSAGE_OUTPUT": "XML",
    # Stacks of 64 KiB: each file is a process of its own, and larger ones are as many page faults.
    "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1:max_uar_stack_size_log=16",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
TEST = re.compile(r"^TEST(?:_F\(\w+,\s+\w+,\s+|_PAGE\(|\()(test_\w+)[,)]", re.M)
# A macro or a function with its body; tests look like functions.
DEFINED = re.compile(r"^#define (\w+)([^\n]*(?:\\\n[^\n]*)*)|^(\w[^;{}=]*\))\n\{\n(.*?)^\}",
                     re.M | re.S)
NAMED = re.compile(r"^TEST.*?\b(test_\w+)(?:, \w+)?\)$|(\w+)\(")
ROUNDS = {"rounds", "rounds_all"}  # tests/unit/rounds.h
HEADER = ROOT / "tests/unit/windows.h"
PART = re.compile(r"^## (\S+): begins\n(.*?)(?:^## \1: ends: (.*?)$|\Z)", re.M | re.S)
# cmocka does not escape what a failing assertion printed, so an XML parser may refuse it.
CASE = re.compile(r'<testcase name="([^"]*)" time="([\d.]+)" >(.*?)</testcase>', re.S)
FAILURE = re.compile(r"<failure><!\[CDATA\[(.*?)\]\]></failure>", re.S)
GROUP_ERRORS = re.compile(r'<testsuite name="[^"]*" [^>]*errors="[1-9]')


@functools.lru_cache(maxsize=None)
def program_of():
    """{source: program}, of the tree and of the build."""
    lines = MAP.read_text().splitlines() if MAP.exists() else []
    return dict(line.split() for line in lines)


class Source(pytest.File):
    """A file of tests/unit, or a fuzz target."""

    def collect(self):
        text = self.path.read_text()
        names = TEST.findall(text) if self.path.name.startswith("test_") else ["seeds"]
        for name in names:
            test = Test.from_parent(self, name=name)
            if name in with_rounds(text):
                test.add_marker(pytest.mark.rounds)
            yield test


@functools.lru_cache(maxsize=None)
def with_rounds(text):
    """The macros, functions and tests of a source that go more rounds if all are asked for, by what
    they use, too."""
    if not any(f"tests/unit/{name}.h" in text for name in ("rounds", "windows")):
        return set()
    uses = {}
    for macro, value, head, body in DEFINED.findall(HEADER.read_text() + text):
        name = macro or NAMED.search(head).expand(r"\1\2")
        uses[name] = set(re.findall(r"\w+", value + body))
    found = set(ROUNDS)
    while more := {name for name in uses.keys() - found if uses[name] & found}:
        found |= more
    return found


class Test(pytest.Item):
    fixturenames = ()

    @property
    def source(self):
        return self.nodeid.partition("::")[0]

    def reportinfo(self):
        return self.path, 0, self.name

    def runtest(self):
        raise NotImplementedError  # pytest_runtest_protocol() takes its place


class Outcomes:
    """How the tests of a program ended: {(source, test): (outcome, seconds, text)}."""

    WORST = ("skipped", "passed", "failed")

    def __init__(self, out, err, ended):
        self.of, self._bad, self._alone = {}, {}, set()
        errors = {}
        for name, text, _ in PART.findall(err):
            errors[name] = errors.get(name, "") + text
        for name, text, how in PART.findall(out):
            self._add(name, text, errors.get(name, ""), how or ended or "its end is missing")
        self._none = f"did not run: {ended or 'the program does not have it'}\n{err}"

    def _put(self, source, test, outcome, seconds=0.0, text=""):
        before = self.of.get((source, test), (outcome, 0, text))
        worst = max(before[0], outcome, key=self.WORST.index)
        self.of[source, test] = worst, seconds, before[2] if worst == before[0] else text

    def _add(self, part, out, err, how):
        source, _, alone = part.partition("::")
        for test, seconds, body in CASE.findall(out):
            outcome, text = "passed", ""
            if "<failure>" in body:
                what = FAILURE.search(body)
                # The XML lacks the message of fail_msg().
                outcome, text = "failed", html.unescape(what[1] if what else body) + f"\n{err}"
            elif "<skipped/>" in body:
                outcome = "skipped"
            self._put(source, test, outcome, float(seconds), text)
        if GROUP_ERRORS.search(out):
            self._bad[source] = f"group setup or teardown failed\n{out}{err}"
        if how != "well" and alone:
            self._alone.add(source)
            self._put(source, alone, "failed", text=f"ended by {how}\n{out}{err}")
        elif how != "well":
            self._bad[source] = f"all of its file together ended by {how}\n{out}{err}"

    def get(self, source, test):
        bad = self._bad.get(source)
        if bad and source not in self._alone:
            return "failed", 0.0, bad
        return self.of.get((source, test), ("failed", 0.0, bad or self._none))

    def stray(self, source, known):
        """Tests of a source that ran and that pytest does not know."""
        return sorted({test for where, test in self.of if where == source} - known)


def run(program, arguments):
    """stdout, stderr, and how it was ended or None"""
    if not os.path.exists(program):
        return "", "", f"{program} is not built; run the tests with make"
    with subprocess.Popen(
        [program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={**os.environ, **ENVIRONMENT}, cwd=ROOT, process_group=0,
    ) as process:
        ended = None
        try:
            out, err = process.communicate(timeout=HANG_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            ended = f"killed after {HANG_SECONDS} s"
    if not ended and process.returncode < 0:
        ended = f"signal {-process.returncode}"
    return out.decode(errors="replace"), err.decode(errors="replace"), ended


def outcomes_of(session, program):
    """Runs it for all of its tests that were chosen."""
    kept = session.__dict__.setdefault("programs_run", {})
    if program not in kept:
        chosen = {}
        for item in session.items:
            if isinstance(item, Test) and program_of().get(item.source) == program:
                chosen.setdefault(item.source, set()).add(item.name)
        arguments = []
        for source, tests in chosen.items():
            whole = TEST.findall((ROOT / source).read_text())
            arguments += [f"{source}::{test}" for test in
                          (["*"] if tests.issuperset(whole) else sorted(tests))]
        outcomes = Outcomes(*run(str(machines.BUILD / program), arguments))
        kept[program] = outcomes, chosen
    return kept[program]


def outcome_of(item):
    program = program_of().get(item.source)
    if not program:
        return "failed", 0.0, f"{item.source} is not in {MAP}; run the tests with make"
    outcomes, chosen = outcomes_of(item.session, program)
    stray = outcomes.stray(item.source, chosen[item.source])
    if stray:
        return "failed", 0.0, f"{', '.join(stray)}: ran, but are not found in the source"
    return outcomes.get(item.source, item.name)


# Hooks that tests/conftest.py passes to pytest.


def collect_file(file_path, parent):
    at = file_path.relative_to(ROOT) if file_path.is_relative_to(ROOT) else file_path
    if file_path.suffix == ".c" and (at.match("test_*.c") and at.parts[:2] == ("tests", "unit")
                                     or at.match("tests/fuzz/fuzz_*.c")):
        return Source.from_parent(parent, path=file_path)
    return None


def run_item(item):
    """Its only report: it has nothing to set up."""
    outcome, seconds, text = outcome_of(item)
    path, line, name = item.location
    shown = {"passed": None, "failed": text[-OUTPUT_SHOWN:], "skipped": (path, line, "skip()")}
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    report = pytest.TestReport(item.nodeid, item.location, {name: 1}, outcome, shown[outcome],
                               "call", duration=seconds)
    item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def scope_of(nodeid):
    """The tests that one worker runs together: all of a program."""
    return program_of().get(nodeid.partition("::")[0])
