#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""compile_commands.json from the commands that `make -nB V=1` prints, for clangd and its like.

A source that is compiled several times has the entry of the first: an editor shows one of them.
"""
import json
import os
import shlex
import sys

COMPILERS = ("gcc", "cc", "clang")
SOURCES = (".c", ".S")
# Options of gcc alone; clangd would complain of them in each file.
UNKNOWN = {"-fno-tree-loop-distribute-patterns", "-maccumulate-outgoing-args"}


def commands(text):
    """(source, words) of each command that compiles."""
    for line in text.splitlines():
        try:
            words = shlex.split(line)
        except ValueError:
            continue  # not a command of one line
        sources = [word for word in words if word.endswith(SOURCES)]
        if len(sources) == 1 and words[0].rsplit("-", 1)[-1] in COMPILERS:
            yield sources[0], words


def entries(text, folder):
    found = {}
    for source, words in commands(text):
        arguments = [word for word in words if word not in UNKNOWN]
        entry = {"directory": folder, "file": source, "arguments": arguments}
        found.setdefault(source, entry)
    return list(found.values())


def main():
    found = entries(sys.stdin.read(), os.getcwd())
    if not found:
        sys.exit("compile_commands: make printed no command that compiles")
    json.dump(found, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
