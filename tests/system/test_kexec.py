# SPDX-License-Identifier: BSD-2-Clause
"""The probe started by Linux's boot protocol: by kexec from Debian's kernel, and with boot_params
that a test makes (pvh_loader.py)."""
import dataclasses
import pathlib

import pytest

import debian_kernel
import initramfs
import machine as machines
import schedule
from guest import Guest
from pvh_loader import GOOD_MAP, MIB, RESERVED, SETUP, Params, with_loader
from records import find, join
from test_exact import check
from test_pvh import COMMAND, ERROR, REFUSED, measured
from tiers import full, full_but

ROOT = pathlib.Path(__file__).resolve().parents[2]
INIT = ROOT / "tests" / "system" / "kexec.init"
SECONDS = 900
CONFIG = "duration=1s window=500ms then=qemu-exit"


@pytest.fixture
def start(run, pvh, tmp_path):
    """start(params, ...): run the probe with these boot_params."""

    def start(params, **wanted):
        params = dataclasses.replace(params, command=params.command or COMMAND)
        app = with_loader(pvh, tmp_path / "loader.elf", params)
        return run(app=app, boot="pvh", smp=wanted.pop("smp", 1), **wanted)

    return start


@pytest.mark.full
def test_from_a_running_linux(pvh, out):
    linux = debian_kernel.fetched("busybox", "cpio", "kexec")
    out.mkdir(parents=True)
    config = out / "config"
    config.write_text(CONFIG)
    initramfs.make(out / "initrd", out / "root", {"noisefloor.elf": pvh, "config": config}, [], {},
                   init=INIT, tools=("kexec",))
    files = {
        "startup.nsh": f"vmlinuz.efi {debian_kernel.OPTIONS}\r\n".encode(),
        "vmlinuz.efi": linux / "vmlinuz",
        "initrd": out / "initrd",
    }
    with Guest(machines.Machine(smp=4, memory="2G"), out, files) as guest:
        guest.wait_exit(SECONDS)
        serial = guest.serial()
    found = join(find(serial))
    (begin,) = (r for r in found if r["type"] == "begin")
    assert begin["door"] == "linux", serial[-3000:]
    assert begin["cpus"]["found"] == begin["cpus"]["started"] == 4
    cores = [r for r in found if r["type"] == "cpu"]
    assert len(cores) == 4 and all(core["exposure_ns"] > 0 for core in cores)
    assert found[-1]["type"] == "end" and found[-1]["verdict"] == "none"
    # Linux had ACPI mode on, and its shutdown stops what uses memory.
    assert any("SCI_EN 1); nothing was written" in r.get("text", "") for r in found)


def test_good_boot_params(start):
    result = start(Params(), smp=2)
    assert result.code == 0
    (begin,) = result.of_type("begin")
    assert begin["door"] == "linux"
    assert begin["cpus"]["found"] == begin["cpus"]["started"] == 2
    assert begin["machine"]["bios_vendor"] == "SeaBIOS"
    assert not any("initrd" in log["text"] for log in result.of_type("log"))


def test_more_ranges_and_an_initrd(start):
    result = start(Params(map=GOOD_MAP[:2], more=GOOD_MAP[2:], initrd=(64 * MIB, MIB)))
    assert result.code == 0
    logs = [log["text"] for log in result.of_type("log") if log["level"] == "warning"]
    assert any("initrds are not used" in text for text in logs)


# Each has a part of the reason with which it is refused; tests/unit/pvh has all.
HOSTILE = {
    "magic": (Params(magic=b"HdrT"), "has 0x54726448 where its header begins"),
    "overlap": (Params(map=(*GOOD_MAP, (512 * MIB, MIB, RESERVED))), "overlap"),
    "setup-loops": (Params(map=GOOD_MAP, next=SETUP, setup_at=SETUP), "more than 64 nodes"),
    "command-64k": (Params(command=b"#" * 65536), "too long; accepted: at most 16383 bytes"),
    "command-above-4g": (Params(command_at=1 << 63), "the command line at 0x8000000000000000"),
    "initrd-over-probe": (Params(initrd=(MIB, 2 * MIB)), "is over the probe"),
}


@pytest.mark.parametrize("name", full_but(["overlap", "command-64k", "setup-loops"], HOSTILE))
def test_hostile_boot_params_are_refused_in_one_line(start, name):
    params, why = HOSTILE[name]
    result = start(params, broken=True)
    assert result.status == ERROR, result.serial
    lines = [line for line in result.serial.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith((b"SeaBIOS", b"Booting from ROM"))]
    assert len(lines) == 1, lines
    assert lines[0].startswith(REFUSED) and why.encode() in lines[0], lines


@pytest.mark.full
def test_an_rsdp_of_nonsense_is_reported(start):
    result = start(Params(rsdp=0xFED00000))
    assert result.code == 0
    assert any("RSDP" in log["text"] for log in result.of_type("log")), result.of_type("log")


@pytest.mark.exact
@pytest.mark.parametrize("kind,count,config", [full("edges", 300, "window=5ms")])
def test_each_smi_is_found(run, pvh, tmp_path, exact_figure, kind, count, config):
    smis = schedule.generate(kind, "linux", count)
    reported, spans, found = measured(run, pvh, tmp_path, smis, config, Params)
    exact_figure(f"linux-{kind}", found)
    assert len(spans) == count
    assert found.found, "no SMI fell into a window"
    check(reported, found)
