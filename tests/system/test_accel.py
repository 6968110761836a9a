# SPDX-License-Identifier: BSD-2-Clause
"""qemu/run uses KVM where a VM runs with it, and prints why where none does."""
import machine as machines
import pytest

import accel
import patience

QEMU = machines.EMULATORS["system"].program
pytestmark = pytest.mark.full


@pytest.fixture(autouse=True)
def no_limit(monkeypatch):
    """A busy host takes its time."""
    monkeypatch.setattr(accel, "TRY_SECONDS", patience.HANG_SECONDS)


def stub(folder, script):
    program = folder / "qemu-system-stub"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return str(program)


def test_the_rom_runs():
    assert accel.why_not(QEMU, "tcg", "qemu64") is None


@pytest.mark.parametrize(
    "script,why",
    [
        ('echo "qemu-system-stub: error: no VM\nmore" >&2; exit 1', "error: no VM"),
        ('echo "SMM not supported by this hypervisor." >&2; exit 1',
         "SMM not supported by this hypervisor"),
        ("kill -ABRT $$", "QEMU died of SIGABRT"),
        ("exit 0", "QEMU ended with 0"),
    ],
)
def test_what_went_wrong_is_reported(tmp_path, script, why):
    assert accel.why_not(stub(tmp_path, script), "tcg", "qemu64") == why


def test_auto_falls_back_and_kvm_does_not(monkeypatch):
    monkeypatch.setattr(accel, "why_not", lambda program, cpu: "it is Sunday")
    assert accel.choose("tcg", False, QEMU) == ("tcg", None)
    assert accel.choose("auto", True, QEMU) == ("tcg", None)
    assert accel.choose("auto", False, QEMU) == (
        "tcg", "no KVM here (it is Sunday): QEMU emulates the processor"
    )
    with pytest.raises(accel.NoKvm, match="it is Sunday; --accel tcg"):
        accel.choose("kvm", False, QEMU)


def test_whose_gaps_they_are_is_printed_of_an_emulated_machine_alone():
    lines = accel.whose_gaps("tcg", counted=False)
    assert len(lines) == 2 and "this computer's" in lines[0]
    assert "`make demo`" in lines[1] and "`make image`" in lines[1]
    assert accel.whose_gaps("kvm", counted=False) == []
    assert accel.whose_gaps("tcg", counted=True) == []
