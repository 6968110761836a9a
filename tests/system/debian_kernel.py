# SPDX-License-Identifier: BSD-2-Clause
"""Debian's real-time kernel, as qemu/linux/fetch has it, started by its EFI stub."""
import pathlib
import shutil

import machine as machines
import pytest
from ran import ran

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = machines.BUILD / "peers" / "kernel"
OPTIONS = (
    # It uses the firmware's services only with efi=runtime.
    "initrd=\\initrd console=ttyS0,115200 quiet panic=1 rdinit=/init efi=runtime tsc=reliable "
    "clocksource=tsc noirqdebug no_timer_check"  # on a busy host it finds no timer
)


def fetched(*programs):
    """Its folder, where it could be fetched and these programs of Debian are there."""
    fetch = ROOT / "qemu" / "linux" / "fetch"
    done = ran(fetch, FOLDER)
    if done.returncode:
        pytest.skip(f"no kernel: {done.stderr.strip()[-200:]}")
    for program in programs:
        if not shutil.which(program):
            pytest.skip(f"there is no {program}")
    return FOLDER
