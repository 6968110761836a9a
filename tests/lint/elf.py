#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check noisefloor.elf by mk/elf_note.py, and that check by mutation: elf.py ELF LINKED.

Each bit that a loader reads, in the headers and in the note, is flipped in turn; elf_note.py must
refuse each mutant.
"""
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "mk"))
import elf_note  # noqa: E402

# Bytes of the ELF header that no loader reads: ABI and padding, section headers.
UNREAD = {*range(7, 16), *range(40, 48), *range(58, 64)}


def places(data):
    """Offsets of all bytes that a loader reads."""
    start, each, count = (struct.unpack_from(elf_note.HEADER, data)[i] for i in (5, 9, 10))
    note = elf_note.Segment(data, start + (count - 1) * each)
    own = set(range(struct.calcsize(elf_note.HEADER))) - UNREAD
    programs = set(range(start, start + count * each))
    return sorted(own | programs | set(range(note.offset, note.offset + note.file_bytes)))


def survivors(data, symbols):
    """(byte, bit) of each mutant that is not refused, and the number of mutants."""
    found, count = [], 0
    for at in places(data):
        for bit in range(8):
            mutant = bytearray(data)
            mutant[at] ^= 1 << bit
            count += 1
            if not elf_note.check(bytes(mutant), symbols):
                found.append((at, bit))
    return found, count


def main(path, linked):
    with open(path, "rb") as file:
        data = file.read()
    symbols = elf_note.symbols_of(linked)
    wrong = elf_note.check(data, symbols)
    passed, count = survivors(data, symbols)
    wrong += [f"byte {at:#x} bit {bit}: the gate does not see a change" for at, bit in passed]
    for what in wrong:
        print(f"{path}: {what}")
    print(f"elf: {path}, {count} mutants, {len(passed)} not refused")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
