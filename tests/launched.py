# SPDX-License-Identifier: BSD-2-Clause
"""Runs that do not begin with power on: the machine was saved where launcher.efi waits, and goes on
with a disk of the run's own. Firmware takes more than half of the time of a short run.
"""
import dataclasses

import limits
import machine as machines
import saved

LAUNCHER = "launcher.efi"  # tests/system/launcher.c
START = "opt/noisefloor/start"
READY = "launcher: waiting"
CORES = 4
FOLDER = None  # folder of this session's machines: conftest.py


def go_on(options):
    """The options of the same run from there, where its machine is one that many tests have. The
    first that wants it saves it."""
    machine = options.machine
    if options.medium or not _is_usual(machine):
        return options
    out = FOLDER / f"{machine.smp}-{machine.nic}"
    start = out / "start"

    def lay_out():
        start.write_text("1")  # only its existence matters
        return machine, {machine.boot_path: machines.BUILD / LAUNCHER}

    state = saved.save(out, lay_out, READY, limits.boot(machine))
    begun = dataclasses.replace(machine, extra=("-fw_cfg", f"name={START},file={start}"))
    return dataclasses.replace(options, machine=saved.go_on(begun, state))


def _is_usual(machine):
    return machine.smp <= CORES and machine == machines.Machine(smp=machine.smp, nic=machine.nic)
