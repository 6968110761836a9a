#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Shell scripts through shellcheck, Python through its compiler and pyflakes, C through
clang-format: scripts.py [--format] STAMP. Files are left out that are older than the stamp, which
is made when nothing is wrong.
"""
import os
import pathlib
import subprocess
import sys
import time

import sources


def shellcheck(paths):
    return subprocess.run(["shellcheck", "-x", *map(str, paths)], cwd=sources.ROOT).returncode


def compiles(path):
    try:
        compile(sources.read(path), str(path), "exec")
    except (SyntaxError, ValueError) as error:
        print(f"{path}: {error}")
        return False
    return True


def python(paths):
    wrong = not all([compiles(path) for path in paths])
    command = [sys.executable, "-m", "pyflakes", *map(str, paths)]
    return subprocess.run(command, cwd=sources.ROOT).returncode or wrong


def clang_format(paths):
    command = ["clang-format", "--dry-run", "-Werror", *map(str, paths)]
    return subprocess.run(command, cwd=sources.ROOT).returncode


def main(*options, stamp):
    began, stamp, wrong = time.time(), pathlib.Path(stamp), False
    # shellcheck follows what a script sources.
    checks = [("C", clang_format, sources.files(".c", ".h"), [".clang-format"])] if options else [
        ("shell", shellcheck, sources.shell_scripts(), sources.shell_scripts()),
        ("Python", python, sources.python_scripts(), [])]
    for name, check, paths, rules in checks:
        left = sources.changed(stamp, paths, *rules, __file__)
        failed = bool(left and check(left))
        wrong |= failed or not paths
        print(f"{name}: {len(paths)} files, {len(left)} checked, {'wrong' if failed else 'good'}")
    if not wrong:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
        os.utime(stamp, (began, began))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:-1], stamp=sys.argv[-1]))
