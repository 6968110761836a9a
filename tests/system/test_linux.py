# SPDX-License-Identifier: BSD-2-Clause
"""From Linux and back: firmware's services as a real Linux calls them; install, once, reboot, the
run, Linux again, fetch, compare with measure; and a kexec of the probe. linux.init is in order.

The firmware's shell starts Linux, as the machine always does; the boot entry that `install` made
starts noisefloor, once. OVMF has its variables in SMM, so that MSR 34h counts each call that
reaches it. With two cores, of which each SMI stops both, that firmware takes four times as long.
"""
import os
import pathlib
import re
import shutil
import subprocess

import debian_kernel
import esp
import flashvars
import machine as machines
import pytest
import records
from guest import Guest
from ran import ran
from saving import bare

pytestmark = pytest.mark.full

INIT = pathlib.Path(__file__).with_name("linux.init")
OFFSET = 1 << 20  # offset of the one partition
SECONDS = 900
MACHINE = {"smp": 1, "firmware": "smm"}
CALLS, OWN_CALLS = 30, 5  # calls of linux.init; of the probe
VARIABLES = {"get_variable_small", "get_variable_large"}
DEVICES = {"rtc", "keyboard", "pm_timer", "port_80"}
NEVER = {"get_time", "get_variable_absent", "next_variable", "query_capsule", "hpet", "pci_cf8",
         "pci_ecam", "psci_version", "smccc_version", "trng"}
CALLED = ",".join(sorted(VARIABLES | DEVICES | {"next_variable"}))
PROBE = (f"mode=services stages=handoff service_calls={OWN_CALLS} threshold=10us live=no save=none "
         f"selftest=no services={CALLED}")


def asks_for_sizes(kernel):
    """Whether statfs of efivarfs calls firmware in that Linux: from 6.5 on."""
    version = re.match(r"(\d+)\.(\d+)", (kernel / "version").read_text())
    return (int(version[1]), int(version[2])) >= (6, 5)


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


class Linux:
    """Results of a boot: `steps` has what each command printed, and its exit code, in order; `run`
    are the records of the run between the two starts, `kexec` of that after them."""

    def __init__(self, serial, kernel, out):
        text = serial.decode(errors="replace").replace("\r\n", "\n")
        self.steps = debian_kernel.steps_of(serial)
        self.kernel, self.out, self.text = kernel, out, text
        begin, end = text.find("@@ end locked"), text.find("@@ begin variables")
        self.run_text = text[begin:end]
        self.run = records.join(records.find(self.run_text.encode()))
        self.kexec = records.join(records.find(text[text.find("@@ end left"):].encode()))


@pytest.fixture(scope="module")
def linux(tmp_path_factory):
    kernel = debian_kernel.fetched("busybox", "cpio", "efibootmgr", "kexec", "sgdisk")
    out = tmp_path_factory.mktemp("linux")
    programs = {"noisefloor": machines.BUILD / "noisefloor-static",
                "noisefloor.elf": machines.BUILD / "noisefloor.elf"}
    files = debian_kernel.disk(kernel, out, INIT, programs, modules=[kernel / "msr.ko"],
                               tools=("efibootmgr", "kexec"))
    esp.create(out / "volume.img", {**files, "noisefloor.efi": machines.BUILD / "noisefloor.efi"})
    partition(out / "volume.img", out / "esp.img")
    machine = machines.Machine(resets=True, memory="2G", **MACHINE)
    shutil.copyfile(machine.variables, out / "vars.fd")
    with Guest(machine, out, None) as guest:
        guest.wait_exit(SECONDS)
        return Linux(guest.serial(), kernel, out)


def test_once_and_back(linux):
    codes = {name: [code for _, code in found] for name, found in linux.steps.items()}
    assert codes == {
        "unmounted": [3], "all": [0], "locked": [3], "kexec": [2],
        "install": [0], "measure": [0], "once": [0], "entries": [0, 0], "variables": [0],
        "fetch": [0], "again": [2], "compare": [0], "remove": [0], "left": [0],
    }, linux.text[-6000:]
    assert "once: this Linux is locked down" in linux.steps["kexec"][0][0]
    (before, _), (after, _) = linux.steps["entries"]
    number = re.search(r"^Boot([0-9A-F]{4})\* noisefloor", before, re.M)[1]
    assert re.search(rf"^BootNext: {number}$", before, re.M)
    # Not in the order in which the machine boots, and started no more than once.
    for printed in (before, after):
        assert number not in re.search(r"^BootOrder: (.*)$", printed, re.M)[1].split(",")
    assert "BootNext" not in after
    assert len(re.findall(r'"type":"begin",(?!"part":[1-9])', linux.run_text)) == 1
    assert f"NoisefloorReport-{flashvars.REPORT_GUID}" in linux.steps["variables"][0][0]

    floor = records.join(records.find(esp.read(f"{linux.out / 'esp.img'}@@{OFFSET}",
                                               "floor.jsonl")))
    for name in ("begin", "stage", "window", "cpu", "source", "log"):
        mine, theirs = ([bare(r) for r in kind if r["type"] == name]
                        for kind in (floor, linux.run))
        assert mine == theirs, name
    assert "handoff" in linux.steps["compare"][0][0]
    assert "noisefloor" not in linux.steps["left"][0][0]
    assert flashvars.writes((linux.out / "vars.fd").read_bytes()) <= 4


def services_of(linux, step):
    """The records of a step, by service."""
    ((printed, _),) = linux.steps[step]
    found = records.join(records.find(printed.encode()))
    assert found[-1]["type"] == "end", printed
    return {r["service"]: r for r in found if r["type"] == "service"}


def test_services_from_inside(run, tool, out, linux, tmp_path):
    of = services_of(linux, "all")
    queries = {"query_variables"} if asks_for_sizes(linux.kernel) else set()
    called = VARIABLES | DEVICES | queries
    assert set(of) == called | NEVER | {"query_variables"}
    for service in called:
        r = of[service]
        assert (r["calls"], r["failed"], r["why"]) == (CALLS, 0, None), r
        assert r["others"] == 0 and r["smi_others"] is None, r
        assert 0 < r["p50_ns"] <= r["p99_ns"] <= r["max_ns"], r
        assert not r["smi_quiet"], r
        # Two calls of GetVariable each, of which every one is an SMI; none of a device is.
        assert (r["smi"] or 0) == CALLS * (2 * (service in VARIABLES) + (service in queries)), r
    for service in set(of) - called:
        assert not of[service]["calls"] and of[service]["why"], of[service]
    unmounted = services_of(linux, "unmounted")
    for service in ("get_variable_small", "query_variables"):
        assert "efivarfs is not mounted" in unmounted[service]["why"]
    assert "Linux is locked down" in services_of(linux, "locked")["port_80"]["why"]

    assert run(config=PROBE, **MACHINE).problem is None
    measured = tmp_path / "measure"
    measured.write_text(linux.steps["all"][0][0])
    assert_compared(tool, out / "serial.log", measured)


def assert_compared(tool, floor, measured):
    """A row and a sentence of each, by the names that `show` has, too."""
    done = ran(tool, "compare", floor, measured)
    assert done.returncode == 0, done.stderr
    text = done.stdout
    for service in VARIABLES | DEVICES:
        of_both = r"[\d.]+ .?s \([\d.]+ .?s-[\d.]+ .?s\)"
        assert re.search(rf"^  {service} +{of_both} +{of_both}$", text, re.M), text
        sentence = rf"{service} takes .* below the OS, and .* from inside"
        assert re.search(rf"^  {service} +{sentence}", text, re.M), text
    assert "next_variable was not called from inside: Linux asks for the names once" in text
    shown = ran(tool, "show", measured)
    assert shown.returncode == 0
    assert re.search(rf"^get_variable_small +{CALLS} +0 ", shown.stdout, re.M)


def test_kexec(linux):
    assert debian_kernel.assert_measured(linux.kexec, 1)["sci_en"] == 1
