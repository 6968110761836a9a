# SPDX-License-Identifier: BSD-2-Clause
"""A machine that QEMU builds, as its command line."""
import dataclasses
import pathlib
import re

import esp
import tpm
from firmware import BUILD, FIRMWARE, escape


@dataclasses.dataclass(frozen=True)
class Emulator:
    """A QEMU. `data` is the folder of its option ROMs, None: where it looks by itself."""

    program: str
    data: pathlib.Path | None
    smp_max: int
    processor: str = "x86_64"
    board: str = "q35"  # where none is named
    firmware: str = "plain"

    def argv(self):
        return [self.program] + (["-L", str(self.data)] if self.data else [])


QEMU10 = BUILD / "qemu10" / "root" / "usr"
EMULATORS = {
    # TCG before QEMU 9 has no x2APIC.
    "system": Emulator("qemu-system-x86_64", None, 255),
    # Unpacked by `make qemu10`; its ICH9 has the timers that raise SMIs.
    "qemu10": Emulator(
        str(QEMU10 / "bin" / "qemu-system-x86_64"), QEMU10 / "share" / "qemu", 1024
    ),
    "aarch64": Emulator("qemu-system-aarch64", None, 512, "aarch64", "virt", "aarch64"),
}
NIC = "virtio-net-pci"
# Cards, also to boot over PXE with, and what else their device wants: the firmware has a driver for
# the first, the others bring iPXE's in their ROMs.
NICS = {"virtio-net-pci": ",romfile=", "e1000e": "", "rtl8139": "", "vmxnet3": "",
        "virtio-net-device": ""}
NIC_BESIDE_PCI = "virtio-net-device"  # with its registers in memory
RANDOM = ("-device", "virtio-rng-pci")  # TCP of EDK II wants it, as of 2024
SERVED = {"pxe": "tftp", "http": "http"}  # ways to boot from a server, and the folder it shows
# QEMU starts the probe as a kernel, AArch64's as Linux; the configuration is its command line.
PVH = "pvh"
PVH_FILE, PVH_CONFIG = "noisefloor.elf", "noisefloor.conf"
FOLDERS = {**SERVED, PVH: "pvh"}


@dataclasses.dataclass(frozen=True)
class Board:
    """A machine of QEMU's, of one processor."""

    machine: str  # -machine
    cpu: str
    exit: tuple[str, ...]  # how the guest ends QEMU, with a value
    screen: tuple[str, ...]
    boot_path: str  # path from which firmware starts a medium
    boots: tuple[str, ...] = ("disk", *SERVED)


DEBUG_EXIT_PORT = 0x501
DEBUG_EXIT = ("-device", f"isa-debug-exit,iobase={DEBUG_EXIT_PORT:#x},iosize=2")
# SMM exists with each firmware; the plain one leaves it alone, and tests may use it.
PC = Board("q35,smm=on", "qemu64", DEBUG_EXIT, ("-vga", "std"), esp.BOOT_PATH,
           ("disk", *SERVED, PVH))
VIRT = Board("virt,gic-version=3", "neoverse-n1", ("-semihosting",), ("-device", "ramfb"),
             esp.BOOT_PATH_AARCH64, ("disk", *SERVED, PVH))
BOARDS = {
    "q35": PC,  # with ICH9 and PCI Express
    "pc": dataclasses.replace(PC, machine="pc,smm=on"),  # with PIIX3 and PCI
    "microvm": Board("microvm", "qemu64", DEBUG_EXIT, (), esp.BOOT_PATH, (PVH,)),  # without PCI
    "virt": VIRT,  # AArch64: the guest is at exception level 1
    "virt-gpu": dataclasses.replace(VIRT, screen=("-device", "virtio-gpu-pci")),
    "virt-el2": dataclasses.replace(VIRT, machine=f"{VIRT.machine},virtualization=on"),
    "virt-el3": dataclasses.replace(
        VIRT, machine="virt,gic-version=2,virtualization=on,secure=on"
    ),
    "virt-tfa": dataclasses.replace(VIRT, machine=f"{VIRT.machine},virtualization=on,secure=on"),
}
# Where the serial line is: at COM1, on a PCI card, nowhere.
SERIALS = {
    "com1": ("-serial", "chardev:serial"),
    "pci": ("-serial", "none", "-device", "pci-serial,chardev=serial"),
    "none": ("-serial", "none"),
}
# Kinds of media: how QEMU opens it, and the devices that make it so.
DISKS = {
    "virtio": ("", ["virtio-blk-pci,drive=esp,bootindex=0"]),
    "usb": ("", ["qemu-xhci", "usb-storage,drive=esp,removable=on,bootindex=0"]),
    "usb2": ("", ["usb-ehci", "usb-storage,drive=esp,removable=on,bootindex=0"]),
    "sata": ("", ["ide-hd,drive=esp,bus=ide.0,bootindex=0"]),
    "cd": (",media=cdrom", ["ide-cd,drive=esp,bus=ide.0,bootindex=0"]),
    "none": ("", []),  # for a kernel that QEMU itself loads
    "usb-cd": (",media=cdrom", ["qemu-xhci", "usb-storage,drive=esp,bootindex=0"]),
}
XAPIC_MAX = 255
# Above that APIC IDs no longer fit 8 bits: interrupts need remapping, and QEMU an IOMMU for it.
X2APIC = ("-machine", "kernel-irqchip=off", "-device", "intel-iommu,intremap=on,eim=on")
# With KVM: the host's own, which lets the guest see that the TSC's rate is constant.
KVM_CPU = "host,migratable=off"


# Variable stores to begin with in place of the firmware's template, by the firmware's name.
WARM = None


def app_name(boot):
    """The file that the build makes for this way to boot."""
    return PVH_FILE if boot == PVH else "noisefloor.efi"


class BadMachine(ValueError):
    """A machine that cannot be built; the text names what is accepted."""


@dataclasses.dataclass(frozen=True)
class Machine:
    """One machine. `icount` is the shift: 2^icount virtual ns per instruction. It boots from
    a disk, of the kind `disk`, or over PXE: from QEMU's own DHCP and TFTP server, which has
    `boot_file` in its folder; or by HTTP, from `boot_uri` or, where there is none, a server on
    this host that has `boot_file`. `network` is QEMU's -netdev without its id, instead of its own.
    `topology` is the rest of -smp, e.g. "sockets=2,cores=2"; "": one socket of cores."""

    board: str = "q35"
    smp: int = 2
    topology: str = ""
    firmware: str = "plain"
    accel: str = "tcg"  # tcg or kvm
    icount: int | None = None
    cpu: str | None = None  # None: qemu64, with KVM the host's
    memory: str = "1G"
    resets: bool = False  # a reset starts it again; else it ends QEMU
    extra: tuple[str, ...] = ()
    emulator: str = "system"
    boot: str = "disk"
    boot_file: str = "noisefloor.efi"
    boot_uri: str | None = None
    nic: str | None = None  # the network card; over PXE virtio-net-pci where none is named
    network: str | None = None
    disk: str = "virtio"
    store: str | None = None  # variables to begin with, in place of the firmware's template
    serial: str = "com1"
    tpm: str | None = None  # its interface, of tpm.KINDS; None: there is none
    tpm_state: pathlib.Path | None = None  # the TPM's own folder; None: one of the run's

    def __post_init__(self):
        if self.emulator not in EMULATORS:
            raise BadMachine(f"the emulator is one of {', '.join(EMULATORS)}, not {self.emulator}")
        if self.board not in BOARDS:
            raise BadMachine(f"the board is one of {', '.join(BOARDS)}, not {self.board}")
        if self.serial not in SERIALS:
            raise BadMachine(f"the serial line is one of {', '.join(SERIALS)}, not {self.serial}")
        if BOARDS[self.board].boot_path != BOARDS[EMULATORS[self.emulator].board].boot_path:
            raise BadMachine(f"the emulator {self.emulator} has no board {self.board}")
        if self.firmware not in FIRMWARE:
            raise BadMachine(f"firmware is one of {', '.join(FIRMWARE)}, not {self.firmware}")
        most = EMULATORS[self.emulator].smp_max
        if not 1 <= self.smp <= most:
            raise BadMachine(f"a machine has 1 to {most} CPUs, not {self.smp}")
        if self.accel not in ("tcg", "kvm"):
            raise BadMachine(f"the accelerator is tcg or kvm, not {self.accel}")
        if self.accel == "kvm" and self.icount is not None:
            raise BadMachine("KVM does not count instructions: icount takes tcg")
        if self.accel == "kvm" and self.smp > XAPIC_MAX:
            raise BadMachine(f"more than {XAPIC_MAX} CPUs take tcg")
        if self.icount is not None and not 0 <= self.icount <= 10:
            raise BadMachine(f"the icount shift is 0 to 10, not {self.icount}")
        if self.icount is not None and self.smp != 1:
            # A loop without PAUSE would starve every other CPU of the one host thread.
            raise BadMachine(f"icount runs one CPU, not {self.smp}")
        if self.boot not in ("disk", *FOLDERS):
            raise BadMachine(f"it boots from disk, over pxe or http, or by pvh, not {self.boot}")
        boots = BOARDS[self.board].boots
        if self.boot not in boots:
            raise BadMachine(f"the board {self.board} boots by {', '.join(boots)}, not {self.boot}")
        if self.boot == PVH and self.firmware not in ("plain", EMULATORS[self.emulator].firmware):
            raise BadMachine(f"pvh takes no firmware, and {self.firmware} is given")
        if self.disk not in DISKS:
            raise BadMachine(f"the disk is one of {', '.join(DISKS)}, not {self.disk}")
        if self.nic and self.nic not in NICS:
            raise BadMachine(f"the card is one of {', '.join(NICS)}, not {self.nic}")
        if self.nic not in (None, NIC_BESIDE_PCI) and self.board == "microvm":
            raise BadMachine(f"the board microvm has no PCI: its card is {NIC_BESIDE_PCI}")
        if self.tpm and self.tpm not in tpm.KINDS:
            raise BadMachine(f"the TPM is one of {', '.join(tpm.KINDS)}, not {self.tpm}")
        if self.tpm and not tpm.device(self.tpm, self.processor):
            raise BadMachine(f"the emulator {self.emulator} has no TPM of the kind {self.tpm}")
        if not re.fullmatch(r"[1-9]\d*[MG]", self.memory):
            raise BadMachine(f"memory is a number and M or G, not {self.memory}")

    @property
    def variables(self):
        """The template that each run copies for itself; None: there is none."""
        if self.boot == PVH:
            return None
        warm = WARM and WARM / f"{self.firmware}.fd"
        return self.store or (warm if warm and warm.exists() else FIRMWARE[self.firmware].variables)

    @property
    def processor(self):
        return EMULATORS[self.emulator].processor

    @property
    def boot_path(self):
        return BOARDS[self.board].boot_path

    @property
    def program(self):
        """The emulator's."""
        return EMULATORS[self.emulator].program

    def argv(self, variables, source):
        """QEMU's command line, except for the connections to it. `source` is the disk, or the
        folder of files for PXE, HTTP and PVH."""
        icount = self.icount is not None
        argv = EMULATORS[self.emulator].argv()
        argv += ["-nodefaults", "-no-user-config", "-display", "none"]
        argv += [] if self.resets else ["-no-reboot"]
        argv += ["-machine", BOARDS[self.board].machine]
        argv += ["-accel", "tcg,thread=multi" if self.accel == "tcg" and not icount else self.accel]
        x2apic = self.smp > XAPIC_MAX and self.processor == "x86_64"
        cpu = self.cpu or (KVM_CPU if self.accel == "kvm" else BOARDS[self.board].cpu)
        argv += ["-cpu", cpu + (",x2apic=on" if x2apic else "")]
        argv += ["-smp", self._smp_argument, "-m", self.memory]
        argv += BOARDS[self.board].screen
        if x2apic:
            argv += X2APIC
        if icount:
            argv += ["-icount", f"shift={self.icount},sleep=off"]
            argv += ["-rtc", "clock=vm,base=2024-01-01"]
        if self.boot == PVH:
            argv += self._pvh_argv(source)
        else:
            argv += FIRMWARE[self.firmware].argv(variables) + self._boot_argv(escape(source))
        return argv + list(BOARDS[self.board].exit) + list(self.extra)

    @property
    def _smp_argument(self):
        return f"{self.smp},{self.topology}" if self.topology else str(self.smp)

    def serial_argv(self, chardev):
        """Its serial line, with QEMU's character device behind it, which has the id `serial`."""
        return ["-chardev", f"{chardev},id=serial", *SERIALS[self.serial]]

    def _pvh_argv(self, source):
        config = (source / PVH_CONFIG).read_text(encoding="utf-8").split()
        argv = ["-kernel", str(source / PVH_FILE), "-append", " ".join(config)]
        return argv + (self._nic_argv(self.nic, "user") if self.nic else [])

    def _boot_argv(self, source):
        if self.boot == "pxe":
            own = f"user,tftp={source},bootfile={escape(self.boot_file)}"
            return self._nic_argv(self.nic or NIC, own, ",bootindex=0")
        if self.boot == "http":
            return self._nic_argv(self.nic or NIC, "user") + list(RANDOM)
        media, devices = DISKS[self.disk]
        argv = ["-drive", f"if=none,id=esp,format=raw,file={source}{media}"]
        argv += [word for device in devices for word in ("-device", device)]
        return argv + (self._nic_argv(self.nic, "user") if self.nic else [])

    def _nic_argv(self, nic, own, more=""):
        """`own`: the network where none is given."""
        card = f"{nic},netdev=net{more}{NICS[nic]}"
        return ["-netdev", f"{self.network or own},id=net", "-device", card]
