# SPDX-License-Identifier: BSD-2-Clause
"""Properties of a surveyed machine, decoded from the manuals alone: Intel SDM vol. 2 (CPUID) and
vol. 4 (table 2-2 and those of the models), AMD APM vol. 2 and 3. It shares nothing with the probe.
"""
import struct

INTEL, AMD, HYGON = "GenuineIntel", "AuthenticAMD", "HygonGenuine"
# Linux, turbostat.c: the clock that MSR_PLATFORM_INFO's ratio multiplies; others 100 MHz.
NEHALEM = {0x1A, 0x1E, 0x1F, 0x2E, 0x25, 0x2C, 0x2F}
FIRST_RATIO = 0x2A  # Sandy Bridge
SLOW_BUS = {0x37, 0x4A, 0x4C, 0x4D, 0x5A, 0x5D, 0x57, 0x85, 0x27, 0x35, 0x36}  # Atoms, Xeon Phi
DENVERTON, DENVERTON_CRYSTAL = 0x5F, 25_000_000  # Linux, tsc.c
PLATFORM_INFO = 0xCE


class Processor:
    """`leaves`: {(leaf, subleaf): (eax, ebx, ecx, edx)}; `msrs`: {number: value or None}, None:
    it is there, and counts."""

    def __init__(self, leaves, msrs):
        self._leaves, self.msrs = leaves, msrs
        _, *name = self.leaf(0)
        self.vendor = struct.pack("<3I", name[0], name[2], name[1]).decode("latin-1")
        version = self.leaf(1)[0]
        self.family = version >> 8 & 15
        self.model = version >> 4 & 15
        self.stepping = version & 15
        if self.family in (6, 15):
            self.model += (version >> 16 & 15) << 4
        if self.family == 15:
            self.family += version >> 20 & 255

    def leaf(self, number, sub=0):
        """Zeros where it is above the highest, or not dumped."""
        highest = self._leaves.get((number & 0xFFFF0000, 0), (0,))[0]
        return self._leaves.get((number, sub), (0,) * 4) if number <= highest else (0,) * 4

    def msr(self, number):
        value = self.msrs.get(number)
        return 0 if number in self.msrs and value is None else value

    def set(self, msr):
        """One of those that are documented for some makers only: Pentium 4's have other numbers."""
        return self.msr(msr) if self.amd or (self.intel and self.family != 15) else None

    def bit(self, msr, number):
        value = self.set(msr)
        return None if value is None else value >> number & 1

    @property
    def intel(self):
        return self.vendor == INTEL

    @property
    def amd(self):
        return self.vendor in (AMD, HYGON)

    @property
    def guest(self):
        return self.leaf(1)[2] >> 31 & 1


def identity(p):
    return {
        "vendor": p.vendor, "family": p.family, "model": p.model, "stepping": p.stepping,
        "invariant": bool(p.leaf(0x80000007)[3] >> 8 & 1),
    }


def rates(p):
    """By leaf, Hz."""
    found = {}
    under, over, crystal, _ = p.leaf(0x15)
    if (p.vendor, p.family, p.model) == (INTEL, 6, DENVERTON) and not crystal:
        crystal = DENVERTON_CRYSTAL
    if under and over and crystal:
        found["cpuid15"] = crystal * over // under
    if p.leaf(0x16)[0] & 0xFFFF:
        found["cpuid16"] = (p.leaf(0x16)[0] & 0xFFFF) * 1_000_000
    return found


def rate_by_ratio(p):
    """MSR_PLATFORM_INFO: the number on the box, Hz; None: it has none, or its unit is not known."""
    value = p.msr(PLATFORM_INFO)
    if not p.intel or p.family != 6 or not value or not value >> 8 & 0xFF or p.guest:
        return None
    if p.model in NEHALEM:
        return (value >> 8 & 0xFF) * 400_000_000 // 3
    if p.model < FIRST_RATIO or p.model in SLOW_BUS:
        return None
    return (value >> 8 & 0xFF) * 100_000_000


def caches(p):
    """Bytes of data in each of three levels, and how many bits of the APIC id share the last."""
    sizes, bits = [0, 0, 0], 0
    leaf = 4 if p.leaf(4)[0] & 31 else 0x8000001D
    if leaf != 4 and not p.leaf(0x80000001)[2] >> 22 & 1:
        return [*sizes, bits]
    for sub in range(16):
        eax, ebx, ecx, _ = p.leaf(leaf, sub)
        kind, level = eax & 31, eax >> 5 & 7
        if not kind:
            break
        if kind == 2 or not 1 <= level <= 3:
            continue
        line, parts, ways = (ebx & 0xFFF) + 1, (ebx >> 12 & 0x3FF) + 1, (ebx >> 22) + 1
        sizes[level - 1] = line * parts * ways * (ecx + 1)
        if level == 3:
            bits = (eax >> 14 & 0xFFF).bit_length()
    return [*sizes, bits]


def _fixed(p, number):
    eax, _, ecx, edx = p.leaf(0xA)
    there = eax & 255 >= 2 and (ecx >> number & 1 or (edx & 31) > number)
    return there and 32 <= (edx >> 5 & 255) < 64 and not (p.msr(0x38D) or 0) >> 4 * number & 3


def counters(p):
    """Counters that can be used if no register refuses and nobody else counts. A hypervisor's guest
    has the hypervisor's, not the processor's."""
    found = {"nmi_count", "mce_count"}
    if p.leaf(7)[1] >> 1 & 1:
        found.add("tsc_adjust")
    if p.intel and (p.family == 6 or p.family >= 18):
        found.add("smi_count")
    if p.guest:
        return found
    if p.leaf(6)[2] & 1:
        found |= {"mperf", "aperf"}
    fixed = {"instructions": 0, "cycles": 1, "reference": 2}
    found |= {name for name, number in fixed.items() if _fixed(p, number)}
    # BKDGs from family 10h on: events 76h, C0h, 2Bh.
    if p.amd and p.family >= 0x10:
        found |= {"cycles", "instructions", "smi_received"}
    return found


def _turbo(p):
    if p.amd:
        off = p.bit(0xC0010015, 25)
        return (None if off is None else 1 - off) if p.leaf(0x80000007)[3] >> 9 & 1 else 0
    off = p.bit(0x1A0, 38)
    return (None if off is None else 1 - off) if p.leaf(6)[0] >> 1 & 1 else 0


def _hwp(p):
    if p.amd:
        return p.bit(0xC00102B1, 0) if p.leaf(0x80000008)[1] >> 27 & 1 else 0
    return p.bit(0x770, 0) if p.leaf(6)[0] >> 7 & 1 else 0


def _core_c(p):
    """0: none but C1; None: the processor does not report it."""
    states = p.leaf(5)[3] if p.leaf(1)[2] >> 3 & 1 else 0
    ports = p.set(0xC0010073)
    return None if states >> 8 or (p.amd and ports != 0) else 0


def _smt(p):
    threads = p.leaf(0xB)[1] & 0xFFFF
    if not threads and p.amd and p.leaf(0x80000001)[2] >> 22 & 1:
        threads = (p.leaf(0x8000001E)[1] >> 8 & 0xFF) + 1
    return int(threads > 1) if threads else None


def _locked(p):
    bits = [p.bit(0xE2, 15), p.bit(0x3A, 0), p.bit(0xC0010015, 0)]
    return None if bits == [None] * 3 else sum((bit or 0) << n for n, bit in enumerate(bits))


def settings(p):
    """By the name that `show` prints; those that cannot be known are left out."""
    if p.guest:
        return {}
    hwp_there = p.leaf(6)[0] >> 7 & 1
    efficient = p.bit(0x1FC, 19)
    microcode = (p.msr(0x8B) or 0) & 0xFFFFFFFF if p.amd else (p.msr(0x8B) or 0) >> 32
    bias, package, debug = p.set(0x1B0), p.set(0xE2), p.msr(0x1D9)
    speedstep = p.bit(0x1A0, 16) if p.leaf(1)[2] >> 7 & 1 else 0
    found = {
        "turbo": _turbo(p),
        "energy-efficient-turbo": 1 - efficient if hwp_there and efficient is not None else None,
        "speedstep": None if p.amd else speedstep,
        "hwp": _hwp(p),
        "energy-perf-bias": bias & 15 if p.leaf(6)[2] >> 3 & 1 and bias is not None else None,
        "package-c-state-limit": None if package is None else package & 15,
        "core-c-states": _core_c(p),
        "c1e": p.bit(0x1FC, 1),
        "smt": _smt(p),
        "tsc-adjust": p.msr(0x3B),
        "microcode": microcode or None,
        "prefetchers": p.set(0x1A4),
        "prochot-input": p.bit(0x1FC, 0),
        "freeze-on-smi": debug >> 14 & 1 if p.intel and debug is not None else None,
        "locked": _locked(p),
    }
    return {name: value for name, value in found.items() if value is not None}


# Evidence that depends on a value that few dumps have, or on nothing that a processor states.
NOT_BY_LEAVES = {"mce_banks", "thermal", "package_thermal", "freeze_in_smm"}


def processor(p):
    return {
        "identity": identity(p), "rates": rates(p), "caches": caches(p),
        "counters": sorted(counters(p)), "settings": settings(p),
    }
