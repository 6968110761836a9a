# SPDX-License-Identifier: BSD-2-Clause
"""As many cores as a server of AArch64 has, in clusters: QEMU gives each 16 cores with GICv3."""
import pytest

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
