# SPDX-License-Identifier: BSD-2-Clause
"""The probe on AArch64: QEMU's virt, with EDK2 or U-Boot, at exception levels 1 and 2.

Nothing interrupts a machine that counts instructions: there the probe finds no gap, and what it
sends is what it measured. Cores at the same time are for several CPUs, whose gaps are the host's.
"""
import re

import pytest

import records
from collecting import wait_for
from tiers import long

pytestmark = pytest.mark.full

HZ = 62_500_000  # QEMU's CNTFRQ
THRESHOLD = 200  # ns: a dozen samples
KEYS = f"threshold={THRESHOLD}ns gaps=all live=no"
FOREIGN = re.compile(rb"(?i)\b[sn]mi.*")  # words for events that this processor lacks


# At U-Boot's prompt: what it hands on is QEMU's tree, which can be changed; its own is a copy.
TREE = "setenv fdt_addr_r $fdt_addr; fdt addr $fdt_addr"


def cpus_of(result, stage):
    return [cpu for cpu in result.of_type("cpu") if cpu["stage"] == stage]


@pytest.mark.parametrize("board", ["virt", long("virt-el2")])
def test_cores_start_and_are_measured(run, aarch64, board, figure):
    result = run(app=aarch64, emulator="aarch64", board=board, firmware="aarch64", smp=4,
                 config="duration=100ms window=100ms stages=firmware,bare,handoff live=no")
    (begin,) = result.of_type("begin")
    assert begin["arch"] == "aarch64"
    assert begin["cpu"]["vendor"] == "Arm"
    assert begin["cpu"]["brand"] == "Neoverse N1 r4p1"
    assert begin["clock"]["hz"] == HZ and begin["clock"]["source"] == "cntfrq"
    # EDK2 of 2022 lends no cores on Arm: until ExitBootServices there is the boot core.
    assert [cpu["cpu"] for cpu in cpus_of(result, "firmware")] == [0]
    for stage in ("bare", "handoff"):
        cpus = cpus_of(result, stage)
        assert [cpu["apic_id"] for cpu in cpus] == [0, 1, 2, 3]
        assert all(cpu["exposure_ns"] > 0 and cpu["proved"] == "delay" for cpu in cpus)
        # The counter is the machine's: no core's is off by more than it takes to compare them.
        assert all(abs(cpu["tsc_offset"]) <= cpu["tsc_offset_bound"] for cpu in cpus)
    assert FOREIGN.findall(result.serial) == []
    figure(f"AArch64, {board}: 4 of 4 cores started by PSCI and measured")


def test_topology(run, aarch64):
    """Topology is that of the machine; EDK2 hands on the PPTT that QEMU makes of it."""
    result = run(app=aarch64, emulator="aarch64", board="virt", firmware="aarch64", smp=8,
                 topology="sockets=2,clusters=2,cores=1,threads=2",
                 config="duration=100ms stages=bare live=no")
    assert [(cpu["package"], cpu["core"], cpu["thread"]) for cpu in result.of_type("cpu")] == [
        (socket, core, thread) for socket in (0, 1) for core in (0, 1) for thread in (0, 1)]
    assert not any("PPTT" in text for text in result.logs())


@pytest.mark.parametrize("board", [long("virt"), "virt-el2"])
def test_nothing_injected_nothing_found_all_delivered(run, aarch64, collect, board):
    collector = collect(listen=":0")
    result = run(app=aarch64, emulator="aarch64", board=board, firmware="aarch64", icount=2,
                 nic="virtio-net-pci",
                 config=f"{KEYS} duration=500ms report=udp://10.0.2.2:{collector.port}")
    (cpu,) = result.of_type("cpu")
    assert cpu["gaps"] == cpu["noise_ns"] == cpu["mce"] == 0
    assert abs(cpu["exposure_ns"] - 500_000_000) < 1_000_000
    assert result.of_type("gap") == result.of_type("event") == result.of_type("pause") == []
    (begin,) = result.of_type("begin")
    assert begin["hypervisor"] == "QEMU"  # by the FADT, at either level
    assert "steal_clock" not in begin["evidence"]
    types = [record["type"] for record in result.records]
    sid = int(result.records[0]["sid"], 16)
    wait_for(lambda: types == [record["type"] for record in
                               records.join(records.find(collector.lines(sid)))])


@pytest.mark.parametrize("threshold,fits", [("80ns", False), ("81ns", True)])
def test_coarse_counter(run, aarch64, threshold, fits):
    """A tick of 40 ns is longer than a sample; each end of what is timed may be a tick off."""
    result = run(app=aarch64, emulator="aarch64", board="virt", firmware="aarch64", icount=2,
                 cpu="neoverse-n1,cntfrq=25000000",
                 config=f"threshold={threshold} gaps=all live=no duration=300ms stages=bare")
    refused = [text for text in result.logs() if "accepted: more than 80ns" in text]
    assert len(refused) == (not fits)
    assert result.of_type("gap") == []
    if fits:
        assert result.of_type("begin")[0]["clock"]["quantum"] == 1
        assert result.of_type("cpu")[0]["exposure_ns"] > 290_000_000


@pytest.mark.parametrize("board", [long("virt"), "virt-el2"])
def test_device_tree(run, aarch64, board, figure):
    """U-Boot has no ACPI tables: cores, PSCI and the serial line are in its device tree."""
    result = run(app=aarch64, emulator="aarch64", board=board, firmware="uboot-aarch64", smp=4,
                 config="duration=100ms window=100ms stages=firmware,bare,acpi,handoff "
                 "max=1h live=no")
    assert result.of_type("begin")[0]["cpu"]["brand"] == "Neoverse N1 r4p1"
    assert [cpu["cpu"] for cpu in cpus_of(result, "firmware")] == [0]
    for stage in ("bare", "acpi", "handoff"):
        cpus = cpus_of(result, stage)
        assert [cpu["apic_id"] for cpu in cpus] == [0, 1, 2, 3]
        assert all(cpu["exposure_ns"] > 0 for cpu in cpus)
        assert all(cpu["package"] is None for cpu in cpus)
    assert result.of_type("end")[0]["verdict"] == "pass"
    told = [text for text in result.logs() if "device tree" in text]
    assert told == ["serial output: PL011 at 0x9000000, by the device tree"]
    figure(f"AArch64, {board}, U-Boot: 4 of 4 cores of the device tree started and measured")


NO_PORT = 0x0B000000  # nothing is there, though EDK2 maps it: hw/arm/virt.c


def test_a_serial_port_that_is_not_there(run, aarch64):
    """A port whose read takes an exception is named, and the next one is taken."""
    result = run(app=aarch64, emulator="aarch64", board="virt", firmware="aarch64", smp=1,
                 config=f"duration=200ms live=no serial=mmio32:{NO_PORT:#x}")
    assert result.of_type("begin")[0]["serial"] == "PL011 at 0x9000000, by SPCR"
    assert (f"serial port 16550 at {NO_PORT:#x}, by serial=: takes an exception when it is read; "
            "not used") in result.logs()
    assert not result.of_type("fault")


def test_device_tree_of_edk2(run, aarch64, collect):
    """Where QEMU gives it no ACPI tables, EDK2 hands on QEMU's tree. In it is PCI, too, and so the
    network card can be driven after ExitBootServices."""
    collector = collect(listen=":0")
    result = run(app=aarch64, emulator="aarch64", board="virt-el2", firmware="aarch64", smp=2,
                 extra=("-machine", "acpi=off"), nic="virtio-net-pci",
                 config="duration=200ms live=no gaps=20 "
                 f"report=udp://10.0.2.2:{collector.port}")
    assert [cpu["apic_id"] for cpu in result.of_type("cpu")] == [0, 1]
    assert re.search(rb"^delivered: \d+ records to udp://", result.serial, re.M)


def test_cores_that_cannot_be_started(run, aarch64):
    """Such cores are logged and left out; the serial line is found by its alias, and the hypervisor
    by its node."""
    result = run(app=aarch64, emulator="aarch64", board="virt-el2", firmware="uboot-aarch64",
                 smp=4, config="duration=100ms stages=bare live=no",
                 prompt=(TREE, "fdt set /cpus/cpu@1 enable-method spin-table",
                         "fdt set /cpus/cpu@2 status fail",
                         "fdt mknode / aliases", "fdt set /aliases console /pl011@9000000",
                         "fdt set /chosen stdout-path console:115200n8",
                         "fdt mknode / hypervisor",
                         "fdt set /hypervisor compatible xen,xen-4.17 xen,xen"))
    assert result.of_type("begin")[0]["hypervisor"] == "Xen"
    assert [cpu["apic_id"] for cpu in result.of_type("cpu")] == [0, 3]
    logs = result.logs()
    for why in ("their status is fail: 1", "their enable-method is spin-table, not psci: 1"):
        assert any(text.endswith(f"cores left out since {why}") for text in logs), logs


def test_psci_by_an_instruction_that_is_none(run, aarch64):
    """The tree asks for calls to level 2, which is where the probe itself runs."""
    result = run(app=aarch64, emulator="aarch64", board="virt-el2", firmware="uboot-aarch64",
                 smp=2, config="duration=100ms stages=bare live=no",
                 prompt=(TREE, "fdt set /psci method hvc"))
    assert [cpu["apic_id"] for cpu in result.of_type("cpu")] == [0]
    assert any("PSCI's CPU_ON cannot be called" in text for text in result.logs())
