# SPDX-License-Identifier: BSD-2-Clause
"""The probe started by PVH: as QEMU's kernel, without UEFI.

pvh_loader.py starts the probe with a start info that a test makes. It also prepares SMIs, as no
injector runs before the probe: it arms the timer, and copies the injector's handler to the address
at which a processor enters SMM after a reset.
"""
import dataclasses
import struct
import subprocess

import pytest

import esp
import machine as machines
import match
import records
import schedule
import truth
from pvh_loader import GOOD_MAP, MEMORY, MIB, RESERVED, Info, copy, with_loader, write32
from schedule import MS
from test_exact import check
from tiers import full, full_but

BOARDS = ("q35", "pc", "microvm")
SHORT = "duration=200ms window=100ms"
ERROR = 2 << 1 | 1  # QEMU's exit status
REFUSED = b"noisefloor: cannot start: "
COMMAND = f"{SHORT} then=qemu-exit".encode()


@pytest.fixture
def start(run, pvh, tmp_path):
    """start(info, ...): run the probe with this start info."""

    def start(info, **wanted):
        info = dataclasses.replace(info, command=info.command or COMMAND)
        app = with_loader(pvh, tmp_path / "loader.elf", info)
        return run(app=app, boot="pvh", smp=1, **wanted)

    return start


@pytest.mark.parametrize("smp", full_but([1, 4], [1, 4, 64]))
@pytest.mark.parametrize("board", full_but(["q35"], BOARDS))
def test_a_verdict(run, pvh, board, smp):
    result = run(app=pvh, boot="pvh", board=board, smp=smp, config=SHORT)
    assert result.code == 0
    (begin,) = result.of_type("begin")
    assert begin["door"] == "pvh"
    assert begin["cpus"]["found"] == begin["cpus"]["started"] == smp
    assert begin["began"] is None
    # The BIOS's tables are found. microvm's qboot has no SMBIOS.
    assert begin["machine"]["bios_vendor"] == (None if board == "microvm" else "SeaBIOS")
    assert all(core["exposure_ns"] > 0 for core in result.of_type("cpu"))
    (end,) = result.of_type("end")
    assert end["verdict"] == "none"


def test_a_mistake_in_the_command_line(run, pvh):
    refused = run(app=pvh, boot="pvh", smp=1, config=f"{SHORT} max=1ns")
    assert refused.code == 2
    assert not refused.of_type("window")
    assert any("command line: max=1ns" in log["text"] for log in refused.of_type("log"))
    # There is no firmware whose network driver could send that.
    refused = run(app=pvh, boot="pvh", smp=1, config=f"{SHORT} max=1ns report=udp://10.0.2.2:9")
    assert refused.code == 2
    assert refused.of_type("end") and not refused.of_type("fault")


def test_no_survey(run, pvh):
    """A survey reads the machine in the stage `firmware`, which this door lacks."""
    refused = run(app=pvh, boot="pvh", smp=1, config="mode=survey")
    assert refused.code == 2
    assert any("mode=survey has no firmware to ask" in log["text"]
               for log in refused.of_type("log"))


def test_each_stage_but_the_firmwares(run, pvh):
    result = run(app=pvh, boot="pvh", smp=1, config=f"{SHORT} stages=bare,acpi,handoff")
    assert [stage["stage"] for stage in result.of_type("stage")] == ["bare", "acpi", "handoff"]
    refused = run(app=pvh, boot="pvh", smp=1, config=f"{SHORT} stages=firmware,bare")
    assert refused.code == 2
    assert not refused.of_type("window")
    logs = [log["text"] for log in refused.of_type("log") if log["level"] == "error"]
    assert len(logs) == 1
    assert "stages=firmware" in logs[0] and "accepted: bare, acpi, handoff" in logs[0]


def test_a_good_start_info(start):
    result = start(Info())
    assert result.code == 0
    assert result.of_type("begin")[0]["door"] == "pvh"


# Each start info has a part of the reason with which it is refused; tests/unit/pvh has all others.
HOSTILE = {
    "overlap": (Info(map=(*GOOD_MAP, (512 * MIB, MIB, RESERVED))), "overlap"),
    "command-64k": (Info(command=b"#" * 65536), "too long; accepted: at most 16383 bytes"),
    "map-over-probe": (Info(map_at=2 * MIB), "is over the probe"),
    "modules": (Info(modules=1), "it has 1 modules; accepted: none"),
}


@pytest.mark.parametrize("name", full_but(["overlap", "command-64k", "modules"], HOSTILE))
def test_a_hostile_start_info_is_refused_in_one_line(start, name):
    info, why = HOSTILE[name]
    assert_refused(start(info, broken=True), why)


def assert_refused(result, why):
    """In one line."""
    assert result.status == ERROR, result.serial
    lines = [line for line in result.serial.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith((b"SeaBIOS", b"Booting from ROM"))]
    assert len(lines) == 1, lines
    assert lines[0].startswith(REFUSED) and why.encode() in lines[0], lines


@pytest.mark.full
def test_an_rsdp_of_nonsense_is_reported(start):
    """Without ACPI the TSC is measured by the PIT alone, which a busy machine delays: icount."""
    result = start(Info(rsdp=0xFED00000), icount=4)
    assert result.code == 0
    assert any("RSDP" in text for text in result.logs()), result.of_type("log")


@pytest.mark.full
def test_without_an_rsdp_the_boot_core_is_measured(run, pvh):
    result = run(app=pvh, boot="pvh", board="microvm", smp=2, config=SHORT,
                 extra=("-machine", "acpi=off"))
    assert result.code == 0
    assert result.of_type("begin")[0]["cpus"]["found"] == 1
    assert any("the boot core alone" in text for text in result.logs())


# QEMU's default is version 1 of the registers; Firecracker has 2. A busy machine would delay the
# PIT, which alone measures the TSC there: icount.
@pytest.mark.parametrize("legacy", full_but(["on"], ["on", "off"]))
def test_the_network_of_microvm(run, pvh, collect, legacy):
    collector = collect(listen=":0")
    result = run(app=pvh, boot="pvh", board="microvm", icount=4, nic="virtio-net-device",
                 extra=("-global", f"virtio-mmio.force-legacy={legacy}"),
                 config=f"{SHORT} report=udp://10.0.2.2:{collector.port} gaps=all")
    assert result.code == 0
    assert any("network card virtio at 0xfeb0" in text for text in result.logs())
    (begin,) = result.of_type("begin")
    # Under icount a tick is 1 ns.
    assert begin["clock"]["source"] == "pit" and abs(begin["clock"]["hz"] - 10**9) <= 10**6
    assert b"\ndelivered: " in result.serial
    sid = int(result.records[0]["sid"], 16)
    types = [record["type"] for record in result.records]
    assert types == [record["type"] for record in
                     records.join(records.find(collector.lines(sid)))]


def test_a_microvm_without_a_card(run, pvh):
    result = run(app=pvh, boot="pvh", board="microvm", icount=4, config=SHORT,
                 extra=("-device", "virtio-rng-device"))
    assert result.code == 0
    assert not any("virtio" in text or "network" in text for text in result.logs())


def test_a_machine_that_pvh_does_not_start():
    with pytest.raises(machines.BadMachine, match="microvm boots by pvh, not disk"):
        machines.Machine(board="microvm")
    with pytest.raises(machines.BadMachine, match="its card is virtio-net-device"):
        machines.Machine(board="microvm", boot="pvh", nic="e1000e")
    with pytest.raises(machines.BadMachine, match="takes no firmware"):
        machines.Machine(boot="pvh", firmware="smm")


# Exact SMIs: under icount shift 0, each instruction takes 1 ns, and a tick is 1 ns.
HANDLER = 0x38000  # SDM vol. 3, 32.4: SMBASE is 30000h after RESET
HEADER = truth.HEADER_ADDRESSES["x86_64"]
CODE_AT, CODE_MAX = 1024, 1024
LOW = 35 * MIB  # from here the loader copies data to below 1 MiB, which SeaBIOS clears
HANDLER_OBJECT = "efi-obj/tests/inject/x86_64/handler.o"
SCHEDULE, LOG = 36 * MIB, 40 * MIB
HPET, HPET_CONFIG, HPET_TIMER = 0xFED00000, 0x10, 0x140  # timer 2: tests/inject/layout.h
FSB, ENABLED, SMI_MESSAGE, TO_CORE_0 = 0x4000, 0x4004, 0x200, 0xFEE00000
HPET_NS = 10
REARM_MIN = 2
START, AFTER = 300 * MS, 20 * MS  # before the first SMI, from the loader's code; after the last
RUN_SECONDS = 600
SMI_MAP = (
    (0, 0x30000, MEMORY), (0x30000, 0x40000, RESERVED), (0x70000, 0x2FC00, MEMORY),
    (0xF0000, 0x10000, RESERVED), (MIB, 33 * MIB, MEMORY), (34 * MIB, 30 * MIB, RESERVED),
    (64 * MIB, 896 * MIB, MEMORY), (960 * MIB, 64 * MIB, RESERVED),
)


def handler():
    """The code of the injector's SMI handler, for the first core in the header."""
    made = machines.BUILD / HANDLER_OBJECT
    names = subprocess.run(["nm", made], check=True, capture_output=True, text=True).stdout
    at = {name: int(value, 16) for value, _, name in map(str.split, names.splitlines())}
    code = subprocess.run(
        ["objcopy", "-O", "binary", "-j", ".rodata.inject", made, "/dev/stdout"], check=True,
        capture_output=True,
    ).stdout
    code = bytearray(code[at["inject_handler"] : at["inject_handler_end"]])
    core = HEADER + truth.HEADER.size
    struct.pack_into("<I", code, at["inject_handler_core"] - at["inject_handler"], core)
    return bytes(code)


def smi_segments(smis):
    """Segments with the core's struct, the handler, its schedule, and space for its log."""
    steps = b""
    for i, (_, length) in enumerate(smis):
        pause = smis[i + 1][0] if i + 1 < len(smis) else 0
        rearm = (length + pause) // HPET_NS if pause else 0
        steps += struct.pack("<II", length, max(REARM_MIN, rearm))
    capacity = len(smis) + 16
    head = truth.HEADER.pack(truth.HEADER_MAGIC, truth.HEADER_VERSION, 0, 10**9, 0, START, 0,
                             HPET_NS * 10**6, 1, truth.CORE.size, len(smis))
    core = truth.CORE.pack(0, HANDLER - 0x8000, LOG, capacity, 0, 0, 0, SCHEDULE, len(smis), 0,
                           HPET, 0, 0, 0)
    return (
        (LOW, head + core + bytes(CODE_AT - len(head + core)) + handler()),
        (SCHEDULE, steps or bytes(8)), (LOG, bytes(capacity * truth.SPAN.size)),
    )


def place():
    """Code that copies the header and the handler to below 1 MiB."""
    return copy(HEADER, LOW, CODE_AT) + copy(HANDLER, LOW + CODE_AT, CODE_MAX)


def arm(first_ns):
    """Code by which the HPET raises the first SMI; the handler arms it for each of the others."""
    timer = HPET + HPET_TIMER
    return b"".join(write32(*pair) for pair in (
        (HPET + HPET_CONFIG, 1), (timer, FSB), (timer + 0x10, SMI_MESSAGE),
        (timer + 0x14, TO_CORE_0), (timer + 0xC, 0), (timer + 8, first_ns // HPET_NS),
        (timer, ENABLED),
    ))


def measured(run, pvh, tmp_path, smis, config, made=Info):
    """Run with these SMIs, by PVH or, with made=Params, by Linux's protocol: (what the probe
    reported, the SMIs, how they match)."""
    length = sum(pause + burnt for pause, burnt in smis)
    config += f" gaps=all live=no then=halt duration={(START + length + AFTER) // 1000}us"
    info = made(map=SMI_MAP, command=b" ".join(esp.config_text(config).split()))
    before = place() + (arm(START + smis[0][0]) if smis else b"")
    app = with_loader(pvh, tmp_path / "smis.elf", info, before, smi_segments(smis))
    read = []
    result = run(
        app=app, boot="pvh", icount=0, config=config, timeout=RUN_SECONDS,
        extra=("-machine", "smm=off", "-global", "hpet.msi=on"),
        at_end=lambda guest: read.append(truth.read(guest.pmemsave)),
    )
    assert result.code == 0
    assert read[0].complete() is None, read[0].complete()
    spans = truth.whole(read[0].cores[0].spans)
    reported = match.run_of(result.records)
    return reported, spans, match.match(spans, reported, match.Rules.of(reported.interval))


@pytest.mark.exact
@pytest.mark.parametrize("kind,count,config", [
    full("edges", 300, "window=5ms"), full("mixed", 100, "window=100ms"),
    full("storm", 1000, "window=17ms"), full("tiny", 300, "threshold=500ns quiet=yes"),
])
def test_each_smi_is_found(run, pvh, tmp_path, exact_figure, kind, count, config):
    smis = schedule.generate(kind, "pvh", count)
    reported, spans, found = measured(run, pvh, tmp_path, smis, config)
    exact_figure(f"pvh-{kind}", found)
    assert len(spans) == count
    assert found.found, "no SMI fell into a window"
    check(reported, found)


@pytest.mark.exact
@pytest.mark.full
def test_no_smi_no_gap(run, pvh, tmp_path):
    reported, spans, found = measured(run, pvh, tmp_path, (), "threshold=100ns window=100ms")
    assert spans == [] and reported.gaps == []
    assert not found.problems
