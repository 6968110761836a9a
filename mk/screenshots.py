#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of the machine's own screen.

    screenshots.py all IMAGE FOLDER WORK [CORES...]

boots QEMU at each resolution with that many cores (4 and 255), once with a limit that is met
and once with one that is exceeded, and leaves in FOLDER

    <width>x<height>-<cores>-start.png  -live.png  -pass.png  -fail.png

    screenshots.py injected IMAGE INJECTOR PLAN FOLDER WORK

boots it under instruction counting, with the SMIs and NMIs of the plan and nothing else, and
leaves FOLDER/injected.png, taken while it measures.

    screenshots.py stretch IMAGE FOLDER WORK

runs mode=stretch on 2 cores, and leaves FOLDER/stretch.png, taken once it is over.
"""
import contextlib
import os
import pathlib
import struct
import sys
import time
import zlib

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "qemu"))

import display  # noqa: E402
import machine as machines  # noqa: E402
import runner  # noqa: E402
from guest import Guest  # noqa: E402

SIZES = ((640, 480), (1024, 768), (1920, 1080), (3840, 2160))
CORES = (4, 255)
# Each includes noise of the host: one limit is always exceeded, the other always met.
LIMITS = {"fail": "max=10us", "pass": "max=1h"}
BOOT_SECONDS = 900
RUN_SECONDS = 900
WINDOWS = 3
STEADY_SECONDS, STEADY_TRIES = 0.2, 20
# The second window's page is painted at once, later ones bit by bit.
INJECTED_CONFIG = "window=2s duration=4s countdown=0 then=halt max=1ms"
INJECTED_STEADY_SECONDS = 5  # an instruction counted takes some 50 ns
# QEMU's threads share this computer with all else: the limit is exceeded.
STRETCH_CONFIG = "mode=stretch duration=10s countdown=0 then=halt max_stretch=1.05"


def window_seconds(cores):
    """Many cores on a few processors get little of a short window each."""
    return 6 if cores < 64 else 10


def config(cores, limit):
    window = window_seconds(cores)
    return f"window={window}s duration={WINDOWS * window}s countdown=5s then=halt {limit}"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(ppm):
    """The picture with a palette, four bits to the pixel: the screen has 16 colours."""
    _, size, _, pixels = ppm.split(b"\n", 3)
    width, height = map(int, size.split())
    channels = [pixels[n::3] for n in range(3)]
    colours = sorted(set(zip(*channels)))
    if len(colours) > 16:
        raise ValueError(f"{len(colours)} colours: something else is on the screen")
    # One channel is enough to distinguish them, so that a picture needs no loop.
    key = next(n for n in range(3) if len({colour[n] for colour in colours}) == len(colours))
    table = bytearray(256)
    for number, colour in enumerate(colours):
        table[colour[key]] = number
    numbers = channels[key].translate(bytes(table))
    rows = (numbers[y * width : (y + 1) * width] for y in range(height))
    lines = b"".join(
        b"\0" + bytes(a << 4 | b for a, b in zip(row[::2], row[1::2])) for row in rows
    )
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0))
        + chunk(b"PLTE", b"".join(map(bytes, colours)))
        + chunk(b"IDAT", zlib.compress(lines, 9))
        + chunk(b"IEND", b"")
    )


def dump(guest):
    ppm = guest.out / "screen.ppm"
    guest.qmp.execute("screendump", timeout=60, filename=str(ppm))
    return ppm.read_bytes()


def save(path, ppm):
    path.write_bytes(png(ppm))
    print(f"  PNG   {path}", flush=True)


def shoot(guest, path, seconds=STEADY_SECONDS):
    """Once nothing has been painted for so long."""
    now, before = dump(guest), None
    for _ in range(STEADY_TRIES):
        if now == before:
            break
        time.sleep(seconds)
        now, before = dump(guest), now
    save(path, now)


class Memory:
    """The display's memory, read from outside: QEMU's own dump waits for a lock that many cores
    compete for."""

    def __init__(self, guest, size):
        self.size = size
        answer = guest.qmp.hmp(f"gpa2hva {display.framebuffer(guest).start:#x}")
        self._at = int(answer.split()[-1], 16)
        self._path = f"/proc/{guest.pid}/mem"

    def read(self):
        """Write a PPM file. Four bytes are a pixel: blue, green, red, nothing."""
        width, height = self.size
        with open(self._path, "rb", buffering=0) as file:
            file.seek(self._at)
            memory = file.read(4 * width * height)
        pixels = bytearray(3 * width * height)
        for channel in range(3):
            pixels[channel::3] = memory[2 - channel :: 4]
        return f"P6\n{width} {height}\n255\n".encode() + pixels


def shoot_live(guest, memory, path, window):
    """The screenshot is taken in the second window. Its page is painted at once, within 2 s
    (probe/person/display.c). Later pages are painted bit by bit, over several windows if the cores
    share few processors.
    """
    guest.wait_for(f"  1/{WINDOWS} ", RUN_SECONDS)
    time.sleep(0.4 * window)
    ppm = memory.read()
    if f"  2/{WINDOWS} ".encode() in guest.serial():
        raise SystemExit(f"{path}: the window was over before the picture was taken")
    save(path, ppm)


def shoot_end(guest, path):
    guest.wait_for('"type":"end"', RUN_SECONDS)
    guest.wait_change(len(guest.serial()), 3)
    shoot(guest, path)


@contextlib.contextmanager
def processors(most):
    """Bind processes started meanwhile to that many of this computer's processors."""
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(mine)[:most])
    try:
        yield
    finally:
        os.sched_setaffinity(0, mine)


def prefer_boot_core(guest):
    """Prefer the boot core. It paints while the others wait for it in a loop: on a few processors
    254 of them would use all of the time that a page may take."""
    for core in guest.qmp.execute("query-cpus-fast"):
        if core["cpu-index"]:
            os.setpriority(os.PRIO_PROCESS, core["thread-id"], 19)


def screen(width, height):
    # In the display's EDID; at QEMU's own 75 Hz the largest is out of its range.
    adapter = f"VGA,xres={width},yres={height},refresh_rate=50000,vgamem_mb=64"
    return ("-vga", "none", "-device", adapter)


def take(app, work, folder, size, cores, verdict):
    machine = machines.Machine(smp=cores, memory="2G", extra=screen(*size))
    options = runner.Options(app, work, machine, config(cores, LIMITS[verdict]))
    name = "{}x{}-{}".format(*size, cores)
    # On several processors QEMU's TSC may run ahead: then no limit is sure to be met.
    most = 1 if verdict == "pass" else None
    with processors(most), Guest(machine, work, options.volume()) as guest:
        prefer_boot_core(guest)
        guest.wait_for("starts in", BOOT_SECONDS)
        if verdict == "fail":
            shoot(guest, folder / f"{name}-start.png")
            memory = Memory(guest, size)
            shoot_live(guest, memory, folder / f"{name}-live.png", window_seconds(cores))
        shoot_end(guest, folder / f"{name}-{verdict}.png")


def take_all(app, folder, work, *cores):
    for count in map(int, cores or CORES):
        for size in SIZES:
            for verdict in LIMITS:
                take(app, work, folder, size, count, verdict)


def take_injected(app, injector, plan, folder, work):
    extra = (*screen(1024, 768), "-global", "hpet.msi=on")
    machine = machines.Machine(smp=1, icount=0, extra=extra)
    options = runner.Options(
        app, work, machine, INJECTED_CONFIG, inject=injector, files={"inject.bin": plan}
    )
    with Guest(machine, work, options.volume()) as guest:
        guest.wait_for("  1/2 ", RUN_SECONDS)
        shoot(guest, folder / "injected.png", INJECTED_STEADY_SECONDS)


def take_stretch(app, folder, work):
    machine = machines.Machine(smp=2, extra=screen(1024, 768))
    options = runner.Options(app, work, machine, STRETCH_CONFIG)
    with Guest(machine, work, options.volume()) as guest:
        shoot_end(guest, folder / "stretch.png")


def main(what, *arguments):
    take_them = {"all": take_all, "injected": take_injected, "stretch": take_stretch}[what]
    paths = {"all": 3, "injected": 5, "stretch": 3}[what]
    arguments = [*map(pathlib.Path, arguments[:paths]), *arguments[paths:]]
    folder = arguments[paths - 2]
    folder.mkdir(parents=True, exist_ok=True)
    take_them(*arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
