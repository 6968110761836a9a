#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The manual is well-formed, in mandoc's eyes and in groff's."""
import subprocess
import sys

import sources

MANDOC = ("mandoc", "-Tlint", "-W", "warning")
MAN = ("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z")


def complaints(path):
    """What either says of a page, line by line."""
    linted = subprocess.run([*MANDOC, path], cwd=sources.ROOT, capture_output=True, text=True)
    shown = subprocess.run([*MAN, path], cwd=sources.ROOT, capture_output=True, text=True)
    return (linted.stdout + linted.stderr + shown.stderr).splitlines()


def main():
    paths = [path for path in sources.files(".1") if path.parent.name == "man"]
    wrong = [line for path in paths for line in complaints(path)]
    for line in wrong:
        print(line)
    print(f"man: {len(paths)} pages, {len(wrong)} complaints")
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
