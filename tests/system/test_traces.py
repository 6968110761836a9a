# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor show` for other programs, read by those: what they find is what the records have."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import machine as machines
import pytest
import yaml
from ran import ran

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = ROOT / "tests/data/runs/smis.log"
LAVA = machines.BUILD / "lava"
MODULES = LAVA / "root/usr/lib/python3/dist-packages"
FILTERS = ROOT / "host/jq"
MS, S = 10**6, 10**9
JOB = re.compile(r"### In a LAVA lab.*?```yaml\n(.*?)```", re.S)


def shown(tool, *arguments, path=RUN, error=b""):
    done = subprocess.run([tool, "show", *arguments, path], capture_output=True)
    assert done.returncode in (0, 1), done.stderr
    assert error in done.stderr and bool(error) == bool(done.stderr)
    return done.stdout


@pytest.fixture(scope="module", name="records")
def fixture_records():
    lines = RUN.read_bytes().splitlines()
    return [json.loads(line) for line in lines if line.startswith(b'{"nf":1,')]


def of_type(records, name):
    return [record for record in records if record["type"] == name]


# ---- jq filters, which read lines of records ----


def filtered(name, lines, code=0, error=""):
    """The output of the filter for these lines."""
    if not shutil.which("jq"):
        pytest.skip("no jq")
    done = subprocess.run(["jq", "-nr", "-f", FILTERS / f"{name}.jq"], input=lines,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == code, done.stderr
    assert error in done.stderr.decode() and bool(error) == bool(done.stderr)
    return done.stdout.decode()


# The histogram of a core with gaps, [ns, count] each, which no test changes.
PAIRS = [[1500, 90], [3000, 9], [25000, 1]]


def core(number, exposure_s=60, **more):
    return {"type": "cpu", "stage": "bare", "cpu": number, "exposure_ns": exposure_s * S,
            "noise_ns": 0, "max_ns": 0, "gaps": 0, "smi": 0, "interval_p50": 20, "histogram": [],
            **more}


HIT = core(1, gaps=100, noise_ns=187400, max_ns=25400, smi=7, histogram=PAIRS)


def lines_of(cores, sid="0123456789abcdef", verdict="fail"):
    """A run of two windows and two gaps, from 2 to 32 s and from 33 to 63 s."""
    run = [{"type": "begin", "version": "9.8", "machine": {"vendor": "Acme", "product": "X = 1",
                                                           "board": None},
            "clock": {"hz": 2400 * MS}, "config": "duration=60s threshold=1us max=20us",
            "began": "2025-01-31T12:34:56+01:00"}]
    run += [{"type": "window", "stage": "bare", "start_ns": at * S, "len_ns": 30 * S, "windows": 30}
            for at in (2, 33)]
    run += [{"type": "gap", "stage": "bare", "cpu": 1, "t_ns": at, "len_ns": length}
            for at, length in ((40 * S + 123, 25400), (10 * S, 1999))]
    run += cores + [{"type": "end", "verdict": verdict}]
    return "".join(json.dumps({"nf": 1, "sid": sid, **r}) + "\n" for r in run).encode()


HWLATDETECT = """\
hwlatdetect:  test duration 61 seconds
   detector: noisefloor
   parameters:
        CPU list:          0-2
        Latency threshold: 1us
        Sample window:     1016666us
        Sample width:      1000000us
     Non-sampling period:  16666us
        Output File:       None

Starting test
test finished
Max Latency: 25us
Samples recorded: 2
Samples exceeding threshold: 100
7 SMIs occured on cpu 1
SMIs during run: 7
ts: 10.000000000, inner:1, outer:0, cpu:1
ts: 40.000000123, inner:25, outer:0, cpu:1
"""


def test_hwlatdetect():
    assert filtered("hwlatdetect", lines_of([core(0), HIT, core(2, 59)])) == HWLATDETECT


def test_sysjitter():
    rows = dict(line.split(" ", 1) for line in
                filtered("sysjitter", lines_of([core(0), HIT, core(2, 59)])).splitlines())
    assert len(rows) == 18
    wanted = {
        "core_i:": "0 1 2", "threshold(ns):": "1000 1000 1000", "cpu_mhz:": "2400 2400 2400",
        "runtime(ns):": "60000000000 60000000000 59000000000",
        "runtime(s):": "60.000 60.000 59.000", "int_n:": "0 100 0",
        "int_n_per_sec:": "0.000 1.667 0.000", "int_min(ns):": "0 1500 0",
        "int_median(ns):": "0 1500 0", "int_mean(ns):": "0 1874 0", "int_99(ns):": "0 3000 0",
        "int_999(ns):": "0 25000 0", "int_max(ns):": "0 25400 0", "int_total(ns):": "0 187400 0",
    }
    assert {name: rows[name] for name in wanted} == wanted


def test_rt_tests():
    found = json.loads(filtered("rt-tests", lines_of([core(0), HIT, core(2, 59, interval_p50=0)])))
    assert (found["file_version"], found["return_code"], found["num_threads"]) == (1, 1, 3)
    assert found["start_time"] == "Fri, 31 Jan 2025 11:34:56 +0000"
    assert found["end_time"] == "Fri, 31 Jan 2025 11:35:59 +0000"
    assert found["sysinfo"]["nodename"] == "Acme X = 1" and found["sysinfo"]["release"] == "9.8"
    one = found["thread"]["1"]
    assert [one[name] for name in ("cpu", "freq", "min", "max")] == [1, 2400, 0, 25]
    assert abs(one["duration"] - 60) < 1e-9 and abs(one["avg"] - 0.00833336) < 1e-7
    # Turns take 20 ticks of 2.4 GHz, in 60 s less 187,400 ns; gaps take 1.5, 3.0 and 25.0 us.
    counts = {"1": 7199977512, "2": 90, "4": 9, "26": 1}
    assert one["histogram"] == {str(n): counts.get(str(n), 0) for n in range(1, 33)}
    # Core 0 has no gaps. Core 2 has no interval, so its number of turns is unknown.
    assert found["thread"]["0"]["max"] == 0 and found["thread"]["2"]["avg"] is None


@pytest.mark.parametrize("name", ["hwlatdetect", "sysjitter", "rt-tests"])
def test_no_gaps_measured(name):
    """A run without measured gaps is an error: it would look like a quiet machine."""
    lines = b"".join(line for line in lines_of([HIT]).splitlines(True) if b'"cpu", ' not in line)
    assert filtered(name, lines, 5, "0123456789abcdef has no core that was measured") == ""


@pytest.mark.parametrize("name,read", [
    ("hwlatdetect", "hwlatdetect"), ("sysjitter", "sysjitter"), ("rt-tests", "oslat 2.80"),
])
def test_compare_reads_them(tool, tmp_path, name, read):
    quiet = RUN.parent / "quiet.log"
    path = tmp_path / "as-a-tool"
    path.write_text(filtered(name, shown(tool, "--jsonl", path=quiet)))
    done = ran(tool, "compare", quiet, path)
    assert read in done.stdout and not done.stderr


# ---- Prometheus ----


def samples(lines):
    """{family: {labels: value}}: the samples of a family are together, behind its type."""
    families, family = {}, None
    for line in filtered("prometheus", lines).splitlines():
        if line.startswith("# TYPE "):
            family = line.split()[2]
            assert family not in families
            families[family] = {}
        else:
            name, labels, value = re.fullmatch(r"(\w+)\{(.*)\} (\S+)", line).groups()
            assert name.startswith(family) and labels not in families[family]
            families[family][name[len(family):] + labels] = float(value)
    return families


def lines_in_order(cores, of=lines_of, **more):
    """With numbers, and with an end that counts them."""
    records = [json.loads(line) for line in of(cores, **more).splitlines()]
    types = [record["type"] for record in records]
    records[-1]["records"] = {name: types.count(name) for name in [*types, "fault"]}
    return "".join(json.dumps({**record, "seq": n}) + "\n"
                   for n, record in enumerate(records)).encode()


def test_prometheus():
    lines = lines_in_order([core(0), {**HIT, "stage": 'a "b\\c"\n', "nmi": None,
                                      "cause": {"smi": {"gaps": 7, "ns": 40000}}}])
    found = samples(lines + lines_in_order([core(0)], sid="2a", verdict="pass"))
    run, cpu = 'run="0123456789abcdef"', r'stage="a \"b\\c\"?",cpu="1"'
    assert found["noisefloor_smis"] == {f'{run},stage="bare",cpu="0"': 0, f"{run},{cpu}": 7,
                                           'run="2a",stage="bare",cpu="0"': 0}
    assert found["noisefloor_max_gap_seconds"][f"{run},{cpu}"] == 0.0000254
    assert found["noisefloor_cause_gaps"] == {f'{run},{cpu},cause="smi"': 7}
    assert "noisefloor_nmis" not in found
    assert [found["noisefloor_verdict"][f'{run},verdict="{verdict}"']
            for verdict in ("none", "pass", "fail", "incomplete", "error")] == [0, 0, 1, 0, 0]
    assert found["noisefloor_verdict"]['run="2a",verdict="pass"'] == 1
    assert found["noisefloor_complete"] == {run: 1, 'run="2a"': 1}
    lengths = found["noisefloor_gap_length_seconds"]
    assert [lengths[f'_bucket{run},{cpu},le="{edge}"'] for edge in ("1e-06", "2e-06", "5e-06",
                                                                    "5e-05", "+Inf")] == [
        0, 90, 99, 100, 100]
    assert lengths[f"_sum{run},{cpu}"] == 0.0001874 and lengths[f"_count{run},{cpu}"] == 100


def test_prometheus_missing():
    """A pass of which a record is missing is none; a failure stays one. Lines may come twice."""
    lines = lines_in_order([core(0), HIT], verdict="pass").splitlines(True)
    def outcome(some):
        found = samples(b"".join(some))
        verdicts = [of for of, value in found["noisefloor_verdict"].items() if value]
        return verdicts[0].split('"')[-2], *found["noisefloor_complete"].values()
    assert outcome(lines + lines) == ("pass", 1)
    assert outcome(lines[:3] + lines[4:]) == ("incomplete", 0)
    assert outcome(lines[:-1]) == ("incomplete", 0)
    failed = lines_in_order([core(0), HIT]).splitlines(True)
    assert outcome(failed[:3] + failed[4:]) == ("fail", 0)


# ---- Perfetto ----


def perfetto(tool, path=RUN):
    return filtered("perfetto", shown(tool, "--jsonl", path=path)).encode()


def read_trace(data):
    """{(pid, tid): (name, its slices)}, and the processes' names, by a browser's reader of JSON."""
    if not shutil.which("node"):
        pytest.skip("no node")
    code = "process.stdout.write(JSON.stringify(JSON.parse(require('fs').readFileSync(0))))"
    text = subprocess.run(["node", "-e", code], input=data, stdout=subprocess.PIPE, check=True)
    trace = json.loads(text.stdout)
    assert trace["displayTimeUnit"] == "ns"
    processes, threads = {}, {}
    for event in trace["traceEvents"]:
        if event["name"] == "process_name":
            assert event["ph"] == "M" and event["pid"] not in processes
            processes[event["pid"]] = event["args"]["name"]
        elif event["name"] == "thread_name":
            key = event["pid"], event["tid"]
            assert event["ph"] == "M" and key not in threads
            threads[key] = event["args"]["name"], []
        else:
            assert event["ph"] == "X"
            threads[event["pid"], event["tid"]][1].append(event)
    return processes, threads


def ns(us):
    return round(us * 1000)


def test_perfetto(tool, records):
    processes, threads = read_trace(perfetto(tool))
    sid, product = records[0]["sid"], records[0]["machine"]["product"]
    assert list(processes.values()) == [f"noisefloor {sid} on {product}"]
    found, windows = [], []
    for name, slices in threads.values():
        for slice_ in slices:
            at, length = ns(slice_["ts"]), ns(slice_["dur"])
            if name == "windows":
                windows.append((slice_["name"], at, length))
            elif name != "events":
                assert slice_["cat"] == f"gap,{slice_['name']}"
                args = slice_["args"]
                found.append((name, at, length, slice_["name"], args["stage"], args["smi"],
                              args["nmi"], args["mce"]))
    assert found and sorted(found, key=str) == sorted(
        ((f"cpu {gap['cpu']}", gap["t_ns"], gap["len_ns"], gap["cause"], gap["stage"], gap["smi"],
          gap["nmi"], gap.get("mce")) for gap in of_type(records, "gap")), key=str)
    assert windows == [(window["stage"], window["start_ns"], window["len_ns"])
                       for window in of_type(records, "window")]


# ---- Presets ----


@pytest.mark.parametrize("preset", ["bits", "openshift"])
def test_a_preset_judges_records_too(tool, preset):
    """Other forms agree with the text, though these forms print records as they come."""
    codes, verdicts = set(), set()
    for form in ("influx", "jsonl"):
        done = ran(tool, "show", "--format", form, "--preset", preset, RUN)
        codes.add(done.returncode)
        verdicts.add(done.stderr)
    assert codes == {1} and len(verdicts) == 1 and f"preset {preset}: fail" in verdicts.pop()


# ---- CTF ----


def test_ctf(tool, records, tmp_path):
    if not shutil.which("babeltrace2"):
        pytest.skip("no babeltrace2")
    folder = tmp_path / "trace"
    shown(tool, "--format", "ctf", "--began", "1700000000.5", "--output", folder)
    done = subprocess.run(["babeltrace2", "--clock-seconds", folder], capture_output=True,
                          text=True, check=True)
    assert not done.stderr
    began = 1700000000_500000000
    found = re.findall(r'\[(\d+)\.(\d{9})\] .* gap: \{ stage = "(\w+)", len_ns = (\d+), '
                       r'cause = "(\w+)", cpu = (\d+) \}', done.stdout)
    assert sorted((int(s) * 10**9 + int(ns) - began, stage, int(length), cause, int(cpu))
                  for s, ns, stage, length, cause, cpu in found) == sorted(
        (gap["t_ns"], gap["stage"], gap["len_ns"], gap["cause"], gap["cpu"])
        for gap in of_type(records, "gap"))


# ---- LAVA ----


@pytest.mark.full
def test_lava(records):
    """By its own parser."""
    if not MODULES.exists():
        why = LAVA / "why"
        pytest.skip(why.read_text().strip() if why.exists() else "no LAVA: run by make")
    job = yaml.safe_load(JOB.search((ROOT / "docs/howto.md").read_text())[1])
    monitor = job[0]["test"]["monitors"][0]
    # The summary agrees with the signals that test_probe.py expects.
    assert (monitor["start"], monitor["end"]) == (r"noisefloor \d", r"verdict: \w+")
    cpus = [cpu for cpu in of_type(records, "cpu") if not cpu.get("part")]
    wanted = [[f"{cpu['stage']}-cpu-{cpu['cpu']}", "fail", "us", cpu["max_ns"] / 1000]
              for cpu in cpus]
    # The lines that test_probe.py sees the probe print.
    log = "".join(f"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID={case} RESULT={result} UNITS={units} "
                  f"MEASUREMENT={longest:.3f}>\n" for case, result, units, longest in wanted)
    done = subprocess.run(
        [sys.executable, "-B", ROOT / "tests/system/lava_reader.py", monitor["pattern"]],
        input=log, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(MODULES)})
    signals, monitor = json.loads(done.stdout)
    assert signals == wanted
    assert [[*case[:3], float(case[3])] for case in monitor] == wanted
