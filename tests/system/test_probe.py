# SPDX-License-Identifier: BSD-2-Clause
"""The probe itself, booted: what it reports, how it judges, how it refuses."""
import pathlib
import re
import subprocess
import sys

import pytest

from tiers import full

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "bench"))

import size  # noqa: E402


def text_of(result):
    return result.serial.decode(errors="replace").replace("\r\n", "\n")


def end_of(result):
    return result.of_type("end")[-1]


COLUMNS = 80  # of a terminal at a serial port


def logs_of(result):
    return "\n".join(record["text"] for record in result.of_type("log"))


def shown(tool, result, *arguments):
    return subprocess.run([tool, "show", *arguments, result.out / "serial.log"],
                          capture_output=True, text=True, check=False)


def test_a_run_ends_with_table_sentence_and_verdict(run, tool):
    result = run(smp=2, config="duration=2s lava=yes", extra=("-rtc", "base=2031-05-06T07:08:09"))
    text = text_of(result)
    assert result.code == 0
    assert "A hypervisor (TCG) is underneath" in text
    assert "verdict: none" in text
    ours = text[text.index("\nnoisefloor "):].splitlines()
    assert [s for s in ours if len(s) > COLUMNS and not s.startswith(("{", "<LAVA"))] == []
    begin = result.of_type("begin")[0]
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
def test_serial_port_is_no_memory(run):
    """Nothing is written there: the mistake is reported where the port is by default."""
    result = run(smp=1, config="duration=300ms serial=mmio32:0x100000")
    assert result.code == 2 and not result.of_type("window")
    assert "serial= is memory, by the firmware's map; accepted: a device's registers" in \
        logs_of(result)


@pytest.mark.full
def test_end_totals_prove_that_all_records_came(run):
    result = run(smp=1, config="duration=300ms window=100ms gaps=5")
    totals = end_of(result)["records"]
    for name, count in totals.items():
        assert len(result.of_type(name)) == count
    assert totals["window"] == 3
    assert totals["gap"] <= 5


@pytest.mark.full
def test_gap_list_is_the_longest_in_time_order(run):
    result = run(smp=2, config="duration=1s gaps=7")
    gaps = result.of_type("gap")
    assert [g["t_ns"] for g in gaps] == sorted(g["t_ns"] for g in gaps)
    assert max(g["len_ns"] for g in gaps) == max(c["max_ns"] for c in result.of_type("cpu"))
    held = sum(c["gaps"] for c in result.of_type("cpu"))
    assert len(gaps) + end_of(result)["gaps_unsent"] == held


def test_a_longer_gap_than_max_fails(run):
    result = run(smp=2, config="duration=1s max=1us")
    end = end_of(result)
    assert result.code == 1
    assert end["verdict"] == "fail"
    assert any("max" in reason and "exceeds the limit" in reason for reason in end["reasons"])


def test_a_limit_that_is_kept_passes(counted):
    result = counted("duration=500ms max=1us max_noise=0")
    assert (result.code, end_of(result)["verdict"]) == (0, "pass")


@pytest.mark.full
def test_max_smi_without_a_counter_that_moved_is_no_pass(run):
    result = run(smp=1, config="duration=200ms max_smi=0")
    assert (result.code, end_of(result)["verdict"]) == (3, "incomplete")


@pytest.mark.full
def test_stop_ends_sampling_and_keeps_the_gap(run):
    result = run(smp=1, config="duration=60s stop=1us")
    end = end_of(result)
    assert (result.code, end["verdict"]) == (3, "incomplete")
    assert any(reason.startswith("stop:") for reason in end["reasons"])
    assert max(gap["len_ns"] for gap in result.of_type("gap")) >= 1000
    assert len(result.of_type("window")) < 60


@pytest.mark.full
def test_stop_total_ends_sampling(run):
    result = run(smp=1, config="duration=60s stop_total=100us")
    assert any(reason.startswith("stop_total:") for reason in end_of(result)["reasons"])


def test_a_key_ends_the_run_between_windows(run):
    pressed = []

    def press(guest):
        if not pressed and b"1/30 " in guest.serial():
            guest.send(b"q")
            pressed.append(True)

    result = run(smp=2, config="duration=30s", ticks=[press])
    end = end_of(result)
    assert (result.code, end["verdict"]) == (3, "incomplete")
    assert "q ended the run" in " ".join(end["reasons"])
    assert 1 <= len(result.of_type("window")) < 30


@pytest.mark.parametrize(
    "config, found, accepted",
    [
        ("duration=5", "duration=5", "unit"),
        full("duration=0s", "duration=0s", "accept"),
        full("durration=5s", "durration", "duration"),
        full("cpus=9", "9", "0-3"),
        full("threshold=1ns", "threshold=1ns", "accepted"),
        full("window=soon", "window=soon", "ns us ms s m h d"),
        full("live=maybe", "maybe", "yes"),
    ],
)
def test_a_bad_key_stops_the_run_before_it_starts(run, config, found, accepted):
    result = run(smp=4 if "cpus" in config else 1, config=config)
    assert (result.code, end_of(result)["verdict"]) == (2, "error")
    assert not result.of_type("window")
    logs = logs_of(result)
    assert "noisefloor.conf:1:" in logs and found in logs and accepted in logs


@pytest.mark.full
@pytest.mark.parametrize(
    "bytes_",
    [
        pytest.param(b"a=b\n" * 262144, id="1 MiB"),
        pytest.param(bytes(range(256)) * 16, id="binary"),
    ],
)
def test_a_huge_or_binary_configuration_is_one_error(run, bytes_):
    # Nothing of it is applied, so no way to leave is chosen: the machine stays on, or goes
    # back to the firmware, after the end record.
    result = run(smp=1, config_bytes=bytes_, broken=True, timeout=90)
    assert end_of(result)["verdict"] == "error"
    assert len([r for r in result.of_type("log") if r["level"] == "error"]) == 1


@pytest.mark.full
def test_interrupts_left_on_are_caught(counted):
    result = counted("duration=1s threshold=50ns stages=firmware", variant="unmasked")
    cpu = result.of_type("cpu")[0]
    # The firmware's timer ticks every 10 ms.
    assert 99 <= cpu["gaps"] <= 101
    assert result.code == 3
    assert any("interrupts were enabled" in reason for reason in end_of(result)["reasons"])


def test_masked_the_same_run_sees_nothing(counted):
    result = counted("duration=1s threshold=50ns stages=firmware")
    assert result.of_type("cpu")[0]["gaps"] == 0
    # The chipset has a watchdog, at rest.
    assert not any("watchdog" in log["text"] for log in result.of_type("log"))
    assert result.code == 0


STORM = [
    pytest.param("500ms", id="short"),
    full("10s", id="10s"),
]


@pytest.mark.parametrize("duration", STORM)
def test_a_storm_keeps_sums_exact(counted, duration):
    config = f"duration={duration} threshold=3ns records=1000 gaps=all"
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


@pytest.mark.full
def test_a_small_storm_is_listed_whole(counted):
    # Samples are 7 ticks apart. Below 5 ns the way back from a gap may be one itself, and the queue
    # of them fills up.
    config = "duration=200us threshold=5ns window=200us records=100000 gaps=all"
    result = counted(config, variant="any-threshold")
    cpu = result.of_type("cpu")[0]
    gaps = result.of_type("gap")
    assert cpu["dropped"] == 0
    assert len(gaps) == cpu["gaps"] > 300
    hz = result.of_type("begin")[0]["clock"]["hz"]
    assert sum(gap["ticks"] for gap in gaps) * 10**9 // hz == cpu["noise_ns"]
    assert max(gap["ticks"] for gap in gaps) * 10**9 // hz == cpu["max_ns"]


@pytest.mark.full
def test_255_cores(run, app, figure):
    result = run(smp=255, config="duration=200ms window=200ms", timeout=900)
    begin = result.of_type("begin")[0]["cpus"]
    assert (begin["found"], begin["started"], begin["measured"]) == (255, 255, 255)
    assert begin["bringup_ns"] > 0
    cpus = result.of_type("cpu")
    assert len(cpus) == 255
    assert all(cpu["proved"] == "nmi, delay" and cpu["exposure_ns"] > 0 for cpu in cpus)
    within, line = size.memory_of(app, re.search(size.MEMORY, result.serial), "gaps")
    assert within, line
    figure(line)
    figure(f"255 cores up in {begin['bringup_ns'] / 1e6:.0f} ms")


@pytest.mark.full
def test_what_goes_out_between_windows_is_short(run):
    """At 115200 baud 2 % of a one-second window are 230 bytes."""
    result = run(smp=2, config="duration=5s")
    lines = [line for line in text_of(result).split("\n") if "/5  " in line]
    assert len(lines) == 5
    assert max(map(len, lines)) + 2 <= 150
    start = text_of(result).index(lines[0])
    stop = text_of(result).index(lines[-1])
    assert stop - start <= sum(len(line) + 1 for line in lines)
