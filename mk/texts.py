#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Texts that programs hold, as C: texts.py PAGE.css RECORDS.jq FILTER.jq... > C.

The style sheet is for host/html/html.h; it is one long line but where one of its own is empty. The
filters, in jq's language, are for host/jq/filter.h; each has the definitions of the first before
its own text.
"""
import json
import pathlib
import sys

HEAD = """\
#include "host/html/html.h"
#include "host/jq/filter.h"

#include <stddef.h>
#include <string.h>

const char html_style[] =
"""
FILTERS = """\
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


def style(path):
    for line in path.read_text().splitlines():
        if line[:2] != "/*":
            yield line.strip() or "\n"
    yield "\n"


def main():
    page, first, *paths = map(pathlib.Path, sys.argv[1:])
    print(HEAD, *(f"\t{json.dumps(line)}\n" for line in style(page)), "\t;\n\n", FILTERS,
          sep="", end="")
    for path in paths:
        lines = [line for part in (first, path) for line in part.read_text().splitlines()]
        text = "\n\t  ".join(json.dumps(f"{line}\n") for line in lines if line[:1] != "#")
        print(f'\t{{ "{path.stem}",\n\t  {text} }},')
    print(TAIL, end="")


if __name__ == "__main__":
    main()
