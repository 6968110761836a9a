#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""How densely the probe's loop and its peers' read the clock, and how much they watch.

    tests/peers/bench.py --build build --tool build/noisefloor --out build/peers

The loop, and the hwlat and osnoise tracers of Debian's real-time kernel, in instructions from one
read of the clock to the next, by single steps in QEMU; then the share of the time that each watches
each of N cores at its defaults. Exit status: 0, 2 when something could not be measured.
"""
import argparse
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("qemu", "qemu/linux", "tests/inject", "tests/bench", "tests/lint", "tests/peers")
sys.path[:0] = [str(ROOT / folder) for folder in FOLDERS]

import gdbstub  # noqa: E402
import initramfs  # noqa: E402
import injection  # noqa: E402
import loop as bench_loop  # noqa: E402
import peers  # noqa: E402
import qmp  # noqa: E402
from guest import Guest, GuestError  # noqa: E402
from schedule import Plan  # noqa: E402

TRACER_SECONDS = 10
STEPS = 3000
READS_MIN = 20  # in so many steps, or the tracer was not at it
TRIES = 40
TRY_SECONDS = 0.1
BOOT_SECONDS = 600
READS = {
    "x86_64": re.compile(rb"\x0f\x31|\x0f\x01\xf9"),  # RDTSC, RDTSCP
    # MRS of CNTVCT_EL0, or at exception level 2 CNTPCT_EL0, or of either's self-synchronized form.
    "aarch64": re.compile(rb"[\x20-\x5f\xa0-\xdf]\xe0\x3b\xd5"),
}


class Unmeasured(Exception):
    """Something could not be measured; the text names it."""


def per_read(gdb, is_read):
    """Instructions per read of the clock over STEPS, or None where too few came."""
    reads = []
    for step, address in enumerate(bench_loop.trace(gdb, STEPS)):
        if is_read.match(gdb.memory(address, 4)):
            reads.append(step)
    if len(reads) < READS_MIN:
        return None
    # hwlat reads twice in each pass, at unequal distances.
    whole = (len(reads) - 1) // 2 * 2
    return (reads[whole] - reads[0]) / whole


def tracer_density(guest, socket, name, processor):
    guest.wait_for(f"@@ begin {name}", BOOT_SECONDS)
    guest.qmp.execute("stop")
    gdb = gdbstub.Gdb(socket, processor)
    try:
        for _ in range(TRIES):
            gdb.run(TRY_SECONDS)
            found = per_read(gdb, READS[processor])
            if found:
                return found
        raise Unmeasured(f"{name} was never found reading the clock")
    finally:
        gdb.close()
        guest.qmp.execute("cont")


def tracers(args):
    """Instructions between reads of each tracer, and their settings, from one guest."""
    initramfs.make(
        args.out / "initrd-bench", args.out / "root-bench",
        {"stamp": args.out / "stamp"}, list((args.out / "kernel").glob("msr.ko")),
        {"CONSOLE": args.on.console, "PARTS": '"defaults hwlat osnoise"',
         "RUN_SECONDS": TRACER_SECONDS, "THRESHOLD_US": 10}, tools=(),
        tools_root=peers.tools_of(args),
    )
    with tempfile.TemporaryDirectory() as folder:
        socket = pathlib.Path(folder) / "gdb"
        wanted = injection.options(
            args.out / "kernel" / "vmlinuz", args.build / "inject.efi", args.out / "bench",
            Plan(options=args.on.kernel), 0, 1, args.on.firmware,
            ("-gdb", f"unix:{socket},server=on,wait=off"), args.on.emulator,
        )
        wanted.files = {"initrd": args.out / "initrd-bench"}
        with Guest(wanted.machine, wanted.out, wanted.volume()) as guest:
            guest.wait_for("@@ over defaults", BOOT_SECONDS)
            settings = peers.parts_of(guest.serial())["defaults"].text.decode()
            found = {name: tracer_density(guest, socket, name, wanted.machine.processor)
                     for name in ("hwlat", "osnoise")}
    return found, dict(re.findall(r"^(\S+) (\d+)\r?$", settings, re.M))


def emulated(args):
    app = args.build / "noisefloor.efi"
    with bench_loop.Window(app, args.out / "bench-loop") as window:
        loop = bench_loop.find_loop(window.gdb, app.read_bytes(), window.processor)
    found, settings = tracers(args)
    print(f"{loop.per_sample:.2f} instructions from one read of the loop to the next; "
          + ", ".join(f"{name} {n:.1f}" for name, n in found.items()), flush=True)
    return settings


def share(settings, what, whole):
    return int(settings[what]) / int(settings[whole])


def watched(args, settings):
    """Share of the wall time that each tool watches on each of N cores, at its defaults."""
    out = args.out / "bench-probe"
    done = injection.run(
        args.build / "noisefloor.efi", args.build / "inject.efi", out,
        Plan(options="duration=5s then=halt"), icount=peers.SHIFT, timeout=BOOT_SECONDS,
        firmware=args.on.firmware, emulator=args.on.emulator,
    )
    (end,) = done.result.of_type("end")
    hwlat = share(settings, "hwlat_detector/width", "hwlat_detector/window")
    osnoise = share(settings, "osnoise/runtime_us", "osnoise/period_us")
    print("watched of the wall time, each of N cores at defaults: "
          f"noisefloor {end['watched_ppm'] / 1e4:.2f} %, hwlat {100 * hwlat:.0f}/N %, osnoise "
          f"{100 * osnoise:.0f} %, oslat 100 % (after a second to warm up), cyclictest: only when "
          "it wakes up")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    peers.add_options(parser)
    args = peers.resolved(parser.parse_args())
    try:
        watched(args, emulated(args))
    except (Unmeasured, GuestError, gdbstub.GdbError, qmp.QmpError, bench_loop.BenchError,
            initramfs.InitramfsError, OSError) as error:
        print(f"bench-peers: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
