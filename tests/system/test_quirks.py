# SPDX-License-Identifier: BSD-2-Clause
"""Quirks of real machines that OVMF lacks: each is reported, and nothing is lost."""
import re
import subprocess

import flashvars
import pytest
from tiers import full

SHORT = "duration=300ms window=100ms selftest=no"


@pytest.fixture
def quirky(run, quirks):
    """quirky("reset-faults", config=...): a run on a machine that does so."""

    def quirky(words, **wanted):
        wanted.setdefault("smp", 1)
        return run(inject=quirks, files={"quirks.txt": words.encode()}, **wanted)

    return quirky


@pytest.mark.full
def test_the_other_cores_are_halted_at_the_end(run):
    """On the machine itself they spin between windows."""
    halted = []

    def look(guest):
        for _ in range(50):
            halted[:] = guest.halted()
            if all(halted):
                break
            guest.rest(0.2)

    run(config=f"{SHORT} then=halt", cpu="qemu64,-hypervisor", smp=2, at_end=look)
    assert halted == [True, True]


@pytest.mark.full
def test_cores_follow_the_boot_core_into_x2apic_mode(quirky, qemu10):
    """QEMU 7.2's TCG has no x2APIC."""
    result = quirky("boot-core-in-x2apic-mode", config=SHORT, smp=2, cpu="qemu64,x2apic=on",
                    emulator=qemu10)
    (begin,) = result.of_type("begin")
    assert begin["cpus"]["started"] == 2
    assert sorted(cpu["apic_id"] for cpu in result.of_type("cpu")) == [0, 1]


@pytest.mark.parametrize("words, modes", [("thermal-smi", ["SMI"] * 2), full("", ["Fixed"] * 2)])
def test_thermal_interrupts_stay_smis_on_all_cores(quirky, words, modes):
    """INIT masks them, and an OS puts the boot core's setting back."""
    found = []

    def look(guest):
        for core in range(2):
            lapic = guest.qmp.hmp(f"info lapic {core}")
            found.append(re.search(r"LVTTHMR\s.*\b(SMI|Fixed)", lapic).group(1))

    quirky(words, config=f"{SHORT} then=halt", smp=2, at_end=look)
    assert found == modes


@pytest.mark.full
def test_nmis_come_to_a_boot_core_that_no_table_names(quirky):
    """Without a table, NMIs reach the boot core alone, by LINT1, as under an OS."""
    sent = []

    def strike(guest):
        if not sent and b"  2/10 " in guest.serial():
            guest.qmp.execute("inject-nmi")
            sent.append(True)

    config = "duration=2s window=200ms selftest=no"
    result = quirky("nmis-of-no-core", config=config, smp=2, ticks=[strike])
    nmis = {r["cpu"]: r["nmi"] + r["nmi_out"] for r in result.of_type("cpu")}
    assert sent and nmis == {0: 1, 1: 0}
    assert b"NMIs reach the boot core by LINT1, as under an OS" in result.serial


def test_cores_start_without_a_free_page_below_640_kib(quirky):
    """Boot services hold them all, and are gone by then."""
    result = quirky("no-low-page", config=SHORT, smp=2)
    (begin,) = result.of_type("begin")
    assert begin["cpus"]["started"] == 2
    assert len(result.of_type("cpu")) == 2


@pytest.mark.full
def test_aps_are_refused(quirky, tool):
    """StartupAllAPs without waiting, once the firmware is ready to boot: PI 1.8, 13.4."""
    config = f"{SHORT} stages=firmware,bare"
    result = quirky("aps-refused", config=config, smp=2)
    cpus = [(r["stage"], r["cpu"]) for r in result.of_type("cpu")]
    assert sorted(set(cpus)) == [("bare", 0), ("bare", 1), ("firmware", 0)]
    assert b"MP Services give only 1 of 2 cores" in result.serial
    shown = subprocess.run([tool, "show", result.out / "serial.log"], capture_output=True)
    assert b"firmware to bare, core 0 alone" in shown.stdout


FAKE_BYTES = 1 << 20
DATA, LINE_CONTROL, MODEM_CONTROL, LINE_STATUS = 0, 12, 16, 20  # four bytes apart


@pytest.mark.full
def test_a_uart_above_4_gib(quirky, out, tool):
    """Memory that is ready to send, far above the last RAM; the report shows that nothing else
    happened."""
    out.mkdir(parents=True)
    fake = out / "uart.bin"
    memory = bytearray(FAKE_BYTES)
    memory[LINE_STATUS] = 0x60
    fake.write_bytes(memory)
    config = f"{SHORT} save=nvram then=qemu-exit"
    result = quirky("high-uart", config=config, smp=1, broken=True, extra=(
        "-object", f"memory-backend-file,id=fake,size={FAKE_BYTES},mem-path={fake},share=on",
        "-device", "ivshmem-plain,memdev=fake",
    ))
    assert result.status == 1  # isa-debug-exit, of exit code 0
    memory = fake.read_bytes()
    assert memory[LINE_CONTROL] == memory[MODEM_CONTROL] == 3
    assert memory[DATA : DATA + 1] == b"\n"
    (report,) = [v for v in flashvars.ours((out / "vars.fd").read_bytes()) if v.is_there]
    assert report.name == "NoisefloorReport"


HT_BASE = 0xFD00000000  # AMD's HyperTransport range, to 1 TiB
GIB = 1 << 30


@pytest.mark.full
def test_nothing_is_mapped_in_a_hole(quirky):
    """Reserved addresses up to 1 TiB, and those between memory and that, are not mapped: a
    processor that reads ahead would access them."""
    mapped = []

    def look(guest):
        rows = re.findall(r"^([0-9a-f]{16})-([0-9a-f]{16}) ", guest.qmp.hmp("info mem"), re.M)
        mapped.extend((int(start, 16), int(end, 16)) for start, end in rows)

    quirky("hole-below-1-tib", config=f"{SHORT} then=halt", cpu="EPYC", memory="5G", at_end=look)
    # 2 GiB below the hole for PCI, and 3 GiB from 4 GiB on.
    assert [end for start, end in mapped if start <= 4 * GIB < end] == [7 * GIB]
    assert max(end for _, end in mapped) <= HT_BASE


@pytest.mark.full
def test_a_segment_of_pci_above_memory(quirky):
    """The firmware's page tables have it. Ours are asked for it once it is gone."""
    config = f"{SHORT} stages=firmware,bare,acpi,handoff"
    result = quirky("high-ecam", config=config, board="pc")
    stages = [r["stage"] for r in result.of_type("stage")]
    assert stages == ["firmware", "bare", "acpi", "handoff"]
    assert not [r for r in result.of_type("log") if r["level"] != "info"]


@pytest.mark.full
def test_an_iommu_that_the_firmware_has_left_on(quirky, collect):
    """DMA protection before the boot is left on: the card has a link, and nothing arrives."""
    config = f"{SHORT} linger=5s report=udp://10.0.2.2:{collect(listen=':0').port}"
    result = quirky("empty-iommu", config=config, leave_seconds=120, extra=(
        "-device", "intel-iommu",
        "-netdev", "user,id=net", "-device", "e1000e,netdev=net,romfile=",
    ))
    logs = result.logs()
    assert [text for text in logs if "switched off for the network card: 1" in text], logs
    assert b"delivered: " in result.serial


@pytest.mark.full
def test_cores_that_no_machine_has(quirky):
    """Twenty, in the MADT: all together cost two seconds, and `cpus` leaves them out."""
    result = quirky("phantom-cores", config=f"{SHORT} max=1s", icount=3)
    (begin,) = result.of_type("begin")
    assert (begin["cpus"]["found"], begin["cpus"]["started"]) == (21, 1)
    assert begin["cpus"]["bringup_ns"] <= 2 * 10**9
    assert len([r for r in result.of_type("log") if "it is left out" in r["text"]]) == 20
    (end,) = result.of_type("end")
    assert end["verdict"] == "incomplete"
