# SPDX-License-Identifier: BSD-2-Clause
"""The probe started by Linux's boot protocol: by kexec from Debian's kernel, and with boot_params
that a test makes (pvh_loader.py)."""
import dataclasses
import os
import pathlib
import re
import struct
import subprocess

import pytest

import debian_kernel
import esp
import initramfs
import machine as machines
import schedule
from guest import Guest
from pvh_loader import GIB, GOOD_MAP, MIB, RESERVED, SETUP, Params, with_loader
from records import find, join
from test_exact import check
from test_linux import bare, steps_of
from test_pvh import BOARDS, COMMAND, SHORT, assert_refused, measured
from tiers import full, full_but

HERE = pathlib.Path(__file__).resolve().parent
INIT, BACK_INIT = HERE / "kexec.init", HERE / "kexec_back.init"
SECONDS = 900
CONFIG = "duration=1s window=500ms then=qemu-exit"
PAYLOAD = 64 * MIB
PAGE = 4096


@pytest.fixture
def start(run, pvh, tmp_path):
    """start(params, ...): run the probe with these boot_params, and a payload if there is one."""

    def start(params, payload=b"", **wanted):
        params = dataclasses.replace(params, command=params.command or COMMAND)
        if payload:
            params = dataclasses.replace(params, initrd=(PAYLOAD, len(payload)))
        app = with_loader(pvh, tmp_path / "loader.elf", params,
                          more=((PAYLOAD, payload),) if payload else ())
        return run(app=app, boot="pvh", smp=wanted.pop("smp", 1), **wanted)

    return start


# By name: an option of kexec, and the machine's memory. kexec_load puts a bzImage, boot_params and
# the command line at the end of memory: with 5 GiB, above 4 GiB. test_through_linux_and_back has
# them below, test_linux.py has the ELF.
WAYS = {"high": ("--kexec-syscall", "5G"), "file": ("--kexec-file-syscall", "2G")}


@pytest.mark.full
@pytest.mark.parametrize("way", WAYS)
def test_from_a_running_linux(bzimage, way, out):
    linux = debian_kernel.fetched("busybox", "cpio", "kexec")
    option, memory = WAYS[way]
    out.mkdir(parents=True)
    programs = {"noisefloor": bzimage, "config": out / "config", "option": out / "option"}
    programs["config"].write_text(CONFIG)
    programs["option"].write_text(option)
    initramfs.make(out / "initrd", out / "root", programs, [], {}, init=INIT, tools=("kexec",))
    files = {
        "startup.nsh": f"vmlinuz.efi {debian_kernel.OPTIONS}\r\n".encode(),
        "vmlinuz.efi": linux / "vmlinuz",
        "initrd": out / "initrd",
    }
    with Guest(machines.Machine(smp=4, memory=memory), out, files) as guest:
        guest.wait_exit(SECONDS)
        serial = guest.serial()
    found = join(find(serial))
    (begin,) = (r for r in found if r["type"] == "begin")
    assert begin["door"] == "linux", serial[-3000:]
    assert begin["cpus"]["found"] == begin["cpus"]["started"] == 4
    cores = [r for r in found if r["type"] == "cpu"]
    assert len(cores) == 4 and all(core["exposure_ns"] > 0 for core in cores)
    assert found[-1]["type"] == "end" and found[-1]["verdict"] == "none"
    (stage,) = (r for r in found if r["type"] == "stage")
    assert stage["stage"] == "linux" and stage["sci_en"] == 1


def trips(out, bzimage, static_tool, count, before="", programs=(), nsh=(), files=(), **machine):
    """Start Linux, which has the probe measure `count` times: what came over the serial line, and
    what each step printed, with its exit code. `before`: lines for kexec_back.init; `nsh`: for
    the firmware's shell, to run before it starts Linux."""
    linux = debian_kernel.fetched("busybox", "cpio", "kexec")
    out.mkdir(parents=True)
    (out / "trips").write_text(f"{count}\n")
    (out / "before").write_text(before)
    initramfs.make(
        out / "initrd", out / "root",
        {"noisefloor": static_tool, "trips": out / "trips", "before": out / "before",
         **dict(programs)},
        sorted((linux / "disk").glob("*.ko")), {}, init=BACK_INIT, tools=("kexec",),
    )
    files = {
        "startup.nsh": "\r\n".join((*nsh, f"vmlinuz.efi {debian_kernel.OPTIONS}", "")).encode(),
        "vmlinuz.efi": linux / "vmlinuz",
        "initrd": out / "initrd",
        "noisefloor.bzimage": bzimage,
        **dict(files),
    }
    with Guest(machines.Machine(**{"memory": "2G", **machine}), out, files) as guest:
        guest.wait_for("@@ done", SECONDS + 60 * count)
        guest.wait_exit(60)
        serial = guest.serial()
    steps = {}
    for name, printed, code in steps_of(serial):
        steps.setdefault(name, []).append((printed, code))
    return serial, steps


def assert_same_linux(serial, steps, count):
    """It ran again after each trip, and had its report."""
    codes = {name: [code for _, code in found] for name, found in steps.items()}
    assert codes == {"version": [0] * (count + 1), "command": [0] * (count + 1), "none": [2],
                     "once": [0] * count, "fetch": [0] * count,
                     }, serial.decode(errors="replace")[-6000:]
    for name in ("version", "command"):
        assert len({printed for printed, _ in steps[name]}) == 1


def runs_of(serial):
    """The records of each run, in order."""
    runs = {}
    for record in join(find(serial)):
        runs.setdefault(record["sid"], []).append(record)
    return list(runs.values())


# By both system calls of kexec in turn, while the disk is read. Memory that Linux has filled with
# zeros stays so, whatever a device may still write. KEXEC_TRIPS=20 is the proof that no trip fails.
TRIPS = int(os.environ.get("KEXEC_TRIPS", "2"))
EACH = r"""
busybox head -c 50000000 /dev/zero >/tmp/zeros
(while :; do
	cat /dev/vda >/dev/null
	echo 3 >/proc/sys/vm/drop_caches
done) &
sleep 1
log zeros busybox cmp -n 50000000 /tmp/zeros /dev/zero
rm /tmp/zeros
if [ $((trip % 2)) = 1 ]; then
	cat >/tmp/kexec <<'END'
#!/bin/sh
[ "$1" != --kexec-syscall ] || { shift; set -- --kexec-file-syscall "$@"; }
echo "kexec $*"
exec /bin/kexec "$@"
END
	busybox chmod +x /tmp/kexec
	export PATH="/tmp:$PATH"
fi
"""


@pytest.mark.full
def test_through_linux_and_back(bzimage, static_tool, out):
    """The same Linux runs again after each trip, and has its report."""
    serial, steps = trips(out, bzimage, static_tool, TRIPS, EACH, smp=2)
    assert [code for _, code in steps.pop("zeros")] == [0] * (TRIPS + 1)
    assert_same_linux(serial, steps, TRIPS)
    assert ["--kexec-file-syscall" in printed for printed, _ in steps["once"]] == [
        trip % 2 == 1 for trip in range(TRIPS)]
    runs = runs_of(serial)
    assert len(runs) == TRIPS
    for trip, printed in enumerate(runs, 1):
        floor = join(find(esp.read(out / "esp.img", f"floor{trip}.jsonl")))
        (begin,) = (r for r in floor if r["type"] == "begin")
        assert begin["door"] == "linux" and begin["cpus"]["started"] == 2
        assert printed[-1]["type"] == "end"
        for name in ("begin", "stage", "window", "cpu", "source", "log"):
            mine, theirs = ([bare(r) for r in kind if r["type"] == name]
                            for kind in (floor, printed))
            assert mine == theirs, name


# The registers of the ICH9 as OVMF has placed them: the watchdog expires every 1.2 s, with an SMI.
ARM = ("mm 672 2 -w 2 -IO -n", "mm 668 0 -w 2 -IO -n", "mm 630 2021 -w 4 -IO -n",
       "mm 660 1 -w 2 -IO -n")
KEYS = "duration=4s window=1s"
ONCE = ("fs0:", "if not exist probed then", "echo probed > probed",
        f"noisefloor.efi stages=handoff {KEYS} countdown=0 save=none then=reset", "endif")
SWITCH_OFF = """
/* As Linux's driver of that watchdog does on older chipsets (drivers/watchdog/iTCO_wdt.c). */
#include <sys/io.h>
int main(void)
{
	if (iopl(3) != 0)
		return 1;
	outl(inl(0x630) & ~0x2000u, 0x630);
	return 0;
}
"""


@pytest.mark.full
def test_a_source_that_linux_switches_off(app, bzimage, static_tool, tool, out, tmp_path):
    """It is there by UEFI, and after a Linux that leaves it alone."""
    off = tmp_path / "switch-off"
    subprocess.run(["cc", "-static", "-x", "c", "-o", off, "-"], input=SWITCH_OFF, text=True,
                   check=True)
    serial, steps = trips(
        out, bzimage, static_tool, 2, f'keys="{KEYS}"\n[ "$trip" = 0 ] || switch-off\n',
        programs={"switch-off": off}, nsh=ARM + ONCE, files={"noisefloor.efi": app}, smp=1,
        firmware="smm", resets=True,
    )
    assert_same_linux(serial, steps, 2)
    runs = runs_of(serial)
    stages = [record for run in runs for record in run if record["type"] == "stage"]
    assert [(s["stage"], "TCO" in s["smi_enabled"]) for s in stages] == [
        ("handoff", True), ("linux", True), ("linux", False)]
    cores = [record for run in runs for record in run if record["type"] == "cpu"]
    assert [core["smi"] + core["smi_out"] > 0 for core in cores] == [True, True, False]

    floor, linux = tmp_path / "floor.log", tmp_path / "linux.jsonl"
    floor.write_bytes(serial[: serial.index(b"@@ begin")])
    linux.write_bytes(esp.read(out / "esp.img", "floor2.jsonl"))
    done = subprocess.run([tool, "compare", "--force", floor, linux], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "note: left-by-linux: " in done.stdout
    assert re.search(r"handoff to linux:\n.*\n  SMIs +[\d.]+ \([^)]*\) +0 \(", done.stdout, re.S)


@pytest.mark.parametrize("board", full_but(["q35"], BOARDS))
def test_as_qemus_kernel(run, bzimage, board):
    """By the code in real mode, which asks the BIOS for the memory map."""
    result = run(app=bzimage, boot="pvh", board=board, smp=2, config=COMMAND.decode())
    assert result.code == 0
    (begin,) = result.of_type("begin")
    assert begin["door"] == "linux"
    assert begin["cpus"]["found"] == begin["cpus"]["started"] == 2
    # No Linux ran before.
    assert [stage["stage"] for stage in result.of_type("stage")] == ["handoff"]


def test_good_boot_params(start):
    result = start(Params(), smp=2)
    assert result.code == 0
    (begin,) = result.of_type("begin")
    assert begin["door"] == "linux"
    assert begin["cpus"]["found"] == begin["cpus"]["started"] == 2
    assert begin["machine"]["bios_vendor"] == "SeaBIOS"
    assert [stage["stage"] for stage in result.of_type("stage")] == ["linux"]
    assert not any("initrd" in text for text in result.logs())


def test_more_ranges_and_an_initrd(start):
    result = start(Params(map=GOOD_MAP[:2], more=GOOD_MAP[2:], initrd=(64 * MIB, MIB)))
    assert result.code == 0
    logs = [log["text"] for log in result.of_type("log") if log["level"] == "warning"]
    assert any("initrd is not used" in text for text in logs)


# Each has a part of the reason with which it is refused; tests/unit/pvh has all others.
HOSTILE = {
    "magic": (Params(magic=b"HdrT"), "has the magic number 0x54726448"),
    "overlap": (Params(map=(*GOOD_MAP, (512 * MIB, MIB, RESERVED))), "overlap"),
    "setup-loops": (Params(map=GOOD_MAP, next=SETUP, setup_at=SETUP), "more than 64 nodes"),
    "command-64k": (Params(command=b"#" * 65536), "too long; accepted: at most 16383 bytes"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_boot_params_are_refused_in_one_line(start, name):
    params, why = HOSTILE[name]
    assert_refused(start(params, broken=True), why)


# A kernel's code from its 64-bit entry on. RSI has boot_params: it prints on COM1 the command line,
# and type, length and NODE_TEXT bytes of the first node of setup_data.
NODE_TEXT = 3
PRINT_AND_EXIT = bytes.fromhex(
    "8b9e28020000"  # mov 0x228(%rsi), %ebx
    "baf8030000"  # mov $0x3f8, %edx
    "8a03 84c0 7406"  # 1: mov (%rbx), %al; test %al, %al; je 2f
    "ee 48ffc3 ebf4"  # out %al, (%dx); inc %rbx; jmp 1b
    "488b9e50020000"  # 2: mov 0x250(%rsi), %rbx
    "4883c308 b90b000000"  # add $8, %rbx; mov $8 + NODE_TEXT, %ecx
    "8a03 ee 48ffc3 e2f8"  # 3: mov (%rbx), %al; out %al, (%dx); inc %rbx; loop 3b
    "b015 ba01050000 ee f4"  # mov $0x15, %al; mov $0x501, %edx; out %al, (%dx); hlt
)
EXITED = 0x15 << 1 | 1


def payload_of(config="save=nvram", command=b"back again", needs=MIB, kernel=None):
    """What `boot once --kexec` makes: core/firmware/linux_boot.h."""
    if kernel is None:
        kernel = bytearray(1024 + 0x200) + PRINT_AND_EXIT.ljust(1024, b"\xf4")
        for offset, form, value in (
            (0x1F1, "<B", 1), (0x1FE, "<H", 0xAA55), (0x201, "<B", 0x6A), (0x202, "<4s", b"HdrS"),
            (0x206, "<H", 0x20F), (0x230, "<I", 2 * MIB), (0x234, "<B", 1), (0x236, "<H", 1),
            (0x238, "<I", 2047), (0x260, "<I", needs),
        ):
            struct.pack_into(form, kernel, offset, value)
    parts = [config.encode(), command, bytes(kernel), b"an initrd"]
    head = b"NFLINUX1" + struct.pack("<4Q", *map(len, parts))
    return b"".join(part + bytes(-len(part) % PAGE) for part in [head, *parts])


@pytest.mark.parametrize("config", full_but(["save=nvram"], ["save=nvram", "max=1ns"]))
def test_a_payload_is_started(start, config):
    """Whether the run has a verdict, or does not even begin."""
    result = start(Params(command=SHORT.encode()), payload_of(config), smp=2, broken=True)
    assert result.status == EXITED, result.serial[-3000:]
    printed, command, node = result.serial.rpartition(b"back again")
    assert command and len(node) == 8 + NODE_TEXT, result.serial[-3000:]
    if config == "save=nvram":
        kind, length, text = struct.unpack("<II3s", node)
        assert (kind, text) == (0x4E46, b"NFV") and length > 100
        assert b'"verdict":"none"' in printed and b"saved for Linux" in printed


PAYLOADS = {
    "no-kernel": (payload_of(kernel=b"\x7fELF"), "in the payload is no bzImage of Linux"),
    "truncated": (payload_of()[: 3 * PAGE], "in the payload is truncated"),
    "no-room": (payload_of(needs=4 * GIB - PAGE), "no room below 4 GiB"),
    "command": (payload_of(command=bytes(2048)), "has 2048 bytes; accepted: at most 2047"),
}


@pytest.mark.parametrize("name", full_but(["no-kernel"], PAYLOADS))
def test_a_hostile_payload_is_refused_in_one_line(start, name):
    payload, why = PAYLOADS[name]
    assert_refused(start(Params(), payload, broken=True), why)


@pytest.mark.full
def test_an_rsdp_of_nonsense_is_reported(start):
    result = start(Params(rsdp=0xFED00000))
    assert result.code == 0
    assert any("RSDP" in text for text in result.logs()), result.of_type("log")


@pytest.mark.exact
@pytest.mark.parametrize("kind,count,config", [full("edges", 300, "window=5ms")])
def test_each_smi_is_found(run, pvh, tmp_path, exact_figure, kind, count, config):
    smis = schedule.generate(kind, "linux", count)
    reported, spans, found = measured(run, pvh, tmp_path, smis, config, Params)
    exact_figure(f"linux-{kind}", found)
    assert len(spans) == count
    assert found.found, "no SMI fell into a window"
    check(reported, found)
