# SPDX-License-Identifier: BSD-2-Clause
"""Reads a console log from stdin as LAVA's dispatcher does, by its own code, which is in
PYTHONPATH: each signal's pattern, parameters and result; then as its monitor does, by the pattern
of a job in argv[1]. Prints JSON: [[case, result, units, measurement], ...] of both."""
import json
import re
import sys

from lava_dispatcher.actions.test.monitor import TestMonitorAction
from lava_dispatcher.actions.test.shell import TestShellAction, handle_testcase
from lava_dispatcher.connection import SignalMatch


def row(case):
    return [case.get(key) for key in ("test_case_id", "result", "units", "measurement")]


def by_signals(log):
    action = TestShellAction()
    action._reset_patterns()
    signals = re.findall(action.patterns["signal"], log)
    return [row(SignalMatch().match(handle_testcase(parameters.split())))
            for name, parameters in signals if name == "TESTCASE"]


class Connection:
    match = None


def by_monitor(log, pattern):
    """Names as it makes them of ours."""
    action, found, connection = TestMonitorAction(), [], Connection()
    action.test_suite_name, action.fixupdict = "noisefloor", {}
    action.logger.results = found.append
    for connection.match in re.finditer(pattern, log):
        assert action.check_patterns("test_result", connection)
    return [[one["extra"]["test_case_id"], one["result"], one["units"], one["measurement"]]
            for one in found]


text = sys.stdin.read()
json.dump([by_signals(text), by_monitor(text, sys.argv[1])], sys.stdout)
