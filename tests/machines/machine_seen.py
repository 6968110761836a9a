# SPDX-License-Identifier: BSD-2-Clause
"""Properties of a machine from its records, as short texts by column."""
import re
import zlib

from cpulist import of as ids_of

# Firmware by its vendor in SMBIOS.
FIRMWARE = {"EFI Development Kit II": "OVMF", "EDK II": "OVMF", "U-Boot": "U-Boot"}
NOTHING = "-"
BASE45 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
RATE_PPM = 10_000  # two clocks of one host, one of them read by a guest that may be held up
PROVED = "nmi, delay"


def of_type(records, name):
    return [record for record in records if record["type"] == name]


def from_base45(text):
    """RFC 9285: three digits, the lowest first, are two bytes; two digits at the end are one."""
    groups = [text[i:i + 3] for i in range(0, len(text), 3)]
    return b"".join(sum(BASE45.index(c) * 45 ** n for n, c in enumerate(group))
                    .to_bytes(len(group) - 1, "big") for group in groups)


def survey_parts(records):
    """By area and name: bytes, put together as anybody would."""
    letters, last = {}, {}
    for record in of_type(records, "survey"):
        key = record["area"], record["name"]
        pieces = letters.setdefault(key, [])
        assert record["piece"] == len(pieces) < record["pieces"], record
        pieces.append(record["data"])
        last[key] = record
    parts = {}
    for key, pieces in letters.items():
        assert len(pieces) == last[key]["pieces"], key
        parts[key] = zlib.decompress(b"".join(map(from_base45, pieces)), -15)
        assert len(parts[key]) == last[key]["bytes"], key
    return parts


def config_of(begin):
    """The configuration in force, by key."""
    return dict(word.split("=", 1) for word in begin["config"].split())


def boots(begin, loader=None, options=None):
    """`options`: that the loader gave."""
    vendor = begin["machine"]["bios_vendor"] or "no SMBIOS"
    firmware = next((name for part, name in FIRMWARE.items() if part in vendor), vendor)
    key, _, value = (options or "").partition("=")
    if options and config_of(begin)[key] != value:
        return f"{firmware}, without {loader}'s options"
    return f"{firmware}, {loader}" if loader else firmware


def cores(begin, cpus):
    """Started of found; packages x cores x threads; APIC ids."""
    counts = begin["cpus"]
    cpus = {cpu["cpu"]: cpu for cpu in cpus}.values()  # records of one stage
    proved = sum(cpu["proved"] == PROVED for cpu in cpus)
    packages = {cpu["package"] for cpu in cpus}
    whole = {(cpu["package"], cpu["core"]) for cpu in cpus}
    threads = {(cpu["package"], cpu["core"], cpu["thread"]) for cpu in cpus}
    text = f"{counts['started']} of {counts['found']}"
    if not counts["started"] == counts["measured"] == proved == len(cpus):
        text += f" ({counts['measured']} measured, {proved} proved)"
    text += (", no places" if packages == {None}
             else f", {len(packages)}x{len(whole)}x{len(threads)}")
    return f"{text}, ids {ids_of(cpu['apic_id'] for cpu in cpus)}"


def clock(begin, name, hz):
    """Measured by, checked by, rate: `name` where it is `hz`."""
    found = begin["clock"]
    ppm = abs(found["hz"] / hz - 1) * 1e6
    rate = name if ppm < RATE_PPM else f"{found['hz']} Hz, not {hz:.0f}"
    return f"{found['source']}, {found['audited_by'] or NOTHING}, {rate}"


def evidence(begin, cpus):
    """Believed evidence. A counter of SMIs that no core has seen move is not, and its column is
    null."""
    names = set(begin["evidence"])
    if all(cpu["smi"] is None for cpu in cpus):
        names -= {"smi_count", "smi_received"}
    return ", ".join(sorted(names))


def logs(records, wanted):
    texts = [record["text"] for record in of_type(records, "log")]
    found = [pattern for pattern in wanted if any(re.search(pattern, text) for text in texts)]
    if not wanted:
        return NOTHING
    missing = [pattern for pattern in wanted if pattern not in found]
    return f"{len(found)} of {len(wanted)}" + "".join(f"; not: {text}" for text in missing)


def columns(records, rate, loader=None, options=None, wanted_logs=()):
    """All that the records show. `rate`: (name, Hz)."""
    seen = {"logs": logs(records, wanted_logs)}
    begins, cpus, ends = (of_type(records, name) for name in ("begin", "cpu", "end"))
    if begins:
        (begin,) = begins
        seen |= {
            "boots": boots(begin, loader, options),
            "cores": cores(begin, cpus),
            "hypervisor": begin["hypervisor"] or "none",
            "clock": clock(begin, *rate),
            "evidence": evidence(begin, cpus),
        }
    if ends:
        seen["verdict"] = ends[-1]["verdict"]
    return seen
