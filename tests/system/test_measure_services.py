# SPDX-License-Identifier: BSD-2-Clause
"""Firmware's services as a real Linux calls them, beside the probe's calls in the same machine.

OVMF has its variables in SMM, so that MSR 34h counts each call that reaches it."""
import pathlib
import re
import subprocess

import debian_kernel
import initramfs
import machine as machines
import pytest
import records
from guest import Guest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INIT = ROOT / "tests" / "system" / "services.init"
SECONDS = 900
MACHINE = {"smp": 2, "firmware": "smm", "memory": "2G"}
CALLS = 30  # as in services.init
PROBE = "mode=services stages=handoff service_calls=30 threshold=10us live=no save=none selftest=no"
VARIABLES = {"get_variable_small", "get_variable_large"}
DEVICES = {"rtc", "keyboard", "pm_timer", "port_80"}
NEVER = {"get_time", "get_variable_absent", "next_variable", "query_capsule", "hpet", "pci_cf8",
         "pci_ecam", "psci_version", "smccc_version", "trng"}


@pytest.fixture
def linux():
    return debian_kernel.fetched("busybox", "cpio")


def asks_for_sizes(kernel):
    """Whether statfs of efivarfs calls firmware in that Linux: from 6.5 on."""
    version = re.match(r"(\d+)\.(\d+)", (kernel / "version").read_text())
    return (int(version[1]), int(version[2])) >= (6, 5)


def boot(static_tool, kernel, out):
    """What each command printed, and its exit code, by its name."""
    out.mkdir(parents=True)
    modules = [*sorted((kernel / "disk").glob("*-efivarfs.ko")), kernel / "msr.ko"]
    initramfs.make(out / "initrd", out / "root", {"noisefloor": static_tool}, modules, {},
                   init=INIT, tools=())
    files = {
        "startup.nsh": f"vmlinuz.efi {debian_kernel.OPTIONS}\r\n".encode(),
        "vmlinuz.efi": kernel / "vmlinuz",
        "initrd": out / "initrd",
    }
    with Guest(machines.Machine(**MACHINE), out, files) as guest:
        guest.wait_for("@@ done", SECONDS)
        guest.wait_exit(60)
        serial = guest.serial().decode(errors="replace").replace("\r\n", "\n")
    found = re.findall(r"@@ begin (\S+)\n(.*?)@@ end \1 (\d+)\n", serial, re.S)
    return {name: (printed, int(code)) for name, printed, code in found}


def services_of(step):
    """Its records, by service, and its exit code."""
    printed, code = step
    found = records.join(records.find(printed.encode()))
    assert found[-1]["type"] == "end", printed
    return {r["service"]: r for r in found if r["type"] == "service"}, code


def assert_called(of, queries):
    called = VARIABLES | DEVICES | ({"query_variables"} if queries else set())
    assert set(of) == called | NEVER | {"query_variables"}
    for service in called:
        r = of[service]
        assert (r["calls"], r["failed"], r["why"]) == (CALLS, 0, None), r
        assert r["others"] == 1 and r["controls"] == CALLS and r["smi_others"] is None, r
        assert 0 < r["p50_ns"] <= r["p99_ns"] <= r["max_ns"], r
        assert not r["smi_quiet"], r
    for service in set(of) - called:
        assert not of[service]["calls"] and of[service]["why"], of[service]


@pytest.mark.full
def test_services_from_inside_linux(run, static_tool, tool, out, linux, tmp_path):
    steps = boot(static_tool, linux, tmp_path / "linux")
    of, code = services_of(steps["all"])
    assert code == 0
    assert_called(of, asks_for_sizes(linux))
    # Two calls of GetVariable each, of which every one is an SMI; none of a device is.
    for service in VARIABLES:
        assert of[service]["smi"] == 2 * CALLS, of[service]
    if asks_for_sizes(linux):
        assert of["query_variables"]["smi"] == CALLS, of["query_variables"]
    for service in DEVICES:
        assert not of[service]["smi"], of[service]

    of, code = services_of(steps["unmounted"])
    assert code == 3
    for service in ("get_variable_small", "query_variables"):
        assert "efivarfs is not mounted" in of[service]["why"]
    of, code = services_of(steps["locked"])
    assert code == 3 and "Linux is locked down" in of["port_80"]["why"]

    result = run(config=PROBE, **MACHINE)
    assert result.problem is None, result.problem
    assert_compared(tool, out / "serial.log", steps["all"][0], tmp_path / "measure")


def assert_compared(tool, floor, printed, measure):
    """A row and a sentence of each, by the names that `show` has, too."""
    measure.write_text(printed)
    done = subprocess.run([tool, "compare", floor, measure], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = done.stdout
    for service in VARIABLES | DEVICES:
        of_both = r"[\d.]+ .?s \([\d.]+ .?s-[\d.]+ .?s\)"
        assert re.search(rf"^  {service} +{of_both} +{of_both}$", text, re.M), text
        sentence = rf"{service} takes .* below the OS, and .* from inside"
        assert re.search(rf"^  {service} +{sentence}", text, re.M), text
    assert "next_variable was not called from inside: Linux asks for the names once" in text
    shown = subprocess.run([tool, "show", measure], capture_output=True, text=True)
    assert shown.returncode == 0 and re.search(r"^get_variable_small +30 +0 ", shown.stdout, re.M)
