# SPDX-License-Identifier: BSD-2-Clause
"""The ladder on machines whose firmware left it something to do, and on one that did not.

OVMF is no BIOS with legacy support: it switches ACPI mode on itself and owns no USB
controller. The injector poses as one. Nobody lets go of EHCI then, because QEMU has no SMM
code for it; a BIOS that does let go is only met in the unit tests.
"""
import json
import subprocess

import pytest

import advice
import injection
import schedule
from ran import ran

LADDER = "stages=firmware,bare,acpi,handoff duration=200ms window=100ms then=halt"
USB = (
    *("-device", "qemu-xhci,addr=4"),
    *("-device", "ich9-usb-ehci1,id=ehci,addr=1d.7,multifunction=on"),
    *("-device", "ich9-usb-uhci1,masterbus=ehci.0,firstport=0,addr=1d.0,multifunction=on"),
    *("-device", "ich9-usb-uhci2,masterbus=ehci.0,firstport=2,addr=1d.1,multifunction=on"),
)
RUN_SECONDS = 300


def stages_of(result):
    return {record["stage"]: record for record in result.of_type("stage")}


def logs_of(result, start):
    return [r for r in result.of_type("log") if r["text"].startswith(start)]


def pose(app, injector, out, firmware="plain", smp=2, config=LADDER):
    """The probe on a machine whose firmware left it in legacy mode."""
    plan = schedule.Plan(mode="legacy", options=config)
    done = injection.run(
        app, injector, out, plan, icount=None, smp=smp, firmware=firmware, extra=USB,
        timeout=RUN_SECONDS,
    )
    assert done.result.problem is None, done.result.problem + done.result.text[-2000:]
    assert not [r["text"] for r in done.result.of_type("log") if r["level"] == "error"]
    return done.result


def check_legacy_ladder(result):
    stages = stages_of(result)
    assert list(stages) == ["firmware", "bare", "acpi", "handoff"]
    assert [s["sci_en"] for s in stages.values()] == [0, 0, 1, 1]
    assert [s["usb_owner"] for s in stages.values()] == ["bios", "bios", "bios", "os"]
    before = stages["acpi"]["usb"]
    after = stages["handoff"]["usb"]
    assert before == (
        "xhci 0000:00:04.0 none, uhci 0000:00:1d.0 bios, uhci 0000:00:1d.1 bios, "
        "ehci 0000:00:1d.7 bios"
    )
    assert after == (
        "xhci 0000:00:04.0 none, uhci 0000:00:1d.0 none, uhci 0000:00:1d.1 none, "
        "ehci 0000:00:1d.7 os"
    )
    (step,) = logs_of(result, "acpi:")
    assert "ACPI_ENABLE 0x02 written to port 0xb2: SCI_EN 0 to 1" in step["text"]
    steps = [record["text"] for record in logs_of(result, "handoff:")]
    assert len(steps) == 4
    assert "no legacy support" in steps[0]
    assert all("SMI enables 0x1f switched off" in text for text in steps[1:3])
    assert "the BIOS did not let go" in steps[3]
    assert "SMI enables 0x2011 switched off" in steps[3]


def test_the_ladder_takes_each_step_between_stages(app, injector, out, tool):
    result = pose(app, injector, out)
    check_legacy_ladder(result)
    # Each stage was measured, and reported after its own steps and before the next one's.
    order = [
        record["stage"] if record["type"] != "log" else record["text"].split(":")[0]
        for record in result.records
        if record["type"] in ("stage", "cpu")
        or (record["type"] == "log" and record["text"].startswith(("acpi:", "handoff:")))
    ]
    assert order == (
        ["firmware"] * 3 + ["bare"] * 3 + ["acpi"] * 4 + ["handoff"] * 7
    ), result.text
    assert [w["n"] for w in result.of_type("window")] == [1, 2] * 4
    check_shown(tool, result)


def check_shown(tool, result):
    """The text has each stage's sums, and the host tool the ladder, from the records."""
    text = result.text
    names = ["firmware", "bare", "acpi", "handoff"]
    sums = [line.split() for line in text.split("\n") if " longest " in line and " gaps" in line]
    assert [line[0] for line in sums] == names
    serial = result.out / "serial.log"
    shown = ran(tool, "show", serial)
    start = shown.stdout.index("ladder: ")
    ladder = shown.stdout[start:].split("\n")
    assert [line.split()[0] for line in ladder[2:6]] == names
    # Changes made by a step are indented, below it.
    steps = [line.split(":")[0] for line in ladder[6:] if " to " in line and line[0] != " "]
    assert steps[:3] == ["firmware to bare", "bare to acpi", "acpi to handoff"]
    for line in text.split("\n"):
        if line.startswith("  ACPI mode ") or line.startswith("  SMI sources "):
            assert line in shown.stdout.split("\n")
    dumped = subprocess.run(
        [tool, "show", "--json", serial], capture_output=True, check=False
    )
    (run,) = json.loads(dumped.stdout)["runs"]
    cpus = result.of_type("cpu")
    assert [rung["stage"] for rung in run["ladder"]] == ["firmware", "bare", "acpi", "handoff"]
    for rung in run["ladder"]:
        own = [cpu for cpu in cpus if cpu["stage"] == rung["stage"]]
        assert rung["gaps"] == sum(cpu["gaps"] for cpu in own)
        assert rung["noise_ns"] == sum(cpu["noise_ns"] for cpu in own)
        assert rung["max_ns"] == max(cpu["max_ns"] for cpu in own)
        assert rung["cores"] == len(own) == 2
        assert rung["smi"] is None
    assert run["ladder"][0]["against"] is None
    assert run["ladder"][1]["against"]["stage"] == "firmware"
    changes = {row["what"]: row["change"] for row in run["ladder"][1]["against"]["changes"]}
    assert list(changes) == ["gaps", "SMIs", "NMIs", "machine checks"]
    assert changes["gaps"] in ("same", "less", "more", None)
    assert changes["SMIs"] is None


@pytest.mark.full
def test_real_firmware_in_smm_is_not_disturbed(app, injector, out):
    """OVMF's SMM build: its SMI sources are named, and no step adds or removes one."""
    result = pose(app, injector, out, firmware="smm", smp=1)
    check_legacy_ladder(result)
    for stage in result.of_type("stage"):
        assert stage["chipset"] == "Intel ICH9"
        assert stage["smi_en"] == 0x21
        assert stage["smi_enabled"] == "GBL_SMI APMC"
        assert stage["timers"] == {}
    assert "SMI sources enabled (Intel ICH9): GBL_SMI APMC" in result.text
    # Windows do not count the cost of the steps themselves.
    assert sum(window["smi"] or 0 for window in result.of_type("window")) == 0


@pytest.mark.full
def test_firmware_that_left_nothing_to_do(run, out, tool):
    result = run(smp=1, config="duration=100ms stages=bare,handoff", extra=USB)
    assert advice.of(tool, result.serial, out) == (0, [], [])
    assert [s["sci_en"] for s in result.of_type("stage")] == [1, 1]
    assert [s["usb_owner"] for s in result.of_type("stage")] == ["none", "none"]
    (step,) = logs_of(result, "acpi:")
    assert "was on already" in step["text"] and step["level"] == "info"
    assert all("was not the BIOS's" in r["text"] for r in logs_of(result, "handoff: uhci"))
    assert not [r for r in result.of_type("log") if r["level"] != "info"]


@pytest.mark.full
def test_an_unknown_chipset_is_logged(run):
    """A PIIX4 machine: no SMI_EN where a PCH has it, and nothing is made up."""
    result = run(smp=1, extra=("-machine", "pc"), config="duration=100ms then=halt")
    (stage,) = result.of_type("stage")
    assert (stage["chipset"], stage["smi_en"], stage["smi_enabled"]) == (None, None, None)
    assert logs_of(result, "SMI sources: no chipset")
