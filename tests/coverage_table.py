#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Print gcovr's CSV (stdin) as a table: lines and branches covered, file by file."""
import csv
import sys


def share(row, what):
    total, covered = int(row[f"{what}_total"]), int(row[f"{what}_covered"])
    return f"{covered}/{total}", f"{100 * covered / total:.0f} %" if total else "n/a"


def main():
    rows = sorted(csv.DictReader(sys.stdin), key=lambda row: row["filename"])
    if not rows:
        sys.exit("coverage: gcovr reported no file")
    total = {"filename": "total"}
    for count in ("line_total", "line_covered", "branch_total", "branch_covered"):
        total[count] = sum(int(row[count]) for row in rows)
    print(f"{'FILE':<28}{'LINES':>12}{'':>7}{'BRANCHES':>12}{'':>7}")
    for row in [*rows, total]:
        lines, branches = share(row, "line"), share(row, "branch")
        print(f"{row['filename']:<28}{lines[0]:>12}{lines[1]:>7}{branches[0]:>12}{branches[1]:>7}")


if __name__ == "__main__":
    main()
