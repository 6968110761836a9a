# SPDX-License-Identifier: BSD-2-Clause
"""Last words: an exception anywhere and a call of firmware that does not return are reported, what
was measured before is too, `then` is obeyed, and a run without one has none."""
import re
import subprocess

import machine as machines
import pytest
from tiers import full

SHORT = "duration=300ms window=100ms threshold=100us selftest=no then=qemu-exit"
LADDER = "stages=firmware,bare,handoff"
# tests/variants/faults.c
PREPARING, STAGE, WINDOW, BETWEEN = range(1, 5)
NOWHERE = 1 << 45
SYMBOLS = "noisefloor-faults.so"
ERROR, INCOMPLETE = 2, 3


@pytest.fixture
def faulty(run, variant):
    """faulty(STAGE, ...): a run that takes an exception there. It obeys `then`."""
    return lambda place, **wanted: run(
        config=f"{SHORT} gaps={place} {LADDER}", **{"app": variant("faults"), "smp": 2, **wanted})


def fault_of(result):
    """The only one."""
    faults = result.of_type("fault")
    assert len(faults) == 1, result.serial[-3000:].decode("latin-1")
    return faults[0]


def function_of(fault, symbols, prefix=""):
    """The function of the fault, by addr2line, as in docs/output.md."""
    place = hex(fault["pc"] - fault["image"])
    done = subprocess.run([f"{prefix}addr2line", "-f", "-e", symbols, place], check=True,
                          capture_output=True, text=True)
    return done.stdout.splitlines()[0]


# The last step before the fault of each place.
BEFORE = {
    PREPARING: "looking for a TPM",
    STAGE: "entering the stage",
    WINDOW: "sampling in window 0x1",
}


@pytest.mark.parametrize("place, stage, cpu, code, stages", [
    (PREPARING, None, None, ERROR, []),
    full(STAGE, "handoff", 0, INCOMPLETE, ["firmware", "bare"]),
    (WINDOW, "firmware", 1, INCOMPLETE, ["firmware", "bare", "handoff"]),
])
def test_a_fault(faulty, place, stage, cpu, code, stages):
    result = faulty(place)
    fault = fault_of(result)
    assert (fault["kind"], fault["stage"], fault["cpu"]) == ("exception", stage, cpu)
    if place == STAGE:
        assert (fault["what"], fault["vector"], fault["address"]) == ("page fault", 14, NOWHERE)
    else:
        assert (fault["what"], fault["vector"], fault["address"]) == ("invalid opcode", 6, None)
        assert fault["doing"] == "taking fault 0x5eed"
    assert fault["steps"][0] == BEFORE[place]
    assert "opening the serial port" in fault["steps"] or len(fault["steps"]) == 16
    where = function_of(fault, machines.BUILD / SYMBOLS)
    assert where == ("arch_mmio_read8" if place == STAGE else "fault")
    # For people, at once: before anything else of the end.
    text = result.serial
    assert text.index(b"fault: ") < text.index(b'"type":"fault"') < text.index(b'"type":"end"')
    (end,) = result.of_type("end")
    assert result.code == code
    assert [r["stage"] for r in result.of_type("stage")][: len(stages)] == stages
    assert end["records"]["fault"] == 1


# EDK2 of 2022 lends no cores on Arm.
@pytest.mark.full
@pytest.mark.parametrize("place, stage, cpu, code", [
    (PREPARING, None, None, ERROR),
    (STAGE, "handoff", 0, INCOMPLETE),
    (WINDOW, "bare", 1, INCOMPLETE),
])
def test_a_fault_on_aarch64(faulty, aarch64, place, stage, cpu, code):
    result = faulty(place, app=aarch64.with_name("noisefloor-faults.efi"), emulator="aarch64",
                    board="virt", firmware="aarch64")
    fault = fault_of(result)
    assert (fault["kind"], fault["stage"], fault["cpu"]) == ("exception", stage, cpu)
    wanted = ("data abort", NOWHERE) if place == STAGE else ("BRK", None)
    assert (fault["what"], fault["address"]) == wanted
    assert fault["vector"] is None and fault["syndrome"] >> 26 == (0x25 if place == STAGE else 0x3C)
    assert fault["steps"][0] == BEFORE[place]
    where = function_of(fault, machines.BUILD / "aarch64" / SYMBOLS, "aarch64-linux-gnu-")
    assert where == ("arch_mmio_read8" if place == STAGE else "fault")
    assert result.code == code
    assert result.of_type("end")[0]["records"]["fault"] == 1


RETURN = "the firmware to return from a call"
WAITING = "calling a boot service between windows"


def check_wait(result):
    fault = fault_of(result)
    assert (fault["kind"], fault["what"], fault["cpu"]) == ("wait", RETURN, 0)
    assert (fault["stage"], fault["doing"]) == ("firmware", WAITING)
    assert (fault["pc"], fault["image"]) == (None, None)
    assert b"fault: waited in vain for " + RETURN.encode() + b" on cpu 0\r\n" in result.serial


@pytest.mark.full
def test_a_call_that_does_not_return(faulty):
    """The boot core is in it; its own event ends the run, and what was measured is there."""
    result = faulty(BETWEEN)
    check_wait(result)
    (end,) = result.of_type("end")
    assert result.code == INCOMPLETE
    assert end["reasons"] == ["the firmware has not returned from a call"]
    assert end["records"]["fault"] == 1
    assert len(re.findall(rb"^  \d/3 .* gaps in ", result.serial, re.M)) == 1
