#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check noisefloor.elf and noisefloor.bzimage by mk/boot_headers.py, and that check by mutation:
boot_headers.py LINKED ELF BZIMAGE.

Each bit that a loader reads, in headers, note and first instructions, is flipped in turn;
mk/boot_headers.py must refuse each mutant.
"""
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "mk"))
import boot_headers as headers  # noqa: E402

# Bytes of the ELF header that no loader reads: ABI and padding, section headers.
UNREAD = {*range(7, 16), *range(40, 48), *range(58, 64)}
ENTRY_64 = 0x200  # bytes from the program's start, where its 32-bit entry is


def places_of_elf(data):
    """Offsets of all bytes that a loader reads."""
    start, each, count = (struct.unpack_from(headers.HEADER, data)[i] for i in (5, 9, 10))
    note = headers.Segment(data, start + (count - 1) * each)
    own = set(range(struct.calcsize(headers.HEADER))) - UNREAD
    programs = set(range(start, start + count * each))
    return sorted(own | programs | set(range(note.offset, note.offset + note.file_bytes)))


def places_of_bzimage(data, elf):
    program = len(data) - len(headers.flat(elf))
    signable = range(len(headers.SIGNABLE) if data.startswith(headers.SIGNABLE) else 0)
    return [*signable, *range(headers.HEADER_AT, headers.HEADER_END + 3),
            *range(headers.REAL_MODE, headers.REAL_MODE + len(headers.REAL_MODE_BYTES)),
            *(program + entry + n for entry in (0, ENTRY_64) for n in range(2))]


def survivors(data, places, check):
    """(byte, bit) of each mutant that is not refused."""
    for at in places:
        for bit in range(8):
            mutant = bytearray(data)
            mutant[at] ^= 1 << bit
            if not check(bytes(mutant)):
                yield at, bit


def main(linked, *paths):
    elf, bzimage = (pathlib.Path(path).read_bytes() for path in paths)
    symbols, wrong = headers.symbols_of(linked), 0
    for path, data, places, check in (
        (paths[0], elf, places_of_elf(elf), lambda mutant: headers.check_elf(mutant, symbols)),
        (paths[1], bzimage, places_of_bzimage(bzimage, elf),
         lambda mutant: headers.check_bzimage(mutant, elf, symbols)),
    ):
        found = check(data)
        found += [f"byte {at:#x} bit {bit}: the gate does not see a change"
                  for at, bit in survivors(data, places, check)]
        for what in found:
            print(f"{path}: {what}")
        print(f"boot headers: {path}, {8 * len(places)} mutants, {len(found)} wrong")
        wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
