# SPDX-License-Identifier: BSD-2-Clause
"""The table that the tests which match gaps with SMIs print at the end, a line per schedule."""
import json

import pytest

SUMS = ("injected", "found", "missed", "false", "merged", "short", "outside", "edge")
ERRORS = ("start_error", "length_error")
PROPERTY = "exact"


@pytest.fixture
def exact_figure(record_property):
    """exact_figure(name, match) puts a line into the table."""

    def add(name, found):
        figures = {key: getattr(found, key) for key in SUMS}
        figures |= {key: max(getattr(found, key).values()) for key in ERRORS}
        record_property(PROPERTY, json.dumps({"name": name, "line": found.line(), **figures}))

    return add


def _rows(reports):
    for report in reports:
        for name, value in getattr(report, "user_properties", ()):
            if name == PROPERTY and report.when == "call":
                yield json.loads(value)


def pytest_terminal_summary(terminalreporter):
    stats = terminalreporter.stats
    rows = list(_rows(stats.get("passed", []) + stats.get("failed", [])))
    if not rows:
        return
    for row in rows:
        terminalreporter.write_line(f"{row['name']}: {row['line']}")
    sums = ", ".join(f"{key} {sum(row[key] for row in rows)}" for key in SUMS)
    most = ", ".join(f"{key.replace('_', ' ')} {max(row[key] for row in rows)}" for key in ERRORS)
    terminalreporter.write_line(f"{len(rows)} schedules in all: {sums}; largest {most} ticks")
