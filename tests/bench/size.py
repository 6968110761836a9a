#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""How big the image is, and how much memory the probe takes on the largest machine.

The memory is the probe's own word, with as many cores as QEMU can have. Exit status: 0, 1 over
a limit, 2 when there is nothing to judge.
"""
import argparse
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "qemu"), str(ROOT / "tests" / "lint")]

import limits  # noqa: E402
import machine as machines  # noqa: E402
import pe  # noqa: E402
import records  # noqa: E402
import runner  # noqa: E402
from guest import Guest, GuestError  # noqa: E402

# By mode, without gap rings; of stretch with the ring larger than the caches, of any size: 32 MiB
# beside the 16 that QEMU has CPUID describe.
MEMORY_KIB_MAX = {"gaps": 16 * 1024, "stretch": (32 + 32) * 1024}
CORES = machines.XAPIC_MAX
CPU = "qemu64,vendor=GenuineIntel,level=4"  # CPUID describes its caches: rings for them
CONFIG = "duration=10ms selftest=no"
MEMORY = rb'"memory: (\d+) KiB, and (\d+) KiB of gap rings'


def loaded_kib(app):
    """Memory of the loaded image: SizeOfImage of the PE header, 56 bytes into its optional header,
    which is 24 bytes into what e_lfanew points at (Microsoft PE format)."""
    data = app.read_bytes()
    (header,) = struct.unpack_from("<I", data, 0x3C)
    (size,) = struct.unpack_from("<I", data, header + 24 + 56)
    return -(-size // 1024)


def image_line(app):
    """(within the limit, what to print)"""
    size = app.stat().st_size
    return size <= pe.BYTES_MAX, f"image: {size} bytes, at most {pe.BYTES_MAX}"


def memory_line(app, out, mode):
    """(within the limit, what to print); ends the machine once the probe has printed it."""
    machine = machines.Machine(smp=CORES, cpu=CPU)
    options = runner.Options(app=app, out=out, machine=machine, config=f"{CONFIG} mode={mode}")
    with Guest(machine, out, options.volume()) as guest:
        printed = guest.wait_for(MEMORY, limits.whole(machine, CONFIG))
        found = records.join(records.find(guest.serial()))
    begin = next((r for r in found if r["type"] == "begin"), None)
    if not begin or begin["cpus"]["started"] != CORES:
        raise GuestError(f"not all of {CORES} cores started: {begin and begin['cpus']}")
    return memory_of(app, printed, mode)


def memory_of(app, printed, mode):
    """Memory that the probe has printed, in the same form."""
    allocated, rings, image = int(printed[1]), int(printed[2]), loaded_kib(app)
    line = (
        f"memory: {allocated + image} KiB with {CORES} cores in mode={mode}, at most "
        f"{MEMORY_KIB_MAX[mode]}: "
        f"{allocated} allocated, {image} the image; beside it {rings} KiB of gap rings"
    )
    return allocated and allocated + image <= MEMORY_KIB_MAX[mode], line


def main():
    parser = argparse.ArgumentParser(description="Check the probe's size.")
    parser.add_argument("app", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    args = parser.parse_args()
    good = True
    try:
        for mode in (None, *MEMORY_KIB_MAX):
            within, line = memory_line(args.app, args.out, mode) if mode else image_line(args.app)
            good = good and within
            print(line, flush=True)
    except (GuestError, OSError) as error:
        print(f"bench-size: {error}", file=sys.stderr)
        return 2
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
