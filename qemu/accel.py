# SPDX-License-Identifier: BSD-2-Clause
"""Whether QEMU can run a VM with /dev/kvm: found by running one, since that the device exists, and
even that it makes a VM, proves nothing."""
import os
import pathlib
import signal
import subprocess
import tempfile

import machine as machines

ACCELERATORS = ("auto", "kvm", "tcg")
# A ROM of 64 KiB. At the reset vector: jmp to the code, which begins as firmware does, and reports
# to the debug-exit port.
ROM_BYTES = 0x10000
CODE_AT, RESET_VECTOR = 0xFF00, 0xFFF0
EXIT_VALUE = 0x2A
CODE = (
    b"\x9b\xdb\xe3"  # finit
    + b"\xba" + machines.DEBUG_EXIT_PORT.to_bytes(2, "little")  # mov to dx
    + b"\xb0" + bytes([EXIT_VALUE]) + b"\xee\xf4"  # mov to al, out, hlt
)
EXIT_STATUS = EXIT_VALUE << 1 | 1
TRY_SECONDS = 20


def rom():
    jump = (CODE_AT - RESET_VECTOR - 3) & 0xFFFF
    data = bytearray(ROM_BYTES)
    data[CODE_AT : CODE_AT + len(CODE)] = CODE
    data[RESET_VECTOR : RESET_VECTOR + 3] = b"\xe9" + jump.to_bytes(2, "little")
    return bytes(data)


class NoKvm(Exception):
    """KVM was asked for, and does not work; the text has the reason."""


def choose(wanted, counted, program, cpu=None):
    """The accelerator for `wanted`, and a line for the user or None. `counted`: with icount."""
    if wanted == "tcg" or (wanted == "auto" and counted):
        return "tcg", None
    why = why_not(program, cpu=cpu or machines.KVM_CPU)
    if why and wanted == "kvm":
        raise NoKvm(f"no KVM here: {why}; --accel tcg emulates the processor")
    return ("tcg", f"no KVM here ({why}): QEMU emulates the processor") if why else ("kvm", None)


def whose_gaps(accelerator, counted):
    """Lines for behind a run; none where the figures are what they seem to be."""
    if accelerator != "tcg" or counted:
        return []
    return [
        "QEMU emulated the machine: these gaps are this computer's, and its clock may run ahead.",
        "Exact, with known SMIs: `make demo`. On a real machine: `make image`, boot the stick.",
    ]


def why_not(program, accel="kvm", cpu=machines.KVM_CPU):
    """One line on why a VM cannot run so; None: it can."""
    if accel == "kvm" and not os.path.exists("/dev/kvm"):
        return "there is no /dev/kvm"
    if accel == "kvm" and not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "/dev/kvm may not be opened; on most systems it takes membership of the group kvm"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "try.rom"
        path.write_bytes(rom())
        argv = [program, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
        argv += ["-machine", machines.BOARDS["q35"].machine, "-accel", accel]
        argv += ["-cpu", cpu, "-m", "64", "-bios", path]
        argv += machines.DEBUG_EXIT
        try:
            done = subprocess.run(
                argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=TRY_SECONDS
            )
        except subprocess.TimeoutExpired:
            return f"a VM of a few instructions did not end within {TRY_SECONDS} s"
    if done.returncode == EXIT_STATUS:
        return None
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    lines = [line for line in lines if ": warning: " not in line] or lines
    if lines:
        return lines[0].removeprefix(f"{os.path.basename(program)}: ").rstrip(".")
    if done.returncode < 0:
        return f"QEMU died of {signal.Signals(-done.returncode).name}"
    return f"QEMU ended with {done.returncode}"
