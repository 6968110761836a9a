# SPDX-License-Identifier: BSD-2-Clause
"""The matrix of machines: what was expected of each, and what was seen.

A column is a short text, the same for what is expected and what is seen, so that a row is as
expected where they are equal.
"""
import json

PROPERTY = "machine"
COLUMNS = (
    "boots", "cores", "hypervisor", "clock", "evidence", "events", "verdict", "leaving", "logs",
)
NOTHING = "-"


def entry(name, expected, seen):
    """One row, as text. `seen` is {} where nothing was run."""
    assert set(expected) == set(COLUMNS) and set(seen) <= set(COLUMNS)
    return json.dumps({"name": name, "expected": expected, "seen": seen})


def differences(expected, seen):
    """A sentence for each column that is not as expected."""
    return [
        f"{column}: expected {expected[column]!r}, seen {seen.get(column, NOTHING)!r}"
        for column in COLUMNS
        if seen.get(column, NOTHING) != expected[column]
    ]


def _cell(row, column):
    expected, seen = row["expected"][column], row["seen"].get(column, NOTHING)
    return seen if seen == expected else f"{seen} NOT {expected}"


def lines(entries):
    """`entries` are texts of rows. A cell is what was expected and seen; where they differ, what
    was seen NOT what was expected."""
    rows = [json.loads(text) for text in entries]
    table = [("machine", *COLUMNS)]
    table += [(row["name"], *(_cell(row, column) for column in COLUMNS)) for row in rows]
    widths = [max(len(line[n]) for line in table) for n in range(len(COLUMNS) + 1)]
    wrong = [bool(differences(row["expected"], row["seen"])) for row in rows]
    marks = ["", *("FAILED" if bad else "as expected" for bad in wrong)]
    for line, mark in zip(table, marks):
        cells = "  ".join(cell.ljust(width) for cell, width in zip(line, widths))
        yield f"{cells}  {mark}".rstrip()
    yield f"{len(rows)} machines, {wrong.count(False)} as expected"
