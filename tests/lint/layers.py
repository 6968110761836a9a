#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Who includes whom: efi -> all; host -> core and arch's loop and clock; drivers -> arch,
core, and lwIP in drivers/net; arch -> core; core -> nothing. Also: <efi.h> only in efi/ and EFI test programs, the
C library only in host/ and tests, assembly only in arch/ and the EFI test programs, and nowhere an
#ifdef for an ISA.
"""
import pathlib
import re
import sys

import sources

FREESTANDING = {"stdint.h", "stdbool.h", "stddef.h", "stdarg.h", "stdatomic.h"}
LIBRARY_HEADER = {"core/lib/mem.h": {"string.h"}}
# The stack's own headers, and where they may be included.
STACK_HEADER = re.compile(r"(?:lwip|netif)/\w+\.h")
STACK_FOLDER = "drivers/net/"
EFI_HEADER = re.compile(r"efi[a-z0-9]*\.h")

# Layer of a folder: which layers it may include, may it use the C library, <efi.h>.
LAYERS = {
    "core": ({"core"}, False, False),
    "arch": ({"arch", "core"}, False, False),
    "drivers": ({"drivers", "arch", "core"}, False, False),
    "efi": ({"efi", "drivers", "arch", "core"}, False, True),
    "host": ({"host", "core"}, True, False),
    "tests": ({"tests", "host", "efi", "drivers", "arch", "core"}, True, False),
}
# What host/ may take of arch/, for measuring under Linux: loop, clock, and who the processor is.
HOST_FROM_ARCH = {"arch.h", "calibrate.h", "clock_now.h", "loop.h", "probe.h"}
EFI_PROGRAMS = ("tests/inject/", "tests/system/")
ASM_FOLDERS = ("arch/", "tests/inject/", "tests/variants/")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.M)
ASM = re.compile(r"\b(?:asm|__asm|__asm__)\b")
ISA = re.compile(
    r"^[ \t]*#[ \t]*(?:el)?if.*\b(?:__x86_64(?:__)?|__amd64(?:__)?|__i386(?:__)?"
    r"|__aarch64__|__arm__|__riscv\w*|__loongarch\w*|_M_X64|_M_ARM64|MDE_CPU_\w+)\b.*$",
    re.M,
)
# A line of assembly that is data or a label, not an instruction.
DATA_LINE = re.compile(r"\s*(?:$|#|\.\w+|\w+:\s*$)")


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def resolve(path, name):
    """The file that a quoted include means, as the compiler's -I. -Iarch/<isa> finds it."""
    folders = [path.parent, pathlib.PurePosixPath(".")]
    arch = pathlib.PurePosixPath("arch")
    folders += sorted(arch / p.name for p in (sources.ROOT / arch).iterdir() if p.is_dir())
    for folder in folders:
        candidate = (sources.ROOT / folder / name).resolve()
        if candidate.is_file():
            return pathlib.PurePosixPath(candidate.relative_to(sources.ROOT))
    return None


def check_quoted(path, name):
    layer = path.parts[0]
    target = resolve(path, name)
    if target is None:
        return f'"{name}" is not in the project; system headers go in <>'
    if target.parts[0] in LAYERS[layer][0]:
        return None
    if layer == "host" and target.parts[0] == "arch" and target.name in HOST_FROM_ARCH:
        return None
    return f"{layer}/ may not include {target}"


def check_system(path, name):
    _, library, efi = LAYERS[path.parts[0]]
    if EFI_HEADER.fullmatch(name):
        allowed = efi or str(path).startswith(EFI_PROGRAMS)
        return None if allowed else f"<{name}> belongs to efi/ and EFI test programs"
    if STACK_HEADER.fullmatch(name):
        inside = str(path).startswith(STACK_FOLDER)
        return None if inside else f"<{name}> belongs to {STACK_FOLDER}"
    if name in FREESTANDING or library or name in LIBRARY_HEADER.get(str(path), ()):
        return None
    return f"<{name}> is not freestanding"


def check_includes(path, text):
    for match in INCLUDE.finditer(text):
        check = check_quoted if match[1] == '"' else check_system
        wrong = check(path, match[2])
        if wrong:
            yield line_of(text, match.start()), wrong


def check_assembly(path, text):
    if str(path).startswith(ASM_FOLDERS):
        return
    if path.suffix == ".S":
        for number, line in enumerate(text.splitlines(), 1):
            if not DATA_LINE.match(line):
                yield number, "instructions outside arch/ and tests/inject/"
        return
    for match in ASM.finditer(sources.without_comments(text, keep_strings=False)):
        yield line_of(text, match.start()), "assembly outside arch/ and the EFI test programs"


def check_isa(_path, text):
    for match in ISA.finditer(text):
        yield line_of(text, match.start()), f"an #if for an ISA: {match[0].strip()}"


def check(path, text):
    """(line, what is wrong) of one file."""
    text = sources.without_comments(text)
    for rule in (check_includes, check_assembly, check_isa):
        yield from rule(path, text)


def main():
    wrong = 0
    paths = [p for p in sources.files(".c", ".h", ".S") if p.parts[0] in LAYERS]
    for path in paths:
        for line, what in check(path, sources.read(path)):
            wrong += 1
            print(f"{path}:{line}: {what}")
    print(f"layers: {len(paths)} files, {wrong} wrong")
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
