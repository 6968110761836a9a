#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of the machine's own screen: screenshots.py IMAGE FOLDER WORK [CORES...]

Boots QEMU at each resolution with so many cores (4 and 255), once with a limit that is kept
and once with one that is not, and leaves in FOLDER

    <width>x<height>-<cores>-start.png  -live.png  -pass.png  -fail.png
"""
import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "qemu"))

import machine as machines  # noqa: E402
import runner  # noqa: E402
from guest import Guest  # noqa: E402

SIZES = ((640, 480), (1024, 768), (1920, 1080), (3840, 2160))
CORES = (4, 255)
# The host's own noise is in each of them: one limit is never kept, the other always.
LIMITS = {"fail": "max=10us", "pass": "max=1h"}
BOOT_SECONDS = 900
RUN_SECONDS = 900


def config(cores, limit):
    # Many cores on a few processors get little of a short window each.
    window = 1 if cores < 64 else 10
    return f"window={window}s duration={6 * window}s countdown=5s then=halt {limit}"


def shoot(guest, path):
    guest.qmp.execute("screendump", timeout=60, filename=str(path), format="png")
    print(f"  PNG   {path}", flush=True)


def take(app, work, folder, size, cores, verdict):
    width, height = size
    display = f"VGA,xres={width},yres={height},edid=on,vgamem_mb=64"
    machine = machines.Machine(
        smp=cores, memory="2G", extra=("-vga", "none", "-device", display)
    )
    options = runner.Options(app, work, machine, config(cores, LIMITS[verdict]))
    name = f"{width}x{height}-{cores}"
    with Guest(machine, work, options.volume()) as guest:
        guest.wait_for("starts in", BOOT_SECONDS)
        if verdict == "fail":
            shoot(guest, folder / f"{name}-start.png")
        # A page is painted in pieces: by the second window the first one's is whole.
        guest.wait_for("  4/6 ", RUN_SECONDS)
        if verdict == "fail":
            shoot(guest, folder / f"{name}-live.png")
        guest.wait_for('"type":"end"', RUN_SECONDS)
        guest.wait_change(len(guest.serial()), 3)
        shoot(guest, folder / f"{name}-{verdict}.png")


def main(app, folder, work, *cores):
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for count in map(int, cores or CORES):
        for size in SIZES:
            for verdict in LIMITS:
                take(pathlib.Path(app), pathlib.Path(work), folder, size, count, verdict)


if __name__ == "__main__":
    main(*sys.argv[1:])
