# SPDX-License-Identifier: BSD-2-Clause
"""Where output goes on a machine whose firmware names a port that it lacks, as instances of a cloud
do. All other tables are in tests/unit/whole/test_serial.c.

QEMU's q35 has one 16550, COM1, and no SPCR of its own.
"""
import re
import struct

import pytest

COM2 = 0x2F8
IO = 1
PORT = "serial output: 16550 at I/O port 0x3f8 (COM1), by default"
WARNING = ("serial port 16550 at I/O port 0x2f8 (COM2), by SPCR: does not hold what is written to "
           "its scratch register; not used")


def spcr(kind, space, address):
    place = struct.pack("<BBBBQ", space, 8, 0, 0, address)
    body = bytes([kind, 0, 0, 0]) + place + bytes(28)
    table = bytearray(struct.pack("<4sIBB6s8sI4sI", b"SPCR", 36 + len(body), 2, 0, b"NFTEST",
                                  b"NFTEST  ", 1, b"NFTS", 1) + body)
    table[9] = -sum(table) & 255
    return table


@pytest.mark.full
def test_a_port_that_answers_is_used(run, tmp_path):
    """The port is logged, and printed on the firmware's console before the program's own first
    line."""
    table = tmp_path / "table.bin"
    table.write_bytes(spcr(1, IO, COM2))
    result = run(smp=1, config="duration=200ms",
                 extra=("-acpitable", f"file={table}", "-vga", "none"))
    assert f"serial output: {result.of_type('begin')[0]['serial']}" == PORT
    logs = [(r["level"], r["text"]) for r in result.of_type("log") if "serial" in r["text"]]
    assert sorted(logs) == [("info", PORT), ("warning", WARNING)]
    text = result.serial.decode(errors="replace")
    console = re.split(r"\nnoisefloor \d", text, maxsplit=1)[0]
    assert PORT in console and WARNING in console
