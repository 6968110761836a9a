#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""PE headers: pe_header.py finish IMAGE sets NX_COMPAT in one and clears its time stamp, which
objcopy does not; pe_header.py add BZIMAGE puts one into a bzImage, so that it can be signed.

A locked-down Linux loads a kernel by kexec if it is a PE image with a signature that it trusts. The
header takes bytes of the first page that later hold the BIOS's memory map, in boot_params. Firmware
that trusts the signature as well must not start the program: the PE entry returns EFI_UNSUPPORTED,
and the subsystem is not that of an application. Sources: Microsoft PE format; Linux,
crypto/asymmetric_keys/verify_pefile.c and arch/x86/kernel/kexec-bzimage64.c.
"""
import struct
import sys

SIGNATURE, MAGIC = b"PE\0\0", b"MZ"
PE_AT_FIELD = 0x3C
TIME_STAMP = 8
DLL_CHARACTERISTICS = 24 + 70  # from the PE signature: COFF header, then its place in PE32+
NX_COMPAT = 0x100

PE_AT = 0x270  # behind Linux's header, and the jump that follows it
HEADER_BYTES = 0x400
PAGE, FILE_ALIGNMENT = 0x1000, 0x200
MACHINE_X86_64, PE32_PLUS, NO_SUBSYSTEM = 0x8664, 0x20B, 0
EXECUTABLE_IMAGE, LARGE_ADDRESSES = 0x2, 0x20
CODE_READ_EXECUTE = 0x60000020
DIRECTORIES = 16
# mov $EFI_UNSUPPORTED, %rax; ret
ENTRY = b"\x48\xb8" + struct.pack("<Q", 1 << 63 | 3) + b"\xc3"


def finish(image):
    (pe,) = struct.unpack_from("<I", image, PE_AT_FIELD)
    if image[pe : pe + 4] != SIGNATURE:
        raise ValueError(f"no PE signature at {pe:#x}")
    struct.pack_into("<I", image, pe + TIME_STAMP, 0)
    (flags,) = struct.unpack_from("<H", image, pe + DLL_CHARACTERISTICS)
    struct.pack_into("<H", image, pe + DLL_CHARACTERISTICS, flags | NX_COMPAT)


def header(file_bytes):
    section_bytes = file_bytes - HEADER_BYTES
    image_bytes = PAGE - -section_bytes // PAGE * PAGE
    optional = struct.pack(
        "<HBBIIIIIQIIHHHHHHIIIIHHQQQQII", PE32_PLUS, 0, 0, section_bytes, 0, 0, PAGE, PAGE, 0,
        PAGE, FILE_ALIGNMENT, 0, 0, 0, 0, 0, 0, 0, image_bytes, HEADER_BYTES, 0, NO_SUBSYSTEM,
        NX_COMPAT, 0, 0, 0, 0, 0, DIRECTORIES) + bytes(8 * DIRECTORIES)
    coff = struct.pack("<HHIIIHH", MACHINE_X86_64, 1, 0, 0, 0, len(optional),
                       EXECUTABLE_IMAGE | LARGE_ADDRESSES)
    section = struct.pack("<8sIIIIIIHHI", b".text", section_bytes, PAGE, section_bytes,
                          HEADER_BYTES, 0, 0, 0, 0, CODE_READ_EXECUTE)
    return SIGNATURE + coff + optional + section


def add(image):
    if len(image) % FILE_ALIGNMENT:
        raise ValueError(f"{len(image)} bytes; accepted: a multiple of {FILE_ALIGNMENT}")
    for at, part in ((0, MAGIC), (PE_AT_FIELD, struct.pack("<I", PE_AT)),
                     (PE_AT, header(len(image))), (HEADER_BYTES, ENTRY)):
        if any(image[at : at + len(part)]):
            raise ValueError(f"{at:#x} is in use")
        image[at : at + len(part)] = part


def main(what, path):
    with open(path, "r+b") as file:
        image = bytearray(file.read())
        try:
            {"finish": finish, "add": add}[what](image)
        except ValueError as error:
            sys.exit(f"{path}: {error}")
        file.seek(0)
        file.write(image)


if __name__ == "__main__":
    main(*sys.argv[1:])
