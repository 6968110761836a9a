# SPDX-License-Identifier: BSD-2-Clause
"""Contents of ACPI tables, decoded from ACPI 6.5, chapter 5.2, and the specifications of the HPET,
MCFG, DMAR and IVRS alone. It shares nothing with the probe.
"""
import struct

HEADER = 36
XAPIC_BROADCAST, X2APIC_BROADCAST = 0xFF, 0xFFFFFFFF
NOTHING = [0, 0]  # a register that is not there: space, address
# By name in what the probe has: offsets in the FADT of the port, and of the extended address.
PM_BLOCKS = {
    "pm1a_evt": (56, 148), "pm1b_evt": (60, 160), "pm1a_cnt": (64, 172), "pm1b_cnt": (68, 184),
    "pm_timer": (76, 208), "gpe0": (80, 220), "gpe1": (84, 232),
}
RESET_SUPPORTED, HW_REDUCED, TIMER_32BIT = 1 << 10, 1 << 20, 1 << 8
HAS_8042 = 1 << 1


def _parts(table, start, type_format):
    """(type, bytes) of each structure, up to one that is none."""
    size = struct.calcsize(type_format)
    while start + size <= len(table):
        kind, length = struct.unpack_from(type_format, table, start)
        if length < size or start + length > len(table):
            return
        yield kind, table[start : start + length]
        start += length


def _at(table, form, offset):
    """0 where the table is shorter."""
    end = offset + struct.calcsize(form)
    return struct.unpack_from(form, table, offset)[0] if end <= len(table) else 0


def _nmi(uid, all_cpus, pin):
    return [True, 0, pin] if uid == all_cpus else [False, uid, pin]


def madt(table):
    cores, nmis = {}, []
    for kind, part in _parts(table, 44, "<BB"):
        if kind == 0 and len(part) >= 8 and part[4] & 1 and part[3] != XAPIC_BROADCAST:
            cores.setdefault(part[3], part[2])
        elif kind == 9 and len(part) >= 16 and part[8] & 1:
            cores.setdefault(_at(part, "<I", 4), _at(part, "<I", 12))
        elif kind == 4 and len(part) >= 6:
            nmis.append(_nmi(part[2], XAPIC_BROADCAST, part[5]))
        elif kind == 0xA and len(part) >= 12:
            nmis.append(_nmi(_at(part, "<I", 4), X2APIC_BROADCAST, part[8]))
    return {"cores": [list(core) for core in cores.items()], "nmis": nmis}


def _register(table, port, extended):
    space, address = _at(table, "<B", extended), _at(table, "<Q", extended + 4)
    if address and space in (0, 1):
        return [space, address]
    address = _at(table, "<I", port)
    return [1, address] if address else NOTHING


def fadt(table):
    flags = _at(table, "<I", 112)
    found = {name: _register(table, *offsets) for name, offsets in PM_BLOCKS.items()}
    reset = [_at(table, "<B", 116), _at(table, "<Q", 120)]
    found["reset"] = reset if flags & RESET_SUPPORTED and reset[1] else None
    found |= {
        "smi_cmd": _at(table, "<I", 48), "on": _at(table, "<B", 52), "off": _at(table, "<B", 53),
        "pm_timer_32bit": bool(flags & TIMER_32BIT),
        # Before revision 2 it is assumed.
        "has_8042": table[8] < 2 or bool(_at(table, "<H", 109) & HAS_8042),
        "hw_reduced": bool(flags & HW_REDUCED),
    }
    if found["hw_reduced"]:
        found |= dict.fromkeys(PM_BLOCKS, NOTHING) | {"smi_cmd": 0, "on": 0, "off": 0}
    return found


def ecams(table):
    return [
        list(struct.unpack_from("<QHBB", table, at)) for at in range(44, len(table) - 15, 16)
    ]


def iommus(table, amd):
    kinds = (0x10, 0x11, 0x40) if amd else (0,)
    form = "<BxH" if amd else "<HH"
    bases = [_at(part, "<Q", 8) for kind, part in _parts(table, 48, form) if kind in kinds]
    return [[base, amd] for base in dict.fromkeys(bases) if base]


def usable(table):
    """A wrong sum: it is not used."""
    return not sum(table) & 0xFF


def tables(by_name):
    found = {"cores": [], "nmis": [], "ecams": [], "iommus": [], "hpet": 0}
    good = {name: table for name, table in by_name.items() if usable(table) or name == "APIC"}
    if "APIC" in good:
        found |= madt(good["APIC"])
    if "FACP" in good:
        found["fadt"] = fadt(good["FACP"])
    if "HPET" in good:
        found["hpet"] = _at(good["HPET"], "<Q", 44)
    if "MCFG" in good:
        found["ecams"] = ecams(good["MCFG"])
    for name, amd in (("DMAR", False), ("IVRS", True)):
        if name in good:
            found["iommus"] = found["iommus"] + iommus(good[name], amd)
    return found
