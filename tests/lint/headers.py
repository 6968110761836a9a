#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Each header stands alone: headers.py --hosted FLAGS --efi FLAGS [--passed STAMP].

A header must need nothing included before it, and must bear being included twice. One that has
`#pragma once` and that a source of this machine includes before all else shows both whenever that
source is compiled. All others are compiled here, twice in one file, all of a set of flags by one
compiler. Headers of efi/, of probe/ and of EFI test programs get the EFI flags; those of arch/
first look in their own architecture's folder, as its sources do.
"""
import argparse
import collections
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import tempfile

import sources
from passed import Passed, content, digest

EFI_FOLDERS = (
    "efi/", "pvh/", "probe/", "arch/", "drivers/", "tests/fuzz/file_system.h",
    "tests/fuzz/services.h", "tests/inject/", "tests/quirks/", "tests/system/", "tests/tables/"
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+[<"]([^>"]+)', re.M)
ISAS = ("x86_64", "aarch64")


def arch_folder(path):
    """The architecture's folder that a file of arch/ looks in."""
    deep = path.parts[0] == "arch" and len(path.parts) > 2
    return f"arch/{path.parts[1]}" if deep else None


def resolve(path, name, headers):
    """The header of the project that `path` includes by that name, or None."""
    folders = (str(path.parent), ".", arch_folder(path) or f"arch/{platform.machine()}")
    found = (pathlib.PurePosixPath(folder, name) for folder in folders)
    return next((header for header in found if header in headers), None)


def shown_by_a_source(texts, headers):
    """Headers that a source which is compiled here includes first."""
    others = tuple(f"arch/{isa}/" for isa in ISAS if isa != platform.machine())
    shown = set()
    for path in sources.files(".c"):
        if not str(path).startswith(others):
            first = INCLUDE.search(sources.read(path))
            shown.add(first and resolve(path, first[1], headers))
    return {header for header in shown & headers if "#pragma once\n" in texts[header]}


def closure(path, texts):
    """The header and all of the project that it includes."""
    found, wanted = {path}, [path]
    while wanted:
        header = wanted.pop()
        for name in INCLUDE.findall(texts[header]):
            other = resolve(header, name, texts.keys())
            if other and other not in found:
                found.add(other)
                wanted.append(other)
    return sorted(found)


def compile_alone(paths, flags, folder):
    """What the compiler prints of headers that get these flags."""
    names = []
    for number, path in enumerate(paths):
        source = pathlib.Path(folder, f"{number}.c")
        source.write_text(f'#include "{path}"\n' * 2)
        names.append(str(source))
    done = subprocess.run(["gcc", *flags, "-fsyntax-only", "-I.", *names], cwd=sources.ROOT,
                          text=True, capture_output=True)
    return done.stderr or f"gcc: exit status {done.returncode}\n" if done.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosted", type=shlex.split, required=True, metavar="FLAGS")
    parser.add_argument("--efi", type=shlex.split, required=True, metavar="FLAGS")
    parser.add_argument("--passed", metavar="STAMP")
    args = parser.parse_args()

    texts = {path: sources.read(path) for path in sources.files(".h")}
    rest = sorted(texts.keys() - shown_by_a_source(texts, texts.keys()))
    passed = Passed(args.passed, *args.hosted, *args.efi)
    digests = {path: digest(*map(str, closure(path, texts)), content(*closure(path, texts)))
               for path in rest}
    sets = collections.defaultdict(list)
    for path in passed.left(digests):
        arch = arch_folder(path)
        flags = args.efi if str(path).startswith(EFI_FOLDERS) else args.hosted
        sets[(*([f"-I{arch}"] if arch else []), *flags)].append(path)
    with tempfile.TemporaryDirectory() as folder:
        errors = [error for flags, paths in sets.items()
                  if (error := compile_alone(paths, flags, folder))]
    for error in errors:
        print(error, end="")
    if not errors:
        passed.keep(digests)
    compiled = sum(map(len, sets.values()))
    print(f"headers: {len(texts)}, {compiled} compiled alone, {'wrong' if errors else 'good'}")
    return 1 if errors or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
