# SPDX-License-Identifier: BSD-2-Clause
"""The probe started by PVH: as QEMU's kernel, without UEFI.

Start infos of the tests' own come by pvh_loader.py.
"""
import dataclasses

import pytest

import machine as machines
from pvh_loader import GIB, GOOD_MAP, MAGIC, MEMORY, MIB, RESERVED, Info, with_loader
from tiers import full_but

BOARDS = ("q35", "pc", "microvm")
SHORT = "duration=200ms window=100ms"
ERROR = 2 << 1 | 1  # QEMU's exit status
REFUSED = b"noisefloor: cannot start: "
COMMAND = f"{SHORT} then=qemu-exit".encode()


@pytest.fixture
def start(run, pvh, tmp_path):
    """start(info, ...): a run with this start info."""

    def start(info, **wanted):
        info = dataclasses.replace(info, command=info.command or COMMAND)
        app = with_loader(pvh, tmp_path / "loader.elf", info)
        return run(app=app, boot="pvh", smp=1, **wanted)

    return start


@pytest.mark.parametrize("smp", [1, 4])
@pytest.mark.parametrize("board", full_but(["q35"], BOARDS))
def test_a_verdict(run, pvh, board, smp):
    result = run(app=pvh, boot="pvh", board=board, smp=smp, config=SHORT)
    assert result.code == 0
    (begin,) = result.of_type("begin")
    assert begin["door"] == "pvh"
    assert begin["cpus"]["found"] == begin["cpus"]["started"] == smp
    assert begin["began"] is None
    # A BIOS's tables are found; qboot has no SMBIOS.
    assert begin["machine"]["bios_vendor"] == (None if board == "microvm" else "SeaBIOS")
    assert all(core["exposure_ns"] > 0 for core in result.of_type("cpu"))
    (end,) = result.of_type("end")
    assert end["verdict"] == "none"


def test_a_mistake_in_the_command_line(run, pvh):
    refused = run(app=pvh, boot="pvh", smp=1, config=f"{SHORT} max=1ns")
    assert refused.code == 2
    assert not refused.of_type("window")
    assert any("command line: max=1ns" in log["text"] for log in refused.of_type("log"))


def test_each_stage_but_the_firmwares(run, pvh):
    result = run(app=pvh, boot="pvh", smp=1, config=f"{SHORT} stages=bare,acpi,handoff")
    assert [stage["stage"] for stage in result.of_type("stage")] == ["bare", "acpi", "handoff"]
    refused = run(app=pvh, boot="pvh", smp=1, config=f"{SHORT} stages=firmware,bare")
    assert refused.code == 2
    assert not refused.of_type("window")
    logs = [log["text"] for log in refused.of_type("log") if log["level"] == "error"]
    assert len(logs) == 1
    assert "stages=firmware" in logs[0] and "accepted: bare, acpi, handoff" in logs[0]


def test_a_good_start_info(start):
    result = start(Info())
    assert result.code == 0
    assert result.of_type("begin")[0]["door"] == "pvh"


# Each with a word of the reason.
HOSTILE = {
    "magic": (Info(magic=MAGIC ^ 1), "begins with 0x336ec579"),
    "version": (Info(version=0), "version 0"),
    "no-map": (Info(entries=0), "has 0 ranges"),
    "long-map": (Info(entries=1 << 31), "has 2147483648 ranges"),
    "map-nowhere": (Info(map_at=0), "at 0x0 cannot be read"),
    "map-above-4g": (Info(map_at=4 * GIB), "at 0x100000000 cannot be read"),
    "map-wraps": (Info(map_at=(1 << 64) - 8), "cannot be read"),
    "map-over-probe": (Info(map_at=2 * MIB), "is over the probe"),
    "range-wraps": (Info(map=(*GOOD_MAP, (4 * GIB, (1 << 64) - GIB, MEMORY))),
                    "ends past the last address"),
    "overlap": (Info(map=(*GOOD_MAP, (512 * MIB, MIB, RESERVED))), "overlap"),
    "twice": (Info(map=(*GOOD_MAP, GOOD_MAP[2])), "overlap"),
    "no-memory": (Info(map=((MIB, 1023 * MIB, RESERVED),)), "where the probe is"),
    "no-memory-here": (Info(map=((0, 0x9FC00, MEMORY), (16 * MIB, 1008 * MIB, MEMORY))),
                       "where the probe is"),
    "not-in-memory": (Info(map=((MIB, 15 * MIB, MEMORY),)), "is not in memory"),
    "command-64k": (Info(command=b"#" * 65536), "too long; accepted: at most 16383 bytes"),
    "command-nowhere": (Info(command_at=GIB), "the command line at 0x40000000"),
    "command-above-4g": (Info(command_at=1 << 63), "the command line at 0x8000000000000000"),
    "command-over-probe": (Info(command_at=2 * MIB + 7), "is over the probe"),
    "module-over-probe": (Info(modules=((MIB, 2 * MIB),)), "is over the probe"),
    "module-wraps": (Info(modules=((4 * MIB, (1 << 64) - MIB),)), "a module"),
    "modules-nowhere": (Info(modules_at=3 * GIB, module_count=1), "the list of modules"),
    "modules-many": (Info(module_count=(1 << 32) - 1), "4294967295 modules"),
}


@pytest.mark.parametrize("name", full_but(["overlap", "command-64k", "module-over-probe"], HOSTILE))
def test_a_hostile_start_info_is_refused_in_one_line(start, name):
    info, why = HOSTILE[name]
    result = start(info, broken=True)
    assert result.status == ERROR, result.serial
    lines = [line for line in result.serial.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith((b"SeaBIOS", b"Booting from ROM"))]
    assert len(lines) == 1, lines
    assert lines[0].startswith(REFUSED) and why.encode() in lines[0], lines


@pytest.mark.parametrize("rsdp", [8, 0xFED00000, (1 << 64) - 16])
@pytest.mark.full
def test_an_rsdp_of_nonsense_is_reported(start, rsdp):
    result = start(Info(rsdp=rsdp))
    assert result.code == 0
    assert any("RSDP" in log["text"] for log in result.of_type("log")), result.of_type("log")


def test_without_an_rsdp_the_boot_core_is_measured(run, pvh):
    result = run(app=pvh, boot="pvh", board="microvm", smp=2, config=SHORT,
                 extra=("-machine", "acpi=off"))
    assert result.code == 0
    assert result.of_type("begin")[0]["cpus"]["found"] == 1
    assert any("the boot core alone" in log["text"] for log in result.of_type("log"))


def test_a_machine_that_pvh_does_not_start():
    with pytest.raises(machines.BadMachine, match="microvm boots by pvh, not disk"):
        machines.Machine(board="microvm")
    with pytest.raises(machines.BadMachine, match="virt boots by disk"):
        machines.Machine(emulator="aarch64", board="virt", firmware="aarch64", boot="pvh")
    with pytest.raises(machines.BadMachine, match="takes no firmware"):
        machines.Machine(boot="pvh", firmware="smm")
