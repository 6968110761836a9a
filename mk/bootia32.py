#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Make EFI/BOOT/BOOTIA32.EFI: bootia32.py OUT. 32-bit UEFI starts it, and it prints why no more
happens; without it such firmware skips the medium in silence.

Its few instructions are written out, so that no compiler for 32 bits is needed. Sources: Microsoft
PE format; UEFI 2.10, 2.3.2 (calling convention of IA-32) and 4.3, 4.4, 12.4 (tables).
"""
import struct
import sys

TEXT = ("noisefloor needs 64-bit UEFI. The firmware of this computer is 32-bit UEFI,\r\n"
        "which starts 32-bit programs only: nothing can be measured here.\r\n")
STALL_US = 10_000_000  # to be read, before the firmware goes on with its boot order

# Offsets in tables whose header has 24 bytes, and whose pointers have four.
CON_OUT, BOOT_SERVICES = 44, 60  # EFI_SYSTEM_TABLE
OUTPUT_STRING = 4  # EFI_SIMPLE_TEXT_OUTPUT_PROTOCOL
STALL = 136  # EFI_BOOT_SERVICES
EFI_UNSUPPORTED = 0x80000003

MACHINE_I386, PE32, EFI_APPLICATION = 0x14C, 0x10B, 10
EXECUTABLE_IMAGE, MACHINE_32BIT, NX_COMPAT = 0x2, 0x100, 0x100
CODE_READ_EXECUTE = 0x60000020
FILE_ALIGNMENT, PAGE = 0x200, 0x1000
PE_AT = 0x40
DIRECTORIES = 16


def code():
    """Stack: return address, image handle, system table. EBX is the caller's."""
    before = (
        b"\x53"  # push ebx
        b"\x8b\x5c\x24\x0c"  # mov ebx, [esp + 12]
        b"\x8b\x4b" + bytes([CON_OUT]) +  # mov ecx, [ebx + CON_OUT]
        b"\x85\xc9"  # test ecx, ecx
        b"\x74\x13"  # jz: no console
        b"\xe8\0\0\0\0"  # call the next instruction, which pushes its address
    )
    print_text = (
        b"\x58"  # pop eax
        b"\x05%s"  # add eax, to the text
        b"\x50"  # push eax
        b"\x51"  # push ecx
        b"\xff\x51" + bytes([OUTPUT_STRING]) +  # call [ecx + OUTPUT_STRING]
        b"\x83\xc4\x08"  # add esp, 8
    )
    after = (
        b"\x8b\x43" + bytes([BOOT_SERVICES]) +  # mov eax, [ebx + BOOT_SERVICES]
        b"\x68" + struct.pack("<I", STALL_US) +  # push STALL_US
        b"\xff\x90" + struct.pack("<I", STALL) +  # call [eax + STALL]
        b"\x59"  # pop ecx
        b"\xb8" + struct.pack("<I", EFI_UNSUPPORTED) +  # mov eax, EFI_UNSUPPORTED
        b"\x5b"  # pop ebx
        b"\xc3"  # ret
    )
    offset = len(print_text) + 2 + len(after)  # "%s" becomes four bytes
    print_text = print_text.replace(b"%s", struct.pack("<I", offset))
    return before + print_text + after + TEXT.encode("utf-16-le") + b"\0\0"


def headers(size):
    file_bytes = -(-size // FILE_ALIGNMENT) * FILE_ALIGNMENT
    optional = struct.pack(
        "<HBBIIIIIIIIIHHHHHHIIIIHHIIIIII", PE32, 0, 0, file_bytes, 0, 0, PAGE, PAGE, 0, 0, PAGE,
        FILE_ALIGNMENT, 0, 0, 0, 0, 0, 0, 0, 2 * PAGE, FILE_ALIGNMENT, 0, EFI_APPLICATION,
        NX_COMPAT, 0, 0, 0, 0, 0, DIRECTORIES) + bytes(8 * DIRECTORIES)
    coff = struct.pack("<HHIIIHH", MACHINE_I386, 1, 0, 0, 0, len(optional),
                       EXECUTABLE_IMAGE | MACHINE_32BIT)
    section = struct.pack("<8sIIIIIIHHI", b".text", size, PAGE, file_bytes, FILE_ALIGNMENT, 0, 0,
                          0, 0, CODE_READ_EXECUTE)
    dos = b"MZ".ljust(PE_AT - 4, b"\0") + struct.pack("<I", PE_AT)
    all_of_it = dos + b"PE\0\0" + coff + optional + section
    return all_of_it.ljust(FILE_ALIGNMENT, b"\0"), file_bytes


def image():
    text = code()
    head, file_bytes = headers(len(text))
    return head + text.ljust(file_bytes, b"\0")


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(image())
