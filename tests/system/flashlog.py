# SPDX-License-Identifier: BSD-2-Clause
"""All that firmware programs into its flash, write by write: what a power cut leaves at any moment.

QEMU programs each word into the file behind the flash at once, and its driver blklogwrites logs
that. Source: QEMU, block/blklogwrites.c, which has the format of Linux's dm-log-writes.
"""
import dataclasses
import json
import struct

import machine as machines
from firmware import FIRMWARE

MAGIC = 0x6A736677736872
SUPER = struct.Struct("<QQQI")  # magic, version, entries, bytes of a sector
ENTRY = struct.Struct("<QQQQ")  # sector, sectors, flags, bytes of data behind
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8
NAME = "flash.log"


@dataclasses.dataclass(frozen=True)
class Machine(machines.Machine):
    """One that keeps the log, in the folder of its variables."""

    def argv(self, variables, source):
        log = variables.with_name(NAME)
        log.write_bytes(b"")
        plain = FIRMWARE[self.firmware].argv(variables)[-1]
        logged = "json:" + json.dumps({
            "driver": "blklogwrites",
            "log-super-update-interval": 1,
            "file": {"driver": "file", "filename": str(variables)},
            # QEMU has ended when the log is read: the disk need not have each write at once.
            "log": {"driver": "file", "filename": str(log), "cache": {"no-flush": True}},
        })
        # A comma within an option is written twice.
        argument = f"if=pflash,unit=1,file={logged.replace(',', ',,')}"
        return [argument if word == plain else word for word in super().argv(variables, source)]


def writes(log):
    """(offset, bytes) of each write, in their order."""
    magic, _, count, sector_bytes = SUPER.unpack_from(log)
    assert magic == MAGIC, "no log of writes"
    at = sector_bytes
    for _ in range(count):
        sector, sectors, flags, _ = ENTRY.unpack_from(log, at)
        at += sector_bytes
        if flags & DISCARD or not sectors:
            continue
        data = log[at : at + sectors * sector_bytes]
        assert len(data) == sectors * sector_bytes, "the log is cut off"
        yield sector * sector_bytes, data
        at += len(data)


def changes(now, log):
    """(offset, bytes) of each write that changes the flash, whose contents `now` are changed after
    it."""
    for offset, data in writes(log):
        if now[offset : offset + len(data)] != data:
            yield offset, data
            now[offset : offset + len(data)] = data


def changed(now, offset, data):
    """The contents after a write, as bytes."""
    return bytes(now[:offset]) + data + bytes(now[offset + len(data) :])
