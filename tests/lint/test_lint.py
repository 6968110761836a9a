# SPDX-License-Identifier: BSD-2-Clause
"""The checks find what they are for."""
import os
import pathlib
import struct

import pytest

import arguments
import layers
import man
import pe
import printed
import promises
import sources
import words

PAGE = pe.PAGE


def found(path, text):
    return [what for _, what in layers.check(pathlib.PurePosixPath(path), text)]


@pytest.mark.parametrize(
    "path,text",
    [
        ("core/a.c", '#include "arch/arch.h"\n'),
        ("core/a.c", "#include <stdio.h>\n"),
        ("core/records/a.c", "#include <qrcodegen.h>\n"),
        ("core/screen/a.c", "#include <lwip/init.h>\n"),
        ("core/firmware/a.c", "#include <libfdt.h>\n"),
        ("core/a.c", '#include "nowhere.h"\n'),
        ("core/a.c", 'static void f(void) { __asm__ volatile("cli"); }\n'),
        ("core/a.c", "# if defined(__x86_64__)\n"),
        ("arch/x86_64/a.c", "#ifdef __aarch64__\n"),
        ("core/lib/a.c", '#include "core/gaps/cpu.h"\n'),
        ("host/lib/a.c", '#include "host/capture/reader.h"\n'),
        ("host/forms/a.c", '#include "../compare/split.h"\n'),
        ("host/fleet/a.c", '#include "host/collect/receiver.h"\n'),
        ("core/lib/a.c", '#include "host/subcommands.h"\n'),
        ("host/capture/a.c", '#include "arch/x86_64/regs.h"\n'),
        ("host/a.c", "#include <efilib.h>\n"),
        ("drivers/a.c", '#include "probe/door.h"\n'),
        ("probe/a.c", "#include <efi.h>\n"),
        ("probe/save/a.c", '#include "efi/firmware.h"\n'),
        ("efi/a.S", "\tcli\n"),
        ("tests/unit/a.c", "#include <efi.h>\n"),
    ],
)
def test_layers_refuse(path, text):
    assert len(found(path, text)) == 1


@pytest.mark.parametrize(
    "path,text",
    [
        ("core/lib/a.c", '#include "text.h"\n#include <stdint.h>\n'),
        ("core/gaps/a.h", '#include "core/lib/value.h"\n#include "cpu.h"\n'),
        ("host/collect/a.c", '#include "host/fleet/store/store.h"\n'),
        ("host/kinds/new/a.c", '#include "host/html/html.h"\n'),
        ("host/diff/a.c", '#include "host/subcommands.h"\n'),
        ("core/screen/a.c", "#include <qrcodegen.h>\n"),
        ("core/lib/deflate.c", "#include <zlib.h>\n"),
        ("core/device_tree/a.c", "#include <libfdt.h>\n"),
        ("core/a.c", '/* #include "arch/arch.h" asm("") */ const char *s = "asm (";\n'),
        ("arch/x86_64/a.c", 'static void f(void) { __asm__ volatile("cli"); }\n'),
        ("host/measure/a.c", '#include "core/lib/text.h"\n#include "loop.h"\n#include <stdio.h>\n'),
        ("efi/a.c", '#include <efi.h>\n#include "arch/arch.h"\n#include "probe/door.h"\n'),
        ("efi/a.S", "/* data */\nname:\n\t.ascii \"x\"\n"),
    ],
)
def test_layers_accept(path, text):
    assert found(path, text) == []


def test_arrows_between_rooms_go_one_way():
    above = set()
    for room, others in layers.ROOMS.items():
        assert others <= above, room
        above.add(room)


def test_full_folders_are_seen():
    def files(folder, count):
        return [pathlib.PurePosixPath(folder, str(n)) for n in range(count)]

    full = files("host/lib", layers.FILES_MAX)
    assert not list(layers.check_folders(full + files("host", 1) + files("tests/unit", 99)))
    assert len(list(layers.check_folders(full + [pathlib.PurePosixPath("host/lib/more")]))) == 1


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


def test_too_large_an_image_is_seen(image):
    at = section(image, ".text") + 16
    text = struct.unpack_from("<II", image, at)
    grown = pe.BYTES_MAX + 1 - text[1]
    struct.pack_into("<I", image, at, grown)
    assert f"{pe.BYTES_MAX + 1} bytes, more than {pe.BYTES_MAX}" in pe.check(bytes(image))


def test_sbat_is_missed(image):
    at = section(image, ".sbat")
    image[at : at + 8] = b".other\0\0"
    assert pe.check(bytes(image)) == ["no .sbat section"]


PRODUCT = b"noisefloor,1,noisefloor,noisefloor,"


@pytest.mark.parametrize(
    "before,after",
    [
        (PRODUCT, PRODUCT.replace(b",1,", b",0,")),
        (PRODUCT, PRODUCT.replace(b",1,", b",x,")),
        (PRODUCT, PRODUCT.replace(b",1,", b",,,")),
        (PRODUCT, PRODUCT.replace(b"noisefloor,1", b" oisefloor,1")),
        (PRODUCT, b"\n" * len(PRODUCT)),
        (PRODUCT, PRODUCT.replace(b"n", b"\xc3", 1)),
        (b"sbat,1,SBAT", b"sbat,2,SBAT"),
        (b"https://noisefloor", b"ftp:////noisefloor"),
    ],
)
def test_bad_sbat_is_seen(image, before, after):
    assert image.count(before) == 1
    wrong = pe.check(bytes(image.replace(before, after)))
    assert wrong and all(what.startswith(".sbat") for what in wrong)


@pytest.mark.parametrize("alignment", [0, 256, 513, 1 << 17])
def test_odd_file_alignment_is_seen(image, alignment):
    struct.pack_into("<I", image, header(image) + 24 + 36, alignment)
    assert pe.check(bytes(image)) == [f"file alignment {alignment}"]


KEY = {
    "name": "pace",
    "default": "5s",
    "accepted": "a time",
    "help": "How `fast`.",
    "probe": True,
    "linux": True,
}


SUBCOMMAND = {
    "group": [],
    "name": "walk",
    "summary": "go",
    "probe": False,
    "linux": True,
    "refused": [],
    "options": [
        {"name": "gait", "letter": "g", "words": ["trot", "amble"]},
        {"name": "far", "letter": "", "words": []},
    ],
}
FIELD = {
    "name": "pace_ns",
    "kind": "number",
    "unit": "ns",
    "role": "time",
    "total": "max",
    "label": "pace",
    "family": "pace",
    "help": "How fast.",
}
RECORD = {"name": "walk", "help": "A walk.", "fields": [FIELD]}
TABLES = {"keys": [KEY], "records": [RECORD], "subcommands": [SUBCOMMAND],
          "collector": [SUBCOMMAND, SUBCOMMAND], "formats": "walks and `runs`"}
PAGE_OF_WALK = """\
.It Fl g , Fl -gait Ar GAIT
.Cm trot
or
.Cm amble .
.It Fl -far
Keys:
.Cm pace .
"""


def test_man_names_what_is_accepted():
    assert list(man.differences(SUBCOMMAND, [KEY], PAGE_OF_WALK)) == []


@pytest.mark.parametrize(
    "name,what",
    [
        ("Fl g , ", "-g has no entry"),
        (".It Fl -far\n", "--far has no entry"),
        ("trot", "trot is not named"),
        ("pace", "pace is not named"),
    ],
)
def test_man_lacks(name, what):
    page = PAGE_OF_WALK.replace(name, "")
    assert list(man.differences(SUBCOMMAND, [KEY], page)) == [what]


def print_all(content, root):
    for path, text in printed.print_docs.printed(content).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def stale(content, root):
    return [path for path, _ in printed.stale(printed.print_docs.printed(content), root)]


def test_printed_files_are_as_the_tables(tmp_path):
    print_all(TABLES, tmp_path)
    assert "#pace=5s\n" in (tmp_path / "mk/image/noisefloor.conf").read_text()
    assert stale(TABLES, tmp_path) == []


@pytest.mark.parametrize("path", printed.print_docs.printed(TABLES))
def test_a_printed_file_changed_by_hand(tmp_path, path):
    print_all(TABLES, tmp_path)
    file = tmp_path / path
    file.write_text(file.read_text().replace("noisefloor", "nosefloor", 1))
    assert stale(TABLES, tmp_path) == [path]
    file.unlink()
    assert stale(TABLES, tmp_path) == [path]


@pytest.mark.parametrize(
    "path,text",
    [
        ("core/a.c", "/* The core tells the caller. */\n"),  # words: ok
        ("core/a.c", 'f("a limit was passed");\n'),  # words: ok
        ("a.py", "print(f'it says {n}')\n"),  # words: ok
        ("a.mk", "# as make says\n"),  # words: ok
        ("a.md", "The rate is reckoned from it.\n"),  # words: ok
    ],
)
def test_words_refuse(path, text):
    assert len(words.check(pathlib.PurePosixPath(path), text)) == 1


@pytest.mark.parametrize(
    "path,text",
    [
        ("core/a.c", "int told; /* the count that is reported */\n"),  # words: ok
        ("core/a.c", "/* as it says */ /* words: ok */\n"),  # words: ok
        ("a.py", "told = say(1)  # reported\n"),  # words: ok
        (str(words.LIST), "# says\n"),  # words: ok
    ],
)
def test_words_accept(path, text):
    assert words.check(pathlib.PurePosixPath(path), text) == []


@pytest.mark.parametrize(
    "opening",
    [
        "Of a run.",
        "of the window, ns",
        "The same of a text, which is then empty.",
        "the same; NULL: none",
        "So many slots end a train.",
        "Who paints.",
        "whose end has not come",
        "Whoever is called before.",
        "Those without a row look unknown.",
        "These may be NULL.",
        "those",
        "It moves once.",
        "They are named.",
        "As well.",
        "As in struct end_page.",
        "as the tool has it",
        "as `pptt`",
        "likewise",
        "And one that has not ended.",
        "but there is a key",
        "Nor does a scan.",
        "or more",
        "Without one nothing is judged.",
        "by which it is read",
        "What comes after the head.",
        "Whatever was sent: only lines count.",
        "that both have",
        "Which gaps are chosen.",
        "the loop has ended. Then it waits.",
    ],
)
def test_openings_are_refused(opening):
    for path, text in (
        ("a.c", f"/* {opening} */\n"),
        ("a.h", f"int a; /* {opening} */\n"),
        ("a.h", "/*\n * " + opening.replace(" ", "\n * ") + "\n */\n"),
        ("a.c", f"// {opening}\n"),
        ("a.py", f"a = 1  # {opening}\n"),
        ("a.py", f'def f():\n    """{opening}"""\n'),
        ("a.sh", f"# {opening}\n"),
        ("Makefile", f"all: ## {opening}\n"),
    ):
        assert openings_of(path, text) == [1 + (path == "a.py" and "def" in text)], text


@pytest.mark.parametrize(
    "opening",
    [
        "Offsets of a ring.",
        "The same file under another name.",
        "These registers are read at every gap.",
        "What is it asked for?",
        "What to map: [0, top).",
        "Who is above?",
        "Without overflow.",
        "With one core nothing is compared.",
        "Iterations, or 0.",
        "the last sample",
        "ns since the last call.",
        "a + b. Both are known.",
        "As read by uart_probe().",
    ],
)
def test_openings_are_accepted(opening):
    assert openings_of("a.c", f"/* {opening} */\n") == []


@pytest.mark.parametrize(
    "path,text",
    [
        ("a.c", "/* A sentence\n * of two lines. */\n"),
        ("a.c", 'char *a = "/* Of text. */";\n'),
        ("a.c", "/* as it is */ /* Of a run. words: ok */\n"),
        ("a.py", "# A sentence\n# of two lines.\n"),
        ("a.py", 'a = """Of a text."""\n'),
        ("a.mk", "\t@echo a#of\n"),
        ("a.md", "# Of pages\n"),
    ],
)
def test_what_is_no_opening(path, text):
    assert openings_of(path, text) == []


def openings_of(path, text):
    found = words.check(pathlib.PurePosixPath(path), text)
    return [line for line, rule, _ in found if rule == words.OPENING]


@pytest.mark.parametrize("path", ["a.c", "a.py", "a.sh", "a.mk", "a.md", "Makefile", words.LIST])
@pytest.mark.parametrize("line", ["a" * 101, "\t" * 13, "a" * 99 + "://", f"{'a' * 99} words: ok"])
def test_long_lines_are_refused(path, line):
    found = words.check(pathlib.PurePosixPath(path), line)
    assert [rule for _, rule, _ in found] == [words.LONG]


@pytest.mark.parametrize(
    "path,line", [("a.c", "a" * 100), ("a.c", "\t" * 12 + "aaaa"), ("a.md", f"| {'a' * 120} |"),
                  ("a.sha256", f"{'0' * 64}  {'a' * 60}")]
)
def test_lines_that_are_not_long(path, line):
    assert words.check(pathlib.PurePosixPath(path), line) == []


TESTS = {"test_a": {"test_one", "test_two"}, "test_b.py": {"test_three"}}


@pytest.mark.parametrize(
    "cell,wrong",
    [
        ("`test_a`: `test_one`, `test_two`", []),
        ("`test_a`: `test_two`; `test_b.py`: `test_three`", []),
        ("`test_a`: `test_three`", ["no test_three in test_a"]),
        ("`test_a`: `test_one`; `test_gone.py`: `test_one`", ["no test_gone.py", "no test_one in"]),
        ("", ["a promise without a test"]),
    ],
)
def test_promises(cell, wrong):
    text = f"Text.\n\n| They cannot | test |\n|---|---|\n| do it | {cell} |\n"
    found, _ = promises.check(text, TESTS)
    assert [line for line, _ in found] == [5] * len(wrong)
    assert len(found) == len(wrong) and all(w in f for (_, f), w in zip(found, wrong))


def test_arguments():
    """Functions that are defined are checked, whatever is before, among and within them."""
    five = "int a, int b, int c, int d, int e"
    text = (f"static void __attribute__((format(printf, 6, 7)))\ngrow({five}, char *f, ...)\n"
            f"{{\n}}\nint *take({five}, void (*f)(int a, int b))\n{{\n\tf(a, b);\n}}\n"
            f"void few({five})\n{{\n\tother(a, b, c, d, e, 6);\n}}\nvoid declared({five}, int f);\n"
            "struct row { int a, b, c, d, e, f; };\n#define GROW(a, b, c, d, e, f) { a }\n")
    assert [found[1:] for found in arguments.long_functions(text)] == [("grow", 7), ("take", 6)]


def test_what_is_older_than_its_stamp_is_left_out(tmp_path):
    stamp, names = tmp_path / "stamp", ["a", "b", "rule"]
    paths = [tmp_path / name for name in names]
    for path in (*paths, stamp):
        path.touch()
        os.utime(path, (1, 1 + (path == stamp)))
    assert sources.changed(stamp, paths, paths[2]) == []
    os.utime(paths[1])
    assert sources.changed(stamp, paths, paths[2]) == [paths[1]]
    os.utime(paths[2])
    assert sources.changed(stamp, paths, paths[2]) == paths
    assert sources.changed(tmp_path / "none", paths) == paths
