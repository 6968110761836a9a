#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Print the JSON Schema of what the programs print: schema.py TABLES DOCUMENTS, the program that
prints the table of records, and host/documents.json for the documents of subcommands.

That has a short form of schemas: "name" is a type of JSON, `count` or one of "types"; "name?" may
be null, as may {"?": X}; "a|b" is one of these words, "/X/" a string that matches, [X] an array,
[X, Y] a pair, {"*": X} an object with any names, {"|": [X, Y]} either. In any other object "name?"
may be absent, all other members are there and no others are; "+" names the type whose members it
has, too.
"""
import json
import pathlib
import subprocess
import sys

WIDTH = 100
PLAIN = {
    "string": {"type": "string"}, "boolean": {"type": "boolean"}, "number": {"type": "number"},
    "null": {"type": "null"}, "integer": {"type": "integer"},
    "count": {"type": "integer", "minimum": 0},
}
HEAD = {"nf": {"const": 1}, "sid": {"$ref": "#/$defs/sid"}, "seq": PLAIN["count"]}
OF_LINES = ("part", "more", "crc")  # a record's lines have them, its object in a document not
# Fields of records, by their type in the table, in the short form.
FIELDS = {
    "number": "field", "number or null": "field?", "true or false": "boolean",
    "string": "string?", "strings": ["string"], "pairs": [["field", "field"]],
    "by cause": {"*": "sum"}, "by name": {"*": "field"}, "by type": {"*": "field"},
}
FIELD_TYPES = {
    # In documents a number past 2^63 is a string.
    "field": {"type": ["integer", "string"], "pattern": "^-?[0-9]{19,20}$"},
    "sum": {"type": "object", "required": ["gaps", "ns"],
            "properties": {name: {"$ref": "#/$defs/field"} for name in ("gaps", "ns")}},
}
# A reader does without these (core/records/record_field.h).
MAY_BE_ABSENT = {"number or null", "string", "by name"}

ABOUT = "What is printed with --json and --jsonl: output.md. Records: records.md."


def ref(name):
    return {"$ref": f"#/$defs/{name}"}


def or_null(of):
    if "type" in of:
        return {**of, "type": [of["type"], "null"]}
    return {"anyOf": [of, {"type": "null"}]}


def closed(members, types):
    members = dict(members)
    if "+" in members:
        members = {**types[members.pop("+")], **members}
    return {
        "type": "object",
        "required": [name for name in members if not name.endswith("?")],
        "properties": {name.rstrip("?"): full(of, types) for name, of in members.items()},
        "additionalProperties": False,
    }


def word(text, types):
    if text.startswith("/"):
        return {"type": "string", "pattern": text[1:-1]}
    if text.endswith("?"):
        return or_null(word(text[:-1], types))
    if "|" in text:
        return {"enum": text.split("|")}
    if text in PLAIN:
        return PLAIN[text]
    if text not in {"record", *FIELD_TYPES, *types}:
        raise ValueError(f"host/documents.json: no type {text}")
    return ref(text)


def full(short, types):
    """The schema that the short form stands for."""
    if isinstance(short, str):
        return word(short, types)
    if isinstance(short, list):
        array = {"type": "array", "items": full(short[0], types)}
        return array if len(short) == 1 else {**array, "minItems": 2, "maxItems": 2}
    if set(short) == {"?"}:
        return or_null(full(short["?"], types))
    if set(short) == {"*"}:
        return {"type": "object", "additionalProperties": full(short["*"], types)}
    if set(short) == {"|"}:
        return {"anyOf": [full(either, types) for either in short["|"]]}
    return closed(short, types)


def fields_of(rows):
    """The members of the object that the rows begin with, and which of them are required."""
    members, needed = {}, {"required": [], "properties": {}}
    for row in rows:
        name, kind = row["name"], row["kind"]
        if kind == "end":
            break
        if kind == "object":
            inner, needed["properties"][name] = fields_of(rows)
            members[name] = {"type": "object", "properties": inner}
        else:
            members[name] = full(FIELDS[kind], {})
        if kind not in MAY_BE_ABSENT:
            needed["required"].append(name)
    return members, needed


def is_of(name):
    return {"properties": {"type": {"const": name}}}


def records(types):
    """A record, and a line of one: what all have, and what those of a type have."""
    yield "record_head", {
        "type": "object", "required": [*HEAD, "type"],
        "properties": {**HEAD, "type": PLAIN["string"]},
    }
    by_type = []
    for record in types:
        name = f"record_{record['name']}"
        members, needed = fields_of(iter(record["fields"]))
        # A line that is a part may have any of them.
        yield name, {"properties": members, "if": {"required": ["part"]}, "else": needed}
        by_type.append({"if": is_of(record["name"]), "then": ref(name)})
    yield "record", {
        "allOf": [ref("record_head"), *by_type],
        "not": {"anyOf": [{"required": [name]} for name in OF_LINES]},
    }
    yield "line", {
        "allOf": [ref("record_head"), *by_type],
        "required": ["crc"],
        "properties": {"part": PLAIN["count"], "more": {"const": True},
                       "crc": {"type": "string", "pattern": "^[0-9a-f]{8}$"}},
    }


def printed(value, indent="", key=""):
    """JSON, with what fits on one line in one."""
    line = key + json.dumps(value)
    if len(indent + line) < WIDTH or not isinstance(value, (dict, list)):
        return indent + line
    inner, (first, last) = indent + " ", "[]" if isinstance(value, list) else "{}"
    pairs = ((f"{json.dumps(name)}: ", of) for name, of in value.items()) if isinstance(
        value, dict) else (("", of) for of in value)
    lines = ",\n".join(printed(of, inner, name) for name, of in pairs)
    return f"{indent}{key}{first}\n{lines}\n{indent}{last}"


def schema(short, record_types):
    """The text of schema.json."""
    types, names, defs = short["types"], [], dict(FIELD_TYPES)
    for name, of in types.items():
        defs[name] = full(of, types)
    for version, of in short["documents"].items():
        name = version.partition("/")[0]
        names.append(name)
        defs[name] = closed(of, types)
        defs[name]["required"].insert(0, "schema")
        defs[name]["properties"] = {"schema": {"const": version}, **defs[name]["properties"]}
    if set(names) & set(types):
        raise ValueError(f"host/documents.json: {set(names) & set(types)} is a type, too")
    defs.update(records(record_types))
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "noisefloor",
        "description": ABOUT,
        "anyOf": [ref(name) for name in [*names, "line"]],
        "$defs": defs,
    }
    return printed(whole)


def main():
    tables, documents = sys.argv[1:]
    records_table = json.loads(subprocess.check_output([tables]))["records"]
    short = json.loads(pathlib.Path(documents).read_text(encoding="utf-8"))
    print(schema(short, records_table))


if __name__ == "__main__":
    main()
