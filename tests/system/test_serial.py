# SPDX-License-Identifier: BSD-2-Clause
"""Where output goes with the ports of a QEMU machine and different tables of the firmware, with a
screen and without. More tables are in tests/unit/whole/test_serial.c.

QEMU's q35 has one 16550, COM1, which its DSDT names, and no SPCR of its own.
"""
import re
import struct

import esp
import pytest
import records
from tiers import full

SHORT = "duration=300ms"
IO, MEMORY = 1, 0
NO_SCRATCH = "does not hold what is written to its scratch register"
NAMESPACE = "16550 at I/O port 0x3f8 (COM1), by the ACPI namespace"
SCREEN, NO_SCREEN = (), ("-vga", "none")


def header(name, body, revision):
    table = bytearray(struct.pack("<4sIBB6s8sI4sI", name, 36 + len(body), revision, 0, b"NFTEST",
                                  b"NFTEST  ", 1, b"NFTS", 1) + body)
    table[9] = -sum(table) & 255
    return bytes(table)


def gas(space, width, access, address):
    return struct.pack("<BBBBQ", space, width, 0, access, address)


def spcr(kind, *place):
    body = bytearray(44)
    body[0] = kind
    body[4:16] = gas(*place)
    return header(b"SPCR", body, 2)


def absent(port):
    return f"serial port {port}, by SPCR: {NO_SCRATCH}; not used"


# Tables; the port that is used; the warnings.
TABLES = {
    # What instances of a cloud have: a port that the machine lacks, and one in memory.
    "com2": ([spcr(1, IO, 8, 0, 0x2F8)], NAMESPACE, [absent("16550 at I/O port 0x2f8 (COM2)")]),
    "amzn": ([spcr(0, MEMORY, 8, 1, 0xADE00000)], NAMESPACE, [absent("16550 at 0xade00000")]),
}


def tables_argv(tables, out):
    out.mkdir(parents=True, exist_ok=True)
    argv = []
    for number, table in enumerate(tables):
        path = out / f"table{number}.bin"
        path.write_bytes(table)
        argv += ["-acpitable", f"file={path}"]
    return tuple(argv)


def texts(found, level):
    return [r["text"] for r in found if r["type"] == "log" and r["level"] == level]


def serial_logs(found):
    return [text for level in ("warning", "info") for text in texts(found, level)
            if "serial" in text]


def on_console(result):
    """What the firmware printed of it, before the program's own first line."""
    text = result.serial.decode(errors="replace")
    return re.split(r"\nnoisefloor \d", text, maxsplit=1)[0]


@pytest.mark.parametrize("name, screen", [("com2", NO_SCREEN), full("amzn", SCREEN)])
def test_a_port_that_answers_is_used(run, out, name, screen):
    tables, port, warnings = TABLES[name]
    extra = (*tables_argv(tables, out.parent / f"{out.name}-tables"), *screen)
    result = run(smp=1, config=SHORT, extra=extra)
    (begin,) = result.of_type("begin")
    assert begin["serial"] == port
    assert serial_logs(result.records) == [*warnings, f"serial output: {port}"]
    console = on_console(result)
    assert f"serial output: {port}" in console
    for warning in warnings:
        if "cannot be driven" not in warning:
            assert warning in console


NO_PORT = "serial output: none: no port answers"
ELSEWHERE = ("without a serial port, output goes to the firmware's console, while there is one, "
             "and to a file")


def saved(out):
    image = out / "esp.img"
    (name,) = [name for name in esp.names(image, "noisefloor") if name.endswith(".jsonl")]
    return records.join(records.find(esp.read(image, f"noisefloor/{name}")))


@pytest.mark.full
def test_no_port_at_all(run, out):
    run(smp=1, config=f"{SHORT} stages=firmware save=file then=qemu-exit", serial="none",
        extra=NO_SCREEN, broken=True)
    found = saved(out)
    (begin,) = [r for r in found if r["type"] == "begin"]
    assert begin["serial"] is None
    assert serial_logs(found) == [NO_PORT, ELSEWHERE]
