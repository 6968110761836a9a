# SPDX-License-Identifier: BSD-2-Clause
"""The probe itself, booted: what it reports. tests/unit/whole has how it judges and refuses."""
import re

import pytest

from ran import ran


COLUMNS = 80  # width of a terminal at a serial port


def shown(tool, result, *arguments):
    return ran(tool, "show", *arguments, result.out / "serial.log")


def test_a_run_ends_with_table_sentence_and_verdict(run, tool):
    result = run(smp=2, config="duration=1s lava=yes", extra=("-rtc", "base=2031-05-06T07:08:09"))
    text = result.text
    assert result.code == 0
    assert "A hypervisor (TCG) is underneath" in text
    assert "verdict: none" in text
    own = text[text.index("\nnoisefloor "):]
    assert not re.search(r"[^\r\n\x20-\x7e]", own), "escapes on a serial line"
    ours = own.splitlines()
    # The row of a source is wider where the host's noise has a period with a name.
    assert [s for s in ours if len(s) > COLUMNS and not s.startswith(("{", "<LAVA"))
            and "  matches " not in s] == []
    # Registers that are refused are no faults.
    assert result.of_type("fault") == [] and "fault: " not in text
    begin = result.of_type("begin")[0]
    assert begin["door"] == "uefi"
    assert begin["hypervisor"] == "TCG"
    assert begin["cpus"] == {**begin["cpus"], "found": 2, "started": 2, "measured": 2}
    assert begin["machine"]["vendor"] == "QEMU"
    assert begin["clock"]["source"] == "hpet" and begin["clock"]["audited_by"] == "pmtimer"
    assert begin["began"].startswith("2031-05-06T")
    assert f"\nbegan:   {begin['began']}\n" in text
    cpus = result.of_type("cpu")
    assert [cpu["cpu"] for cpu in cpus] == [0, 1]
    for cpu in cpus:
        assert cpu["proved"] == "nmi, delay"
        assert 0 < cpu["exposure_ns"]
        assert cpu["noise_ns"] <= cpu["exposure_ns"]
        assert sum(count for _, count in cpu["histogram"]) == cpu["gaps"]
        assert sum(cause["gaps"] for cause in cpu["cause"].values()) == cpu["gaps"]
    done = shown(tool, result)
    assert done.returncode == 0, done.stderr
    table = [line for line in text.split("\n") if line[:3].strip().isdigit() and "  n/a " in line]
    assert table, text
    for line in table:
        assert line in done.stdout.split("\n")
    signals = re.findall(r"^<LAVA_SIGNAL_TESTCASE .*>$", text, re.M)
    longest = [cpu["max_ns"] for cpu in cpus]
    assert signals == [
        f"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID={case} RESULT={result} UNITS=us "
        f"MEASUREMENT={ns // 1000}.{ns % 1000:03}>"
        for case, result, ns in (("handoff-cpu-0", "skip", longest[0]),
                                 ("handoff-cpu-1", "skip", longest[1]),
                                 ("run-complete", "pass", max(longest)))]
    # All while the job of howto.md (test_traces.py) monitors the console: it stops at the first
    # match of its end.
    seen = re.split(r"verdict: \w+", re.split(r"noisefloor \d", text, maxsplit=1)[1])[0]
    assert re.findall(r"^<LAVA_SIGNAL_TESTCASE .*>$", seen, re.M) == signals


@pytest.mark.full
def test_interrupts_left_on_are_caught(run, variant):
    """The firmware's timer ticks every 10 ms."""
    result = run(app=variant("unmasked"), smp=1, icount=0,
                 config="duration=500ms threshold=50ns stages=firmware")
    assert 49 <= result.of_type("cpu")[0]["gaps"] <= 51
    assert result.code == 3
    end, = result.of_type("end")
    assert any("interrupts were enabled" in reason for reason in end["reasons"])


@pytest.mark.full
def test_masked_the_same_run_sees_nothing(run):
    result = run(smp=1, icount=0, config="duration=500ms threshold=50ns stages=firmware")
    assert result.of_type("cpu")[0]["gaps"] == 0
    assert result.code == 0
