# SPDX-License-Identifier: BSD-2-Clause
"""The check of functions with many arguments counts arguments, of functions alone."""
import pytest

import arguments

FIVE = "int a, int b, int c, int d, int e"


@pytest.mark.parametrize(
    "text,found",
    [
        (f"void grow({FIVE}, int f)\n{{\n}}\n", (1, "grow", 6)),
        (f"\nstatic bool\ngrow({FIVE},\n     int f, char g[2])\n{{\n\tf(a);\n}}\n", (2, "grow", 7)),
        (f"void grow({FIVE}, void (*f)(int a, int b))\n{{\n}}\n", (1, "grow", 6)),
        (f"void grow({FIVE}, const char *f, ...)\n{{\n}}\n", (1, "grow", 7)),
        (
            f"static void __attribute__((format(printf, 6, 7)))\ngrow({FIVE}, char *f, ...)\n"
            "{\n}\n",
            (1, "grow", 7),
        ),
        (f"static inline int *grow({FIVE}, /* of them, all */ int f)\n{{\n}}\n", (1, "grow", 6)),
        (f"#define GROW(a) f(a)\nvoid grow({FIVE}, int f)\n{{\n}}\n", (2, "grow", 6)),
    ],
)
def test_many(text, found):
    assert list(arguments.long_functions(text)) == [found]


@pytest.mark.parametrize(
    "text",
    [
        f"void grow({FIVE})\n{{\n\tother(a, b, c, d, e, 6);\n}}\n",
        "void grow(void)\n{\n}\n",
        "void grow(int (*f)(int a, int b, int c, int d, int e, int f), int b)\n{\n}\n",
        f"void grow({FIVE}, int f);\n",  # where it is defined, it counts
        "static const int rows[] = { 1, 2, 3, 4, 5, 6, 7 };\n",
        "struct row { int a, b, c, d, e, f, g; };\n",
        f"/* void grow({FIVE}, int f)\n{{\n}} */\n",
        "#define GROW(a, b, c, d, e, f) \\\n\t{ a }\n",
    ],
)
def test_few(text):
    assert not list(arguments.long_functions(text))
