# SPDX-License-Identifier: BSD-2-Clause
"""One run of the probe in Bochs, an x86 that shares nothing with QEMU.

It counts instructions, `IPS` of which are its second: nothing of the host is in the result. Its
firmware is OVMF without QEMU's fw_cfg, and so without ACPI tables and SMBIOS.
"""
import contextlib
import dataclasses
import fcntl
import os
import pathlib
import signal
import struct
import subprocess
import termios
import time

import esp
import machine as machines
import patience
import records

FOLDER = machines.BUILD / "machines" / "bochs"
ROOT = FOLDER / "root" / "usr"
PROGRAM = ROOT / "bin" / "bochs-bin"
LIBRARIES = ROOT / "lib" / "x86_64-linux-gnu"
STUBS = FOLDER / "stubs"
VGABIOS = ROOT / "share" / "bochs" / "VGABIOS-lgpl-latest"
OVMF = pathlib.Path("/usr/share/ovmf/OVMF.fd")
IPS = 100_000_000
POLL_SECONDS = 0.1
END = b'"type":"end"'
SCREEN = struct.pack("HHHH", 50, 132, 0, 0)  # Debian's ends with a smaller terminal
POWER_OFF, RESET = "soft power off", "Reset(HARDWARE) called"  # one reset is that of power on

SETTINGS = """\
config_interface: textconfig
display_library: term
romimage: file=OVMF.fd, address=0x0
vgaromimage: file=vgabios.bin
vga: extension=vbe, realtime=0
megs: 256
cpu: model={model}, count={cores}, ips={ips}, quantum=16, reset_on_triple_fault=0, \
ignore_bad_msrs=0, msrs=msrs.def
clock: sync=none, time0=1700000000, rtc_sync=0
pci: enabled=1, chipset=i440fx
ata0: enabled=1
ata0-master: type=disk, mode=flat, path=disk.img, cylinders=0
com1: enabled=1, mode=file, dev=serial.log
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
boot: disk
log: bochs.log
panic: action=report
"""


class BochsError(Exception):
    """Bochs did not do what was waited for; the text has its output."""


@dataclasses.dataclass
class Ended:
    records: list
    leaving: str | None
    out: pathlib.Path


def why_not():
    """Why it cannot be run; None: it can."""
    if PROGRAM.exists() and STUBS.exists():
        return None
    why = FOLDER / "why"
    return why.read_text().strip() if why.exists() else "Bochs was not fetched"


def _lay_out(out, files, model, cores, msrs):
    out.mkdir(parents=True, exist_ok=True)
    esp.create(out / "disk.img", files)
    (out / "disk.img.lock").unlink(missing_ok=True)  # left by a process that was killed
    # Paths are short there.
    for name, source in (("OVMF.fd", OVMF), ("vgabios.bin", VGABIOS)):
        (out / name).unlink(missing_ok=True)
        (out / name).symlink_to(source.resolve())
    (out / "bochsrc").write_text(SETTINGS.format(model=model, cores=cores, ips=IPS))
    (out / "msrs.def").write_text("".join(f"{msr:#x} 0 0 0 0 0 0 0\n" for msr in msrs))
    (out / "go").write_text("c\n")  # Debian's build begins in its debugger
    (out / "serial.log").write_bytes(b"")


def _start(out, terminal):
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": f"{STUBS}:{LIBRARIES}",
        "LTDL_LIBRARY_PATH": str(LIBRARIES / "bochs" / "plugins"),
        "BXSHARE": str(ROOT / "share" / "bochs"),
        "TERM": "vt100",
    }
    argv = ["setpriv", "--pdeathsig", "KILL", "--"]
    argv += [str(PROGRAM), "-q", "-f", "bochsrc", "-rc", "go"]
    return subprocess.Popen(
        argv, cwd=out, env=environment, stdin=terminal, stdout=terminal, stderr=terminal,
        start_new_session=True,
    )


def _drain(screen):
    """Read and drop output, which must not block Bochs."""
    with contextlib.suppress(OSError):
        while os.read(screen, 65536):
            pass


def _watch(process, out, screen, stays_on, seconds):
    """Until it has ended, or stays on behind its end record."""
    clock = patience.Clock(process.pid)
    while process.poll() is None:
        _drain(screen)
        if stays_on and END in (out / "serial.log").read_bytes():
            return
        if clock.seconds() > seconds or _leaving(out):
            return
        time.sleep(POLL_SECONDS)


def _log(out):
    log = out / "bochs.log"
    return log.read_text(errors="replace") if log.exists() else ""


def _leaving(out):
    log = _log(out)
    if POWER_OFF in log:
        return "power off"
    return "reset" if log.count(RESET) > 1 else None


def run(out, files, model, cores=1, msrs=(), then="shutdown", seconds=600):
    """From power on to the end. `msrs` exist, and read as 0."""
    out = pathlib.Path(out)
    _lay_out(out, files, model, cores, msrs)
    screen, terminal = os.openpty()
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, SCREEN)
        os.set_blocking(screen, False)
        process = _start(out, terminal)
        try:
            _watch(process, out, screen, then == "halt", seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    finally:
        os.close(screen)
        os.close(terminal)
    serial = (out / "serial.log").read_bytes()
    if END not in serial:
        raise BochsError(f"no end record; the last was {serial[-300:]!r}, {_log(out)[-500:]}")
    return Ended(records.join(records.find(serial)), _leaving(out), out)


def without_identity(found):
    """Records without the members that differ between any two runs."""
    own = {"sid", "crc"}
    return [{key: value for key, value in record.items() if key not in own} for record in found]

