# SPDX-License-Identifier: BSD-2-Clause
"""Missing hardening of a program, by its ELF file: also if it is stripped."""
import platform
import re
import subprocess

ENDBR64 = b"\xf3\x0f\x1e\xfa"
# Functions of the program's own; the C library's start-up code has some.
ENDBR64_LEAST = 100


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, path], check=True, capture_output=True,
                          text=True).stdout


def lacks_of_linker(path):
    header, segments, dynamic = (readelf(option, path) for option in ("-h", "-l", "-d"))
    flags = re.findall(r"\((?:FLAGS|FLAGS_1)\)\s+(?:Flags: )?(.*)", dynamic)
    words = {word for line in flags for word in line.split()}
    found = {
        "pie": "DYN" in re.search(r"Type: +(\w+)", header).group(1) and "PIE" in words,
        "relro": "GNU_RELRO" in segments,
        "bindnow": bool({"BIND_NOW", "NOW"} & words),
    }
    return {name for name, there in found.items() if not there}


def lacks_of_compiler(path):
    """Compiler hardening that a program lacks. If it is linked dynamically, its undefined symbols
    show that."""
    names = set(re.findall(r" UND (\w+)", readelf("--dyn-syms", path)))
    found = {
        "stack protector": "__stack_chk_fail" in names,
        "fortify": any(re.fullmatch(r"__(?!stack)\w+_chk", name) for name in names),
        "cet": platform.machine() != "x86_64" or path.read_bytes().count(ENDBR64) >= ENDBR64_LEAST,
    }
    return {name for name, there in found.items() if not there}


def lacks(path):
    return lacks_of_linker(path) | lacks_of_compiler(path)
