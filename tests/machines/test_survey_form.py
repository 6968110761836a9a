# SPDX-License-Identifier: BSD-2-Clause
"""Dumps and surveys in the form that is replayed."""
import subprocess
import sys

import pytest

import survey_form

DUMP = """\
------[ Logical CPU #0 ]------
allcpu: Package 0 / Core 0 / Thread 0: Valid
CPUID 00000000: 0000000B-756E6547-6C65746E-49656E69
CPUID 00000001: 000906EA-00100800-7FFAFBFF-BFEBFBFF
CPUID 00000003: 00000000-00000000-12345678-9ABCDEF0
CPUID 0000000B: 00000001-00000002-00000100-00000000 [SL 00]
CPUID 0000000B: 00000004-00000004-00000201-00000000 [SL 01]
CPUID 0000001A: 40000001-00000000-00000000-00000000
------[ Logical CPU #1 ]------
CPUID 00000000: 0000000B-756E6547-6C65746E-49656E69
CPUID 00000001: 000906EA-02100800-7FFAFBFF-BFEBFBFF
CPUID 0000000B: 00000001-00000002-00000100-00000002 [SL 00]
CPUID 0000000B: 00000004-00000004-00000201-00000002 [SL 01]
CPUID 0000001A: 20000001-00000000-00000000-00000000
MSR 00000017: 0000-0000-0000-0000
------[ MSR Registers / Logical CPU #0 ]------
MSR 000000CE: 0804-043D-F081-1900
MSR 000000E7: 0000-0020-54F5-8C18
MSR 000001B0: 0000-0000-0000-0006
------[ MSR Registers / Logical CPU #1 ]------
MSR 000000CE: 0804-043D-F081-1900
MSR 000001B0: 0000-0000-0000-0000
"""
FORM = """\
# a dump
[cpuid]
00000000 0 0000000b 756e6547 6c65746e 49656e69 0-1
00000001 0 000906ea 00100800 7ffafbff bfebfbff 0-1 id
0000000b 0 00000001 00000002 00000100 00000000 0-1 id
0000000b 1 00000004 00000004 00000201 00000000 0-1 id
0000001a 0 40000001 00000000 00000000 00000000 0
0000001a 0 20000001 00000000 00000000 00000000 1
[msr]
ce 804043df0811900 0-1
e7 moves 0
1b0 6 0
1b0 0 1
"""


def test_dump():
    assert survey_form.from_dump(DUMP, "a dump") == FORM
    first = [line for line in FORM.splitlines() if not line.endswith(" 1")]
    first[-3] = first[-3].replace("0-1", "0")  # registers are the first core's
    assert survey_form.from_dump(DUMP, "a dump", first=True).splitlines() == first


@pytest.mark.parametrize("text", ["", "CPUID 0000000", "no dump\n"])
def test_not_a_dump(text):
    with pytest.raises(ValueError, match="no CPUID leaf"):
        survey_form.from_dump(text, "nothing")


def test_command(tmp_path):
    """What cannot be read is named, and the others are written."""
    (tmp_path / "good.txt").write_text(DUMP)
    (tmp_path / "bad.txt").write_text("")
    script = survey_form.ROOT / "tests" / "machines" / "survey_form.py"
    command = [sys.executable, "-B", script, tmp_path / "out", tmp_path / "bad.txt",
               tmp_path / "good.txt", "--origin", "here"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "bad.txt: it has no CPUID leaf" in done.stderr
    assert (tmp_path / "out" / "good.survey").read_text() == FORM.replace("a dump", "good: here")
    assert len(list((tmp_path / "out").iterdir())) == 1


@pytest.mark.full
@pytest.mark.parametrize("model", ["Nehalem", "EPYC"])
def test_own_survey(run, out, tmp_path, model):
    """A survey that the probe made itself has the same leaves in this form."""
    run(config="mode=survey", smp=2, cpu=f"{model}-v1")
    form = survey_form.form_of((out / "serial.log").read_bytes(), "QEMU")
    lines = form.splitlines()
    assert lines[:2] == ["# QEMU", "[cpuid]"]
    assert lines[2].startswith("00000000 0 ") and lines[2].endswith(" 0-1")
    end = lines.index("[msr]")
    assert all(len(line.split()) in (7, 8) for line in lines[2:end])
    tables = next(n for n, line in enumerate(lines) if line.startswith("[acpi "))
    assert all(len(line.split()) == 3 for line in lines[end + 1 : tables])
    fadt = lines[lines.index("[acpi FACP]") + 1]
    assert fadt.startswith(b"FACP".hex()) and "[acpi APIC]" in lines
