# SPDX-License-Identifier: BSD-2-Clause
"""The log of inject.efi's handler, read from the guest's memory (layout.h)."""
import dataclasses
import struct

HEADER_ADDRESSES = {"x86_64": 0x60000, "aarch64": 0x50000000}  # source_header_address
HEADER_MAGIC = 0x5443454A4E49464E
HEADER_VERSION = 1
HEADER = struct.Struct("<QIIQQQQIIII64x")
CORE = struct.Struct("<14I8x")
SPAN = struct.Struct("<QQ")


# Instructions from the exit stamp to the first one back, the stamp's own and RSM included
# (handler.S). Under icount shift 0 an instruction is a tick, and this is exact.
TAIL = 8


class TruthError(Exception):
    """The guest's memory does not hold what inject.efi writes."""


@dataclasses.dataclass(frozen=True)
class Core:
    """One core's log: spans are (entry, exit) in TSC ticks, in order."""

    apic_id: int
    spans: list
    planned: int
    started: int  # planned interruptions that began
    unplanned: int
    lost: int


@dataclasses.dataclass(frozen=True)
class Truth:
    tsc_hz: int
    armed_tsc: int
    start_ns: int
    period_ns: int
    planned: int
    cores: list

    def complete(self):
        """None, or why the log is not the whole truth."""
        for core in self.cores:
            if core.lost:
                return f"APIC id {core.apic_id}: {core.lost} SMIs did not fit the log"
            if core.started != core.planned:
                return f"APIC id {core.apic_id}: {core.started} of {core.planned} SMIs were raised"
            if len(core.spans) != core.planned + core.unplanned:
                return f"APIC id {core.apic_id}: an SMI has not ended"
        return None


def read(memory, processor="x86_64"):
    """The truth, by memory(address, size) -> bytes."""
    begin = HEADER_ADDRESSES[processor]
    fields = HEADER.unpack(memory(begin, HEADER.size))
    magic, version, _mode, hz, armed, start, period, _fs, cores, core_bytes, planned = fields
    if magic != HEADER_MAGIC or version != HEADER_VERSION or core_bytes != CORE.size:
        raise TruthError(f"no header of version {HEADER_VERSION} at {begin:#x}")
    at = begin + HEADER.size
    return Truth(
        tsc_hz=hz,
        armed_tsc=armed,
        start_ns=start,
        period_ns=period,
        planned=planned,
        cores=[_core(memory, at + i * CORE.size) for i in range(cores)],
    )


def _core(memory, address):
    fields = CORE.unpack(memory(address, CORE.size))
    apic_id, _base, log, capacity, count, lost, unplanned, _schedule, planned, started, *_ = fields
    if count > capacity:
        raise TruthError(f"APIC id {apic_id}: {count} SMIs in a log of {capacity}")
    spans = list(SPAN.iter_unpack(memory(log, count * SPAN.size))) if count else []
    return Core(apic_id, spans, planned, started, unplanned, lost)


def whole(spans, tick=1):
    """The SMIs to the first instruction after each, which takes `tick` ticks."""
    return [(entry, end + TAIL * tick) for entry, end in spans]
