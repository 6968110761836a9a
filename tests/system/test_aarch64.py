# SPDX-License-Identifier: BSD-2-Clause
"""The probe on AArch64: QEMU's virt, with EDK2, at exception levels 1 and 2.

Nothing interrupts a machine that counts instructions: there the probe finds no gap, and what it
sends is what it measured. Cores at the same time are for several CPUs, whose gaps are the host's.
"""
import pytest

import records
from collecting import wait_for

pytestmark = pytest.mark.full

HZ = 62_500_000  # QEMU's CNTFRQ
THRESHOLD = 200  # ns: a dozen samples
KEYS = f"threshold={THRESHOLD}ns gaps=all live=no"
FOREIGN = {"smi", "nmi"}  # causes that this processor has not


def cpus_of(result, stage):
    return [cpu for cpu in result.of_type("cpu") if cpu["stage"] == stage]


@pytest.mark.parametrize("board", ["virt", "virt-el2"])
def test_cores_start_and_are_measured(run, aarch64, board, figure):
    result = run(app=aarch64, emulator="aarch64", board=board, firmware="aarch64", smp=4,
                 config="duration=500ms window=500ms stages=firmware,bare,handoff live=no")
    (begin,) = result.of_type("begin")
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
        assert not any(FOREIGN & cpu["cause"].keys() for cpu in cpus)
        assert all(cpu["smi"] is None and cpu["nmi"] is None for cpu in cpus)
    figure(f"AArch64, {board}: 4 of 4 cores started by PSCI and measured")


@pytest.mark.parametrize("board", ["virt", "virt-el2"])
def test_nothing_injected_nothing_found_all_delivered(run, aarch64, collect, board):
    collector = collect(listen=":0")
    result = run(app=aarch64, emulator="aarch64", board=board, firmware="aarch64", icount=2,
                 nic="virtio-net-pci",
                 config=f"{KEYS} duration=500ms report=udp://10.0.2.2:{collector.port}")
    (cpu,) = result.of_type("cpu")
    assert cpu["gaps"] == cpu["noise_ns"] == cpu["mce"] == 0
    assert abs(cpu["exposure_ns"] - 500_000_000) < 1_000_000
    assert result.of_type("gap") == result.of_type("event") == []
    kept = collector.folder / f"{result.records[0]['sid']}.jsonl"
    types = [record["type"] for record in result.records]
    wait_for(lambda: [record["type"] for record in records.find(kept.read_bytes())] == types)
