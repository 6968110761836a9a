#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compile each header alone: headers.py --hosted FLAGS --efi FLAGS.

A header must need nothing included before it, and must bear being included twice.
Headers of efi/ and of EFI test programs, and those that include <efi.h>, get the EFI flags;
those of arch/ first look in their own architecture's folder, as its sources do.
"""
import argparse
import concurrent.futures
import os
import shlex
import subprocess
import sys

import sources

EFI_FOLDERS = (
    "efi/", "arch/", "drivers/", "tests/fuzz/file_system.h", "tests/fuzz/services.h",
    "tests/inject/", "tests/quirks/", "tests/system/", "tests/tables/"
)


def compile_alone(path, flags):
    source = f'#include "{path}"\n' * 2
    deep = path.parts[0] == "arch" and len(path.parts) > 2
    arch = [f"-Iarch/{path.parts[1]}"] if deep else []
    command = ["gcc", *arch, *flags, "-fsyntax-only", "-I.", "-x", "c", "-"]
    done = subprocess.run(
        command, cwd=sources.ROOT, input=source, text=True, capture_output=True
    )
    return done.stderr if done.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosted", type=shlex.split, required=True, metavar="FLAGS")
    parser.add_argument("--efi", type=shlex.split, required=True, metavar="FLAGS")
    args = parser.parse_args()

    def one(path):
        return compile_alone(path, args.efi if str(path).startswith(EFI_FOLDERS) else args.hosted)

    paths = sources.files(".h")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = [error for error in pool.map(one, paths) if error]
    for error in errors:
        print(error, end="")
    print(f"headers: {len(paths)} alone, {len(errors)} wrong")
    return 1 if errors or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
