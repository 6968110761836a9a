# SPDX-License-Identifier: BSD-2-Clause
"""The check of names sees each kind of name, and nothing else."""
import pathlib

import pytest

import names


def exported(text, path="core/gaps/ring.h"):
    return [(name.kind, name.text) for name in names.exported(pathlib.PurePosixPath(path), text)]


def wrong(text, path="core/gaps/ring.h", declared=()):
    return [what for _, what in names.check_file(pathlib.PurePosixPath(path), text, declared)[0]]


@pytest.mark.parametrize(
    "text,kind,name",
    [
        ("int grow(void);\n", "function", "grow"),
        ("struct list grow(void) __attribute__((format(printf, 2, 3)));\n", "function", "grow"),
        ("static inline bool grow(int a)\n{\n\treturn f(a);\n}\n", "function", "grow"),
        ("struct size_list { int x; };\n", "struct", "size_list"),
        ("typedef void (*size_call)(int a);\n", "typedef", "size_call"),
        ("extern const struct row size_rows[3];\n", "object", "size_rows"),
        ("extern void (*const size_hook)(int a);\n", "object", "size_hook"),
        ("struct { int a; } size_here[2];\n", "object", "size_here"),
        ("TAILQ_HEAD(size_queue, thing);\n", "struct", "size_queue"),
    ],
)
def test_without_its_prefix(text, kind, name):
    assert exported(text) == [(kind, name)]
    assert wrong(text) == [f"{kind} {name}: without its file's prefix"]


@pytest.mark.parametrize(
    "text,path",
    [
        ("int ring_grow(void);\nstruct ring { int grow; };\n", "core/gaps/ring.h"),
        ("int config_grow(void);\n", "core/config/config_keys.h"),
        ("struct maybe { int a; };\n", "core/lib/value.h"),
        ("void *memset(void *s, int c, size_t n);\n", "core/lib/mem.h"),
        ("struct other;\nenum other *ring_of(struct other *o);\n", "core/gaps/ring.h"),
        ("/* int grow(void); */\n#define grow(a) ring_grow(a)\n", "core/gaps/ring.h"),
        ('_Static_assert(sizeof(int) == 4, "grow(");\n', "core/gaps/ring.h"),
        (
            "static int grow(void)\n{\n\treturn f();\n}\nstatic int rows[] = { 1 };\n",
            "core/gaps/ring.c",
        ),
        ("TAILQ_HEAD(ring_queue, thing);\n", "core/gaps/ring.h"),
    ],
)
def test_accepted(text, path):
    assert wrong(text, path) == []


def test_a_source_exports_what_is_not_static():
    text = "int grow(void)\n{\n\treturn 0;\n}\n\nint size = 3;\n"
    assert exported(text, "core/gaps/ring.c") == [("function", "grow"), ("object", "size")]
    assert wrong(text, "core/gaps/ring.c", {"grow", "size"}) == []


@pytest.mark.parametrize("word", sorted(names.BARE))
def test_bare_words_are_refused_even_as_a_file(word):
    assert wrong(f"int {word}(void);\n", f"core/gaps/{word}.h") == [f"function {word}: a bare word"]


def test_families_are_used():
    """A row of the table whose file is gone would let a later one through."""
    for path in names.FAMILIES:
        assert (names.sources.ROOT / path).is_dir() or (names.sources.ROOT / f"{path}.h").is_file()


def test_plain_statics():
    """A static function of one word in three files is refused in each; in two it is not."""
    plain = "static int *find(int a)\n{\n\treturn f(a);\n}\n"
    own = "static int ring_find(int a)\n{\n\treturn find(a);\n}\nstatic int find = f(3);\n"
    assert names.plain_statics({"a.c": plain, "b.c": plain, "c.c": own}) == []
    inline = plain.replace("static", "static inline")
    found = names.plain_statics({"a.c": plain, "b.c": plain, "c.c": inline, "d.c": own})
    assert found == [("a.c", "find"), ("b.c", "find"), ("c.c", "find")]
