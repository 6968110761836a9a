# SPDX-License-Identifier: BSD-2-Clause
"""The machines that QEMU makes, a row each, with what is expected of them.

What is expected comes from the machine's command line and from the documentation of the probe; it
is never what a run was seen to do.
"""
import dataclasses
import pathlib
import struct

import esp
import machine as machines
import survey_form
from firmware import escape

FETCHED = machines.BUILD / "machines"  # by make test-machines
GRUB = FETCHED / "grub/root/usr/lib/grub/x86_64-efi/monolithic/grubx64.efi"
QUIRKS = machines.BUILD / "quirks.efi"
SHIM = pathlib.Path("/usr/lib/shim/shimx64.efi")
# Load options that only a loader gives, and that show that it did.
OPTIONS = "gaps=17"
GRUB_CONFIG = f"chainloader /noisefloor.efi {OPTIONS}\nboot\n".encode()
IPXE_SCRIPT = f"#!ipxe\nchain noisefloor.efi {OPTIONS}\n".encode()

# Counted by handlers of the probe's own; every model has machine-check banks (CPUID 1, MCA).
OWN = "mce_banks, mce_count, nmi_count"
# MSR_SMI_COUNT, believed where the firmware's own SMM code has moved it.
WITH_SMI = f"{OWN}, smi_count"
RATE = "the host's rate"
HPET = f"hpet, pmtimer, {RATE}"  # measured by, checked by, rate
NONE_DRIVEN = r"there is no network card that this program can drive once the firmware is gone"
ISOLATED = "user,restrict=on"
DELIVERED = "report=udp://10.0.2.2:5514 ip=10.0.2.15/24 linger=1s"
BY_PIT = f"pit, -, {RATE}"


@dataclasses.dataclass(frozen=True)
class Row:
    """`machine`: fields of machine.Machine. `config`: keys besides the duration. `files`: more on
    the medium, sources by their paths there. `probe`: its path where it is not the firmware that
    starts it, but what `loader` names. `report`: where the records are: on the serial line, in a
    file, in variables. `tables`: more ACPI tables, whole, by signature. `cheap`: in
    `make test-all`, too.

    The rest is what is expected. `cores`: of the processors found, those started and proved; how
    many packages x cores x threads there are in all; APIC ids. `events`: what is injected, and has
    to be found and attributed. `logs`: sentences, as regular expressions.
    """

    name: str
    machine: dict = dataclasses.field(default_factory=dict)
    config: str = ""
    then: str = "qemu-exit"
    medium: str | None = None
    files: dict = dataclasses.field(default_factory=dict)
    loader: str | None = None
    probe: str | None = None
    report: str = "serial"
    tables: dict = dataclasses.field(default_factory=dict)
    cheap: bool = False

    boots: str = "OVMF"
    cores: str = "2 of 2, 1x2x2, ids 0-1"
    hypervisor: str = "TCG"
    clock: str = HPET
    evidence: str = OWN
    events: tuple[str, ...] = ("nmi", "mce")
    verdict: str = "none"
    leaving: str = "qemu-exit 0"
    logs: tuple[str, ...] = ()

    def options(self):
        """Options that only its loader can have set, or None."""
        texts = [text for text in self.files.values() if isinstance(text, bytes)]
        return OPTIONS if any(OPTIONS.encode() in text for text in texts) else None

    def expected(self):
        """By column, as machine_seen.py has what was seen."""
        return {
            "boots": self.boots,
            "cores": self.cores,
            "hypervisor": self.hypervisor,
            "clock": self.clock,
            "evidence": self.evidence,
            "events": ", ".join(self.events) or "-",
            "verdict": self.verdict,
            "leaving": self.leaving,
            "logs": f"{len(self.logs)} of {len(self.logs)}" if self.logs else "-",
        }


def model(cpu, **more):
    """A processor's model in a machine that is else the usual one."""
    return Row(cpu, {"cpu": cpu}, **more)


def places(name, smp, topology, cores, **more):
    return Row(name, {"smp": smp, "topology": topology}, cores=cores, **more)


def devices(name, *argv, **more):
    return Row(name, {"extra": argv}, **more)


def quirk(name, word, *argv, **more):
    """The machine is made odd before the probe is started, see tests/quirks."""
    machine = {"extra": argv, **more.pop("machine", {})}
    files = {esp.BOOT_PATH: QUIRKS, "quirks.txt": word.encode()}
    return Row(name, machine, files=files, probe="noisefloor.efi", **more)


# PCI Firmware Specification 3.3, 4.1.2: the table's header, 8 reserved bytes, one region: its base,
# segment, first and last bus. QEMU makes the sum.
SEGMENT_1 = struct.pack("<4sIBB6s8sI4sI8xQHBB4x", b"MCFG", 60, 1, 0, b"NFTEST", b"SEGMENT1", 1,
                        b"TEST", 1, 0x8_0000_0000, 1, 0, 255)
# QEMU has these, and they are what it is.
OWN_TABLES = ("APIC", "FACP", "SPCR")
SURVEYS = pathlib.Path(__file__).resolve().parent.parent / "data" / "surveys"


def tables_of(row, folder):
    """QEMU's arguments for the row's tables, which are written into `folder`."""
    argv = []
    for name, table in row.tables.items():
        path = folder / f"{name}.aml"
        path.write_bytes(table)
        argv += ["-acpitable", f"file={escape(str(path))}"]
    return argv


def surveyed(name, survey, **more):
    """A row with a surveyed machine's tables, except OWN_TABLES. The board has neither the HPET nor
    the ECAM that the tables name."""
    usual = {"clock": f"pmtimer, -, {RATE}",
             "config": "stages=firmware,bare,acpi,handoff max=1us", "events": (),
             "verdict": "fail", "leaving": "qemu-exit 1"}
    tables = survey_form.tables_in((SURVEYS / f"{survey}.survey").read_text())
    tables = {name: table for name, table in tables.items() if name not in OWN_TABLES}
    return Row(f"tables of {name}", {"board": "pc", "extra": ("-machine", "hpet=off")},
               tables=tables, **{**usual, **more})


def iommu(name, device):
    """A row with an IOMMU that maps nothing, and is switched off for the card."""
    return quirk(
        name, "empty-iommu", "-device", device, machine={"nic": "e1000e", "network": ISOLATED},
        config=DELIVERED, logs=(r"left on: 1; switched off for the network card: 1$",),
    )


def no_driver(nic):
    """A card that the firmware drives and the probe does not. What is sent reaches nobody."""
    return Row(nic, {"nic": nic, "network": ISOLATED}, config=DELIVERED, logs=(NONE_DRIVEN,))


NODES = (
    *("-object", "memory-backend-ram,id=m0,size=512M", "-numa", "node,cpus=0-1,memdev=m0"),
    *("-object", "memory-backend-ram,id=m1,size=512M", "-numa", "node,cpus=2-3,memdev=m1"),
)

ROWS = (
    Row("q35", then="reset", leaving="reset", cheap=True),
    Row("i440fx", {"board": "pc"}, then="shutdown", leaving="power off"),
    # An NMI between two windows is the firmware's, and EDK II ends with it.
    Row("firmware's stage", config="stages=firmware", then="exit", events=(),
        leaving="to the firmware", cheap=True),

    # Models of processors
    model("Nehalem", config="max=1us", verdict="fail", leaving="qemu-exit 1", cheap=True),
    model("SandyBridge"),
    model("Haswell"),
    model("Skylake-Server"),
    model("Cascadelake-Server"),
    model("Opteron_G5"),
    model("EPYC"),
    model("EPYC-Milan"),
    # No SMI was ever seen to be counted: the limit cannot be judged.
    model("max,-hypervisor", hypervisor="none", config="max_smi=0", verdict="incomplete",
          then="halt", leaving="halted", cheap=True),

    # Where cores are. APIC ids have room for a power of two of each kind.
    places("2 sockets", 6, "sockets=2,cores=3", "6 of 6, 2x6x6, ids 0-2,4-6", cheap=True),
    places("3 threads", 6, "sockets=2,cores=1,threads=3", "6 of 6, 2x2x6, ids 0-2,4-6"),
    places("2 dies", 6, "dies=2,cores=3", "6 of 6, 1x6x6, ids 0-2,4-6"),
    places("sockets, dies, threads", 8, "sockets=2,dies=2,cores=1,threads=2",
           "8 of 8, 2x4x8, ids 0-7"),
    Row("2 NUMA nodes", {"smp": 4, "topology": "sockets=2,cores=2", "extra": NODES},
        cores="4 of 4, 2x4x4, ids 0-3"),

    # Chipset and memory
    devices("no HPET", "-machine", "hpet=off", clock=f"pmtimer, -, {RATE}"),
    quirk("no HPET, no PM timer", "no-pm-timer", "-machine", "hpet=off", clock=BY_PIT, cheap=True),
    devices("no PS/2", "-machine", "i8042=off", then="reset", leaving="reset"),
    iommu("Intel IOMMU left on", "intel-iommu"),
    iommu("AMD IOMMU left on", "amd-iommu"),
    Row("5 GiB, a hole below 4", {"memory": "5G"}),
    # An NMI between two windows of the first stage is the firmware's.
    quirk("a second PCI segment, above memory", "high-ecam", machine={"board": "pc"},
          config="stages=firmware,bare,acpi,handoff", events=()),
    Row("MCFG of segment 1 at 32 GiB", {"board": "pc", "memory": "512M"},
        tables={"MCFG": SEGMENT_1}, config="stages=firmware,bare,acpi,handoff max=1us",
        events=(), verdict="fail", leaving="qemu-exit 1"),
    quirk("a hole below 1 TiB", "hole-below-1-tib", machine={"cpu": "EPYC"}),

    # Tables of surveyed machines
    surveyed("PowerEdge R820", "GenuineIntel0050671_KnightsLanding", cheap=True),
    surveyed("X10DAi", "GenuineIntel00C06F2_EmeraldRapids_01"),
    surveyed("X7DB8", "GenuineIntel00206F2_Eagleton"),
    surveyed("H8QG6", "AuthenticAMD0A10F11_K19_Genoa_01"),
    surveyed("X299 UD4 Pro", "GenuineIntel00606A6_ICX_04"),
    surveyed("Precision 7550", "GenuineIntel0050654_SkylakeXeon_Jintide"),

    # Firmware, and what starts the probe
    Row("SMM", {"firmware": "smm"}, evidence=WITH_SMI),
    Row("GRUB", files={esp.BOOT_PATH: GRUB, "EFI/debian/grub.cfg": GRUB_CONFIG}, loader="GRUB",
        probe="noisefloor.efi", boots="OVMF, GRUB", cheap=True),
    Row("shim", files={esp.BOOT_PATH: SHIM}, loader="shim", probe="EFI/BOOT/grubx64.efi",
        boots="OVMF, shim"),
    Row("iPXE", {"boot": "pxe", "nic": "e1000e", "boot_file": "boot.ipxe"},
        files={"boot.ipxe": IPXE_SCRIPT}, loader="iPXE", probe="noisefloor.efi",
        boots="OVMF, iPXE"),
    # U-Boot leaves ICH9's power management registers, the PM timer among them, without an address.
    Row("U-Boot", {"firmware": "uboot"}, medium="img", boots="U-Boot", clock=f"hpet, -, {RATE}"),

    # Devices
    no_driver("rtl8139"),
    no_driver("vmxnet3"),
    # Nothing answers at COM1. The next start, after a reset, writes the file.
    Row("no serial line", {"serial": "none", "resets": True}, report="file", events=()),
    Row("serial line on PCI", {"serial": "pci", "resets": True}, report="file", events=()),
    # Memory in place of the port: it holds what is written to it, and loops nothing back.
    quirk("SPCR above 4 GiB", "high-spcr", "-object", "memory-backend-ram,id=uart,size=1M",
          "-device", "ivshmem-plain,memdev=uart",
          logs=(r"16550 at 0x[0-9a-f]{9,}, by SPCR: does not loop its modem lines back; not used",
                r"serial output: 16550 at I/O port 0x3f8 \(COM1\), by default")),

    # Another QEMU
    Row("QEMU 10", {"emulator": "qemu10"}),
    Row("QEMU 10, 300 cores", {"emulator": "qemu10", "smp": 300},
        cores="300 of 300, 1x300x300, ids 0-299", events=()),
)

# Bochs. OVMF finds no SMBIOS and no ACPI tables there; quirks.efi makes the FADT and the MADT. All
# MSRs that a model has not are refused, but for those that OVMF itself wants. Leaves 0Bh and 1Fh,
# which give the place of a core on Intel's, are in none of the models.
PLATFORM_ID, BIOS_SIGN_ID = 0x17, 0x8B
TRAPS = "mce_count, nmi_count"  # counters of the probe's own handlers: MCG_CAP is refused
WITH_ADJUST = f"{TRAPS}, tsc_adjust"
BY_PM_TIMER = "pmtimer, -, 100 MHz"
NOT_3_5_GHZ = r"cpuid16 reports 3500000000 Hz, which is \d+ ppm off and not used"


def bochs(model, quirks, msrs=(PLATFORM_ID, BIOS_SIGN_ID), count=1, **more):
    """`quirks`: words of quirks.efi; None: the firmware starts the probe."""
    machine = {"model": model, "quirks": quirks, "msrs": msrs, "cores": count}
    usual = {
        "then": "shutdown", "boots": "no SMBIOS", "cores": "1 of 1, no places, ids 0",
        "hypervisor": "none", "clock": BY_PM_TIMER, "evidence": TRAPS, "events": (),
        "config": "max=1us", "verdict": "pass", "leaving": "power off",
    }
    return Row(f"Bochs, {more.pop('name', model)}", machine, **{**usual, **more})


BOCHS = (
    # Nothing disturbs it: not one gap of 1 us.
    bochs("corei7_sandy_bridge_2600k", "tables"),
    bochs("corei7_skylake_x", "tables", clock="pmtimer, cpuid16, 100 MHz", evidence=WITH_ADJUST,
          then="reset", leaving="reset", logs=(NOT_3_5_GHZ,)),
    bochs("corei7_skylake_x", None, name="no tables", clock="pit, cpuid16, 100 MHz",
          evidence=WITH_ADJUST, logs=(NOT_3_5_GHZ,)),
    bochs("zambezi", "tables", msrs=(), cores="1 of 1, 1x1x1, ids 0"),
    bochs("trinity_apu", "tables", msrs=(), cores="1 of 1, 1x1x1, ids 0"),
    bochs("corei7_haswell_4770", "tables another-core", count=2, name="2 cores",
          cores="2 of 2, no places, ids 0-1", evidence=WITH_ADJUST),
    # A core that no table lists sends an SMI each 100 ms. Nothing counts them. With the boot
    # services the firmware ends, too, and puts that core elsewhere.
    bochs("corei7_haswell_4770", "tables spare-core", count=2, name="SMIs", evidence=WITH_ADJUST,
          config="max=1us stages=firmware", events=("unknown each 100 ms",), verdict="fail"),
)

# A real KVM, whose clock states the rate, which the HPET confirms. It refuses registers that it
# does not know. Its host has one processor: with a load beside, they take turns of some ms.
BY_HOST = "hypervisor, hpet, 1 GHz"
IN_KVM = f"{OWN}, steal_clock, tsc_adjust"


def kvm(name, cpu="host,+kvm-steal-time", count=1, disk="plain", load="load", **more):
    usual = {
        "machine": f"{cpu} {count} {disk} {load}", "boots": "U-Boot",
        "cores": "1 of 1, 1x1x1, ids 0", "hypervisor": "KVM", "clock": BY_HOST,
        "evidence": IN_KVM,
    }
    return Row(f"KVM, {name}", **{**usual, **more})


KVM = (
    kvm("load beside, NMIs", events=("steal", "nmi")),
    kvm("load beside, hv_*, 2 cores", "host,+kvm-steal-time,hv_relaxed,hv_time,hv_vpindex", 2,
        cores="2 of 2, 1x2x2, ids 0-1", events=("steal",)),
    # A process that was stopped did not wait to run: no steal. Its clocks went on: no pause.
    kvm("QEMU stopped", load="idle", events=("unknown",)),
    # In KVM's own SMM, which counts them.
    kvm("SMIs", disk="smi", load="idle", events=("smi",),
        evidence=f"{WITH_SMI}, steal_clock, tsc_adjust"),
    kvm("registers refused", "Nehalem,-hypervisor,kvm=off", disk="tries", load="idle",
        hypervisor="none", clock="hpet, pmtimer, 1 GHz", evidence=f"{OWN}, tsc_adjust",
        events=("refused",)),  # Bochs refuses one; no other row here tries it
)
