#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The style sheet of host/html/html.h as C: texts.py PAGE.css > C.

The style sheet becomes one long line, which is broken only at its empty lines.
"""
import json
import pathlib
import sys

HEAD = """\
#include "host/html/html.h"

const char html_style[] =
"""


def style(path):
    for line in path.read_text().splitlines():
        if line[:2] != "/*":
            yield line.strip() or "\n"
    yield "\n"


def main():
    page = pathlib.Path(sys.argv[1])
    print(HEAD, *(f"\t{json.dumps(line)}\n" for line in style(page)), "\t;\n", sep="", end="")


if __name__ == "__main__":
    main()
