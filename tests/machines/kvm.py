# SPDX-License-Identifier: BSD-2-Clause
"""One run of the probe under a real KVM: QEMU's TCG emulates a processor with SVM, on which a
Debian kernel with kvm-amd runs QEMU in turn. U-Boot starts the probe there.

The machine in between does what it is sent on its second serial line: `nmi`, by its QEMU's
monitor.
"""
import contextlib
import os
import pathlib
import re

import esp
import initramfs
import machine as machines
import records
import uboot
from guest import Guest, GuestError

FOLDER = machines.BUILD / "machines" / "kvm"
HERE = pathlib.Path(__file__).resolve().parent
# What QEMU looks for in a folder of its own.
ROMS = ("kvmvapic.bin", "vgabios-stdvga.bin", "efi-virtio.rom")
ROM_FOLDERS = ("/usr/share/qemu", "/usr/share/seabios", "/usr/lib/ipxe/qemu")
KERNEL = "console=ttyS0,115200 quiet mitigations=off nokaslr rdinit=/init panic=1"
# Instructions are counted: else what the machine below all takes is in the gaps, of which KVM knows
# nothing.
SHIFT = 2
HZ = 10**9  # of the TSC, which counts virtual ns then
LEFT = re.compile(rb"@@ left (\d+)")


def why_not():
    """Why it cannot be run; None: it can."""
    if (FOLDER / "vmlinuz").exists():
        return None
    why = FOLDER / "why"
    return why.read_text().strip() if why.exists() else "the kernel with KVM was not fetched"


def _files(disk):
    """What lies in /bin of the machine in between."""
    files = {"disk.img": disk, "u-boot.rom": machines.FIRMWARE["uboot"].code}
    for name in ROMS:
        paths = (pathlib.Path(folder, name) for folder in ROM_FOLDERS)
        files |= {name: path for path in list(paths)[::-1] if path.exists()}
    return files


def _machine(out):
    extra = ("-kernel", str(FOLDER / "vmlinuz"), "-initrd", str(out / "initrd"))
    extra += ("-append", KERNEL, "-chardev", f"pipe,id=line,path={out / 'line'}")
    extra += ("-device", "isa-serial,chardev=line,index=1")
    return machines.Machine(
        smp=1, icount=SHIFT, cpu="max", memory="1200M", disk="none", extra=extra
    )


class Run:
    """A machine in between, to be entered, and then watched to its end."""

    def __init__(self, out, files, cpu="host,+kvm-steal-time", cores=1, load=False):
        self._out = pathlib.Path(out).resolve()
        self._out.mkdir(parents=True, exist_ok=True)
        esp.create(self._out / "disk.img", files)
        initramfs.make(
            self._out / "initrd", self._out / "stage", _files(self._out / "disk.img"),
            sorted((FOLDER / "modules").glob("*.ko")),
            {"CPU": f"'{cpu}'", "CORES": cores, "LOAD": int(load)}, HERE / "kvm_init",
            ("qemu-system-x86_64",),
        )
        self._guest = None
        self._line = None

    def __enter__(self):
        for end in ("in", "out"):
            path = self._out / f"line.{end}"
            path.unlink(missing_ok=True)
            os.mkfifo(path)
        self._line = os.open(self._out / "line.in", os.O_RDWR)
        self._guest = Guest(_machine(self._out), self._out, {"empty": b""})
        self._guest.__enter__()
        return self

    def __exit__(self, *details):
        self._guest.__exit__(*details)
        os.close(self._line)

    def send(self, what):
        """One word to the machine in between."""
        os.write(self._line, f"{what}\n".encode())

    @property
    def serial(self):
        return self._guest.serial()

    def watch(self, tick, seconds):
        """Until the QEMU in it has left; returns its exit status. `tick` is called with this."""
        typist, deadline, size = uboot.Typist(), self._guest.seconds() + seconds, 0
        while not (left := LEFT.search(self.serial)):
            if self._guest.status() is not None or self._guest.seconds() > deadline:
                raise GuestError(f"QEMU in QEMU has not left; the last was {self.serial[-500:]!r}")
            size = self._guest.wait_change(size, 0.1)
            typist(self._guest)
            with contextlib.suppress(BrokenPipeError):
                tick(self)
        return int(left[1])

    def records(self):
        return records.join(records.find(self.serial))
