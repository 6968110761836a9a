#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Texts as C: texts.py {HEADER NAME FILE}... > C. The header declares the array of that name.

Lines of comments are left out. The rest of a paragraph becomes one long line; a space is left of
the indentation of its lines.
"""
import json
import pathlib
import re
import sys


def text(path):
    for line in path.read_text().splitlines():
        if line[:2] not in ("/*", "--"):
            yield re.sub("^ +", " ", line.lstrip("\t")) or "\n"
    yield "\n"


def main():
    for header, name, path in zip(*[iter(sys.argv[1:])] * 3):
        print(f'#include "{header}"\n\nconst char {name}[] =')
        print(*(f"\t{json.dumps(line)}\n" for line in text(pathlib.Path(path))), "\t;\n", sep="")


if __name__ == "__main__":
    main()
