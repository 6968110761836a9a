#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Instructions per sample of the hot loop, and per gap of the slow path behind it.

Counted in the image that ships, by single steps in the middle of a window. Under icount the
clock stands still between two steps, so the loop does not notice that it is watched. A gap
is made by taking its last sample again and again.

    tests/bench/loop.py build/noisefloor.efi --out build/bench/loop

prints one line for the loop, and one for the slow path with each set of counters: those that
QEMU's CPUs can have, and, in a test build, all that a bare Intel machine has. There the
registers are played; the instructions that do so are left out, a real access is in. The image
decides which processor it is. Exit status: 0, 1 over the limit, 2 when nothing could be counted.
"""
import argparse
import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "qemu"), str(ROOT / "tests" / "bench"), str(ROOT / "tests" / "lint")]

import gdbstub  # noqa: E402
import machine as machines  # noqa: E402
import pe  # noqa: E402
import qmp  # noqa: E402
import records  # noqa: E402
import runner  # noqa: E402
from guest import Guest, GuestError  # noqa: E402

INSTRUCTIONS_MAX = 8  # per sample
BOOT_SECONDS = 300  # for a busy host
STEPS = 2000
TRIES = 50  # to come upon the loop
TRY_SECONDS = 0.2
GAP_TICKS = 2000
SLOW_STEPS_MAX = 10000
CONFIG = "duration=1m quiet=yes threshold=1us selftest=no"  # one window, longer than any look
# The test build beside the image, the CPU it wants, the function that plays the registers.
ALL_EVIDENCE = "noisefloor-all-evidence"
INTEL = "qemu64,-hypervisor,vendor=GenuineIntel,family=6,model=85"
PLAYED = "all_evidence_rdmsr"

INSTRUCTION_BYTES = 15


@dataclasses.dataclass(frozen=True)
class Processor:
    """Where its image runs, and how a sample looks there."""

    name: str
    emulator: str
    firmware: str
    read: re.Pattern  # the instruction that reads the clock
    last_bytes: int  # the loop's last instruction
    rows: tuple  # CPU, board


X86_64 = Processor(
    "x86_64", "system", "plain", re.compile(rb"\x0f\x31"), 2,
    # One that the probe cannot know to count SMIs, one that it can.
    (("qemu64,-hypervisor", "q35"), ("qemu64", "q35")),
)
AARCH64 = Processor(
    # MRS <Xt>, CNTVCT_EL0: Arm ARM, C6.2
    "aarch64", "aarch64", "aarch64", re.compile(rb"[\x40-\x5f]\xe0\x3b\xd5"), 4,
    # Without counters, with those of a guest, with those of the whole machine.
    (("neoverse-n1,pmu=off", "virt"), ("neoverse-n1", "virt"), ("neoverse-n1", "virt-el2")),
)
PROCESSORS = {pe.MACHINE_X86_64: X86_64, pe.MACHINE_AARCH64: AARCH64}


class BenchError(Exception):
    """Nothing could be counted; the text is the reason."""


@dataclasses.dataclass(frozen=True)
class Loop:
    """One pass through the loop as it was executed, and how much of it was seen."""

    processor: Processor
    code: dict  # address: bytes from there on
    order: tuple  # addresses, one pass
    instructions: int  # executed in whole passes
    samples: int

    @property
    def per_sample(self):
        return self.instructions / self.samples

    def reads(self):
        """Addresses of the samples."""
        read = self.processor.read
        return [address for address in self.order if read.match(self.code[address])]

    def line(self):
        return (
            f"loop: {self.per_sample:.2f} instructions per sample, at most {INSTRUCTIONS_MAX}: "
            f"{self.samples} samples in {self.instructions} single steps through "
            f"{len(self.order)} instructions"
        )


def trace(gdb, steps):
    """Addresses of the next `steps` instructions, which are executed."""
    addresses = []
    for _ in range(steps):
        addresses.append(gdb.read(gdb.counter))
        gdb.step()
    return addresses


def one_pass(addresses):
    """The addresses of one pass if the whole trace is that pass again and again, else None."""
    length = next((n for n in range(1, len(addresses)) if addresses[n] == addresses[0]), None)
    if not length or any(a != b for a, b in zip(addresses, addresses[length:])):
        return None
    return tuple(addresses[:length])


def watch(gdb, image, processor=X86_64):
    """The Loop that the machine is in, or None: several samples a pass, and code of `image`."""
    addresses = trace(gdb, STEPS)
    order = one_pass(addresses)
    if not order:
        return None
    code = {address: gdb.memory(address, INSTRUCTION_BYTES) for address in order}
    passes = len(addresses) // len(order)
    reads = sum(bool(processor.read.match(code[address])) for address in order)
    loop = Loop(processor, code, order, passes * len(order), passes * reads)
    return loop if reads > 1 and is_of(gdb, loop, image) else None


def find_loop(gdb, image, processor=X86_64):
    """The Loop, which the machine is in or comes to."""
    for _ in range(TRIES):
        loop = watch(gdb, image, processor)
        if loop:
            return loop
        gdb.run(TRY_SECONDS)
    raise BenchError(f"not in the loop; the next instruction is at {gdb.read('rip'):#x}")


def code_of(gdb, loop):
    """From its first to its last instruction."""
    first, last = min(loop.order), max(loop.order)
    return gdb.memory(first, last - first + loop.processor.last_bytes)


def is_of(gdb, loop, image):
    return code_of(gdb, loop) in image


def played(app, gdb, loop):
    """Addresses of the function that plays registers, in the machine; none in what ships."""
    table = subprocess.run(
        ["nm", "-S", app.with_suffix(".so")], capture_output=True, text=True, check=True
    )
    symbols = {line.split()[-1]: line.split() for line in table.stdout.splitlines()}
    if PLAYED not in symbols:
        return range(0)
    image = pe.Image(app.read_bytes())
    text = next(s for s in image.sections if s.flags & pe.EXECUTE)
    offset = text.content.index(code_of(gdb, loop))
    start, size = (int(field, 16) for field in symbols[PLAYED][:2])
    start += min(loop.order) - (text.address + offset)
    return range(start, start + size)


def step_to(gdb, addresses, without=range(0)):
    """Instructions executed, but those in `without`, until the next one is at an address."""
    steps = 0
    for _ in range(SLOW_STEPS_MAX):
        at = gdb.read(gdb.counter)
        if at in addresses:
            return steps
        gdb.step()
        steps += at not in without
    raise BenchError(f"no sample within {SLOW_STEPS_MAX} instructions")


def slow_path(gdb, loop, read, without):
    """Instructions from the sample at `read`, which ends a gap, to the next sample."""
    step_to(gdb, {read})
    for _ in range(GAP_TICKS):
        gdb.step()
        gdb.write(gdb.counter, read)
    gdb.step()
    return 1 + step_to(gdb, set(loop.reads()), without)


def slow_line(steps, evidence):
    least, most = min(steps), max(steps)
    figure = f"{least}" if least == most else f"{least} to {most}"
    return (
        f"slow path: {figure} instructions from the sample that ends a gap to the next, "
        f"with {', '.join(evidence)}"
    )


class Window:
    """A guest, stopped in the middle of a window: `gdb`, and `evidence` by name."""

    def __init__(self, app, out, cpu=None, board=None):
        self.processor = p = PROCESSORS[pe.Image(app.read_bytes()).machine]
        self._folder = tempfile.TemporaryDirectory()  # a socket's name has room for 107 bytes
        socket = pathlib.Path(self._folder.name) / "gdb"
        extra = ("-gdb", f"unix:{socket},server=on,wait=off")
        machine = machines.Machine(
            smp=1, icount=0, cpu=cpu or p.rows[-1][0], board=board or p.rows[-1][1],
            emulator=p.emulator, firmware=p.firmware, memory="256M", extra=extra,
        )
        options = runner.Options(app=app, out=out, machine=machine, config=CONFIG)
        self._socket = socket
        self._guest = Guest(machine, out, options.volume())

    def __enter__(self):
        try:
            self._guest.start()
            self._guest.wait_for(r'"type":"stage"[^\n]*\n', BOOT_SECONDS)
            found = records.join(records.find(self._guest.serial()))
            self.evidence = next(r for r in found if r["type"] == "begin")["evidence"]
            time.sleep(TRY_SECONDS)
            # The stub sends nothing by itself when the machine stands already.
            self._guest.qmp.execute("stop")
            self.gdb = gdbstub.Gdb(self._socket, self.processor.name)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._guest.stop()
        self._folder.cleanup()


def bench(app, out):
    processor = PROCESSORS[pe.Image(app.read_bytes()).machine]
    rows = [(app, *row) for row in processor.rows]
    if processor is X86_64:
        rows.append((app.with_name(f"{ALL_EVIDENCE}.efi"), INTEL, None))
    good = True
    for number, (image, cpu, board) in enumerate(rows):
        with Window(image, out, cpu, board) as window:
            loop = find_loop(window.gdb, image.read_bytes(), window.processor)
            without = played(image, window.gdb, loop)
            steps = [slow_path(window.gdb, loop, read, without) for read in loop.reads()]
        if number == 0:
            print(loop.line(), flush=True)
        print(slow_line(steps, window.evidence), flush=True)
        good = good and loop.per_sample <= INSTRUCTIONS_MAX
    return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description="Count the loop's instructions.")
    parser.add_argument("app", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    args = parser.parse_args()
    try:
        return bench(args.app, args.out)
    except (BenchError, GuestError, gdbstub.GdbError, qmp.QmpError, OSError) as error:
        print(f"bench-loop: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
