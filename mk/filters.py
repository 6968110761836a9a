#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Filters in jq's language as C, for host/jq/filter.h: filters.py RECORDS.jq FILTER.jq... > C.

Each has the definitions of the first before its own text.
"""
import json
import pathlib
import sys

HEAD = """\
#include "host/jq/filter.h"

#include <stddef.h>
#include <string.h>

static const char *const filters[][2] = {
"""
TAIL = """\
};

const char *filter_text(const char *name)
{
\tfor (size_t n = 0; n < sizeof(filters) / sizeof(filters[0]); n++)
\t\tif (strcmp(filters[n][0], name) == 0)
\t\t\treturn filters[n][1];
\treturn NULL;
}
"""


def main():
    first, *paths = map(pathlib.Path, sys.argv[1:])
    print(HEAD, end="")
    for path in paths:
        lines = [line for part in (first, path) for line in part.read_text().splitlines()]
        text = "\n\t  ".join(json.dumps(f"{line}\n") for line in lines if line[:1] != "#")
        print(f'\t{{ "{path.stem}",\n\t  {text} }},')
    print(TAIL, end="")


if __name__ == "__main__":
    main()
