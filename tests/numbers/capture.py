# SPDX-License-Identifier: BSD-2-Clause
"""The records of a serial capture, as docs/records.md has them: found, verified, joined."""
import json
import re

RECORD = re.compile(rb'\{"nf":1,"sid":"[0-9a-f]{16}".*?,"crc":"([0-9a-f]{8})"\}')
CASTAGNOLI = 0x82F63B78  # CRC-32C, bits reversed
OF_LINES = ("part", "more", "crc")


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (CASTAGNOLI if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def verified(data):
    """The lines of records, whole each, in the order in which they came."""
    for found in RECORD.finditer(data):
        line = found.group()
        covered = line[: line.rindex(b',"crc"')]
        if crc32c(covered) != int(found.group(1), 16):
            raise ValueError(f"checksum of {line[:80]!r}")
        yield json.loads(line)


def join(whole, part):
    """Objects are merged, arrays appended."""
    for key, value in part.items():
        if key not in whole:
            whole[key] = value
        elif isinstance(value, dict):
            join(whole[key], value)
        elif isinstance(value, list):
            whole[key] += value


def records(data):
    """All of one run, up to its `end`; lines of one record are one."""
    found, more, seqs = [], False, []
    for line in verified(data):
        seqs.append(line["seq"])
        goes_on = more
        more = line.get("more", False)
        for key in OF_LINES:
            line.pop(key, None)
        if goes_on:
            join(found[-1], line)
        else:
            found.append(line)
    if seqs != list(range(len(seqs))) or found[-1]["type"] != "end":
        raise ValueError("the capture is not of one whole run")
    return found
