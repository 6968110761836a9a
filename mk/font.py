#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A console font's printable ASCII as C, for core/screen/cells.h: font.py FONT.psfu[.gz] > font.c

Source: PSF version 1, as `psfaddtable`(1) and the kernel's console tools describe it.
"""
import gzip
import struct
import sys

MAGIC = b"\x36\x04"
MODE_512, MODE_TABLE = 1, 2
SEPARATOR, SEQUENCE = 0xFFFF, 0xFFFE
FIRST, LAST, HEIGHT = 0x20, 0x7E, 16


def glyphs(data):
    """Maps each character to its rows."""
    magic, mode, height = struct.unpack_from("<2sBB", data.ljust(4, b"\0"))
    if magic != MAGIC or not mode & MODE_TABLE or height != HEIGHT:
        raise ValueError(f"not a PSF 1 font of 8x{HEIGHT} with a table of characters")
    count = 512 if mode & MODE_512 else 256
    bitmaps = data[4 : 4 + count * height]
    words = struct.iter_unpack("<H", data[4 + count * height :])
    found, glyph, single = {}, 0, True
    for (word,) in words:
        if word == SEPARATOR:
            glyph, single = glyph + 1, True
        elif word == SEQUENCE:
            single = False
        elif single:
            found.setdefault(word, bitmaps[glyph * height : (glyph + 1) * height])
    return found


def read(path):
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as font:
            found = glyphs(font.read())
        wanted = range(FIRST, LAST + 1)
        lacking = [chr(code) for code in wanted if len(found.get(code, "")) < HEIGHT]
    except (OSError, EOFError, ValueError, struct.error) as error:
        sys.exit(f"{path}: {error}")
    if lacking:
        sys.exit(f"{path}: it has no {''.join(lacking)}")
    return found


def main(path):
    found = read(path)
    print(f"/* Made by mk/font.py from {path.rsplit('/')[-1]}. */")
    print('#include "core/screen/cells.h"\n')
    print("const uint8_t cells_font[FONT_GLYPHS][FONT_HEIGHT] = {")
    for code in range(FIRST, LAST + 1):
        print("\t{ " + ", ".join(f"0x{row:02x}" for row in found[code]) + " },")
    print("};")


if __name__ == "__main__":
    main(sys.argv[1])
