# SPDX-License-Identifier: BSD-2-Clause
"""Debian's kernels, as qemu/linux/fetch has them, started by their EFI stubs."""
import pathlib
import re
import shutil

import initramfs
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


def disk(linux, out, init, programs, options="", nsh=(), modules=(), tools=("kexec",)):
    """Files of a disk from which the firmware's shell starts that Linux, after the lines `nsh`."""
    initramfs.make(out / "initrd", out / "root", programs,
                   [*sorted((linux / "disk").glob("*.ko")), *modules], {}, init=init, tools=tools)
    return {
        "startup.nsh": "\r\n".join((*nsh, f"vmlinuz.efi {OPTIONS} {options}", "")).encode(),
        "vmlinuz.efi": linux / "vmlinuz",
        "initrd": out / "initrd",
    }


def steps_of(serial):
    """Output and exit code of each of init's commands, in order, by name."""
    text = serial.decode(errors="replace").replace("\r\n", "\n")
    steps = {}
    for name, printed, code in re.findall(r"@@ begin (\S+)\n(.*?)@@ end \1 (\d+)\n", text, re.S):
        steps.setdefault(name, []).append((printed, int(code)))
    return steps


def assert_measured(run, cores):
    """The records of a run that this Linux has started by kexec. Returns its stage's."""
    (begin,) = (r for r in run if r["type"] == "begin")
    assert begin["door"] == "linux", begin
    assert begin["cpus"]["found"] == begin["cpus"]["started"] == cores
    cpus = [r for r in run if r["type"] == "cpu"]
    assert len(cpus) == cores and all(cpu["exposure_ns"] > 0 for cpu in cpus)
    assert run[-1]["type"] == "end" and run[-1]["verdict"] == "none"
    (stage,) = (r for r in run if r["type"] == "stage")
    assert stage["stage"] == "linux"
    return stage
