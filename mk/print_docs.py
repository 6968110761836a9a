#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Print what is made of the program's tables: print_docs.py TABLES, the program that prints them.

Run by `make docs`; tests/lint/printed.py finds a file that is stale or was changed by hand.
"""
import itertools
import json
import pathlib
import re
import subprocess
import sys
import textwrap

import rooms

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 100
TAB = 8
PLATFORMS = ("probe", "linux")

CONF_HEAD = """\
# noisefloor's configuration, printed by `make docs` from the table of keys.
# Each line that begins with #key= shows a key at its default: take the # away and change the
# value. Later lines win. Times need a unit: ns us ms s m h d. An unknown key or an invalid value
# stops the run before it starts.
"""

KEYS_HEAD = """\
# Keys

<!-- Printed by `make docs` from core/config/config_rows.h. -->

A configuration is `key=value`, one or more to a line; `#` starts a comment. Times are above 0 and
need a unit: `ns` `us` `ms` `s` `m` `h` `d`. An unknown key or an invalid value stops the run before
it starts, and the message names what is accepted. Where a key is given more than once, [the later
one](howto.md#configure-it) wins.

`noisefloor measure` takes keys as arguments, and so do `noisefloor boot once` and `boot stick`. A
key that is valid only for the probe is refused by `measure`, and the other way round.
"""

RECORDS_HEAD = """\
# Records

<!-- Printed by `make docs` from core/records/record_table.h. -->

A report is JSON Lines in printable ASCII, of at most 1,136 bytes each.

```text
{"nf":1,"sid":"<16 hex>","seq":<n>,"type":"<type>", ... ,"crc":"<8 hex>"}
```

`sid` is the run, `seq` counts lines from 0, `crc` is the CRC-32C of the bytes before `,"crc"`. A
longer record is several lines with the same keys, each with `"part":<n>`, and all but the last with
`"more":true`: merge objects and append arrays. Times in ns count from the beginning of the run. A
type with `?` may be `null`, which means that there is no evidence, never 0; any string may be
`null`. Within a format version (`nf`), fields may be added.

Use is what outputs make of a field. InfluxDB has a measurement `noisefloor_<type>` (for `begin`
`noisefloor_info`) with the fields that are a tag, count, time or value. Prometheus has the tags of
`begin` as labels of `noisefloor_info`, of `cpu` the families named here, behind `noisefloor_`, and
of `stretch` and `interfere` all counts and values. Tables and `diff` take the sum or max of several
records. A label is a column or a line of text.
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
        valid = "" if row["probe"] else " `measure` only."
        if not row["linux"]:
            valid = " Probe only."
        parts.append(f"### {row['name']}\n")
        parts.append(wrapped(row["help"] + valid) + "\n")
        accepted = row["accepted"].replace("a time above 0 in ns us ms s m h d", "a time")
        parts.append(wrapped(f"Default: `{row['default']}`. Accepted: {accepted}.") + "\n")
    return "\n".join(parts)


SHELL_HEAD = "Printed by `make docs` from the tables of options and keys."

BASH = """\
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# bash completion of {program}. {head}

{words}
{function}() {{
	local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
	local at=${{COMP_WORDS[1]}}/
{alone_bash}
	# bash takes key=value for three words.
	if [ "$word" = "=" ]; then
		at+=$before= word=
	elif [ "$before" = "=" ]; then
		at+=${{COMP_WORDS[COMP_CWORD - 2]}}=
	elif [ "$COMP_CWORD" = 1 ]; then
		at=
	elif [[ $word != -?* && $before == -?* ]]; then
		at+=$before=
	elif [[ $word != -?* ]]; then
		at+="="
		compopt -o nospace 2>/dev/null
	fi
	mapfile -t COMPREPLY < <(compgen -W "$({function}_words "$at")" -- "$word")
}}

# Where there are no words, files.
complete -o default -F {function} {program}
"""

ZSH = """\
#compdef {program}
# SPDX-License-Identifier: BSD-2-Clause
#
# zsh completion of {program}. {head}

{words}
{function}() {{
	local word=$words[CURRENT] before=$words[CURRENT-1] at=$words[2]/ suffix=' ' prefix=''
	local -a found

{alone_zsh}	if ((CURRENT == 2)); then
		at=''
	elif [[ $word == *?=* ]]; then
		prefix=${{word%%=*}}= at+=$prefix
	elif [[ $word != -?* && $before == -?* ]]; then
		at+=$before=
	elif [[ $word != -?* ]]; then
		at+='=' suffix=''
	fi
	found=($({function}_words $at))
	if (($#found)); then
		compadd -S "$suffix" -- $prefix$^found
	else
		_files
	fi
}}

{function} "$@"
"""


# The collector works without a subcommand: what it takes is at "/". Below a group of subcommands
# a place is that of the subcommand, "fleet-list/".
ALONE = {"alone_bash": "\tat=/\n", "alone_zsh": "\tat=/\n"}
GROUPS = {
    "alone_bash": "\t[[ $at == @({names})/ && $COMP_CWORD -gt 2 ]] && "
                  "at=${{at%/}}-${{COMP_WORDS[2]}}/\n",
    "alone_zsh": "\t[[ $at == ({names})/ ]] && ((CURRENT > 3)) && at=${{at%/}}-$words[3]/\n",
}


def collector_places(content):
    """Words of the collector by place: "" is an option, "/--dir=" its value."""
    itself = {**content["collector"][0], "name": ""}
    yield "", [f"--{o['name']}" for o in itself["options"]]
    yield from option_places([itself], [])


def places(content):
    """Words by place: "" a subcommand, "show/" an option, "show/--format=" its value, "measure/=" a
    key, "measure/quiet=" its value."""
    subcommands = content["subcommands"]
    yield "", [s["name"] for s in subcommands] + ["--help", "--version"]
    yield from option_places(subcommands, content["keys"])


def option_places(subcommands, all_keys):
    for s in subcommands:
        yield f"{s['name']}/=", [one["name"] for one in s["group"]]
        yield from option_places([{**one, "name": f"{s['name']}-{one['name']}"}
                                  for one in s["group"]], all_keys)
        yield f"{s['name']}/", [f"--{option['name']}" for option in s["options"]]
        for option in s["options"]:
            yield f"{s['name']}/--{option['name']}=", option["words"]
        keys = [k for k in all_keys if "name" in k and any(k[p] and s[p] for p in PLATFORMS)]
        yield f"{s['name']}/=", [f"{key['name']}=" for key in keys]
        for key in keys:
            yield f"{s['name']}/{key['name']}=", [
                word for word in single_words(key["accepted"])
                if f"{key['name']}={word}" not in s["refused"]]


def single_words(accepted):
    """Values of a key that stand alone between commas."""
    return [part for part in accepted.split(", ") if re.fullmatch(r"[a-z0-9-]+", part)]


def words_function(function, words_at):
    """A shell function that returns the words by place, for both shells."""
    by_words = {}
    for place, words in words_at:
        if words:
            by_words.setdefault(" ".join(words), []).append(place or "''")
    lines = ["# The words for a place: a subcommand, SUBCOMMAND/ for options, /= for keys,",
             "# /OPTION= or /KEY= for values.", f"{function}_words() {{", "\tcase $1 in"]
    for words, where in by_words.items():
        lines.append(broken(" | ".join(where) + ")", "\t"))
        lines.append(broken("echo " + words, "\t\t", "\t\t\t"))
        lines.append("\t\t;;")
    return "\n".join([*lines, "\tesac", "}", ""])


def broken(text, first, rest=None):
    """A shell's line, continued where it is too long."""
    width = WIDTH - len(" \\") - TAB * len(rest or first)
    lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return f" \\\n{rest or first}".join([first + lines[0], *lines[1:]])


def use_of(field):
    seconds = "_seconds" if field["role"] == "time" else ""
    family = f"`{field['family']}{seconds}`" if field["family"] else ""
    label = f"label {field['label']}" if field["label"] else ""
    return ", ".join(part for part in (field["role"], field["total"], family, label) if part)


def fields_table(fields):
    """Neighbours that differ only in their names share a row."""
    rows, outer = [], ""
    for field in fields:
        if field["kind"] == "object":
            outer = field["name"] + "."
        elif field["kind"] == "end":
            outer = ""
        else:
            kind = field["unit"] if field["kind"] == "string" else field["kind"]
            kind = kind.replace("number", field["unit"] or "number") or "string"
            kind = kind.replace(" or null", "?").replace("true or false", "boolean")
            rows.append((f"`{outer}{field['name']}`", kind, use_of(field), field["help"]))
    lines = ["| field | type | use | |", "|---|---|---|---|"]
    for cells, same in itertools.groupby(rows, key=lambda row: row[1:]):
        cells = (" ".join(row[0] for row in same), *cells)
        lines.append("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|")
    return "\n".join(lines) + "\n"


def records_page(types):
    parts = [RECORDS_HEAD]
    for record in types:
        parts.append(f"## {record['name']}\n")
        parts.append(wrapped(record["help"]) + "\n")
        parts.append(fields_table(record["fields"]))
    return "\n".join(parts)


def completions(content):
    """Completions of both programs, for both shells."""
    names = "|".join(s["name"] for s in content["subcommands"] if s["group"])
    groups = {key: text.format(names=names) for key, text in GROUPS.items()}
    for program, words_at, parts in (
        ("noisefloor", places(content), groups),
        ("noisefloor-collect", collector_places(content), ALONE),
    ):
        parts["function"] = "_" + program.replace("-", "_")
        parts["words"] = words_function(parts["function"], words_at)
        for path, template in ((f"{program}.bash", BASH), (f"_{program}", ZSH)):
            yield f"host/completion/{path}", template.format(
                program=program, head=SHELL_HEAD, **parts)


ROOMS = "<!-- Printed by `make docs` from the includes. -->\n```text\n"


def with_rooms(page):
    """The page with its figure of rooms as the includes have it."""
    before, found, rest = page.partition(ROOMS)
    if not found:
        raise ValueError("no place for the figure of rooms")
    return before + ROOMS + rooms.figure() + rest[rest.index("```"):]


FORMATS = "Printed by `make docs` from TOOL_KNOWN of host/tools/tool.h."
PAGE_FORMATS = f"<!-- {FORMATS} -->\n", "\n\n"
MAN_FORMATS = f'.\\" {FORMATS}\n', "\n.\\\""


def with_formats(path, place, known):
    """The page, with the list of formats that `compare` reads put between `mark` and `end`."""
    mark, end = place
    before, found, rest = (ROOT / path).read_text(encoding="utf-8").partition(mark)
    if not found:
        raise ValueError(f"{path}: no place for the list of formats")
    return before + mark + wrapped(known + ".") + rest[rest.index(end):]


def printed(content):
    """The text of each printed file, by its path."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return {
        "CONTRIBUTING.md": with_rooms(page),
        "docs/compare.md": with_formats("docs/compare.md", PAGE_FORMATS, content["formats"]),
        "host/man/noisefloor-compare.1": with_formats(
            "host/man/noisefloor-compare.1", MAN_FORMATS, content["formats"].replace("`", "")),
        "docs/keys.md": keys_page(content["keys"]),
        "docs/records.md": records_page(content["records"]),
        "mk/image/noisefloor.conf": conf(content["keys"]),
        **dict(completions(content)),
    }


def main():
    for path, text in printed(tables(sys.argv[1])).items():
        if not (ROOT / path).is_file() or (ROOT / path).read_text(encoding="utf-8") != text:
            (ROOT / path).write_text(text, encoding="utf-8")
            print(f"  DOC   {path}")


if __name__ == "__main__":
    main()
