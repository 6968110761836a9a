#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Machines as surveys that can be replayed: survey_form.py OUT FILE...

Each FILE is a dump of a processor as the InstLatx64 collection has them, or a capture of a run of
mode=survey, or what `noisefloor show --share` made of one. OUT/NAME.survey has the leaves of all
cores, a line for each value with the cores that have it, as the part `cpuid` of a survey, and, as
its part `msr`, those registers of the dump that the probe reads:

    # what it is, and from where
    [cpuid]
    00000001 0 000906ea 00100800 7ffafbff bfebfbff 0-3 id
    [msr]
    ce 804043df0801900 0-3

A capture's ACPI tables follow as they are, `[acpi APIC]` and lines of hex.

`make test-unit T=replay SURVEYS=OUT` plays them, up to the cause of an SMI.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "qemu"), str(ROOT / "tests" / "machines")]

import cpulist  # noqa: E402
import machine_seen  # noqa: E402
import records  # noqa: E402

LEAF = re.compile(
    r"CPUID ([0-9A-F]{8}): ([0-9A-F]{8})-([0-9A-F]{8})-([0-9A-F]{8})-([0-9A-F]{8})"
    r"(?: \[SL ([0-9A-F]{2})\])?", re.I,
)
REGISTER = re.compile(r"MSR ([0-9A-F]{8}): ([0-9A-F]{4}(?:-[0-9A-F]{4}){3})", re.I)
REGISTERS_OF = re.compile(r"\[ *MSR.*CPU ?#(\d+)", re.I)
CORE = re.compile(r"\[ *(?:Logical )?CPU ?#(\d+)", re.I)
SERIAL_LEAF = 3
# Leaves that the probe decodes: identity, topology, caches, counters, rates, the hypervisor's
# absence.
DECODED = {
    0x0, 0x1, 0x4, 0x5, 0x6, 0x7, 0xA, 0xB, 0x15, 0x16, 0x1A, 0x1F, *range(0x80000000, 0x80000005),
    0x80000007, 0x80000008, 0x8000001D, 0x8000001E, 0x80000022, 0x80000026,
}
# Where a leaf has the core's own APIC id: of its four registers which, from which bit on, how wide.
OWN_IDS = {
    0x1: (1, 24, 0xFF), 0xB: (3, 0, 2**32 - 1), 0x1F: (3, 0, 2**32 - 1),
    0x8000001E: (0, 0, 2**32 - 1), 0x80000026: (3, 0, 2**32 - 1),
}


# Entries of the survey's list: (first, count, step, whether they count).
SURVEYED = [
    (int(first, 16), int(count), int(step), "SURVEY_MOVES" in flags)
    for first, count, step, flags in re.findall(
        r"^\t\{ (0x[0-9a-f]+), (\d+), (\d+), [^,]+, (\w+) \},",
        (ROOT / "arch/x86_64/survey/survey.c").read_text(), re.M,
    )
]
MOVES = {
    first + n * step: moves for first, count, step, moves in SURVEYED for n in range(count)
}


def cores_of(text):
    """A list of {(leaf, subleaf): registers}, a core each."""
    cores = []
    for line in text.splitlines():
        leaf = LEAF.match(line.strip())
        if CORE.search(line) or (leaf and not cores):
            cores.append({})
        if leaf:
            number, *words, sub = leaf.groups()
            key = int(number, 16), int(sub or "0", 16)
            cores[-1].setdefault(key, [int(word, 16) for word in words])
    return [core for core in cores if core]


def id_of(core):
    for key in ((0x1F, 0), (0xB, 0)):
        if core.get(key, [0, 0, 0, 0])[1]:
            return core[key][3]
    return core.get((1, 0), [0, 0, 0, 0])[1] >> 24


def without_id(leaf, words, own):
    register, shift, mask = OWN_IDS.get(leaf, (0, 0, 0))
    if not mask or words[register] >> shift & mask != own & mask:
        return words, ""
    words = list(words)
    words[register] &= ~(mask << shift)
    return words, " id"


def lines_of(cores, first):
    """In the order of leaves; of those that differ, that of the first core comes first."""
    having = {}
    for number, core in enumerate(cores):
        for (leaf, sub), words in core.items():
            if leaf == SERIAL_LEAF:
                continue
            words, mark = without_id(leaf, words, id_of(core))
            having.setdefault((leaf, sub, *words, mark), []).append(number)
    ordered = sorted(having.items(), key=lambda item: (item[0][:2], item[1]))
    if first:
        ordered = [item for item in ordered if item[0][0] in DECODED and item[1][0] == 0]
    return [
        f"{leaf:08x} {sub:x} {' '.join(f'{word:08x}' for word in words)} "
        f"{cpulist.of(numbers)}{mark}"
        for (leaf, sub, *words, mark), numbers in ordered
    ]


def registers_of(text):
    """A list of {number: value}, a core each."""
    cores, current = {}, 0
    for line in text.splitlines():
        heading = REGISTERS_OF.search(line) or CORE.search(line)
        if heading:
            current = int(heading[1])
        found = REGISTER.match(line.strip())
        if found:
            value = int(found[2].replace("-", ""), 16)
            cores.setdefault(current, {}).setdefault(int(found[1], 16), value)
    return [cores.get(number, {}) for number in range(max(cores, default=-1) + 1)]


def register_lines(cores, first):
    """Registers that a survey reads; where cores differ, the first core's value comes first."""
    having = {}
    for number, core in enumerate(cores[:1] if first else cores):
        for msr, value in core.items():
            if msr in MOVES:
                text = "moves" if MOVES[msr] else f"{value:x}"
                having.setdefault((msr, text), []).append(number)
    ordered = sorted(having.items(), key=lambda item: (item[0][0], item[1]))
    return [f"{msr:x} {text} {cpulist.of(numbers)}" for (msr, text), numbers in ordered]


def table_lines(name, table):
    """An ACPI table in hex, 32 bytes a line."""
    text = bytes(table).hex()
    return [f"[acpi {name}]", *(text[at : at + 64] for at in range(0, len(text), 64))]


def tables_in(text):
    """The ACPI tables of a survey, by signature."""
    return {name: bytes.fromhex(lines)
            for name, lines in re.findall(r"^\[acpi (\S+)\]\n([0-9a-f\n]*)", text, re.M)}


def form(origin, cores, registers=(), first=False):
    if not cores:
        raise ValueError("it has no CPUID leaf")
    lines = [f"# {origin}", "[cpuid]", *lines_of(cores, first)]
    values = register_lines(registers, first)
    return "\n".join([*lines, *(["[msr]", *values] if values else []), ""])


def from_dump(text, origin, first=False):
    return form(origin, cores_of(text), registers_of(text), first)


def from_records(found, origin):
    parts = machine_seen.survey_parts(found)
    if ("cpuid", None) not in parts:
        raise ValueError("it has no survey of an x86 processor")
    areas = [
        f"[{area}]\n{parts[area, None].decode('ascii')}"
        for area in ("cpuid", "msr") if (area, None) in parts
    ]
    for area, name in parts:
        if area == "acpi" and name:
            areas.append("\n".join([*table_lines(name, parts[area, name]), ""]))
    return "".join([f"# {origin}\n", *areas])


def form_of(data, origin, first=False):
    if b'"type":"survey"' in data:
        return from_records(records.join(records.find(data)), origin)
    return from_dump(data.decode("latin-1"), origin, first)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path, nargs="+")
    parser.add_argument("--origin", default="a survey", help="where they are from")
    parser.add_argument("--first", action="store_true",
                        help="of a dump: what the probe decodes of core 0, no more")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for path in args.file:
        try:
            form = form_of(path.read_bytes(), f"{path.stem}: {args.origin}", args.first)
        except (ValueError, AssertionError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            failed += 1
            continue
        (args.out / f"{path.stem}.survey").write_text(form)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
