# SPDX-License-Identifier: BSD-2-Clause
"""A second loader, between QEMU and the probe, for start infos that QEMU would never make.

It is added to the probe's ELF as further segments. The ELF's note leads to it, and it enters the
probe with the start info of PVH, or with the boot_params of Linux, that the test made.
"""
import dataclasses
import struct
import sys

import runner

sys.path.insert(0, str(runner.ROOT / "mk"))
import boot_headers  # noqa: E402

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
LOADER = 32 * MIB  # the test's loader, with the start info and all that it points to
INFO, MAP, COMMAND = (LOADER + n * KIB for n in (1, 2, 16))
END = COMMAND + 128 * KIB
# Linux's: boot_params are where PVH has the rest of its start info.
PARAMS, SETUP = (LOADER + n * KIB for n in (4, 8))
GDT, TABLES = LOADER + KIB, END
TABLES_END = TABLES + 12 * KIB
MAGIC, VERSION = 0x336EC578, 1
MEMORY, RESERVED = 1, 2
NOTE_ENTRY = 16  # offset of the entry address in the note
PROGRAM_COUNT = 56  # offset of e_phnum in the header
# SeaBIOS's tables are at the end of memory.
GOOD_MAP = ((0, 0x9FC00, MEMORY), (0xF0000, 64 * KIB, RESERVED), (MIB, 959 * MIB, MEMORY),
            (960 * MIB, 64 * MIB, RESERVED))


@dataclasses.dataclass
class Info:
    """A start info. The defaults are valid."""

    magic: int = MAGIC
    version: int = VERSION
    map: tuple = GOOD_MAP
    map_at: int = MAP
    entries: int | None = None  # None: the true number
    rsdp: int = 0
    command: bytes = b""
    command_at: int = COMMAND
    modules: int = 0

    def enter(self, elf):
        """mov $INFO, %ebx; mov $entry, %eax; jmp *%eax"""
        return struct.pack("<BIBI2s", 0xBB, INFO, 0xB8, elf.note_entry, b"\xff\xe0")

    def pack(self):
        entries = len(self.map) if self.entries is None else self.entries
        head = struct.pack(
            "<IIIIQQQQII", self.magic, self.version, 0, self.modules, 0, self.command_at,
            self.rsdp, self.map_at, entries, 0,
        )
        parts = {
            INFO: head,
            MAP: b"".join(struct.pack("<QQII", *entry, 0) for entry in self.map),
            COMMAND: self.command + b"\0",
        }
        return laid_out(parts, END)


def write32(address, value):
    """movl $value, address"""
    return struct.pack("<HII", 0x05C7, address, value)


def copy(to, source, count):
    """mov $source, %esi; mov $to, %edi; mov $count, %ecx; cld; rep movsb"""
    return struct.pack("<BIBIBI3s", 0xBE, source, 0xBF, to, 0xB9, count, b"\xfc\xf3\xa4")


def laid_out(parts, end):
    """The loader's memory up to `end`, with these parts by their addresses."""
    image = bytearray(end - LOADER)
    for at, part in parts.items():
        image[at - LOADER : at - LOADER + len(part)] = part
    return image


HEADER_MAGIC = b"HdrS"
EXT_RANGES = 1  # SETUP_E820_EXT
PRESENT, LARGE = 3, 0x80
CODE64, GDT_BYTES = 8, 16


@dataclasses.dataclass
class Params:
    """boot_params: Linux, Documentation/arch/x86/zero-page.rst. The defaults are valid."""

    magic: bytes = HEADER_MAGIC
    map: tuple = GOOD_MAP
    entries: int | None = None
    rsdp: int = 0
    command: bytes = b""
    command_at: int = COMMAND
    initrd: tuple = (0, 0)
    more: tuple = ()  # ranges in a node of setup_data
    more_count: int | None = None
    next: int = 0  # the node behind
    setup_at: int | None = None
    params_at: int = PARAMS
    loader: int = 0xD0  # kexec's

    def enter(self, elf):
        """Switch to 64-bit mode, where only the probe and this loader are mapped, and jump."""
        to64 = b"".join((
            b"\xb8", struct.pack("<I", TABLES), b"\x0f\x22\xd8",  # mov $TABLES, %eax; mov to %cr3
            b"\xb8\x20\0\0\0\x0f\x22\xe0",  # mov $PAE, %eax; mov %eax, %cr4
            b"\xb9\x80\0\0\xc0\x0f\x32\x0d\0\x01\0\0\x0f\x30",  # set LME in EFER
            b"\xb8\x11\0\0\x80\x0f\x22\xc0",  # mov $PG|ET|PE, %eax; mov %eax, %cr0
            b"\x0f\x01\x15", struct.pack("<I", GDT + GDT_BYTES),  # lgdt
        ))
        there = elf.code_at + len(to64) + 7
        # ljmp $CODE64, $there; mov $PARAMS, %esi; mov $entry, %eax; jmp *%rax
        return to64 + struct.pack("<BIHBIBI2s", 0xEA, there, CODE64, 0xBE, self.params_at, 0xB8,
                                  elf.entry, b"\xff\xe0")

    def pack(self):
        params = bytearray(4 * KIB)
        setup = SETUP if self.more and self.setup_at is None else self.setup_at or 0
        for offset, form, *values in (
            (0x70, "<Q", self.rsdp),
            (0xC0, "<III", self.initrd[0] >> 32, self.initrd[1] >> 32, self.command_at >> 32),
            (0x1E8, "<B", len(self.map) if self.entries is None else self.entries),
            (0x202, "<4s", self.magic),
            (0x210, "<B", self.loader),
            (0x218, "<II", self.initrd[0] & 0xFFFFFFFF, self.initrd[1] & 0xFFFFFFFF),
            (0x228, "<I", self.command_at & 0xFFFFFFFF),
            (0x250, "<Q", setup),
        ):
            struct.pack_into(form, params, offset, *values)
        for n, entry in enumerate(self.map):
            struct.pack_into("<QQI", params, 0x2D0 + 20 * n, *entry)
        more = b"".join(struct.pack("<QQI", *entry) for entry in self.more)
        count = len(self.more) if self.more_count is None else self.more_count
        large = struct.pack("<Q", 2 * MIB | PRESENT | LARGE), bytes(8 * 14)
        return laid_out({
            PARAMS: bytes(params),
            SETUP: struct.pack("<QII", self.next, EXT_RANGES, 20 * count) + more,
            COMMAND: self.command + b"\0",
            GDT: struct.pack("<QQHI", 0, 0x00AF9B000000FFFF, GDT_BYTES - 1, GDT),
            TABLES: struct.pack("<Q", TABLES + 4 * KIB | PRESENT),
            TABLES + 4 * KIB: struct.pack("<Q", TABLES + 8 * KIB | PRESENT),
            TABLES + 8 * KIB: bytes(8) + b"".join(large)
            + struct.pack("<Q", LOADER | PRESENT | LARGE),
        }, TABLES_END)


@dataclasses.dataclass
class Elf:
    note_entry: int
    entry: int
    code_at: int  # address of the code that enter() returns


def with_loader(app, path, info, before=b"", more=()):
    """A copy of the ELF that enters the probe with this start info. `before` is 32-bit code that
    runs first; `more` has further segments, as (address, bytes)."""
    data = bytearray(app.read_bytes())
    fields = struct.unpack_from(boot_headers.HEADER, data)
    start, each, count = fields[5], fields[9], fields[10]
    note = boot_headers.Segment(data, start + (count - 1) * each)
    (entry,) = struct.unpack_from("<Q", data, note.offset + NOTE_ENTRY)
    struct.pack_into("<Q", data, note.offset + NOTE_ENTRY, LOADER)
    image = info.pack()
    code = before + info.enter(Elf(entry, fields[4], LOADER + len(before)))
    image[: len(code)] = code
    for address, content in ((LOADER, image), *more):
        data += bytes(-len(data) % boot_headers.PAGE)
        struct.pack_into(
            boot_headers.PROGRAM, data, start + count * each, boot_headers.LOAD, 7, len(data),
            address, address, len(content), len(content), boot_headers.PAGE,
        )
        data += content
        count += 1
    struct.pack_into("<H", data, PROGRAM_COUNT, count)
    path.write_bytes(data)
    return path
