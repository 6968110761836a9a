# SPDX-License-Identifier: BSD-2-Clause
"""The probe on AArch64 started as Linux is: as QEMU's kernel, with a device tree, without UEFI.

For a hostile tree, a few instructions in front of the probe pass that instead of QEMU's.
"""
import struct

import pytest

import records
from test_pvh import assert_refused

pytestmark = pytest.mark.full

SHORT = "duration=200ms window=100ms"
MIB = 1 << 20
TREE_AT, IMAGE_AT, IMAGE_ROOM = 512 << 10, 2 * MIB, 16 * MIB
HEADER = "<IIQQQQQQ4sI"  # Linux, Documentation/arch/arm64/booting.rst
UART, RAM = 0x09000000, 0x40000000  # QEMU, hw/arm/virt.c


@pytest.fixture
def start(run, aarch64_image):
    """start(...): a run without UEFI."""
    return lambda **wanted: run(**{
        "app": aarch64_image, "emulator": "aarch64", "board": "virt", "firmware": "aarch64",
        "boot": "pvh", "smp": 1, **wanted})


@pytest.mark.parametrize("board", ["virt", "virt-el2"])
@pytest.mark.parametrize("smp", [1, 4])
def test_a_verdict(start, board, smp):
    result = start(board=board, smp=smp, config=f"{SHORT} stages=bare,acpi,handoff max=10s")
    assert result.code == 0
    (begin,) = result.of_type("begin")
    assert begin["door"] == "linux" and begin["arch"] == "aarch64"
    assert begin["cpus"]["found"] == begin["cpus"]["started"] == smp
    assert [stage["stage"] for stage in result.of_type("stage")] == ["bare", "acpi", "handoff"]
    assert len(result.of_type("cpu")) == 3 * smp
    assert all(core["exposure_ns"] > 0 for core in result.of_type("cpu"))
    (end,) = result.of_type("end")
    assert end["verdict"] == "pass"
    assert not result.of_type("fault")


def test_a_mistake_in_the_command_line(start):
    refused = start(config=f"{SHORT} max=1ns")
    assert refused.code == 2
    assert any("command line: max=1ns" in text for text in refused.logs())
    refused = start(config=f"{SHORT} stages=firmware")
    assert refused.code == 2
    assert any("accepted: bare, acpi, handoff" in text for text in refused.logs())


def test_the_network(start, collect):
    collector = collect(listen=":0")
    result = start(nic="virtio-net-device",
                   config=f"{SHORT} gaps=3 report=udp://10.0.2.2:{collector.port}")
    assert result.code == 0
    assert b"\ndelivered: " in result.serial
    sid = int(result.records[0]["sid"], 16)
    assert [record["type"] for record in result.records] == [
        record["type"] for record in records.join(records.find(collector.lines(sid)))]


class Tree:
    """A device tree: Devicetree Specification 0.4, chapter 5."""

    def __init__(self):
        self.structs, self.strings = b"", b""

    def node(self, name, properties, *inside):
        self.structs += struct.pack(">I", 1) + padded(name.encode() + b"\0")
        for key, value in properties.items():
            at = len(self.strings)
            self.strings += key.encode() + b"\0"
            self.structs += struct.pack(">III", 3, len(value), at) + padded(value)
        for child in inside:
            self.node(*child)
        self.structs += struct.pack(">I", 2)

    def pack(self):
        structs = self.structs + struct.pack(">I", 9)
        head = struct.pack(">10I", 0xD00DFEED, 56 + len(structs) + len(self.strings), 56,
                           56 + len(structs), 40, 17, 16, 0, len(self.strings), len(structs))
        return head + bytes(16) + structs + self.strings


def padded(data):
    return data + bytes(-len(data) % 4)


def reg(*ranges):
    return b"".join(struct.pack(">QQ", *each) for each in ranges)


def tree_of(*memory):
    tree = Tree()
    tree.node(
        "", {"#address-cells": struct.pack(">I", 2), "#size-cells": struct.pack(">I", 2)},
        ("chosen", {"stdout-path": b"/pl011@9000000\0"}),
        ("pl011@9000000", {"compatible": b"arm,pl011\0", "reg": reg((UART, 0x1000))}),
        *((f"memory@{at:x}", {"device_type": b"memory\0", "reg": reg((at, size))})
          for at, size in memory))
    return tree.pack()


def kernel(image, tree, enter):
    """The probe's image behind instructions that put an address into x0: adr by default."""
    adr = (TREE_AT - 64) >> 2 << 5 | 0x10 << 24
    code = struct.pack("<II", enter or adr, 0x14000000 | (IMAGE_AT - 68) >> 2)
    head = struct.pack(HEADER, 0x14000000 | 64 >> 2, 0, 0, IMAGE_ROOM, 0xA, 0, 0, 0, b"ARM\x64",
                       0)
    return ((head + code).ljust(TREE_AT, b"\0") + tree).ljust(IMAGE_AT, b"\0") + image


HOSTILE = {
    "nonsense": (b"nonsense" * 64, None, "has an invalid header; not used"),
    "empty": (b"", None, "has an invalid header; not used"),
    "huge": (b"\xd0\x0d\xfe\xed" + b"\xff" * 16 + bytes(3) + b"\x11" + bytes(16), None,
             "has an invalid header; not used"),
    "no-memory": (tree_of(), None, "its device tree has no memory at 0x404"),
    "elsewhere": (tree_of((RAM + 512 * MIB, 64 * MIB)), None, "has no memory at 0x404"),
    "overlap": (tree_of((RAM, 256 * MIB), (RAM + 128 * MIB, 256 * MIB)), None,
                "has ranges of memory that overlap at 0x48000000"),
    "too-many": (tree_of(*((RAM + n * MIB, MIB) for n in range(300))), None,
                 "has more than 256 ranges of memory"),
    "null": (b"", 0xD2800000, "device tree at 0x0 is not in memory"),  # mov x0, #0
    # mov x0, #0x60 << 32, where QEMU has nothing
    "no-such-place": (b"", 0xD2C00C00, "its device tree at 0x6000000000 cannot be read"),
    # mov x0, #0xffff << 48
    "no-such-address": (b"", 0xD2FFFFE0, "device tree at 0xffff000000000000 is not in memory"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_tree_is_refused_in_one_line(start, aarch64_image, tmp_path, name):
    tree, enter, why = HOSTILE[name]
    app = tmp_path / "hostile.image"
    app.write_bytes(kernel(aarch64_image.read_bytes(), tree, enter))
    assert_refused(start(app=app, broken=True, config=SHORT), why)
