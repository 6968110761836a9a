#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every source names its licence in its first two lines."""
import sys

import sources

SUFFIXES = {".c", ".h", ".S", ".py", ".mk", ".lds", ".sh", ".bash", ".1", ".ini"}
LINE = "SPDX-License-Identifier: BSD-2-Clause"


def is_source(path):
    return path.suffix in SUFFIXES or path.name == "Makefile" or bool(sources.interpreter(path))


def main():
    paths = [path for path in sources.files() if is_source(path)]
    wrong = [p for p in paths if not any(LINE in s for s in sources.read(p).splitlines()[:2])]
    for path in wrong:
        print(f"{path}:1: no line with {LINE}")
    print(f"licence: {len(paths)} files, {len(wrong)} wrong")
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
