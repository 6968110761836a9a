#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Includes between folders: efi, pvh -> probe -> drivers, arch, core; host -> core and arch's loop
and clock; drivers -> arch, core, and lwIP in drivers/net; arch -> core; core -> nothing but the QR
code generator in core/screen, zlib in core/lib and libfdt in core/device_tree. Also: <efi.h> only
in efi/ and EFI test programs, the C library only in host/ and tests, assembly only in arch/, pvh/
and the EFI test programs, and no #ifdef for an ISA anywhere. In core/ and host/, which room may
include which. No folder has more files than can be looked through.
"""
import collections
import pathlib
import re
import sys

import sources

FREESTANDING = {"stdint.h", "stdbool.h", "stddef.h", "stdarg.h", "stdatomic.h", "cet.h"}
LIBRARY_HEADER = {"core/lib/mem.h": {"string.h"}, "core/lib/deflate.c": {"zlib.h"}}
# Headers of others, and where they may be included.
OTHERS = {
    re.compile(r"(?:lwip|netif)/\w+\.h"): "drivers/net/",
    re.compile(r"libfdt\.h"): "core/device_tree/",
    re.compile(r"qrcodegen\.h"): "core/screen/",
}
EFI_HEADER = re.compile(r"efi[a-z0-9]*\.h")

# Layer of a folder: which layers it may include, may it use the C library, <efi.h>.
LAYERS = {
    "core": ({"core"}, False, False),
    "arch": ({"arch", "core"}, False, False),
    "drivers": ({"drivers", "arch", "core"}, False, False),
    "probe": ({"probe", "drivers", "arch", "core"}, False, False),
    "efi": ({"efi", "probe", "drivers", "arch", "core"}, False, True),
    "pvh": ({"pvh", "probe", "drivers", "arch", "core"}, False, False),
    "host": ({"host", "core"}, True, False),
    "mk": ({"host", "core"}, True, False),
    "tests": ({"tests", "host", "efi", "pvh", "probe", "drivers", "arch", "core"}, True, False),
}
# Headers of arch/ that host/ may include, for measuring under Linux: loop, clock, and the
# processor's identity.
HOST_FROM_ARCH = {"arch.h", "clock_now.h", "loop.h", "probe.h"}
# Rooms that code of host/ may include to read a capture.
CAPTURED = (
    "core/lib core/cause core/config core/gaps core/events core/records core/wire "
    "core/work core/kinds/stretch core/kinds/interfere core/report"
)
# Rooms that every room of host/ about records may include: the table of kinds, whose rows stand
# above.
READ = f"host/lib host/statistics host/program host/kinds {CAPTURED}"
# A kind: from the records to each form.
KIND = f"host/capture host/sources host/forms host/findings host/diff host/html {READ}"
# Rooms of core/ that kinds may include, for text.
CORE_KIND = "core/lib core/cause core/gaps core/records"
# The rooms of core/ and host/, each with those it may include, all of which stand above it: the
# arrows go one way.
ROOMS = {
    room: set(names.split())
    for room, names in {
        "core/lib": "",
        "core/firmware": "core/lib",
        "core/device_tree": "core/lib core/firmware",
        "core/tpm": "core/lib",
        "core/cause": "core/lib",
        "core/config": "core/lib core/firmware",
        "core/gaps": "core/lib core/cause",
        "core/work": "core/cause core/config core/gaps",
        "core/records": "core/lib core/cause",
        "core/events": "core/lib core/cause core/gaps core/records",
        "core/wire": "core/lib core/records",
        "core/keep": "core/lib core/records",
        "core/report": "core/lib core/cause core/config core/gaps core/events core/records "
        "core/wire",
        "core/kinds/stretch": f"core/work {CORE_KIND}",
        "core/kinds/interfere": CORE_KIND,
        "core/kinds/survey": CORE_KIND,
        "core/kinds/fault": f"core/report {CORE_KIND}",
        "core/kinds/attest": CORE_KIND,
        "core/kinds/service": f"core/events {CORE_KIND}",
        "core/screen": "core/lib core/config core/records core/report",
        "core/run": "core/lib core/config core/gaps core/records core/report core/kinds/fault",
        "core/modes/gaps": "core/lib core/config core/gaps core/report core/screen core/run",
        "core/modes/stretch": "core/lib core/config core/gaps core/records core/report core/screen "
        "core/run core/work core/kinds/stretch core/kinds/interfere",
        "core/modes/survey": "core/lib core/config core/gaps core/records core/report core/screen "
        "core/run core/kinds/survey",
        "core/modes/services": "core/lib core/cause core/config core/gaps core/records "
        "core/report core/screen core/run core/kinds/fault core/kinds/service",
        "host/lib": "core/lib core/config",
        "host/statistics": "host/lib core/lib core/config core/events core/records",
        "host/program": "host/lib core/lib core/config",
        "host/kinds": "core/lib core/config core/records",
        "host/capture": READ,
        "host/tools": f"host/capture {READ}",
        "host/sources": f"host/capture {READ}",
        "host/forms": f"host/capture host/sources {READ}",
        "host/findings": f"host/capture host/forms {READ}",
        "host/compare": f"host/capture host/tools host/forms host/findings {READ}",
        "host/diff": f"host/capture host/forms host/findings {READ}",
        "host/html": f"host/capture host/forms {READ}",
        "host/bios": "host/lib core/lib",
        "host/predict": f"host/capture host/forms {READ}",
        "host/hunt": f"host/bios host/capture host/findings host/forms {READ}",
        "host/measure": "core/firmware core/run core/kinds/service core/kinds/interfere "
        "core/modes/services core/modes/stretch "
        f"host/capture host/tools {READ}",
        "host/attest": f"core/tpm core/kinds/attest host/capture {READ}",
        "host/boot": f"core/firmware core/keep {READ}",
        "host/summary": f"host/capture host/attest {READ}",
        "host/fleet/store": f"host/summary host/capture host/attest {READ}",
        "host/fleet": f"host/fleet/store host/summary host/capture host/attest {READ}",
        "host/collect/service": READ,
        "host/collect": "host/forms host/collect/service host/capture "
        f"host/fleet host/fleet/store host/summary {READ}",
        "host/kinds/stretch": KIND,
        "host/kinds/survey": f"core/kinds/survey {KIND}",
        "host/advise": "host/bios host/capture host/sources host/findings host/kinds/survey "
        f"core/kinds/service core/kinds/survey {READ}",
        "host/kinds/service": f"core/kinds/service {KIND}",
        "host": "host/lib host/program",
    }.items()
}
# A record type's rooms need no line of their own, unless another room includes them.
KINDS = {"core/kinds": set(CORE_KIND.split()), "host/kinds": set(KIND.split())}
# The header of the folder above that each room with a subcommand may include: the list of all.
SUBCOMMANDS = pathlib.PurePosixPath("host/subcommands.h")

# Most files of a folder, but for those that are read by name: a test beside what it tests, a page
# by its link.
FILES_MAX = 40
FULL_FOLDERS = {"tests", "docs"}

EFI_PROGRAMS = ("tests/inject/", "tests/quirks/", "tests/system/")
ASM_FOLDERS = ("arch/", "pvh/", "tests/inject/", "tests/quirks/", "tests/variants/")

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


def check_room(room, other, target):
    if room.partition("/")[0] not in ("core", "host"):
        return None
    may = ROOMS.get(room) or KINDS.get(room.rpartition("/")[0])
    if may is None and room not in ROOMS:
        return f"{room}/ is not in the table of rooms"
    if room.startswith("host/") and target == SUBCOMMANDS:
        return None
    return None if other in {room} | (may or set()) else f"{room}/ may not include {target}"


def check_quoted(path, name):
    layer = path.parts[0]
    target = resolve(path, name)
    if target is None:
        return f'"{name}" is not in the project; system headers go in <>'
    if target.parts[0] in LAYERS[layer][0]:
        return check_room(str(path.parent), str(target.parent), target)
    if layer == "host" and target.parts[0] == "arch" and target.name in HOST_FROM_ARCH:
        return None
    return f"{layer}/ may not include {target}"


def check_system(path, name):
    _, library, efi = LAYERS[path.parts[0]]
    if EFI_HEADER.fullmatch(name):
        allowed = efi or str(path).startswith(EFI_PROGRAMS)
        return None if allowed else f"<{name}> belongs to efi/ and EFI test programs"
    for header, folder in OTHERS.items():
        if header.fullmatch(name):
            inside = str(path).startswith((folder, f"tests/unit/{folder}"))
            return None if inside else f"<{name}> belongs to {folder}"
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
                yield number, "instructions outside arch/, pvh/ and tests/inject/"
        return
    for match in ASM.finditer(sources.without_comments(text, keep_strings=False)):
        yield line_of(text, match.start()), "assembly outside arch/, pvh/ and the EFI test programs"


def check_isa(_path, text):
    for match in ISA.finditer(text):
        yield line_of(text, match.start()), f"an #if for an ISA: {match[0].strip()}"


def check(path, text):
    """(line, what is wrong) of one file."""
    text = sources.without_comments(text)
    for rule in (check_includes, check_assembly, check_isa):
        yield from rule(path, text)


def check_folders(paths):
    """The folders that hold too many of these files."""
    counts = collections.Counter(path.parent for path in paths)
    for folder, count in sorted(counts.items()):
        if count > FILES_MAX and not FULL_FOLDERS.intersection(folder.parts[:1]):
            yield f"{folder}: {count} files, more than {FILES_MAX}"


def main():
    wrong = 0
    for what in check_folders(sources.files()):
        wrong += 1
        print(what)
    paths = [p for p in sources.files(".c", ".h", ".S") if p.parts[0] in LAYERS]
    for path in paths:
        for line, what in check(path, sources.read(path)):
            wrong += 1
            print(f"{path}:{line}: {what}")
    print(f"layers: {len(paths)} files, {wrong} wrong")
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
