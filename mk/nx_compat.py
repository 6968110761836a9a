#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Set NX_COMPAT in a PE image and clear its time stamp: objcopy does neither.

Source: Microsoft PE format, optional header, DllCharacteristics 0x0100.
"""
import struct
import sys

NX_COMPAT = 0x0100
DLL_CHARACTERISTICS = 24 + 70  # from the PE signature: COFF header, then its place in PE32+
TIME_STAMP = 8


def main(path):
    with open(path, "r+b") as image:
        data = bytearray(image.read())
        (pe,) = struct.unpack_from("<I", data, 0x3C)
        if data[pe : pe + 4] != b"PE\0\0":
            sys.exit(f"{path}: no PE signature at {pe:#x}")
        struct.pack_into("<I", data, pe + TIME_STAMP, 0)
        (flags,) = struct.unpack_from("<H", data, pe + DLL_CHARACTERISTICS)
        struct.pack_into("<H", data, pe + DLL_CHARACTERISTICS, flags | NX_COMPAT)
        image.seek(0)
        image.write(data)


if __name__ == "__main__":
    main(sys.argv[1])
