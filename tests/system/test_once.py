# SPDX-License-Identifier: BSD-2-Clause
"""Once, from Linux: install, once, reboot, the run, Linux again, fetch, compare with measure.

The firmware's shell starts Linux, as the machine always does; the boot entry that `install` made
starts noisefloor, once.
"""
import os
import pathlib
import re
import shutil
import subprocess

import debian_kernel
import esp
import flashvars
import initramfs
import machine as machines
import pytest
import records
from guest import Guest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INIT = ROOT / "tests" / "system" / "once.init"
OFFSET = 1 << 20  # of the one partition
SECONDS = 900


@pytest.fixture
def linux():
    return debian_kernel.fetched("busybox", "cpio", "efibootmgr", "sgdisk")


def partition(volume, disk):
    """A disk with a GUID partition table, whose one partition is the volume."""
    volume_bytes = os.path.getsize(volume)
    with open(disk, "wb") as file:
        file.truncate(OFFSET + volume_bytes + OFFSET)
        file.seek(OFFSET)
        with open(volume, "rb") as source:
            shutil.copyfileobj(source, file)
    last = (OFFSET + volume_bytes) // 512 - 1
    subprocess.run(
        ["sgdisk", "--new", f"1:{OFFSET // 512}:{last}", "--typecode", "1:ef00", disk],
        check=True, capture_output=True,
    )


def make_disk(app, tool, linux, out):
    initrd = out / "initrd"
    initramfs.make(
        initrd, out / "root", {"noisefloor": tool}, sorted((linux / "disk").glob("*.ko")), {},
        init=INIT, tools=("efibootmgr",),
    )
    files = {
        "startup.nsh": f"vmlinuz.efi {debian_kernel.OPTIONS}\r\n".encode(),
        "vmlinuz.efi": linux / "vmlinuz",
        "initrd": initrd,
        "noisefloor.efi": app,
    }
    esp.create(out / "volume.img", files)
    partition(out / "volume.img", out / "esp.img")
    return f"{out / 'esp.img'}@@{OFFSET}"


def steps_of(serial):
    """What each command printed, and its exit code, in order."""
    text = serial.decode(errors="replace").replace("\r\n", "\n")
    found = re.findall(r"@@ begin (\S+)\n(.*?)@@ end \1 (\d+)\n", text, re.S)
    return [(name, printed, int(code)) for name, printed, code in found]


@pytest.mark.full
def test_once_from_linux_and_back(app, static_tool, out, linux):
    out.mkdir(parents=True)
    volume = make_disk(app, static_tool, linux, out)
    machine = machines.Machine(resets=True, memory="2G")
    shutil.copyfile(machine.variables, out / "vars.fd")
    with Guest(machine, out, None) as guest:
        guest.wait_for("@@ done", SECONDS)
        guest.wait_exit(60)
        serial = guest.serial()
    steps = {}
    for name, printed, code in steps_of(serial):
        steps.setdefault(name, []).append((printed, code))
    codes = {name: [code for _, code in found] for name, found in steps.items()}
    assert codes == {
        "install": [0], "measure": [0], "once": [0], "entries": [0, 0], "variables": [0],
        "fetch": [0], "again": [2], "compare": [0], "remove": [0], "left": [0],
    }, serial.decode(errors="replace")[-6000:]
    (before, _), (after, _) = steps["entries"]
    number = re.search(r"^Boot([0-9A-F]{4})\* noisefloor", before, re.M)[1]
    assert re.search(rf"^BootNext: {number}$", before, re.M)
    # Not in the order in which the machine boots, and started no more than once.
    for printed in (before, after):
        assert number not in re.search(r"^BootOrder: (.*)$", printed, re.M)[1].split(",")
    assert "BootNext" not in after
    assert len(re.findall(rb'"type":"begin",(?!"part":[1-9])', serial)) == 1
    assert f"NoisefloorReport0-{flashvars.REPORT_GUID}" in steps["variables"][0][0]

    printed = records.join(records.find(serial))
    floor = records.join(records.find(esp.read(volume, "floor.jsonl")))
    for name in ("begin", "stage", "window", "cpu", "source", "log"):
        mine, theirs = ([bare(r) for r in kind if r["type"] == name] for kind in (floor, printed))
        assert mine == theirs, name
    assert "handoff" in steps["compare"][0][0]
    assert "noisefloor" not in steps["left"][0][0]
    assert flashvars.writes((out / "vars.fd").read_bytes()) <= 4


def bare(record):
    return {key: value for key, value in record.items() if key not in ("seq", "crc")}
