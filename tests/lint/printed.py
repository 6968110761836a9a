#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The files that `make docs` prints agree with the tables: printed.py TABLES."""
import itertools
import sys

import sources

sys.path.insert(0, str(sources.ROOT / "mk"))
import print_docs


def stale(texts, root):
    """(path, line) of the first difference of each file from its text."""
    for path, text in texts.items():
        file = root / path
        found = file.read_text(encoding="utf-8") if file.is_file() else ""
        pairs = itertools.zip_longest(found.split("\n"), text.split("\n"))
        lines = [number for number, (is_, wanted) in enumerate(pairs, 1) if is_ != wanted]
        if lines:
            yield path, lines[0]


def main():
    texts = print_docs.printed(print_docs.tables(sys.argv[1]))
    wrong = list(stale(texts, sources.ROOT))
    for path, line in wrong:
        print(f"{path}:{line}: not what the tables print; change the table, then `make docs`")
    print(f"printed: {len(texts)} files, {len(wrong)} stale")
    return 1 if wrong or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
