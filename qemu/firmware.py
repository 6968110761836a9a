#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Firmware for QEMU, where distributions put it: firmware.py NAME prints the files found.

Exits 1 where there is none, with the places looked at on stderr.
"""
import dataclasses
import os
import pathlib
import sys

# Tests set it, as mk/packages.sh does.
ROOT = os.environ.get("PACKAGES_ROOT", "")
BUILD = pathlib.Path(
    os.environ.get("BUILD") or pathlib.Path(__file__).resolve().parent.parent / "build"
)
IA32 = BUILD / "machines" / "ia32" / "root" / "usr" / "share" / "OVMF"
MONITOR = BUILD / "aarch64" / "monitor.bin"
BELOW_MONITOR = 0x60000000  # tests/inject/aarch64/monitor/monitor.S
DEBIAN = "/usr/share/OVMF"
FEDORA = "/usr/share/edk2/ovmf"
ARCH = "/usr/share/edk2/x64"
GENTOO = "/usr/share/edk2-ovmf"
QEMU = "/usr/share/qemu"  # openSUSE's too


@dataclasses.dataclass(frozen=True)
class Firmware:
    """Where its code and the template of its variables (None: it keeps none) may be, as pairs;
    whether it lives in SMM; whether it is U-Boot, which is helped at its prompt; whether the tests'
    monitor at exception level 3 starts it; whether it waits for a key unless it is asked not to."""

    places: tuple[tuple[str, str | None], ...]
    smm: bool = False
    prompt: bool = False
    monitor: bool = False
    key: bool = False

    def find(self):
        """The first pair that is there whole, or None."""
        for pair in self.places:
            paths = tuple(path and ROOT + path for path in pair)
            if all(os.path.exists(path) for path in filter(None, paths)):
                return paths
        return None

    def looked_for(self):
        return "; ".join(" with ".join(filter(None, pair)) for pair in self.places)

    @property
    def code(self):
        return (self.find() or self.places[0])[0]

    @property
    def variables(self):
        return (self.find() or self.places[0])[1]

    def argv(self, variables):
        """QEMU's arguments, with `variables` as this machine's copy of the template."""
        if self.monitor:
            loader = f"loader,file={escape(self.code)},addr={BELOW_MONITOR:#x},force-raw=on"
            return ["-bios", str(MONITOR), "-device", loader]
        if not self.variables:
            return ["-bios", self.code]
        flash = "if=pflash,format=raw"
        # A wait of 0 s is read by firmware only where there is a menu.
        argv = ["-boot", "menu=on,splash-time=0"] if self.key else []
        if self.smm:
            argv += ["-global", "driver=cfi.pflash01,property=secure,value=on"]
        argv += ["-drive", f"{flash},unit=0,readonly=on,file={escape(self.code)}"]
        return argv + ["-drive", f"{flash},unit=1,file={escape(variables)}"]


def escape(path):
    """A comma in a file name is written twice inside an option of QEMU's."""
    return str(path).replace(",", ",,")


UBOOT_AARCH64 = Firmware((
    ("/usr/lib/u-boot/qemu_arm64/u-boot.bin", None),
    ("/usr/share/u-boot/qemu_arm64/u-boot.bin", None),
    ("/usr/share/uboot/qemu_arm64/u-boot.bin", None),
), prompt=True)
UNPACKED13 = BUILD / "ovmf13" / "root" / "usr" / "share" / "OVMF"
FIRMWARE = {
    "plain": Firmware((
        (f"{DEBIAN}/OVMF_CODE_4M.fd", f"{DEBIAN}/OVMF_VARS_4M.fd"),
        (f"{DEBIAN}/OVMF_CODE.fd", f"{DEBIAN}/OVMF_VARS.fd"),
        (f"{FEDORA}/OVMF_CODE.fd", f"{FEDORA}/OVMF_VARS.fd"),
        (f"{ARCH}/OVMF_CODE.4m.fd", f"{ARCH}/OVMF_VARS.4m.fd"),
        (f"{ARCH}/OVMF_CODE.fd", f"{ARCH}/OVMF_VARS.fd"),
        (f"{GENTOO}/OVMF_CODE.fd", f"{GENTOO}/OVMF_VARS.fd"),
        (f"{QEMU}/ovmf-x86_64-4m-code.bin", f"{QEMU}/ovmf-x86_64-4m-vars.bin"),
        (f"{QEMU}/ovmf-x86_64-code.bin", f"{QEMU}/ovmf-x86_64-vars.bin"),
        (f"{QEMU}/edk2-x86_64-code.fd", f"{QEMU}/edk2-i386-vars.fd"),
    )),
    "smm": Firmware((
        (f"{DEBIAN}/OVMF_CODE_4M.secboot.fd", f"{DEBIAN}/OVMF_VARS_4M.fd"),
        (f"{FEDORA}/OVMF_CODE.secboot.fd", f"{FEDORA}/OVMF_VARS.fd"),
        (f"{ARCH}/OVMF_CODE.secboot.4m.fd", f"{ARCH}/OVMF_VARS.4m.fd"),
        (f"{ARCH}/OVMF_CODE.secboot.fd", f"{ARCH}/OVMF_VARS.fd"),
        (f"{GENTOO}/OVMF_CODE.secboot.fd", f"{GENTOO}/OVMF_VARS.fd"),
        (f"{QEMU}/ovmf-x86_64-smm-code.bin", f"{QEMU}/ovmf-x86_64-smm-vars.bin"),
        (f"{QEMU}/edk2-x86_64-secure-code.fd", f"{QEMU}/edk2-i386-vars.fd"),
    ), smm=True),
    # Debian 13's, unpacked by `make ovmf13-if-possible`.
    "plain13": Firmware((
        (f"{UNPACKED13}/OVMF_CODE_4M.fd", f"{UNPACKED13}/OVMF_VARS_4M.fd"),
    )),
    # UEFI of 32 bits, unpacked where the system has none: make loaders-if-possible.
    "ia32": Firmware((
        (f"{DEBIAN}/OVMF32_CODE_4M.secboot.fd", f"{DEBIAN}/OVMF32_VARS_4M.fd"),
        (f"{IA32}/OVMF32_CODE_4M.secboot.fd", f"{IA32}/OVMF32_VARS_4M.fd"),
    ), smm=True),
    # Secure Boot is on; the key of Debian's that all know is enrolled.
    "secure": Firmware((
        (f"{DEBIAN}/OVMF_CODE_4M.secboot.fd", f"{DEBIAN}/OVMF_VARS_4M.snakeoil.fd"),
    ), smm=True),
    "aarch64": Firmware((
        ("/usr/share/AAVMF/AAVMF_CODE.fd", "/usr/share/AAVMF/AAVMF_VARS.fd"),
        ("/usr/share/edk2/aarch64/QEMU_EFI-pflash.raw",
         "/usr/share/edk2/aarch64/vars-template-pflash.raw"),
        ("/usr/share/edk2/aarch64/QEMU_CODE.fd", "/usr/share/edk2/aarch64/QEMU_VARS.fd"),
        (f"{QEMU}/aavmf-aarch64-code.bin", f"{QEMU}/aavmf-aarch64-vars.bin"),
        (f"{QEMU}/edk2-aarch64-code.fd", f"{QEMU}/edk2-arm-vars.fd"),
    ), key=True),
    # The counterpart of "secure".
    "aarch64-secure": Firmware((
        ("/usr/share/AAVMF/AAVMF_CODE.ms.fd", "/usr/share/AAVMF/AAVMF_VARS.snakeoil.fd"),
    ), key=True),
    # Another implementation of UEFI. It has no driver for xHCI.
    "uboot": Firmware((
        ("/usr/lib/u-boot/qemu-x86_64/u-boot.rom", None),
        ("/usr/share/u-boot/qemu-x86_64/u-boot.rom", None),
        ("/usr/share/uboot/qemu-x86_64/u-boot.rom", None),
    ), prompt=True),
    # U-Boot, which describes the machine by a device tree.
    "uboot-aarch64": UBOOT_AARCH64,
    "uboot-monitor": dataclasses.replace(UBOOT_AARCH64, monitor=True),
    # TF-A with the tests' injector in it, and U-Boot above: make tfa-if-possible.
    "uboot-tfa": Firmware(((str(BUILD / "tfa" / "uboot.bin"), None),), prompt=True),
}


def main(name):
    found = FIRMWARE[name].find()
    if not found:
        print(f"firmware {name}, as {FIRMWARE[name].looked_for()}", file=sys.stderr)
        return 1
    print(*filter(None, found), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
