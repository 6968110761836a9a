# SPDX-License-Identifier: BSD-2-Clause
"""The probe started by Linux's boot protocol: by kexec from Debian's kernel, and with boot_params
that a test makes (pvh_loader.py)."""
import dataclasses
import os
import pathlib
import re
import socket
import struct
import subprocess
import threading

import pytest

import debian_kernel
import esp
import machine as machines
import schedule
from guest import Guest
from pvh_loader import GIB, GOOD_MAP, MIB, RESERVED, SETUP, Params, with_loader
from records import find, join
from test_exact import check
from saving import bare
from test_pvh import BOARDS, COMMAND, SHORT, assert_refused, measured
from tiers import full, full_but, long

HERE = pathlib.Path(__file__).resolve().parent
INIT = HERE / "kexec_back.init"
SECONDS = 900
PAYLOAD = 64 * MIB
PAGE = 4096


@pytest.fixture
def start(run, pvh, tmp_path):
    """start(params, ...): run the probe, or another ELF, with these boot_params, and a payload if
    there is one."""

    def start(params, payload=b"", image=pvh, **wanted):
        params = dataclasses.replace(params, command=params.command or COMMAND)
        if payload:
            params = dataclasses.replace(params, initrd=(PAYLOAD, len(payload)))
        app = with_loader(image, tmp_path / "loader.elf", params,
                          more=((PAYLOAD, payload),) if payload else ())
        return run(app=app, boot="pvh", smp=wanted.pop("smp", 1), **wanted)

    return start


def away(guest, count):
    """The guest's seconds that each trip takes: from `boot once` to the first line of the userspace
    that runs again."""
    seconds, at = [], guest.wait_for(b"@@ begin version", SECONDS).end()
    for _ in range(count):
        left = guest.wait_for(b"@@ end once", SECONDS, at).end() + at
        since = guest.seconds()
        at = left + guest.wait_for(b"@@ begin version", SECONDS, left).end()
        seconds.append(guest.seconds() - since)
    return seconds


def trips(out, bzimage, static_tool, count, before="", programs=(), nsh=(), files=(), options="",
          kernel=(), figure=None, **machine):
    """Start Linux, which has the probe measure `count` times: what came over the serial line, and
    what each step printed, with its exit code. `before`: lines for kexec_back.init; `nsh`: for
    the firmware's shell, to run before it starts Linux; `options`: for Linux; `kernel`: which;
    `figure`: prints how long the trips took."""
    linux = debian_kernel.fetched("busybox", "cpio", "kexec", kernel=kernel)
    out.mkdir(parents=True)
    (out / "trips").write_text(f"{count}\n")
    (out / "before").write_text(before)
    programs = {"noisefloor": static_tool, "trips": out / "trips", "before": out / "before",
                **dict(programs)}
    files = {**debian_kernel.disk(linux, out, INIT, programs, options, nsh),
             "noisefloor.bzimage": bzimage, **dict(files)}
    with Guest(machines.Machine(**{"memory": "2G", **machine}), out, files) as guest:
        seconds = away(guest, count)
        guest.wait_for("@@ done", SECONDS)
        guest.wait_exit(60)
        serial = guest.serial()
    if figure:
        figure(f"kexec and back, Linux {(linux / 'version').read_text().strip()}: {count} trips, "
               f"{min(seconds):.1f} to {max(seconds):.1f} s each with the run")
    return serial, debian_kernel.steps_of(serial)


def assert_same_linux(serial, steps, count, fetch=None):
    """Linux ran again after each trip, and got its report. `fetch`: exit codes of runs with
    faults."""
    codes = {name: [code for _, code in found] for name, found in steps.items()}
    assert codes == {"version": [0] * (count + 1), "command": [0] * (count + 1), "none": [2],
                     "once": [0] * count, "fetch": fetch or [0] * count,
                     }, serial.decode(errors="replace")[-6000:]
    for name in ("version", "command"):
        assert len({printed for printed, _ in steps[name]}) == 1


def runs_of(serial):
    """The records of each run, in order."""
    runs = {}
    for record in join(find(serial)):
        runs.setdefault(record["sid"], []).append(record)
    return list(runs.values())


HOLD = r"""
/* Fill so many MiB with a pattern, and look at them again after so many seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int count, char **arguments)
{
	size_t words = count == 3 ? (size_t)atoi(arguments[1]) << 17 : 0, changed = 0;
	volatile unsigned long *word = mmap(NULL, words * 8, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (word == MAP_FAILED)
		return 2;
	for (size_t n = 0; n < words; n++)
		word[n] = ~n;
	sleep(atoi(arguments[2]));
	for (size_t n = 0; n < words; n++)
		changed += word[n] != ~n;
	printf("%zu words have changed\n", changed);
	return changed != 0;
}
"""
UNCHANGED = ("0 words have changed\n", 0)


def compiled(source, path):
    """A program for a system that has no libraries."""
    subprocess.run(["cc", "-O2", "-static", "-x", "c", "-o", path, "-"], input=source, text=True,
                   check=True)
    return path


# While the disk is read. Memory that Linux has filled stays as it is, whatever a device may still
# write. Trips 1, 3 and so on are by kexec's other system call; trips 1, 2, 5, 6 and so on have a
# fault on their way. KEXEC_TRIPS=20 is the proof that no trip fails.
TRIPS = int(os.environ.get("KEXEC_TRIPS", "2"))
EACH = r"""
(while :; do
	cat /dev/vda >/dev/null
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.1
done) &
log held hold 48 1
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
place=$(busybox cut -d " " -f $((trip + 1)) /bin/places)
if [ "${place:-0}" != 0 ]; then
	image=faults.bzimage
	keys="$keys gaps=$place"
fi
alone=--kexec-file-syscall
"""


@dataclasses.dataclass(frozen=True)
class Fault:
    """A place of tests/variants/faults.c. The core is None where the run has not begun."""

    place: int
    kind: str
    cpu: int | None
    code: int = 3  # exit code of `boot fetch`: incomplete


FAULTS = {
    "boot-core-hangs": Fault(7, "wait", 0),
    "another-core": Fault(3, "exception", 1),
    "boot-core": Fault(5, "exception", 0),
    "another-core-hangs": Fault(6, "wait", 1),
    "entering": Fault(2, "exception", 0),
    "preparing": Fault(1, "exception", None, 2),
}


def assert_last_words(records, fault, stage="linux"):
    """The last words are there once, in a run that has an end."""
    (words,) = (r for r in records if r["type"] == "fault")
    assert (words["kind"], words["cpu"]) == (fault.kind, fault.cpu), words
    assert words["stage"] == (None if fault.cpu is None else stage)
    assert records[-1]["type"] == "end"
    assert records[-1]["verdict"] == ("error" if fault.code == 2 else "incomplete")


# Debian's kernels, by suite and flavour; (): the real-time kernel of the release this is. The cloud
# kernel of Debian 13 runs in QEMU 10: on two cores of QEMU 7.2, one start of four took an int3 that
# the kernel had already replaced. Debian 13's real-time kernel runs in QEMU 7.2: in QEMU 10, no
# timer of its first core expires, and it hangs before its userspace.
@pytest.mark.parametrize("kernel", [
    full(()), long(("trixie", "cloud")), long(("trixie", "rt")), long(("bookworm", "cloud")),
], ids=lambda kernel: "-".join(kernel) or "own")
def test_through_linux_and_back(request, bzimage, static_tool, variant, out, tmp_path, figure,
                                kernel):
    """The same Linux runs again after each trip, and has its report, or the last words. Then it
    starts the probe alone. With 5 GiB, kexec puts the probe, boot_params and the command line above
    4 GiB; test_busy_devices_leave_memory_alone has them below."""
    faults = [list(FAULTS.values())[trip // 2 % len(FAULTS)] if trip % 4 in (1, 2) else None
              for trip in range(TRIPS)]
    emulator = request.getfixturevalue("qemu10") if kernel == ("trixie", "cloud") else "system"
    places = tmp_path / "places"
    places.write_text(" ".join(str(fault.place if fault else 0) for fault in faults))
    serial, steps = trips(
        out, bzimage, static_tool, TRIPS, EACH,
        {"hold": compiled(HOLD, tmp_path / "hold"), "places": places}, kernel=kernel, figure=figure,
        smp=2, memory="5G", emulator=emulator,
        files={"faults.bzimage": variant("faults").with_suffix(".bzimage")})
    assert steps.pop("held") == [UNCHANGED] * (TRIPS + 1)
    assert_same_linux(serial, steps, TRIPS, [fault.code if fault else 0 for fault in faults])
    assert ["--kexec-file-syscall" in printed for printed, _ in steps["once"]] == [
        trip % 2 == 1 for trip in range(TRIPS)]
    *runs, alone = runs_of(serial)
    assert len(runs) == TRIPS
    for trip, (fault, printed) in enumerate(zip(faults, runs), 1):
        floor = join(find(esp.read(out / "esp.img", f"floor{trip}.jsonl")))
        if fault:
            assert_last_words(floor, fault)
            continue
        assert printed[-1]["type"] == "end"
        for name in ("begin", "stage", "window", "cpu", "source", "log"):
            mine, theirs = ([bare(r) for r in kind if r["type"] == name]
                            for kind in (floor, printed))
            assert mine == theirs, name
    for run in (runs[0], alone):
        assert debian_kernel.assert_measured(run, 2)["sci_en"] == 1


# The pattern is in most of the memory before Linux drives any of the devices again. The probe
# drives a card as well, and leaves it when the run ends.
BUSY = r"""
log held hold 300 2
for module in /bin/*.ko; do
	insmod "$module"
done
for card in eth0 eth1; do
	busybox ip link set "$card" up
done
(while :; do
	cat /dev/nvme0n1 >/dev/null
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.1
done) &
sleep 3
for card in eth0 eth1; do
	log received cat /sys/class/net/$card/statistics/rx_packets
done
log iommus ls /sys/class/iommu
keys="duration=1s window=500ms report=udp://10.1.1.1:5514 ip=10.1.1.2/24 linger=1s"
"""
FRAME = b"\xff" * 6 + bytes.fromhex("525500000001 88b5") + b"\xa5" * 1000  # for everyone
FRAME_SECONDS = 0.4  # no ring is full before the pattern is looked at


class Flood:
    """Frames on the wires of network cards, whoever drives them, until the end."""

    def __init__(self, count):
        self.wires = [self._socket() for _ in range(count)]
        theirs = [self._socket() for _ in range(count)]
        self.ports = [wire.getsockname()[1] for wire in theirs]
        for wire in theirs:
            wire.close()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._send, daemon=True)

    @staticmethod
    def _socket():
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.bind(("127.0.0.1", 0))
        return made

    def netdev(self, number):
        ours = self.wires[number].getsockname()[1]
        return f"socket,udp=127.0.0.1:{ours},localaddr=127.0.0.1:{self.ports[number]}"

    def _send(self):
        while not self.over.wait(FRAME_SECONDS):
            for wire, port in zip(self.wires, self.ports):
                wire.sendto(FRAME, ("127.0.0.1", port))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        for wire in self.wires:
            wire.close()


@pytest.mark.parametrize("iommu", [full(True), long(False)], ids=["iommu", "plain"])
def test_busy_devices_leave_memory_alone(bzimage, static_tool, out, tmp_path, iommu):
    """Network cards and an NVMe that do DMA until kexec, and frames that go on: one card bypasses
    the IOMMU, if there is one; all others are behind it."""
    kernel = debian_kernel.fetched("busybox", "cpio", "kexec")
    programs = {path.name: path for path in sorted((kernel / "dma").glob("*.ko"))}
    programs["hold"] = compiled(HOLD, tmp_path / "hold")
    count = max(1, TRIPS // 2)
    with Flood(2) as flood:
        extra = (
            *(("-device", "intel-iommu") if iommu else ()),
            "-netdev", f"{flood.netdev(0)},id=net0",
            "-device", "virtio-net-pci,netdev=net0,romfile=",
            "-netdev", f"{flood.netdev(1)},id=net1", "-device", "e1000e,netdev=net1,romfile=",
            "-blockdev", "null-co,node-name=disk,size=67108864,read-zeroes=on",
            "-device", "nvme,drive=disk,serial=1",
        )
        serial, steps = trips(
            out, bzimage, static_tool, count, BUSY, programs, smp=2, memory="512M",
            options="intel_iommu=on" if iommu else "", extra=extra,
        )
    assert steps.pop("held") == [UNCHANGED] * (count + 1)
    assert all(int(printed) > 0 for printed, _ in steps.pop("received"))
    assert ["dmar0" in printed for printed, _ in steps.pop("iommus")] == [iommu] * (count + 1)
    assert_same_linux(serial, steps, count)
    for run in runs_of(serial):
        assert any(", virtio-net: 10.1.1.2" in record["text"] for record in run
                   if record["type"] == "log")


# The registers of the ICH9 as OVMF has placed them: the watchdog expires every 1.2 s, with an SMI.
ARM = ("mm 672 2 -w 2 -IO -n", "mm 668 0 -w 2 -IO -n", "mm 630 2021 -w 4 -IO -n",
       "mm 660 1 -w 2 -IO -n")
KEYS = "duration=4s window=1s"
ONCE = ("fs0:", "if not exist probed then", "echo probed > probed",
        f"noisefloor.efi stages=handoff {KEYS} countdown=0 save=none then=reset", "endif")
SWITCH_OFF = r"""
/* As Linux's driver of that watchdog does on older chipsets (drivers/watchdog/iTCO_wdt.c). */
#include <stdio.h>
#include <sys/io.h>
int main(void)
{
	if (iopl(3) != 0)
		return 1;
	puts(inl(0x630) & 0x2000u ? "it was on" : "it was off");
	outl(inl(0x630) & ~0x2000u, 0x630);
	return 0;
}
"""


@pytest.mark.full
def test_a_source_that_linux_switches_off(app, bzimage, static_tool, tool, out, tmp_path):
    """The source is there by UEFI, and still when Linux runs; others stay enabled to the end."""
    off = compiled(SWITCH_OFF, tmp_path / "switch-off")
    before = f'keys="{KEYS}"\nlog off switch-off\nalone=--kexec-syscall\n'
    serial, steps = trips(
        out, bzimage, static_tool, 0, before, programs={"switch-off": off}, nsh=ARM + ONCE,
        files={"noisefloor.efi": app}, smp=1, firmware="smm", resets=True,
    )
    assert steps["off"] == [("it was on\n", 0)]
    runs = runs_of(serial)
    stages = [record for run in runs for record in run if record["type"] == "stage"]
    assert [(s["stage"], "TCO" in s["smi_enabled"]) for s in stages] == [
        ("handoff", True), ("linux", False)]
    assert all("APMC" in s["smi_enabled"] for s in stages)
    cores = [record for run in runs for record in run if record["type"] == "cpu"]
    assert [core["smi"] + core["smi_out"] > 0 for core in cores] == [True, False]

    floor, linux = tmp_path / "floor.log", tmp_path / "linux.log"
    floor.write_bytes(serial[: serial.index(b"@@ begin")])
    linux.write_bytes(serial[serial.index(b"@@ done") :])
    done = subprocess.run([tool, "compare", "--force", floor, linux], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "note: left-by-linux: " in done.stdout
    assert re.search(r"handoff to linux:\n.*\n  SMIs +[\d.]+ \([^)]*\) +0 \(", done.stdout, re.S)


@pytest.mark.parametrize("board, image", full_but(
    [("q35", "noisefloor")],
    [*((board, "noisefloor") for board in BOARDS), ("q35", "noisefloor-oneway")]))
def test_as_qemus_kernel(run, bzimage, board, image):
    """By the code in real mode, which asks the BIOS for the memory map."""
    bzimage = bzimage.with_stem(image)
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
# and type, length and value of the first node of setup_data, if there is one.
PRINT_AND_EXIT = bytes.fromhex(
    "8b9e28020000"  # mov 0x228(%rsi), %ebx
    "baf8030000"  # mov $0x3f8, %edx
    "8a03 84c0 7406"  # 1: mov (%rbx), %al; test %al, %al; je 2f
    "ee 48ffc3 ebf4"  # out %al, (%dx); inc %rbx; jmp 1b
    "488b9e50020000"  # 2: mov 0x250(%rsi), %rbx
    "4885db 7412"  # test %rbx, %rbx; je 4f
    "8b4b0c 83c108 4883c308"  # mov 0xc(%rbx), %ecx; add $8, %ecx; add $8, %rbx
    "8a03 ee 48ffc3 e2f8"  # 3: mov (%rbx), %al; out %al, (%dx); inc %rbx; loop 3b
    "b015 ba01050000 ee f4"  # 4: mov $0x15, %al; mov $0x501, %edx; out %al, (%dx); hlt
)
EXITED = 0x15 << 1 | 1


def payload_of(config="save=nvram", command=b"back again", needs=MIB, kernel=None):
    """A payload as `boot once --kexec` makes it: core/firmware/linux_boot.h."""
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


def printed_by_payload(result):
    """The probe's output before the payload, and the node: its type, and its value."""
    assert result.status == EXITED, result.serial[-3000:]
    printed, command, node = result.serial.rpartition(b"back again")
    assert command, result.serial[-3000:]
    if not node:
        return printed, None, b""
    kind, length = struct.unpack_from("<II", node)
    assert len(node) == 8 + length, result.serial[-3000:]
    return printed, kind, node[8:]


@pytest.mark.parametrize("config", full_but(["save=nvram"], ["save=nvram", "max=1ns"]))
def test_a_payload_is_started(start, config):
    """Whether the run has a verdict, or does not even begin."""
    result = start(Params(command=SHORT.encode()), payload_of(config), smp=2, broken=True)
    printed, kind, value = printed_by_payload(result)
    assert (kind, value[:3]) == ((0x4E46, b"NFR") if config == "save=nvram" else (None, b""))
    if value:
        assert b'"verdict":"none"' in printed and b"saved for Linux" in printed


# After another loader than kexec, there are the stages that a machine without firmware has.
KEXEC, NO_KEXEC = Params().loader, 0
STAGES = {"bare": NO_KEXEC, "acpi": NO_KEXEC, "handoff": NO_KEXEC, "linux": KEXEC}


@pytest.mark.full
@pytest.mark.parametrize("stage, name", [
    *((stage, name) for stage in STAGES for name in ("boot-core", "another-core")),
    *(("linux", name) for name in FAULTS if name not in ("boot-core", "another-core"))])
def test_a_payload_is_started_after_a_fault(variant, tool, run, tmp_path, stage, name):
    """The payload is started, and `boot fetch` finds the last words in that Linux."""
    fault = FAULTS[name]
    payload = payload_of(f"save=nvram stages={stage} gaps={fault.place}")
    params = Params(command=SHORT.encode(), loader=STAGES[stage], initrd=(PAYLOAD, len(payload)))
    app = with_loader(variant("faults").with_suffix(".elf"), tmp_path / "loader.elf", params,
                      more=((PAYLOAD, payload),))
    result = run(app=app, boot="pvh", smp=3, broken=True)
    _, kind, value = printed_by_payload(result)
    assert kind == 0x4E46
    node = tmp_path / "setup_data" / "0"
    node.mkdir(parents=True)
    (node / "type").write_text(f"{kind:#x}\n")
    (node / "data").write_bytes(value)
    done = subprocess.run([tool, "boot", "fetch", "--setup-data", node.parent],
                          capture_output=True, check=False)
    assert done.returncode == fault.code, done.stderr
    assert_last_words(join(find(done.stdout)), fault, stage)


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


# The image that may be signed, which starts no other kernel


def test_one_way_starts_no_kernel(start, one_way):
    refused = start(Params(), payload_of(), image=one_way, broken=True)
    assert_refused(refused, "is not verified; accepted by this image: a configuration alone")


def test_a_configuration_alone(start, one_way):
    result = start(Params(command=SHORT.encode()), payload_of("then=qemu-exit", kernel=b""),
                   image=one_way)
    assert result.code == 0
    assert not any("initrd" in text for text in result.logs())


@pytest.mark.full
def test_one_way_lets_no_configuration_choose_an_address(start, one_way):
    result = start(Params(command=COMMAND + b" smi=0x55"), image=one_way)
    assert result.code == 2 and not result.of_type("window")
    assert any("smi= is a command of an unsigned configuration" in text for text in result.logs())


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
