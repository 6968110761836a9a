#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check the headers that loaders read: boot_headers.py LINKED ELF [BZIMAGE].

PVH loaders take the entry of an ELF from its note, kexec takes it from the header. BZIMAGE has
Linux's header in front of the same program. LINKED is that program before it was stripped; its
symbols are what the others must match. Sources: ELF generic ABI; Xen, docs/misc/pvh.pandoc and
public/elfnote.h; QEMU 7.2, hw/i386/x86.c and include/hw/elf_ops.h; rust-vmm's linux-loader,
src/loader/elf/mod.rs; kexec-tools, kexec/arch/x86_64/kexec-elf-x86_64.c and kexec-bzImage64.c;
Linux, Documentation/arch/x86/boot.rst and arch/x86/kernel/kexec-bzimage64.c; GRUB,
grub-core/loader/i386/linux.c.
"""
import pathlib
import struct
import subprocess
import sys

IDENT = b"\x7fELF\x02\x01\x01"  # 64-bit, little endian, version 1
EXEC, X86_64, VERSION = 2, 62, 1
HEADER, PROGRAM = "<16sHHIQQQIHHHHHH", "<IIQQQQQQ"
LOAD, NOTE = 1, 4
EXECUTE, WRITE, READ = 1, 2, 4
PAGE = 4096
LOWEST, ABOVE = 1 << 20, 1 << 32  # a BIOS uses memory below 1 MiB; entry addresses have 32 bits
PHYS32_ENTRY = 18
NOTE_HEAD = struct.pack("<III4s", 4, 8, PHYS32_ENTRY, b"Xen")
NOTE_ALIGN = 4  # QEMU rounds the name's length up to a multiple of this
FIRST_BYTES = b"\xfa\xfc"  # cli, cld
SYMBOLS = ("pvh_entry", "linux_entry", "main_image", "main_text_end", "main_data_end",
           "main_image_end", "main_is_one_way")


# Linux's header, from HEADER_AT in a page that becomes boot_params.
SECTOR, HEADER_AT, HEADER_END, REAL_MODE = 512, 0x1F1, 0x26C, 4096
HIGH = 1 << 20  # where loaders that choose no address put the image
LOADED_HIGH, KERNEL_64, ABOVE_4G = 1, 1, 2
MEMORY = 2 << 20  # bytes that the program needs
REAL_MODE_BYTES = bytes.fromhex("fc6631db")  # cld, xor %ebx, %ebx
NAME = b"noisefloor\0"
SIGNABLE = b"MZ"  # magic of a PE image: pe_header.py


class Segment:
    def __init__(self, data, at):
        (self.type, self.flags, self.offset, self.virtual, self.address, self.file_bytes,
         self.bytes, self.align) = struct.unpack_from(PROGRAM, data, at)

    def at(self, address):
        """The offset in the file of the byte at this address."""
        return self.offset + address - self.address


def check_elf_header(fields):
    ident, kind, machine, version, _, programs, _, flags, own, each, count = fields[:11]
    rules = (
        (ident[:7] == IDENT, f"starts with {ident[:7].hex()}, not {IDENT.hex()}"),
        (kind == EXEC, f"type {kind}, not EXEC"),
        (machine == X86_64, f"machine {machine}, not x86-64"),
        (version == VERSION, f"version {version}, not 1"),
        (flags == 0, f"flags {flags:#x}: QEMU takes some for a multiboot kernel"),
        (own == struct.calcsize(HEADER), f"a header of {own} bytes"),
        (programs == own, f"program headers at {programs}, not behind the header"),
        (each == struct.calcsize(PROGRAM), f"program headers of {each} bytes"),
        (count == 3, f"{count} program headers, not text, data and the note"),
    )
    return [what for good, what in rules if not good]


def check_load(name, s, first, end, file_end, flags):
    """Faults of a segment: it must span [first, end), with file data up to `file_end`."""
    rules = (
        (s.type == LOAD, f"type {s.type}, not LOAD"),
        (s.flags == flags, f"flags {s.flags}, not {flags}"),
        (s.virtual == s.address, "its two addresses differ"),
        (s.address == first, f"at {s.address:#x}, not {first:#x}"),
        (LOWEST <= first < end <= ABOVE, "not between 1 MiB and 4 GiB"),
        (s.address + s.bytes == end, f"ends at {s.address + s.bytes:#x}, not {end:#x}"),
        (s.address + s.file_bytes == file_end, f"{s.file_bytes} bytes of it are in the file"),
        (s.align == PAGE and s.offset % PAGE == first % PAGE, "not aligned to a page"),
    )
    return [f"{name}: {what}" for good, what in rules if not good]


def check_note(data, s, within, entry):
    want = NOTE_HEAD + struct.pack("<Q", entry)
    found = data[s.offset : s.offset + len(want)]
    rules = (
        (s.type == NOTE, f"type {s.type}, not NOTE"),
        (s.flags == READ, f"flags {s.flags}, not {READ}"),
        (s.virtual == s.address, "its two addresses differ"),
        (s.address == within.address, "not where the data begins"),
        (s.offset == within.at(s.address), "not where the data has it in the file"),
        (s.file_bytes == s.bytes == len(want), f"{s.file_bytes} of {s.bytes} bytes"),
        (s.align == NOTE_ALIGN, f"aligned to {s.align}, not {NOTE_ALIGN}"),
        (found == want, f"{found.hex()}, not {want.hex()}"),
    )
    return [f"the note: {what}" for good, what in rules if not good]


def check_elf(data, symbols):
    """Faults of the ELF in `data`, one text each."""
    try:
        fields = struct.unpack_from(HEADER, data)
        wrong = check_elf_header(fields)
        if wrong:
            return wrong
        start, each = fields[5], fields[9]
        text, rest, note = (Segment(data, start + i * each) for i in range(3))
    except struct.error as error:
        return [f"not an ELF: {error}"]
    of = symbols
    wrong += check_load("text", text, of["main_image"], of["main_text_end"], of["main_text_end"],
                        READ | EXECUTE)
    first = -(-of["main_text_end"] // PAGE) * PAGE
    wrong += check_load("data", rest, first, of["main_image_end"], of["main_data_end"],
                        READ | WRITE)
    wrong += check_note(data, note, rest, of["pvh_entry"])
    if fields[4] != of["linux_entry"]:
        wrong.append(f"e_entry is {fields[4]:#x}, not {of['linux_entry']:#x}")
    for entry in ("pvh_entry", "linux_entry"):
        at = text.at(of[entry])
        if data[at : at + 2] != FIRST_BYTES:
            wrong.append(f"the first instructions of {entry} are not there")
    if rest.offset + rest.file_bytes > len(data):
        wrong.append("the file ends before its data")
    return wrong


def flat(elf):
    """The program as it is in memory, without .bss."""
    start = struct.unpack_from(HEADER, elf)[5]
    text, rest = (Segment(elf, start + i * struct.calcsize(PROGRAM)) for i in range(2))
    memory = bytearray(rest.address - text.address + rest.file_bytes)
    for s in text, rest:
        at = s.address - text.address
        memory[at : at + s.file_bytes] = elf[s.offset : s.offset + s.file_bytes]
    return bytes(memory)


def linux_header(head, program, image):
    """Name, form and value of each field of a header, for a program that runs at `image`."""
    return (
        ("setup_sects", "B", len(head) // SECTOR - 1), ("root_flags", "H", 0),
        ("syssize", "I", -(-len(program) // 16)), ("ram_size", "H", 0), ("vid_mode", "H", 0xFFFF),
        ("root_dev", "H", 0), ("boot_flag", "H", 0xAA55), ("jump", "B", 0xEB),
        ("end", "B", HEADER_END - 0x202), ("header", "4s", b"HdrS"), ("version", "H", 0x20F),
        ("realmode_swtch", "I", 0), ("start_sys_seg", "H", 0),
        ("kernel_version", "h", head.find(NAME) - SECTOR), ("type_of_loader", "B", 0),
        ("loadflags", "B", LOADED_HIGH), ("setup_move_size", "H", 0), ("code32_start", "I", HIGH),
        ("ramdisk_image", "I", 0), ("ramdisk_size", "I", 0), ("bootsect_kludge", "I", 0),
        ("heap_end_ptr", "H", 0), ("ext_loader", "H", 0), ("cmd_line_ptr", "I", 0),
        ("initrd_addr_max", "I", 0x7FFFFFFF), ("kernel_alignment", "I", image),
        ("relocatable_kernel", "B", 1), ("min_alignment", "B", image.bit_length() - 1),
        ("xloadflags", "H", KERNEL_64 | ABOVE_4G), ("cmdline_size", "I", 16383),
        ("hardware_subarch", "I", 0), ("hardware_subarch_data", "Q", 0),
        ("payload_offset", "I", 0), ("payload_length", "I", 0), ("setup_data", "Q", 0),
        ("pref_address", "Q", image), ("init_size", "I", MEMORY), ("handover_offset", "I", 0),
        ("kernel_info_offset", "I", 0),
    )


def check_bzimage(data, elf, symbols):
    """Faults of the bzImage in `data`, which must hold the program of a good ELF."""
    program, image = flat(elf), symbols["main_image"]
    head = data[: len(data) - len(program)]
    fields = linux_header(head, program, image)
    form = "<" + "".join(field[1] for field in fields)
    if len(head) < REAL_MODE + SECTOR:
        return [f"{len(head)} bytes before the program"]
    found = struct.unpack_from(form, data, HEADER_AT)
    wrong = [f"{name} is {value!r}, not {want!r}" for (name, _, want), value in zip(fields, found)
             if value != want]
    jump = b"\xe9" + struct.pack("<H", REAL_MODE - HEADER_END - 3)
    rules = (
        (data[len(head) :] == program, "does not end with the program of the ELF"),
        (len(head) % SECTOR == 0, "the program does not begin with a sector"),
        (HEADER_AT + struct.calcsize(form) == HEADER_END, "the header has another length"),
        (data[HEADER_END : HEADER_END + len(jump)] == jump, "no jump behind the header"),
        (data[REAL_MODE:].startswith(REAL_MODE_BYTES), "no code for real mode"),
        (symbols["main_image_end"] - image <= MEMORY, "init_size is too small"),
        (data.startswith(SIGNABLE) == program[symbols["main_is_one_way"] - image],
         "only an image that starts no other kernel may be one that can be signed"),
    )
    return wrong + [what for good, what in rules if not good]


def symbols_of(linked):
    lines = subprocess.run(["nm", linked], check=True, capture_output=True, text=True).stdout
    found = {name: int(value, 16) for value, _, name in map(str.split, lines.splitlines())}
    return {name: found[name] for name in SYMBOLS}


def main(linked, *paths):
    symbols = symbols_of(linked)
    elf, *bzimage = (pathlib.Path(path).read_bytes() for path in paths)
    wrong = check_elf(elf, symbols)
    for data in bzimage:
        wrong += check_bzimage(data, elf, symbols)
    for what in wrong:
        print(f"{paths[-1]}: {what}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
