#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Print gcovr's CSV (stdin) as a table: lines and branches covered, file by file.

What gaps are put down to must not hang on a line nobody tried: the groups below
want BRANCHES_MIN percent of their branches. Exit status: 0, 1 when one has fewer.
"""
import csv
import fnmatch
import sys

BRANCHES_MIN = 95
GROUPS = {
    "causes": ["core/cause/*", "arch/*/counters/attribution*"],
    "events": [
        "core/events/event.c",
        "core/gaps/gaplist.*",
        "arch/x86_64/topology.c",
        "core/*/*_events.c",
    ],
    "periods": [
        "core/events/chance.c",
        "core/gaps/exposure.c",
        "core/events/period.c",
        "core/report/report_events.c",
        "core/events/train.c",
        "host/sources/*.c",
    ],
}
COUNTS = ("line_total", "line_covered", "branch_total", "branch_covered")


def share(row, what):
    total, covered = int(row[f"{what}_total"]), int(row[f"{what}_covered"])
    return f"{covered}/{total}", f"{100 * covered / total:.0f} %" if total else "n/a"


def add(name, rows):
    return {"filename": name} | {count: sum(int(row[count]) for row in rows) for count in COUNTS}


def group(name, rows):
    """The group's sum; every pattern must name a file, or it would count nothing unseen."""
    chosen = []
    for pattern in GROUPS[name]:
        named = [row for row in rows if fnmatch.fnmatch(row["filename"], pattern)]
        if not named:
            sys.exit(f"coverage: no file {pattern}")
        chosen += named
    return add(name, chosen)


def enough(row):
    return 100 * row["branch_covered"] >= BRANCHES_MIN * row["branch_total"]


def main():
    rows = sorted(csv.DictReader(sys.stdin), key=lambda row: row["filename"])
    if not rows:
        sys.exit("coverage: gcovr reported no file")
    groups = [group(name, rows) for name in GROUPS]
    print(f"{'FILE':<28}{'LINES':>12}{'':>7}{'BRANCHES':>12}{'':>7}")
    for row in [*rows, add("total", rows), *groups]:
        lines, branches = share(row, "line"), share(row, "branch")
        print(f"{row['filename']:<28}{lines[0]:>12}{lines[1]:>7}{branches[0]:>12}{branches[1]:>7}")
    few = [row["filename"] for row in groups if not enough(row)]
    if few:
        sys.exit(f"coverage: fewer than {BRANCHES_MIN} % of the branches: {', '.join(few)}")
    print(f"causes, events and periods: at least {BRANCHES_MIN} % of the branches of each")


if __name__ == "__main__":
    main()
