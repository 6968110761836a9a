# SPDX-License-Identifier: BSD-2-Clause
"""Dumps and surveys in the form that is replayed."""
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
