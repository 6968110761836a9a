# SPDX-License-Identifier: BSD-2-Clause
"""A second PVH loader, between QEMU and the probe, for start infos that QEMU would never make.

It is added to the probe's ELF as further segments. The ELF's note leads to it, and it enters the
probe with the start info that the test made.
"""
import dataclasses
import struct
import sys

import runner

sys.path.insert(0, str(runner.ROOT / "mk"))
import elf_note  # noqa: E402

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
LOADER = 32 * MIB  # the test's loader, with the start info and all that it points to
INFO, MAP, MODULES, COMMAND = (LOADER + n * KIB for n in (1, 2, 8, 16))
END = COMMAND + 128 * KIB
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
    modules: tuple = ()
    modules_at: int = MODULES
    module_count: int | None = None

    def pack(self):
        entries = len(self.map) if self.entries is None else self.entries
        count = len(self.modules) if self.module_count is None else self.module_count
        head = struct.pack(
            "<IIIIQQQQII", self.magic, self.version, 0, count, self.modules_at, self.command_at,
            self.rsdp, self.map_at, entries, 0,
        )
        parts = {
            INFO: head,
            MAP: b"".join(struct.pack("<QQII", *entry, 0) for entry in self.map),
            MODULES: b"".join(struct.pack("<QQQQ", *module, 0, 0) for module in self.modules),
            COMMAND: self.command + b"\0",
        }
        image = bytearray(END - LOADER)
        for at, part in parts.items():
            image[at - LOADER : at - LOADER + len(part)] = part
        return image


def write32(address, value):
    """movl $value, address"""
    return struct.pack("<HII", 0x05C7, address, value)


def copy(to, source, count):
    """mov $source, %esi; mov $to, %edi; mov $count, %ecx; cld; rep movsb"""
    return struct.pack("<BIBIBI3s", 0xBE, source, 0xBF, to, 0xB9, count, b"\xfc\xf3\xa4")


def enter(entry):
    """mov $INFO, %ebx; mov $entry, %eax; jmp *%eax"""
    return struct.pack("<BIBI2s", 0xBB, INFO, 0xB8, entry, b"\xff\xe0")


def with_loader(app, path, info, before=b"", more=()):
    """A copy of the ELF that enters the probe with this start info. `before` is 32-bit code that
    runs first; `more` has further segments, as (address, bytes)."""
    data = bytearray(app.read_bytes())
    fields = struct.unpack_from(elf_note.HEADER, data)
    start, each, count = fields[5], fields[9], fields[10]
    note = elf_note.Segment(data, start + (count - 1) * each)
    (entry,) = struct.unpack_from("<Q", data, note.offset + NOTE_ENTRY)
    struct.pack_into("<Q", data, note.offset + NOTE_ENTRY, LOADER)
    image = info.pack()
    code = before + enter(entry)
    image[: len(code)] = code
    for address, content in ((LOADER, image), *more):
        data += bytes(-len(data) % elf_note.PAGE)
        struct.pack_into(
            elf_note.PROGRAM, data, start + count * each, elf_note.LOAD, 7, len(data), address,
            address, len(content), len(content), elf_note.PAGE,
        )
        data += content
        count += 1
    struct.pack_into("<H", data, PROGRAM_COUNT, count)
    path.write_bytes(data)
    return path
