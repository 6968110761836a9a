# SPDX-License-Identifier: BSD-2-Clause
"""Machines in a folder of dumps, of whatever form, as surveys."""
import json
import lzma
import re

import survey_form

# acpidump: "FACP @ 0x0000000000000000", then "    0000: 46 41 43 50 ...  FACP....".
TABLE = re.compile(r"^(\S{4}) @ 0x[0-9a-f]+ *$", re.I)
BYTES = re.compile(r"^ +([0-9a-f]{4,}): ((?:[0-9a-f]{2} ){1,16})", re.I)
# Their code is the vendor's, and nobody here reads it; keys of products.
NOT_READ = {"DSDT", "SSDT", "MSDM", "SLIC", "RSDP", "RSDT", "XSDT", "RSD "}


def tables_form(origin, tables):
    """`tables`: [(signature, bytes)]; of several with one name the first."""
    lines, seen = [f"# {origin}"], set()
    for name, table in tables:
        if name in NOT_READ or name in seen:
            continue
        seen.add(name)
        lines += survey_form.table_lines(name, table)
    if not seen:
        raise ValueError("it has no table that is read")
    return "\n".join([*lines, ""])


def acpidump(text):
    tables = []
    for line in text.splitlines():
        heading, some = TABLE.match(line), BYTES.match(line)
        if heading:
            tables.append((heading[1], bytearray()))
        elif some and tables:
            if int(some[1], 16) != len(tables[-1][1]):
                raise ValueError(f"{tables[-1][0]}: at {some[1]}, after {len(tables[-1][1]):x}")
            tables[-1][1].extend(bytes.fromhex(some[2]))
    return tables


def _leaves(cpu):
    leaves = {}
    for number, sub, *words in cpu["leaves"]:
        leaves.setdefault((int(number, 16), max(sub, 0)), [int(word, 16) for word in words])
    return leaves


def _object(found):
    """(name, form)"""
    if "tables" in found:
        tables = [(table["sig"], bytes.fromhex(table["hex"])) for table in found["tables"]]
        return found["machine"], tables_form(found["machine"], tables)
    name = found["processor"]
    msrs = {int(core): values for core, values in found["msr"].items()}
    registers = [
        {int(msr, 16): int(value, 16) for msr, value in msrs.get(core, {}).items()}
        for core in range(max(msrs, default=-1) + 1)
    ]
    cores = [leaves for leaves in map(_leaves, found["cpus"]) if leaves]
    return name, survey_form.form(name, cores, registers)


def _lines(name, data):
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        label = f"{name}:{number}"
        try:
            found = json.loads(line)
            label, form = _object(found)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            yield label, None, f"{type(error).__name__}: {error}"
        else:
            yield label, form, None


def _text(data):
    text = data.decode("latin-1")
    if text.startswith("# ") and re.search(r"^\[(cpuid|acpi ....)\]$", text, re.M):
        return text
    tables = acpidump(text)
    return tables_form("acpidump", tables) if tables else survey_form.form_of(data, "a dump")


def _file(path, name):
    data = path.read_bytes()
    if path.suffix == ".xz":
        data = lzma.decompress(data)
    if ".jsonl" in path.suffixes and b'"type":"survey"' not in data:
        yield from _lines(name, data)
        return
    try:
        yield name, _text(data), None
    except (ValueError, AssertionError, KeyError) as error:
        yield name, None, str(error)


def machines(folder):
    """(name, survey or None, why not or None) of each machine in the folder and those below."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        try:
            yield from _file(path, name)
        except (OSError, lzma.LZMAError) as error:
            yield name, None, str(error)
