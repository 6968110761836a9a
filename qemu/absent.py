# SPDX-License-Identifier: BSD-2-Clause
"""No TPM, as firmware sees it on hardware.

Where nothing answers, hardware reads FFh and QEMU 0, which OVMF takes for a TPM that is busy: it
waits for that at each start, a third of its boot, and most of one under icount. So the page of a
TPM's registers reads FFh until OVMF places devices: it is the display's ROM, which OVMF has no use
for, put there before the processor runs. A reset takes it away.
"""
import contextlib

import qmp
from firmware import escape

TPM = 0xFED40000  # TCG PC Client Platform TPM Profile: the registers of locality 0
ROM_BYTES = 4096
DISPLAY = {"vendor": 0x1234, "device": 0x1111}  # QEMU's VGA
CONFIG_ADDRESS, CONFIG_DATA = 0xCF8, 0xCFC
CONFIG_ENABLE = 1 << 31
COMMAND, COMMAND_MEMORY = 0x04, 2
ROM_BASE, ROM_ENABLE = 0x30, 1


def argv(machine, folder):
    """QEMU's arguments, with the ROM as a file in `folder`. The machine then waits for place()."""
    if not _is_ovmf(machine):
        return []
    rom = folder / "absent.rom"
    rom.write_bytes(b"\xff" * ROM_BYTES)
    return ["-global", f"VGA.romfile={escape(rom)}"] + (["-S"] if _begins(machine) else [])


def place(machine, guest):
    """Put the ROM there, and start the machine."""
    if not _is_ovmf(machine) or not _begins(machine):
        return
    with contextlib.suppress(qmp.QmpError):  # the guest's observer sees that QEMU ended
        for bus in guest.qmp.execute("query-pci"):
            for display in [d for d in bus["devices"] if d["id"].items() >= DISPLAY.items()]:
                _write(guest.qmp, display, ROM_BASE, TPM | ROM_ENABLE)
                _write(guest.qmp, display, COMMAND, COMMAND_MEMORY)
                guest.qmp.hmp(f"o/w {CONFIG_ADDRESS} 0")
        start(guest.qmp)


def start(monitor):
    """The event goes with it: nobody else shall take it for theirs."""
    monitor.execute("cont")
    monitor.wait_event("RESUME", monitor.timeout)


def _is_ovmf(machine):
    """True for OVMF without a TPM, which has variables."""
    return machine.variables and machine.processor == "x86_64" and not machine.tpm


def _begins(machine):
    """A saved machine is past it, and goes on as it was saved."""
    return "-incoming" not in machine.extra


def _write(monitor, device, register, value):
    place = device["bus"] << 16 | device["slot"] << 11 | device["function"] << 8 | register
    monitor.hmp(f"o/w {CONFIG_ADDRESS:#x} {CONFIG_ENABLE | place:#x}")
    monitor.hmp(f"o/w {CONFIG_DATA:#x} {value:#x}")
