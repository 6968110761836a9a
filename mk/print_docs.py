#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Print what is made of the program's tables: print_docs.py TABLES, the program that prints them.

Run by `make docs`; tests/lint/printed.py finds a file that is stale or was changed by hand.
"""
import json
import pathlib
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 100

CONF_HEAD = """\
# noisefloor's configuration, printed by `make docs` from the table of keys.
# Each line that begins with #key= shows a key at its default: take the # away and change the
# value. Later lines win. Times need a unit: ns us ms s m h d. An unknown key or an invalid value
# stops the run before it starts.
"""

KEYS_HEAD = """\
# Keys

<!-- Printed by `make docs` from core/config/config_rows.h. -->

A configuration is `key=value`, one or more to a line; `#` starts a comment. Times need a unit:
`ns` `us` `ms` `s` `m` `h` `d`. An unknown key or an invalid value stops the run before it starts,
and the message names what is accepted. The same keys are valid everywhere; where a key is given
more than once, the later one wins:

1. `\\noisefloor.conf` beside the image, or at the root of its volume
2. a file from the PXE boot server
3. load options, as a boot loader or the shell passes them

`noisefloor inos` takes keys as arguments, `noisefloor once` writes its arguments to the file of 1.
A key that is valid only for the probe is refused by `inos`, and the other way round.
"""


def tables(program):
    return json.loads(subprocess.run([program], check=True, capture_output=True).stdout)


def wrapped(text, indent=""):
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent,
        break_long_words=False, break_on_hyphens=False,
    )


def conf(rows):
    """The commented configuration of `make image`: the probe's keys at their defaults."""
    parts = [CONF_HEAD]
    for row in rows:
        if "title" in row:
            parts.append(f"# --- {row['title']} ---\n")
        elif row["probe"]:
            help_text = row["help"].replace("`", "")
            parts.append(
                wrapped(help_text, "# ") + "\n"
                + wrapped(f"Accepted: {row['accepted']}.", "# ") + "\n"
                + f"#{row['name']}={row['default']}\n"
            )
    return "\n".join(parts)


def keys_page(rows):
    parts = [KEYS_HEAD]
    for row in rows:
        if "title" in row:
            parts.append(f"## {row['title']}\n")
            continue
        valid = " Not for `inos`." if not row["linux"] else "" if row["probe"] else " `inos` only."
        parts.append(f"### {row['name']}\n")
        parts.append(wrapped(row["help"] + valid) + "\n")
        parts.append(wrapped(f"Default: `{row['default']}`. Accepted: {row['accepted']}.") + "\n")
    return "\n".join(parts)


def printed(content):
    """The text of each printed file, by its path."""
    return {
        "docs/keys.md": keys_page(content["keys"]),
        "mk/image/noisefloor.conf": conf(content["keys"]),
    }


def main():
    for path, text in printed(tables(sys.argv[1])).items():
        if not (ROOT / path).is_file() or (ROOT / path).read_text(encoding="utf-8") != text:
            (ROOT / path).write_text(text, encoding="utf-8")
            print(f"  DOC   {path}")


if __name__ == "__main__":
    main()
