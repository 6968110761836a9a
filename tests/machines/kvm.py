# SPDX-License-Identifier: BSD-2-Clause
"""The probe under a real KVM: QEMU's TCG emulates a processor with SVM, on which a Debian kernel
with kvm-amd runs QEMU in turn. U-Boot starts the probe there.

The machine in between, whose boot takes longest, runs one guest after the other, and does what it
is sent on its second serial line, see kvm_init.
"""
import dataclasses
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
# Files that QEMU expects in a folder of its own.
ROMS = ("kvmvapic.bin", "vgabios-stdvga.bin", "efi-virtio.rom")
ROM_FOLDERS = ("/usr/share/qemu", "/usr/share/seabios", "/usr/lib/ipxe/qemu")
KERNEL = "console=ttyS0,115200 quiet mitigations=off nokaslr rdinit=/init panic=1"
# Instructions are counted: else what the machine below all takes is in the gaps, of which KVM knows
# nothing.
SHIFT = 2
HZ = 10**9  # the TSC, which counts virtual ns then
READY = b"@@ ready"
LEFT = re.compile(rb"@@ refused (.*)\n@@ left (\d+)\n")


def why_not():
    """Why it cannot be run; None: it can."""
    if (FOLDER / "vmlinuz").exists():
        return None
    why = FOLDER / "why"
    return why.read_text().strip() if why.exists() else "the kernel with KVM was not fetched"


def _files(disks):
    """Contents of /bin in the machine in between."""
    files = {**disks, "u-boot.rom": machines.FIRMWARE["uboot"].code}
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


@dataclasses.dataclass
class Ended:
    """One guest: its QEMU's exit status, and the registers that KVM refused it."""

    serial: bytes
    status: int
    refused: set

    @property
    def records(self):
        return records.join(records.find(self.serial))


class Host:
    """The machine in between. `disks`: by its name, what is on each."""

    def __init__(self, out, disks, boot_seconds):
        self._out = pathlib.Path(out).resolve()
        self._out.mkdir(parents=True, exist_ok=True)
        for name, files in disks.items():
            esp.create(self._out / name, files)
        initramfs.make(
            self._out / "initrd", self._out / "stage",
            _files({name: self._out / name for name in disks}),
            sorted((FOLDER / "modules").glob("*.ko")), {}, HERE / "kvm_init",
            ("qemu-system-x86_64",),
        )
        self._boot_seconds = boot_seconds
        self._guest = None
        self._line = None
        self._start = 0

    def __enter__(self):
        for end in ("in", "out"):
            path = self._out / f"line.{end}"
            path.unlink(missing_ok=True)
            os.mkfifo(path)
        self._line = os.open(self._out / "line.in", os.O_RDWR)
        self._guest = Guest(_machine(self._out), self._out, {"empty": b""})
        self._guest.__enter__()
        try:
            self._guest.wait_for(READY, self._boot_seconds)
        except GuestError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *details):
        self._guest.__exit__(*details)
        os.close(self._line)

    def send(self, what):
        """One line to the machine in between."""
        os.write(self._line, f"{what}\n".encode())

    @property
    def serial(self):
        """Bytes that the guest has sent."""
        return self._guest.serial(self._start)

    def run(self, guest, tick, seconds):
        """A guest, until its QEMU has left. `tick` is called with this."""
        self._start = size = len(self._guest.serial())
        typist, deadline = uboot.Typist(size), self._guest.seconds() + seconds
        self.send(f"guest {guest}")
        while not (left := LEFT.search(self.serial)):
            if self._guest.status() is not None or self._guest.seconds() > deadline:
                raise GuestError(f"QEMU in QEMU has not left; the last was {self.serial[-500:]!r}")
            size = self._guest.wait_change(size, 0.1)
            typist(self._guest)
            tick(self)
        return Ended(self.serial, int(left[2]), set(left[1].decode().split()))
