# SPDX-License-Identifier: BSD-2-Clause
"""The matrix of machines, printed after the tests."""
import machine_matrix
import pytest


@pytest.fixture
def in_matrix(record_property):
    """in_matrix(row, see) puts what see() has seen into the matrix, and returns what is not as
    expected. A run that breaks off has seen nothing."""

    def add(row, see):
        expected, seen = row.expected(), {}
        try:
            seen = see()
        finally:
            text = machine_matrix.entry(row.name, expected, seen)
            record_property(machine_matrix.PROPERTY, text)
        return [f"{row.name}: {text}" for text in machine_matrix.differences(expected, seen)]

    return add


def pytest_terminal_summary(terminalreporter):
    entries = [
        value
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        for name, value in getattr(report, "user_properties", ())
        if name == machine_matrix.PROPERTY and report.when == "call"
    ]
    for line in machine_matrix.lines(entries) if entries else ():
        terminalreporter.write_line(line)
