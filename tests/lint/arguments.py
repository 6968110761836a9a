#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Functions of many arguments: what belongs together is a struct that means something. A few that
nobody would read more easily so may stay; how many is limited, for all of the product.
"""
import re
import sys

import names
import sources

MANY = 6
FUNCTIONS_MAX = 20


def parameters(statement):
    """(name, how many) of a function's definition."""
    head = re.sub(r"\s+", " ", names.ATTRIBUTE.sub("", statement).split("{")[0])
    name = names.FUNCTION.search(head)
    if not name:
        return None
    depth = commas = 0
    for c in head[name.end() :]:
        if c == ")" and not depth:
            break
        depth += (c in "([") - (c in ")]")
        commas += c == "," and not depth
    return name[1], commas + 1


def long_functions(text):
    """(line, name, how many) of a source's functions that have many."""
    text = names.without_directives(sources.without_comments(text, keep_strings=False))
    for line, statement in names.statements(text):
        if not statement.endswith("{}") or not names.is_function(statement):
            continue
        found = parameters(statement)
        if found and found[1] >= MANY:
            yield line, *found


def everywhere():
    """(path, line, name, how many) in the product."""
    for path in sources.files(".c", ".h"):
        if path.parts[0] in names.ROOTS:
            for function in long_functions(sources.read(path)):
                yield path, *function


def main():
    found = list(everywhere())
    wrong = not 0 < len(found) <= FUNCTIONS_MAX
    if wrong:
        for path, line, name, count in found:
            print(f"{path}:{line}: {name}() has {count} arguments")
    print(f"arguments: {len(found)} functions of {MANY} or more, at most {FUNCTIONS_MAX}")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
