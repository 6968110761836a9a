#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check a PE image for what strict firmware asks: pe.py IMAGE...

An EFI application for x86-64 with NX_COMPAT, sections on pages of their own, none writable
and executable, none overlapping, none with gaps between them in the file (signers disagree on
what those hash to), relocations where shim looks for them, .sbat with lines that shim can
read, no time stamp, and not larger than promised. Source: Microsoft PE format; shim's SBAT.md,
pe.c and pe-relocate.c; Microsoft's UEFI CA memory mitigation requirements.
"""
import re
import struct
import sys

MACHINE_X86_64, MACHINE_AARCH64 = 0x8664, 0xAA64
PE32_PLUS = 0x20B
SUBSYSTEM_EFI_APPLICATION = 10
NX_COMPAT = 0x0100
RELOCS_STRIPPED = 0x0001
DIRECTORIES = 112  # in the optional header: address and size each
CERTIFICATES, RELOCATIONS = 4, 5
SBAT_FIRST = "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md"
SBAT_LINE = re.compile(r"[!-+\--~]+,[1-9]\d*,[ -+\--~]+,[ -+\--~]+,[ -+\--~]+,https?://[!-+\--~]+")
PAGE = 4096
BYTES_MAX = 736 * 512  # with headers, without certificates: CONTRIBUTING.md
SECTION_BYTES = 40
EXECUTE, READ, WRITE = 0x20000000, 0x40000000, 0x80000000


class Image:
    """The header fields the rules look at."""

    def __init__(self, data):
        self.data = data
        if data[:2] != b"MZ":
            raise ValueError("no MZ at the start")
        (pe,) = struct.unpack_from("<I", data, 0x3C)
        if data[pe : pe + 4] != b"PE\0\0":
            raise ValueError(f"no PE signature at {pe:#x}")
        coff = struct.unpack_from("<HHIIIHH", data, pe + 4)
        self.machine, count, self.time_stamp, self.characteristics = *coff[:3], coff[6]
        optional = pe + 24
        (self.magic,) = struct.unpack_from("<H", data, optional)
        (self.entry,) = struct.unpack_from("<I", data, optional + 16)
        self.alignment, self.file_alignment = struct.unpack_from("<II", data, optional + 32)
        self.size, self.header_bytes = struct.unpack_from("<II", data, optional + 56)
        self.subsystem, self.dll_characteristics = struct.unpack_from("<HH", data, optional + 68)
        self.relocations = self._directory(optional, RELOCATIONS)
        self.certificates = self._directory(optional, CERTIFICATES)
        first = optional + coff[5]
        self.table_end = first + count * SECTION_BYTES
        self.sections = [Section(data, first + i * SECTION_BYTES) for i in range(count)]

    def _directory(self, optional, number):
        return struct.unpack_from("<II", self.data, optional + DIRECTORIES + number * 8)


class Section:
    def __init__(self, data, at):
        name, self.bytes, self.address, self.file_bytes, self.file_at = struct.unpack_from(
            "<8sIIII", data, at
        )
        self.name = name.rstrip(b"\0").decode(errors="replace")
        (self.flags,) = struct.unpack_from("<I", data, at + 36)
        self.content = data[self.file_at : self.file_at + min(self.bytes, self.file_bytes)]


def is_file_alignment(image):
    """A power of two from 512 to 65536."""
    return image.file_alignment in {512 << n for n in range(8)}


def check_headers(image):
    rules = (
        (image.machine == MACHINE_X86_64, f"machine {image.machine:#x}, not x86-64"),
        (image.magic == PE32_PLUS, f"optional header {image.magic:#x}, not PE32+"),
        (image.subsystem == SUBSYSTEM_EFI_APPLICATION, f"subsystem {image.subsystem}, not 10"),
        (image.dll_characteristics & NX_COMPAT, "NX_COMPAT is not set"),
        (image.time_stamp == 0, f"time stamp {image.time_stamp}: not reproducible"),
        (image.alignment % PAGE == 0 and image.alignment, f"alignment {image.alignment}"),
        (is_file_alignment(image), f"file alignment {image.file_alignment}"),
        (not image.characteristics & RELOCS_STRIPPED, "relocations are marked as stripped"),
        (image.relocations[1], "no base relocations"),
        (image.table_end <= image.header_bytes, "the headers do not hold all sections"),
    )
    return [what for good, what in rules if not good]


def check_section(section, alignment):
    wrong = []
    if section.flags & WRITE and section.flags & EXECUTE:
        wrong.append("writable and executable")
    if not section.flags & READ:
        wrong.append("not readable")
    if alignment and section.address % alignment:
        wrong.append(f"at {section.address:#x}, not aligned to {alignment:#x}")
    if not section.bytes:
        wrong.append("empty")
    if section.name == ".text" and not section.flags & EXECUTE:
        wrong.append("not executable")
    return [f"{section.name}: {what}" for what in wrong]


def check_overlap(image):
    wrong = []
    end, before = image.header_bytes, "headers"
    for section in sorted(image.sections, key=lambda s: s.address):
        if section.address < end:
            wrong.append(f"{section.name} overlaps {before}")
        end, before = section.address + section.bytes, section.name
        if section.file_at + section.file_bytes > len(image.data):
            wrong.append(f"{section.name} ends past the file")
    if end > image.size:
        wrong.append(f"{before} ends past the image's size")
    return wrong


def check_entry(image):
    for section in image.sections:
        if section.address <= image.entry < section.address + section.bytes:
            return [] if section.flags & EXECUTE else [f"entry in {section.name}, not executable"]
    return [f"entry {image.entry:#x} in no section"]


def check_relocations(image):
    """shim takes them from the section of that name."""
    address, size = image.relocations
    for section in image.sections:
        if section.name == ".reloc":
            good = section.address == address and size <= section.bytes
            return [] if good else [".reloc is not where the header has the relocations"]
    return ["no .reloc section"]


def check_gaps(image):
    """Headers, sections, then certificates, back to back to the end of the file."""
    end, before = image.header_bytes, "the headers"
    for section in sorted(image.sections, key=lambda s: s.file_at):
        if section.file_bytes and section.file_at != end:
            return [f"{section.name} does not follow {before} in the file"]
        end, before = section.file_at + section.file_bytes, section.name
    first, size = image.certificates
    if size and first - end not in range(8):
        return ["the certificates do not follow the sections in the file"]
    end = first + size if size else end
    return [] if end == len(image.data) else ["the file goes on after its last section"]


def check_size(image):
    end = max(section.file_at + section.file_bytes for section in image.sections)
    return [] if end <= BYTES_MAX else [f"{end} bytes, more than {BYTES_MAX}"]


def check_sbat(image):
    found = [section for section in image.sections if section.name == ".sbat"]
    if len(found) != 1:
        return [f"{len(found)} .sbat sections" if found else "no .sbat section"]
    try:
        text = found[0].content.rstrip(b"\0").decode("ascii")
    except UnicodeDecodeError:
        return [".sbat is not ASCII"]
    lines = text.split("\n")
    if lines[0] != SBAT_FIRST:
        return [f".sbat does not start with {SBAT_FIRST}"]
    if lines.pop():
        return [".sbat: the last line has no end"]
    if len(lines) < 2:
        return [".sbat has no line of the product's"]
    wrong = [line for line in lines if not SBAT_LINE.fullmatch(line)]
    return [f".sbat: not name,generation,vendor,package,version,URL: {line}" for line in wrong]


def check(data):
    """Faults of the image in `data`, as sentences."""
    try:
        image = Image(data)
    except (ValueError, struct.error) as error:
        return [f"not a PE image: {error}"]
    wrong = []
    for rule in (
        check_headers, check_overlap, check_entry, check_relocations, check_gaps, check_size,
        check_sbat,
    ):
        wrong += rule(image)
    for section in image.sections:
        wrong += check_section(section, image.alignment)
    return wrong


def main(paths):
    failed = False
    for path in paths:
        with open(path, "rb") as file:
            wrong = check(file.read())
        for what in wrong:
            print(f"{path}: {what}")
        failed = failed or bool(wrong)
        print(f"pe: {path}, {len(wrong)} wrong")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
