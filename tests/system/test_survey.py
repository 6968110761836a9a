# SPDX-License-Identifier: BSD-2-Clause
"""mode=survey: what it sends of a machine, that it leaves it as it is, and takes no names along."""
import json
import re

import machine_seen
import pytest
from ran import ran

NAMES = {
    "SERIAL-OF-IT": "type=1,serial=SERIAL-OF-IT,uuid=6f9619ff-8b86-d011-b42d-00c04fc964ff",
    "BOARD-SERIAL": "type=2,serial=BOARD-SERIAL,asset=ASSET-OF-IT",
    "ASSET-OF-IT": "type=3,asset=ASSET-OF-IT",
}
UUID = bytes.fromhex("ff19966f868b11d0b42d00c04fc964ff")  # byte order of SMBIOS
UNMEASURED = {"sampled_ns", "exposure_ns", "gaps", "noise_ns", "longest_ns", "longest_cpu",
              "longest_stage", "longest_cause", "stretch"}
COUNTED_ON_X86 = {"smi", "nmi", "mce"}
LINE_BYTES = 11520  # a second of a line of 115200 baud
AREAS = {"cpuid", "msr", "apic", "evidence", "acpi", "smbios", "memory", "pci", "chipset", "timers"}


def lines_of(parts, area):
    return parts[area, None].decode("ascii").splitlines()


def survey(run, **machine):
    result = run(config="mode=survey", **machine)
    (end,) = result.of_type("end")
    assert end["verdict"] == "none" and end["reasons"] == []
    assert [s["stage"] for s in result.of_type("stage")] == ["firmware"]
    (begin,), (summary,) = result.of_type("begin"), result.of_type("summary")
    unmeasured = UNMEASURED | (COUNTED_ON_X86 if begin["arch"] == "x86_64" else set())
    assert {name for name in summary if summary[name] is None} >= unmeasured
    assert summary["cause"] == {}
    assert not [r for r in result.records if r["type"] in ("window", "gap", "cpu", "event")]
    return result


def warnings_of(result):
    return [r["text"] for r in result.of_type("log") if r["level"] != "info"]


def test_parts(run, tool, tmp_path, figure):
    smbios = [arg for value in NAMES.values() for arg in ("-smbios", value)]
    result = survey(run, smp=4, extra=tuple(smbios))
    parts = machine_seen.survey_parts(result.records)
    assert warnings_of(result) == []
    assert {area for area, name in parts} == AREAS
    leaves = [line.split() for line in lines_of(parts, "cpuid")]
    assert all(len(leaf) in (7, 8) and leaf[6] == "0-3" for leaf in leaves)
    assert leaves[0][0] == "00000000"
    # The cores differ in nothing but their ids.
    assert [leaf[7] for leaf in leaves if leaf[0] in ("00000001", "0000000b")] == ["id"] * 4
    # QEMU's processor refuses nothing; APIC base, PAT and the type of memory are in all.
    registers = {line.split()[0] for line in lines_of(parts, "msr")}
    assert {"1b", "277", "2ff", "34", "c0010015"} <= registers
    assert not [line for line in lines_of(parts, "msr") if "fault" in line]
    # The entries are EDK2's (ProgramVirtualWireMode), not a run's: ExtINT, NMI.
    local = {tuple(line.split()[:2]) for line in lines_of(parts, "apic") if is_of_core_0(line)}
    assert {("350", "700"), ("360", "400")} <= local
    tables = {line.split()[0]: line.split() for line in lines_of(parts, "acpi")}
    assert tables["APIC"][3] == "ok" and tables["APIC"][-1] == "sent"
    assert re.fullmatch("[0-9a-f]{32}", tables["DSDT"][-1])
    assert parts["acpi", "APIC"][:4] == b"APIC"
    assert len(parts["acpi", "APIC"]) == int(tables["APIC"][1])
    assert ("acpi", "DSDT") not in parts
    functions = lines_of(parts, "pci")
    assert "ecam 0000 00-ff b0000000" in functions
    assert any(line.startswith("0000:00:1f.0 8086:2918 060100") for line in functions)
    assert "lpc 29188086" in lines_of(parts, "chipset")
    assert any(line.startswith("rate pmtimer ") for line in lines_of(parts, "timers"))
    evidence = dict(line.split()[:2] for line in lines_of(parts, "evidence"))
    assert evidence["nmi_count"] == "found" and evidence["aperf"] == "absent"
    check_names(result, parts, tool, tmp_path)
    length = len(result.serial)
    assert length < 5 * LINE_BYTES
    figure(f"survey: {length} bytes on the serial line, {length / LINE_BYTES:.1f} s at 115200 baud")


def is_of_core_0(line):
    return line.split()[2].startswith("0")


def check_names(result, parts, tool, tmp_path):
    everything = b"".join(parts.values())
    for name in (*NAMES, "ASSET-OF-IT"):
        assert name.encode() not in everything
    assert UUID not in everything and b"pc-q35" in everything
    capture, shared = tmp_path / "serial.log", tmp_path / "shared"
    capture.write_bytes(result.serial)
    command = [tool, "show", "--share", shared, capture]
    done = ran(*command)
    assert done.returncode == 0, done.stderr
    text = shared.read_text()
    assert "6f9619ff" not in text
    again = [json.loads(line) for line in text.splitlines()]
    survey_records = [r for r in again if r["type"] == "survey"]
    assert [r["data"] for r in survey_records] == [r["data"] for r in result.of_type("survey")]


def test_show(run, tool, tmp_path):
    """The tool shows the survey: for a guest no setting is known."""
    result = survey(run, smp=2)
    capture = tmp_path / "serial.log"
    capture.write_bytes(result.serial)
    done = ran(tool, "show", capture)
    assert done.returncode == 0, done.stderr
    # A survey times no loop.
    assert result.of_type("begin")[0]["clock"]["quantum"] is None
    assert "smallest step n/a," in result.serial.decode() and "smallest step n/a," in done.stdout
    lines = done.stdout.splitlines()
    assert "turbo                   n/a             openshift-ran  unknown    on" in lines
    counts = [re.match(r"([\w-]+): 0 ready, 0 not ready, [1-9]", line) for line in lines]
    assert [c[1] for c in counts if c] == ["rhel-rt", "openshift-ran", "intel-tcc", "linux"]
    assert "survey pci: " in done.stdout


@pytest.mark.full
def test_aarch64(run, aarch64):
    result = survey(run, app=aarch64, emulator="aarch64", board="virt", firmware="aarch64", smp=2)
    parts = machine_seen.survey_parts(result.records)
    # EDK2 of 2022 lends no cores on Arm.
    (warning,) = warnings_of(result)
    assert warning.startswith("stage firmware: MP Services give only 1 of 2 cores")
    registers = {line.split()[0]: line.split()[1] for line in lines_of(parts, "sysreg")}
    assert {line.split()[2] for line in lines_of(parts, "sysreg")} == {"0"}
    assert registers["midr_el1"] == "414fd0c1"  # QEMU's neoverse-n1, r4p1
    assert int(registers["cntfrq_el0"], 16) == 62_500_000
    assert registers["cntpct_el0"] == "moves"
    assert "fault" not in registers.values()
    assert parts["acpi", "GTDT"][:4] == b"GTDT"
    assert ("msr", None) not in parts
