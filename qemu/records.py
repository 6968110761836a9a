# SPDX-License-Identifier: BSD-2-Clause
"""Records in a raw serial capture: whole lines with a right CRC-32C, nothing else.

A second, independent reader of the record format, so that the runner does not
depend on the program it runs.
"""
import json
import re

LINE = re.compile(rb'\{"nf":1,[^\r\n]*?,"crc":"([0-9a-f]{8})"\}')
CRC_TAIL = len(b',"crc":"01234567"}')


def _crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc_table()


def crc32c(data):
    """CRC-32C (Castagnoli), RFC 3720 appendix B.4."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def find(capture):
    """Every intact record line in `capture` (bytes), parsed, in order."""
    found = []
    for match in LINE.finditer(capture):
        line = match[0]
        if crc32c(line[:-CRC_TAIL]) != int(match[1], 16):
            continue
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


# A record of several lines repeats these in each of them.
FRAME = {"nf", "sid", "seq", "type", "part", "more", "crc"}


def join(records):
    """Records that were cut into lines, whole again; one with a lost part is left out."""
    whole = []
    begun = None
    for record in records:
        if not record.get("part"):
            begun = record
        elif begun and record["type"] == begun["type"]:
            begun = _merge(begun, record)
        if begun and not record.get("more"):
            whole.append(begun)
            begun = None
    return whole


def _merge(first, more):
    merged = dict(first)
    for key, value in more.items():
        if key in FRAME:
            continue
        if isinstance(value, list) and key in merged:
            merged[key] = merged[key] + value
        elif isinstance(value, dict) and key in merged:
            merged[key] = {**merged[key], **value}
        else:
            merged[key] = value
    return merged


def verdict(records):
    """The verdict of the last `end` record, or None."""
    for record in reversed(records):
        if record.get("type") == "end" and "verdict" in record:
            return record["verdict"]
    return None
