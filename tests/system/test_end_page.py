# SPDX-License-Identifier: BSD-2-Clause
"""The screen after a run: the result, from what the start after the reset has read, until somebody
presses a key."""
import re
import subprocess

import pytest

import esp
import machine as machines
import patience
import records
import runner
from guest import Guest
from test_screen import adapter, press, shot, still

STICK = "duration=200ms max=20us then=auto"
WAITING = b"any key continues"
BOOT_SECONDS = 300


def stick(app, out, medium, config, **machine):
    options = runner.Options(
        app=app, out=out, medium=medium("img"), config=config,
        machine=machines.Machine(disk="usb", resets=True, **machine),
    )
    return Guest(options.machine, out, options.volume())


def read_code(out, tool):
    """Decode the QR code in the picture as a phone does, and its text with the host tool."""
    scanned = subprocess.run(["zbarimg", "-q", out / "end.ppm"], capture_output=True, check=True)
    shown = subprocess.run([tool, "show", "--qr", "-", "--jsonl"], input=scanned.stdout,
                           capture_output=True)
    assert shown.returncode == 1, shown.stderr
    return records.join(records.find(shown.stdout))


@pytest.mark.full
def test_the_stick_shows_its_result(app, tool, out, medium):
    """The machine has been reset, and this start has measured nothing."""
    with stick(app, out, medium, STICK, smp=2, extra=adapter(800, 600)) as guest:
        guest.wait_for(WAITING, BOOT_SECONDS)
        page = still(guest, "end", "2 of 2 cores")
        press(guest, "spc")
        guest.wait_for(rb"Shell|BdsDxe: (failed|loading)", 120, guest.serial().index(WAITING))
        serial = guest.serial()
    files = esp.names(esp.volume(out / "esp.img"), "noisefloor")
    (name,) = [name for name in files if name.endswith(".jsonl")]
    text = page.words()
    assert page.large("FAIL")
    assert "limits: max=20us" in text and "2 of 2 cores" in text
    # Beside a table of large numbers that line is wrapped.
    assert re.search(r"\bstages\b.* handoff\b", text)
    assert "hypervisor: TCG" in text
    # A long name is wrapped.
    assert f"savedas\\noisefloor\\{name}," in text.replace(" ", "")
    assert "A key continues with the boot order." in text
    assert "QEMU Standard PC" in text
    sid = re.search(rb'"sid":"([0-9a-f]{16})","seq":\d+,"type":"begin"', serial)[1].decode()
    assert f"run {sid} of 20" in text
    # The lines of the cores are those of the table that was measured.
    for cpu in (0, 1):
        gaps = re.findall(rb'"type":"cpu","stage":"handoff","cpu":%d,.*?"gaps":(\d+),' % cpu,
                          serial)[0].decode()
        assert re.search(rf"\b{cpu} +[\d.]+ +[\d.]+ +{gaps} ", "\n".join(page.lines())), text
    # The QR code agrees with the records.
    (summary,) = [r for r in records.join(records.find(serial)) if r["type"] == "summary"]
    code, end = read_code(out, tool)
    assert code["sid"] == sid and end["verdict"] == "fail"
    for key in ("verdict", "limits", "longest_ns", "longest_cause", "sampled_ns", "exposure_ns",
                "gaps", "noise_ns", "cause", "stages", "measured", "began", "machine"):
        assert code[key] == summary[key], key


@pytest.mark.full
def test_before_the_restart_nobody_is_asked_to_switch_off(app, out, medium):
    """Until the restart the results are not on the stick."""
    config = "duration=200ms then=auto"
    with stick(app, out, medium, config, smp=1, extra=adapter(1024, 768)) as guest:
        # Where the machine would be reset it stands still.
        guest.qmp.execute("set-action", reboot="shutdown", shutdown="pause")
        guest.wait_for(b"restarting to write the file", BOOT_SECONDS)
        patience.wait_for(lambda: not guest.qmp.execute("query-status")["running"], "the reset")
        text = shot(guest, "before").words()
    assert "This machine restarts once, writes the results and shows them again" in text
    assert "leave it on" in text
    assert "switched off" not in text


@pytest.mark.full
def test_a_console_has_it_as_text(app, out, medium):
    """Where there is nothing to paint on: here the firmware's console is the serial port."""
    with stick(app, out, medium, STICK, smp=2, extra=("-vga", "none")) as guest:
        guest.wait_for(WAITING, BOOT_SECONDS)
        text = guest.serial().decode(errors="replace")
    page = text[text.index("harvest: the variable is removed"):]
    for words_of_it in ("verdict: fail", "max: longest gap ", "limits: max=20us", "hypervisor: TCG",
                        "sampled: ", "saved as \\noisefloor\\", "machine: QEMU Standard PC",
                        "A key continues with the boot order."):
        assert re.search(f"^{re.escape(words_of_it)}", page, re.M), page
