#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Shell scripts through shellcheck, Python through its compiler and pyflakes."""
import subprocess
import sys

import sources


def shellcheck(paths):
    if not paths:
        return 0
    return subprocess.run(["shellcheck", "-x", *map(str, paths)], cwd=sources.ROOT).returncode


def compiles(path):
    try:
        compile(sources.read(path), str(path), "exec")
    except (SyntaxError, ValueError) as error:
        print(f"{path}: {error}")
        return False
    return True


def pyflakes(paths):
    command = [sys.executable, "-m", "pyflakes", *map(str, paths)]
    return subprocess.run(command, cwd=sources.ROOT).returncode


def main():
    shell, python = sources.shell_scripts(), sources.python_scripts()
    wrong = [shellcheck(shell), not all([compiles(path) for path in python]), pyflakes(python)]
    print(f"scripts: {len(shell)} shell, {len(python)} Python, {'wrong' if any(wrong) else 'good'}")
    return 1 if any(wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
