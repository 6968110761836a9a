# SPDX-License-Identifier: BSD-2-Clause
"""Last words: an exception anywhere and a call of firmware that does not return are reported, what
was measured before is too, `then` is obeyed, and a run without one has none."""
import re
import subprocess

import esp
import launched
import machine as machines
import picture
import pytest
import records
import runner
from collecting import export
from tiers import full

SHORT = "duration=300ms window=100ms threshold=100us selftest=no then=qemu-exit"
LADDER = "stages=firmware,bare,handoff"
# tests/variants/faults.c
PREPARING, CALL, LENT, STAGE, WINDOW, END = range(1, 7)
STALL, BETWEEN, CLOSE_EVENT, RESET, LONG_CALL, NO_CALL = range(7, 13)
NOWHERE = 1 << 45
SYMBOLS = "noisefloor-faults.so"
ERROR, INCOMPLETE = 2, 3


@pytest.fixture
def faulty(variant, out):
    """faulty(STAGE, ...): a run that takes an exception there. It obeys `then`, or never ends."""

    def faulty(place, config=SHORT, app=None, stages=LADDER, ticks=(), at_end=None, **wanted):
        wanted.setdefault("machine", machines.Machine(smp=2))
        options = runner.Options(
            app=app or variant("faults"), out=out, config=f"{config} gaps={place} {stages}",
            **wanted,
        )
        result = runner.run(launched.go_on(options), ticks=ticks, at_end=at_end)
        # One that `ticks` has stopped has no end record.
        problem = None if ticks else result.problem
        assert problem is None, problem + result.serial[-3000:].decode("latin-1")
        return result

    return faulty


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
    CALL: "calling a boot service between windows",
    LENT: "sampling in window 0x1",
    STAGE: "entering the stage",
    WINDOW: "sampling in window 0x1",
    END: "calling a boot service between windows",
}


@pytest.mark.parametrize("place, stage, cpu, code, stages", [
    (PREPARING, None, None, ERROR, []),
    full(CALL, "firmware", None, INCOMPLETE, ["firmware"]),
    full(LENT, "firmware", 0, INCOMPLETE, ["firmware"]),
    full(STAGE, "handoff", 0, INCOMPLETE, ["firmware", "bare"]),
    (WINDOW, "firmware", 1, INCOMPLETE, ["firmware", "bare", "handoff"]),
    full(END, "firmware", 0, INCOMPLETE, ["firmware"]),
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


@pytest.mark.full
def test_another_core_of_our_own(faulty):
    """The others go on without it, in a machine that is handed over."""
    result = faulty(WINDOW, stages="stages=handoff")
    fault = fault_of(result)
    assert (fault["what"], fault["stage"], fault["cpu"]) == ("invalid opcode", "handoff", 1)
    assert len(result.of_type("window")) == 3
    (end,) = result.of_type("end")
    assert end["verdict"] == "incomplete" and "cpu 1 was lost" in end["reasons"][0]


# EDK2 of 2022 lends no cores on Arm.
@pytest.mark.full
@pytest.mark.parametrize("place, stage, cpu, code", [
    (PREPARING, None, None, ERROR),
    (CALL, "firmware", None, INCOMPLETE),
    (LENT, "firmware", 0, INCOMPLETE),
    (STAGE, "handoff", 0, INCOMPLETE),
    (WINDOW, "bare", 1, INCOMPLETE),
])
def test_a_fault_on_aarch64(faulty, aarch64, place, stage, cpu, code):
    machine = machines.Machine(emulator="aarch64", board="virt", firmware="aarch64", smp=2)
    result = faulty(place, app=aarch64.with_name("noisefloor-faults.efi"), machine=machine)
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


@pytest.mark.full
@pytest.mark.parametrize("then", ["reset", full("shutdown")])
def test_then_is_obeyed(faulty, then):
    result = faulty(STAGE, config=SHORT.replace("qemu-exit", then))
    assert result.status == 0
    assert len(result.of_type("fault")) == 1


@pytest.mark.full
def test_a_reset_that_faults_while_boot_services_live(run, quirks):
    """The firmware's own ResetSystem takes it: then the chipset's way."""
    result = run(inject=quirks, files={"quirks.txt": b"reset-faults"}, smp=1,
                 config=SHORT.replace("qemu-exit", "reset") + " stages=firmware")
    assert result.status == 0
    assert b"fault: invalid opcode, at 0x" in result.serial


@pytest.mark.full
def test_the_screen_has_them(faulty):
    """A sentence of the end page."""
    shown = []

    def look(guest):
        guest.rest(2)
        guest.qmp.execute("screendump", filename=str(guest.out / "end.ppm"))
        shown.extend(picture.Picture(guest.out / "end.ppm", 1).lines())

    faulty(STAGE, config=SHORT.replace("qemu-exit", "halt"), at_end=look)
    text = " ".join(shown)
    assert re.search(r"fault: page fault at image \+ 0x[0-9a-f]+", text), text


def test_last_words_are_kept(faulty, out):
    """The next start finds them in the firmware's variables, and writes them to a file."""
    machine = machines.Machine(smp=2, resets=True)
    result = faulty(STAGE, f"{SHORT} save=file", machine=machine, leave_seconds=240)
    (printed,) = result.of_type("fault")
    names = esp.names(out / "esp.img", "noisefloor")
    (name,) = [n for n in names if n.endswith(".jsonl") and not n.endswith("-firmware.jsonl")]
    saved = records.join(records.find(esp.read(out / "esp.img", f"noisefloor/{name}")))
    (kept,) = [r for r in saved if r["type"] == "fault"]
    assert {k: kept[k] for k in ("what", "pc", "image", "address", "doing", "steps")} == {
        k: printed[k] for k in ("what", "pc", "image", "address", "doing", "steps")
    }


@pytest.mark.full
def test_the_network_has_them(faulty, collect):
    """Once the boot core goes on, by the driver of our own."""
    collector = collect(listen=":0")
    result = faulty(
        STAGE, config=f"{SHORT} report=udp://10.0.2.2:{collector.port}",
        machine=machines.Machine(smp=2, nic="e1000e"), leave_seconds=120,
    )
    assert b"delivered: " in result.serial
    arrived = records.join(records.find(export(collector.tool, collector.folder)))
    assert [r["what"] for r in arrived if r["type"] == "fault"] == ["page fault"]
    assert arrived[-1]["records"]["fault"] == 1


def test_no_fault_no_words(run):
    """Registers that are refused are no faults."""
    result = run(config=f"{SHORT} {LADDER}", smp=2)
    assert result.of_type("fault") == []
    assert b"fault: " not in result.serial


RETURN = "the firmware to return from a call"
# The last step before each call that does not return.
WAITING = {
    STALL: "looking for a TPM",
    BETWEEN: "calling a boot service between windows",
    CLOSE_EVENT: "giving the cores back to the firmware",
    RESET: "calling ResetSystem",
}


def check_wait(result, stage, doing):
    fault = fault_of(result)
    assert (fault["kind"], fault["what"], fault["cpu"]) == ("wait", RETURN, 0)
    assert (fault["stage"], fault["doing"]) == (stage, doing)
    assert (fault["pc"], fault["image"]) == (None, None)
    assert b"fault: waited in vain for " + RETURN.encode() + b" on cpu 0\r\n" in result.serial


@pytest.mark.parametrize("place, stage, code, windows", [
    full(STALL, None, ERROR, 0),
    (BETWEEN, "firmware", INCOMPLETE, 1),
    full(CLOSE_EVENT, "firmware", INCOMPLETE, 3),
])
def test_a_call_that_does_not_return(faulty, place, stage, code, windows):
    """The boot core is in it; its own event ends the run, and what was measured is there."""
    result = faulty(place)
    check_wait(result, stage, WAITING[place])
    (end,) = result.of_type("end")
    assert result.code == code
    assert end["reasons"] == ["the firmware has not returned from a call"]
    assert end["records"]["fault"] == 1
    assert len(re.findall(rb"^  \d/3 .* gaps in ", result.serial, re.M)) == windows


@pytest.mark.full
def test_a_reset_that_does_not_return(faulty):
    """While boot services live: the end record is there already, and the chipset resets."""
    result = faulty(RESET, config=SHORT.replace("qemu-exit", "reset"), stages="stages=firmware")
    check_wait(result, "firmware", WAITING[RESET])
    assert result.status == 0
    (end,) = result.of_type("end")
    assert (end["verdict"], end["records"]["fault"]) == ("none", 0)


@pytest.mark.full
def test_the_screen_has_a_call_that_does_not_return(faulty):
    """And the machine stays as it is where `then` needs the firmware."""
    shown = []

    def look(guest):
        if b'"type":"fault"' not in guest.serial() or guest.status() is not None:
            return
        guest.rest(4)
        guest.qmp.execute("screendump", filename=str(guest.out / "fault.ppm"))
        shown.extend(picture.Picture(guest.out / "fault.ppm", 1).lines())
        guest.stop()

    result = faulty(BETWEEN, config=SHORT.replace("qemu-exit", "exit"), ticks=[look])
    check_wait(result, "firmware", WAITING[BETWEEN])
    assert result.of_type("end") == []
    text = " ".join(shown)
    assert f"fault: waited in vain for {RETURN} on cpu 0" in text, text
    assert f"stage firmware; last step: {WAITING[BETWEEN]}" in text, text


@pytest.mark.full
def test_a_call_that_returns_late(faulty):
    """It was reported; the run goes on, and has a log."""
    result = faulty(LONG_CALL, config=SHORT.replace("qemu-exit", "halt"))
    check_wait(result, "firmware", WAITING[BETWEEN])
    assert len(result.of_type("window")) == 9
    logs = [r["text"] for r in result.of_type("log") if "waited for in vain" in r["text"]]
    assert logs == ["the firmware has returned from the call that was waited for in vain"]
    (end,) = result.of_type("end")
    assert (end["verdict"], end["records"]["fault"]) == ("none", 1)


# EDK2 of 2022 lends no cores on Arm.
@pytest.mark.full
def test_a_call_that_does_not_return_on_aarch64(faulty, aarch64):
    machine = machines.Machine(emulator="aarch64", board="virt", firmware="aarch64", smp=2)
    result = faulty(BETWEEN, app=aarch64.with_name("noisefloor-faults.efi"), machine=machine)
    check_wait(result, "firmware", WAITING[BETWEEN])
    assert result.code == INCOMPLETE
    assert result.of_type("end")[0]["records"]["fault"] == 1


@pytest.mark.full
def test_what_takes_long_is_no_call(faulty):
    """A window, and a page that waits for a key, are both longer than a call may take."""
    waited = []

    def wait(guest):
        guest.rest(14)
        waited.append(guest.status())

    config = "duration=14s window=14s selftest=no countdown=1s then=exit save=none"
    result = faulty(NO_CALL, config, stages="stages=firmware", at_end=wait)
    assert waited == [None]
    assert len(result.of_type("window")) == 1
    assert result.of_type("fault") == []
    assert b"fault: " not in result.serial
