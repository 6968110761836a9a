#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The probe and the tools of Linux in one machine, while SMIs of known number arrive.

    tests/peers/peers.py --build build --out build/peers [--readme README.md]

Debian's real-time kernel runs one tool after the other; then the probe runs in the same
machine, under SMIs from the same schedule. QEMU counts instructions, so nothing but these
and the kernel itself holds the processor. Each machine runs once more without SMIs: what a
tool reports then is not of them, and is taken off. Prints a table, and per tool what
`noisefloor compare` makes of it; --readme puts the table between two marks of that file.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import pathlib
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "qemu"), str(ROOT / "tests" / "inject"), str(HERE)]

import initramfs  # noqa: E402
import injection  # noqa: E402
import truth  # noqa: E402
from guest import Guest, GuestError  # noqa: E402
from schedule import MS, S, US, Plan  # noqa: E402

SHIFT = 1  # 2 ns per instruction: Linux's own noise stays below THRESHOLD
SECONDS = 5  # each tool
THRESHOLD = 15 * US
COUNT = 7000  # SMIs: more than come until the guest is done
PAUSE = (5 * MS, 35 * MS)
LENGTH = (20 * US, 200 * US)
KERNEL = (
    "initrd=\\initrd console=ttyS0,115200 quiet panic=1 nokaslr rdinit=/init "
    # The injector's HPET is not Linux's; nothing else may look at the clock.
    "hpet=disable tsc=reliable clocksource=tsc nowatchdog nmi_watchdog=0"
)
PROBE = f"gaps=all live=no quiet=yes then=halt duration={SECONDS}s threshold={THRESHOLD // US}us"
GUEST_SECONDS = 1500
MARK = re.compile(rb"@@ (begin|end|over) (\S+)(?: (\d+))?\r?\n")
README_MARKS = ("<!-- make peers -->\n", "<!-- end of make peers -->\n")


@dataclasses.dataclass
class Part:
    """One tool's run in the guest."""

    name: str
    begin: int = 0  # TSC ticks of 1 ns
    end: int = 0
    text: bytes = b""


@dataclasses.dataclass
class Linux:
    parts: dict
    spans: list


def schedule(smis):
    rng = random.Random("peers")
    drawn = ((rng.randint(*PAUSE), rng.randint(*LENGTH)) for _ in range(COUNT))
    return tuple(drawn) if smis else ()


def parts_of(serial):
    """What the guest sent, by the marks of its init."""
    parts = {}
    marks = list(MARK.finditer(serial))
    for mark, after in zip(marks, marks[1:] + [None]):
        what, name, ticks = mark[1].decode(), mark[2].decode(), int(mark[3] or 0)
        part = parts.setdefault(name, Part(name))
        if what == "begin":
            part.begin = ticks
        elif what == "end":
            part.end = ticks
        if what != "over" and after:
            part.text += serial[mark.end() : after.start()]
    return parts


def run_linux(args, smis):
    """The kernel, started by the injector as the probe would be."""
    out = args.out / ("linux" if smis else "linux-calm")
    plan = Plan(smis=schedule(smis), start=1 * S, options=KERNEL)
    kernel = args.out / "kernel" / "vmlinuz"
    wanted = injection.options(
        kernel, args.build / "inject.efi", out, plan, SHIFT, 1, "plain", ()
    )
    wanted.files = {"initrd": args.out / "initrd"}
    with Guest(wanted.machine, out, wanted.volume()) as guest:
        guest.wait_for("@@ done", GUEST_SECONDS)
        log = truth.read(guest.pmemsave)
        serial = guest.serial()
    (core,) = log.cores
    if smis and core.started == core.planned:
        raise GuestError(f"{core.planned} SMIs were over before the guest was done")
    return Linux(parts_of(serial), truth.whole(core.spans))


def run_probe(args, smis):
    out = args.out / ("probe" if smis else "probe-calm")
    plan = Plan(smis=schedule(smis)[: SECONDS * S // PAUSE[0]], start=300 * MS, options=PROBE)
    done = injection.run(
        args.build / "noisefloor.efi", args.build / "inject.efi", out, plan, icount=SHIFT,
        timeout=GUEST_SECONDS,
    )
    if done.result.problem:
        raise GuestError(f"the probe: {done.result.problem}")
    return done


def stated(part):
    """What the tool does not say of itself, as `noisefloor compare` takes it."""
    us = THRESHOLD // US
    ran = part.end - part.begin
    return {
        "hwlat": f"threshold={us}us exposure={ran // 2}ns cpus=0 mode=round-robin window=1s width=500ms",
        "osnoise": f"threshold={us}us cpus=0",
        "rtla-osnoise-top": f"threshold={us}us",
        "rtla-osnoise-hist": f"threshold={us}us",
    }.get(part.name)


def write_capture(args, part, folder):
    path = folder / f"{part.name}.txt"
    words = stated(part)
    head = f"# noisefloor: {words}\n".encode() if words else b""
    path.write_bytes(head + part.text.replace(b"\r\n", b"\n"))
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--readme", type=pathlib.Path)
    args = parser.parse_args()
    args.build, args.out = args.build.resolve(), args.out.resolve()
    static = args.build / "noisefloor-static"
    initramfs.make(
        args.out / "initrd", args.out / "root",
        {"noisefloor": static, "stamp": args.build / "peers" / "stamp"},
        [args.out / "kernel" / "msr.ko"],
        {"SECONDS": SECONDS, "THRESHOLD_US": THRESHOLD // US},
    )
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = {
            (kind, smis): pool.submit(run, args, smis)
            for kind, run in (("linux", run_linux), ("probe", run_probe))
            for smis in (True, False)
        }
        results = {key: future.result() for key, future in runs.items()}
    for smis in (True, False):
        linux = results["linux", smis]
        for part in linux.parts.values():
            p = write_capture(args, part, args.out / ("linux" if smis else "linux-calm"))
            n = [(a, b) for a, b in linux.spans if a >= part.begin and b <= part.end]
            print(smis, part.name, (part.end - part.begin) / S, len(n), p.stat().st_size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
