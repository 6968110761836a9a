# SPDX-License-Identifier: BSD-2-Clause
"""The matrix of machines, printed after the tests."""
import machine_matrix
import pytest

OUTCOMES = {"passed": "as expected", "failed": "FAILED", "xfailed": "known"}


@pytest.fixture
def in_matrix(record_property):
    """in_matrix(name, expected, seen) puts a row into the matrix."""

    def add(name, expected, seen):
        record_property(machine_matrix.PROPERTY, machine_matrix.entry(name, expected, seen))

    return add


def _entries(terminalreporter):
    for outcome, mark in OUTCOMES.items():
        for report in terminalreporter.stats.get(outcome, []):
            reason = getattr(report, "wasxfail", "")
            for name, value in getattr(report, "user_properties", ()):
                if name == machine_matrix.PROPERTY and report.when == "call":
                    yield value, f"{mark}: {reason}" if reason else mark


def pytest_terminal_summary(terminalreporter):
    entries = list(_entries(terminalreporter))
    for line in machine_matrix.lines(entries) if entries else ():
        terminalreporter.write_line(line)
