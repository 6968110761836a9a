# SPDX-License-Identifier: BSD-2-Clause
"""As many cores as a large machine has: in clusters on AArch64, where QEMU gives each 16 cores with
GICv3, and as many as an APIC ID of 8 bits can have."""
import pathlib
import re
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "bench"))

import size  # noqa: E402

CLUSTER = 16
# Two clusters; and as many as a server has, more than a word of 32 bits has bits.
CORES = [CLUSTER + 1, pytest.param(64, marks=pytest.mark.long)]


@pytest.mark.full
@pytest.mark.parametrize("cores", CORES)
def test_cores_in_clusters(run, aarch64, figure, cores):
    """The second level of their addresses counts the clusters: those are no row of numbers."""
    config = "duration=100ms window=100ms live=no gaps=0 stages=bare"
    result = run(app=aarch64, emulator="aarch64", board="virt", firmware="aarch64", smp=cores,
                 config=config)
    (begin,) = result.of_type("begin")
    assert (begin["cpus"]["found"], begin["cpus"]["started"]) == (cores, cores)
    cpus = result.of_type("cpu")
    assert [cpu["apic_id"] for cpu in cpus] == [
        cpu // CLUSTER << 8 | cpu % CLUSTER for cpu in range(cores)
    ]
    assert all(cpu["proved"] == "delay" and cpu["exposure_ns"] > 0 for cpu in cpus)
    figure(f"AArch64: {cores} of {cores} cores started by PSCI and measured")


@pytest.mark.full
@pytest.mark.long
def test_255_cores(run, pvh, app, figure):
    """In the memory that bench-size allows."""
    result = run(app=pvh, boot="pvh", smp=255, config="duration=200ms window=100ms", timeout=900)
    begin = result.of_type("begin")[0]["cpus"]
    assert (begin["found"], begin["started"], begin["measured"]) == (255, 255, 255)
    assert begin["bringup_ns"] > 0
    cpus = result.of_type("cpu")
    assert len(cpus) == 255
    assert all(cpu["proved"] == "nmi, delay" and cpu["exposure_ns"] > 0 for cpu in cpus)
    within, line = size.memory_of(app, re.search(size.MEMORY, result.serial), "gaps")
    assert within, line
    figure(line)
    figure(f"255 cores up in {begin['bringup_ns'] / 1e6:.0f} ms")
