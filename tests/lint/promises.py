#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Each promise of these pages names its test, and each test that they name exists.

A promise is a row of a table whose last column is headed `test`. `FILE`: `TEST`, `TEST` are tests
of that file: test_receiver of C, test_fleet.py of Python. A name alone is a test's or a file's.
"""
import re
import sys

import sources

PAGES = ("docs/security.md", "docs/secure-boot.md", "docs/attestation.md")
TESTS = re.compile(r"^(?:def |TEST\(|TEST_PAGE\(|TEST_F\(\w+,\s+\w+,\s+)(test_\w+)[(),]", re.M)
NAME = re.compile(r"`((?:test|fuzz)_\w+(?:\.py)?|make fuzz)`(:?)")


def tests():
    """The tests of each file, by the name that it has on the page."""
    found = {"make fuzz": set()}
    for path in sources.files(".c", ".py"):
        if path.parts[0] != "tests" or not path.name.startswith(("test_", "fuzz_")):
            continue
        name = path.name if path.suffix == ".py" else path.stem
        found.setdefault(name, set()).update(TESTS.findall(sources.read(path)))
        if path.name.startswith("fuzz_"):
            found["make fuzz"].add(path.stem)
    return found


def named(text, known):
    """(position, what is wrong or None) of each name in a text."""
    everything, of = set(known).union(*known.values()), None
    for match in NAME.finditer(text):
        name, colon = match.groups()
        between = text[of[1] : match.start()] if of else ""
        if not re.fullmatch(r"[\s,]*(?:`test_\w+`[\s,]*)*", between):
            of = None
        where = known.get(of[0], set()) if of else everything
        wrong = f"no {name}" + (f" in {of[0]}" if of else "")
        yield match.start(), None if name in where else wrong
        if colon:
            of = (name, match.end())


def check(text, known):
    """[(line, what)], and how many names there are."""
    wrong = [(text.count("\n", 0, at) + 1, what) for at, what in named(text, known)]
    count, wrong = len(wrong), [(line, what) for line, what in wrong if what]
    in_tests = False
    for number, line in enumerate(text.split("\n"), 1):
        last = line.rstrip("| ").rsplit("|", 1)[-1].strip() if line.startswith("|") else None
        if last == "test" or last is None:
            in_tests = last is not None
        elif in_tests and set(line) - set("|-") and not NAME.search(line.rsplit("|", 2)[-2]):
            wrong.append((number, "a promise without a test"))
    return wrong, count


def main():
    known, names, faults = tests(), 0, 0
    for page in PAGES:
        wrong, count = check(sources.read(page), known)
        for line, what in wrong:
            print(f"{page}:{line}: {what}")
        if not count:
            print(f"{page}: no test is named")
        names, faults = names + count, faults + len(wrong) + (not count)
    print(f"promises: {names} names, {faults} wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
