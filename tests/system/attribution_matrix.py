# SPDX-License-Identifier: BSD-2-Clause
"""The matrix of what was injected against what was reported of it."""
import json

PROPERTY = "attribution"
COLUMNS = ("smi", "nmi", "smi+nmi", "mce", "unknown", "pause")


def entry(injected, reported):
    """One row, as text: `reported` counts by column."""
    assert set(reported) <= set(COLUMNS), reported
    return json.dumps({"injected": injected, "reported": reported})


def lines(entries):
    """The matrix, a line per row, and how many injections there were."""
    rows = [json.loads(text) for text in entries]
    yield "injected \\ reported".ljust(24) + "".join(c.rjust(9) for c in COLUMNS)
    for row in rows:
        counts = [row["reported"].get(column, 0) for column in COLUMNS]
        yield row["injected"].ljust(24) + "".join((str(n) if n else ".").rjust(9) for n in counts)
    injections = sum(sum(row["reported"].values()) for row in rows)
    yield f"{injections} injections in all"
