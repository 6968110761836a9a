# SPDX-License-Identifier: BSD-2-Clause
"""The checks find what they are for."""
import pathlib
import struct

import pytest

import layers
import pe
import sources

PAGE = pe.PAGE


def found(path, text):
    return [what for _, what in layers.check(pathlib.PurePosixPath(path), text)]


@pytest.mark.parametrize(
    "path,text",
    [
        ("core/a.c", '#include "arch/arch.h"\n'),
        ("core/a.c", "#include <stdio.h>\n"),
        ("core/a.c", "#include <string.h>\n"),
        ("core/a.c", "#include <efi.h>\n"),
        ("core/a.c", '#include "nowhere.h"\n'),
        ("core/a.c", 'static void f(void) { __asm__ volatile("cli"); }\n'),
        ("core/a.c", "# if defined(__x86_64__)\n"),
        ("arch/x86_64/a.c", "#ifdef __aarch64__\n"),
        ("arch/x86_64/a.c", "#include <efi.h>\n"),
        ("host/a.c", '#include "arch/x86_64/msr.h"\n'),
        ("host/a.c", "#include <efilib.h>\n"),
        ("efi/a.S", "\tcli\n"),
        ("tests/unit/a.c", "#include <efi.h>\n"),
    ],
)
def test_layers_refuse(path, text):
    assert len(found(path, text)) == 1


@pytest.mark.parametrize(
    "path,text",
    [
        ("core/a.c", '#include "text.h"\n#include <stdint.h>\n'),
        ("core/a.c", '/* #include "arch/arch.h" asm("") */ const char *s = "asm (";\n'),
        ("arch/x86_64/a.c", '#include "core/text.h"\n#include "asm.h"\n'),
        ("arch/x86_64/a.c", 'static void f(void) { __asm__ volatile("cli"); }\n'),
        ("host/a.c", '#include "core/text.h"\n#include "loop.h"\n#include <stdio.h>\n'),
        ("efi/a.c", '#include <efi.h>\n#include "arch/arch.h"\n'),
        ("efi/a.S", "/* data */\nname:\n\t.ascii \"x\"\n"),
    ],
)
def test_layers_accept(path, text):
    assert found(path, text) == []


def test_comments_go_and_lines_stay():
    text = 'a /* b\nc */ d // e\n"/* f */"\n'
    assert sources.without_comments(text).split() == ["a", "d", '"/*', "f", '*/"']
    assert sources.without_comments(text).count("\n") == 3


@pytest.fixture
def image(app):
    return bytearray(app.read_bytes())


def header(image):
    return struct.unpack_from("<I", image, 0x3C)[0]


def section(image, name):
    """Where the header of a section is."""
    at = image.index(name.encode().ljust(8, b"\0"))
    return at


def test_image_is_good(image):
    assert pe.check(bytes(image)) == []


def test_nx_compat_is_missed(image):
    at = header(image) + 24 + 70
    struct.pack_into("<H", image, at, 0)
    assert pe.check(bytes(image)) == ["NX_COMPAT is not set"]


def test_writable_code_is_seen(image):
    at = section(image, ".text") + 36
    flags = struct.unpack_from("<I", image, at)[0] | pe.WRITE
    struct.pack_into("<I", image, at, flags)
    assert pe.check(bytes(image)) == [".text: writable and executable"]


def test_sbat_is_missed(image):
    at = section(image, ".sbat")
    image[at : at + 8] = b".other\0\0"
    assert pe.check(bytes(image)) == ["no .sbat section"]


def test_odd_address_is_seen(image):
    at = section(image, ".sbat") + 12
    address = struct.unpack_from("<I", image, at)[0]
    struct.pack_into("<I", image, at, address + 16)
    assert any("not aligned" in what for what in pe.check(bytes(image)))


def test_time_stamp_is_seen(image):
    struct.pack_into("<I", image, header(image) + 8, 1)
    assert any("time stamp" in what for what in pe.check(bytes(image)))


@pytest.mark.parametrize("bytes_left", [0, 2, 63, 64, 100, 300])
def test_cut_image_is_no_image(image, bytes_left):
    assert pe.check(bytes(image[:bytes_left]))
