# SPDX-License-Identifier: BSD-2-Clause
"""The probe itself, booted: what it reports, how it judges, how it refuses."""
import re
import subprocess

import pytest


def text_of(result):
    return result.serial.decode(errors="replace").replace("\r\n", "\n")


def end_of(result):
    return result.of_type("end")[-1]


COLUMNS = 80  # of a terminal at a serial port


def shown(tool, result, *arguments):
    return subprocess.run([tool, "show", *arguments, result.out / "serial.log"],
                          capture_output=True, text=True, check=False)


def test_a_run_ends_with_table_sentence_and_verdict(run, tool):
    result = run(smp=2, config="duration=1s lava=yes", extra=("-rtc", "base=2031-05-06T07:08:09"))
    text = text_of(result)
    assert result.code == 0
    assert "A hypervisor (TCG) is underneath" in text
    assert "verdict: none" in text
    ours = text[text.index("\nnoisefloor "):].splitlines()
    # The row of a source is wider where the host's noise has a period with a name.
    assert [s for s in ours if len(s) > COLUMNS and not s.startswith(("{", "<LAVA"))
            and "  matches " not in s] == []
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
    assert signals == shown(tool, result, "--format", "lava").stdout.splitlines()
    assert [signal.split()[1:3] for signal in signals] == [
        ["TEST_CASE_ID=handoff-cpu-0", "RESULT=skip"],
        ["TEST_CASE_ID=handoff-cpu-1", "RESULT=skip"],
        ["TEST_CASE_ID=run-complete", "RESULT=pass"],
    ]
    # All while the job of howto.md (test_traces.py) monitors the console: it stops at the first
    # match of its end.
    seen = re.split(r"verdict: \w+", re.split(r"noisefloor \d", text, maxsplit=1)[1])[0]
    assert re.findall(r"^<LAVA_SIGNAL_TESTCASE .*>$", seen, re.M) == signals


@pytest.mark.full
def test_interrupts_left_on_are_caught(counted):
    result = counted("duration=1s threshold=50ns stages=firmware", variant="unmasked")
    cpu = result.of_type("cpu")[0]
    # The firmware's timer ticks every 10 ms.
    assert 99 <= cpu["gaps"] <= 101
    assert result.code == 3
    assert any("interrupts were enabled" in reason for reason in end_of(result)["reasons"])


@pytest.mark.full
def test_masked_the_same_run_sees_nothing(counted):
    result = counted("duration=1s threshold=50ns stages=firmware")
    assert result.of_type("cpu")[0]["gaps"] == 0
    # The chipset has a watchdog, at rest.
    assert not any("watchdog" in log["text"] for log in result.of_type("log"))
    assert result.code == 0


@pytest.mark.full
def test_a_storm_keeps_sums_exact(counted):
    config = "duration=500ms threshold=3ns records=1000 gaps=all"
    result = counted(config, variant="any-threshold", timeout=900)
    cpu = result.of_type("cpu")[0]
    assert cpu["gaps"] > 100_000
    # The list is full: 1000 in the ring, and the longest when it came later.
    assert cpu["dropped"] == cpu["gaps"] - 1000
    gaps = result.of_type("gap")
    assert len(gaps) in (1000, 1001)
    assert len(gaps) + end_of(result)["gaps_unsent"] == cpu["gaps"]
    assert max(gap["len_ns"] for gap in gaps) == cpu["max_ns"]
    assert sum(count for _, count in cpu["histogram"]) == cpu["gaps"]
    # A bucket is one tick wide up to 64 ticks, then 1/64 of its lower edge, which was rounded
    # down to ns: the histogram holds the sum between two bounds.
    hz = result.of_type("begin")[0]["clock"]["hz"]
    noise = -(-cpu["noise_ns"] * hz // 10**9)
    edges = [(-(-low * hz // 10**9), count) for low, count in cpu["histogram"]]
    least = sum(low * count for low, count in edges)
    most = sum((low + low // 64) * count for low, count in edges)
    assert least <= noise <= most + 1
    assert cpu["noise_ns"] <= cpu["exposure_ns"]
