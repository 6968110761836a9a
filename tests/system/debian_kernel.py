# SPDX-License-Identifier: BSD-2-Clause
"""Debian's kernels, as qemu/linux/fetch has them, started by their EFI stubs."""
import pathlib
import shutil

import machine as machines
import pytest
from ran import ran

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = machines.BUILD / "peers" / "kernel"
OPTIONS = (
    # Linux uses the firmware's services only with efi=runtime.
    "initrd=\\initrd console=ttyS0,115200 quiet panic=1 rdinit=/init efi=runtime tsc=reliable "
    "clocksource=tsc noirqdebug no_timer_check"  # on a busy host it finds no timer
)


def fetched(*programs, kernel=()):
    """The folder of the real-time kernel of the release this is, or of the `kernel` of which suite
    and flavour are given, where it could be fetched and these programs of Debian are there."""
    fetch = ROOT / "qemu" / "linux" / "fetch"
    folder = FOLDER.with_name("-".join((FOLDER.name, *kernel)))
    done = ran(fetch, folder, *kernel)
    if done.returncode:
        pytest.skip(f"no kernel: {done.stderr.strip()[-200:]}")
    for program in programs:
        if not shutil.which(program):
            pytest.skip(f"there is no {program}")
    return folder
