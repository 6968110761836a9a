#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Shell scripts through shellcheck, Python through its compiler and pyflakes, C through
clang-format: scripts.py [--format] [--passed STAMP]. Files are left out that passed as they are.
"""
import argparse
import subprocess
import sys

import sources
from passed import Passed, content


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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--format", action="store_true", help="C's format instead")
    parser.add_argument("--passed", metavar="STAMP")
    args = parser.parse_args()
    if args.format:
        kinds = {"C": (clang_format, sources.files(".c", ".h"))}
        passed = Passed(args.passed, content(".clang-format"))
    else:
        kinds = {"shell": (shellcheck, sources.shell_scripts()),
                 "Python": (python, sources.python_scripts())}
        # shellcheck follows what a script sources.
        passed = Passed(args.passed, content(*sources.shell_scripts()))
    digests, wrong = {}, False
    for name, (check, paths) in kinds.items():
        now = {path: content(path) for path in paths}
        left = passed.left(now)
        digests |= now
        failed = bool(left and check(left))
        wrong |= failed or not paths
        print(f"{name}: {len(paths)} files, {len(left)} checked, {'wrong' if failed else 'good'}")
    if not wrong:
        passed.keep(digests)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
