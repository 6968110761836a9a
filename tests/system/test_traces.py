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

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = ROOT / "tests/data/runs/smis.log"
LAVA = machines.BUILD / "lava"
MODULES = LAVA / "root/usr/lib/python3/dist-packages"
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


# ---- Perfetto ----


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
    processes, threads = read_trace(shown(tool, "--format", "perfetto"))
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


def test_perfetto_of_two_runs(tool, tmp_path):
    """A process each; one that has no gaps has a name as well."""
    both = tmp_path / "both.log"
    both.write_bytes(RUN.read_bytes() + (RUN.parent / "quiet.log").read_bytes())
    processes, threads = read_trace(shown(tool, "--format", "perfetto", path=both))
    assert sorted(processes) == [1, 2]
    gaps = both.read_text(errors="replace").count('"type":"gap"')
    assert sum(len(slices) for name, slices in threads.values() if name[:3] == "cpu") == gaps


@pytest.fixture(name="made")
def fixture_made(tmp_path):
    """A run made up of events of two cores each: its file, and its records."""
    program = machines.BUILD / "bench" / "fleet_nodes"
    text = subprocess.run([program, "print", "--nodes", "1", "--gaps", "60", "--dir", "."],
                          stdout=subprocess.PIPE, check=True).stdout
    path = tmp_path / "run.jsonl"
    path.write_bytes(text)
    return path, [json.loads(line) for line in text.splitlines()]


def test_perfetto_events(tool, made):
    """Events of different cores at once, and gaps that only a broken file has: all are there."""
    path, records = made
    gaps, events = of_type(records, "gap"), of_type(records, "event")
    _, threads = read_trace(shown(tool, "--format", "perfetto", path=path))
    assert sum(len(slices) for name, slices in threads.values() if name[:3] == "cpu") == len(gaps)
    found = [(ns(s["ts"]), ns(s["dur"]), s["name"], s["args"]["cpus"])
             for name, slices in threads.values() if name == "events" for s in slices]
    assert found == [(event["t_ns"], event["len_ns"], event["cause"], event["cpus"])
                     for event in events] and events


# ---- A filter of one's own ----


def filtered(tool, folder, text, path=RUN, name="mine.jq"):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    done = subprocess.run([tool, "show", "--format", folder / name, path], capture_output=True,
                          text=True, check=False, timeout=600)
    return done.returncode, done.stdout, done.stderr.replace(f"{folder}/", "")


def test_filter_of_ones_own(tool, tmp_path, records):
    """Its inputs are all records, as they are; a string is a line, all else JSON."""
    code, out, err = filtered(tool, tmp_path, "inputs")
    assert (code, err) == (0, "") and [json.loads(line) for line in out.splitlines()] == records
    assert filtered(tool, tmp_path, "[inputs] | length, \"a \\(.[0].sid)\", null") == (
        0, f"{len(records)}\na {records[0]['sid']}\nnull\n", "")
    # One that has enough.
    assert filtered(tool, tmp_path, "input.type, halt") == (0, "begin\n", "")
    assert filtered(tool, tmp_path, "first(inputs | .type)") == (0, "begin\n", "")
    # For a terminal, and for whoever looks for what a filter does.
    assert filtered(tool, tmp_path, '"\\u007f\\u009b", "\\u001b]0;x" | ., (debug | empty)') == (
        0, "\\u007f\\u009b\n\x1b]0;x\n", "show: mine.jq: ???\nshow: mine.jq: ?]0;x\n")
    # The run's own verdict counts, too.
    assert filtered(tool, tmp_path, "empty", RUN.parent / "none.log")[0] == 2


@pytest.mark.parametrize("text,why", [
    ("flour", "flour/0 is not defined"),
    ("inputs | {", "syntax error"),
    ('error("no gap")', "mine.jq: no gap\n"),
    ('{"a": 1} | error', 'mine.jq: {"a":1}\n'),
    ('"\\u001b]0;evil" | error', "mine.jq: ?]0;evil\n"),
    ("inputs | .sid + 1", "cannot be added"),
    ("input | halt_error", "sid"),
    ('import "elsewhere" as a; 1', "elsewhere"),
    ("def f: 1 + f; f", "ended by signal 6; it may have 1 GiB of memory\n"),
])
def test_filter_that_fails(tool, tmp_path, text, why):
    code, out, err = filtered(tool, tmp_path, text)
    assert (code, out) == (2, "") and why in err and "\x1b" not in err


def test_filter_that_is_no_text(tool, tmp_path):
    assert filtered(tool, tmp_path, b"a\0b") == (2, "", "show: mine.jq: not a text\n")
    longest = b"1" + b" " * ((1 << 20) - 1)
    assert filtered(tool, tmp_path, longest) == (0, "1\n", "")
    assert filtered(tool, tmp_path, longest + b" ") == (
        2, "", "show: mine.jq: longer than 1 MiB\n")


def test_filter_that_is_missing(tool, tmp_path):
    done = subprocess.run([tool, "show", "--format", tmp_path / "no.jq", RUN], capture_output=True,
                          text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "") and "No such file" in done.stderr


def test_filter_into_a_full_disk(tool, tmp_path):
    (tmp_path / "mine.jq").write_text("inputs")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([tool, "show", "--format", tmp_path / "mine.jq", RUN], stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2 and "No space left" in done.stderr


@pytest.mark.full
@pytest.mark.parametrize("form", ["perfetto", "hwlatdetect", "sysjitter", "rt-tests"])
def test_no_filters_without_libjq(static_tool, form):
    done = subprocess.run([static_tool, "show", "--format", form, RUN], capture_output=True,
                          text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "") and "without libjq" in done.stderr


@pytest.mark.parametrize("preset", ["bits", "openshift"])
def test_a_preset_judges_records_too(tool, tmp_path, preset):
    """As the text does, though these forms print records as they come."""
    (tmp_path / "mine.jq").write_text("empty")
    codes, verdicts = set(), set()
    for form in ("prom", "jsonl", "perfetto", tmp_path / "mine.jq"):
        done = subprocess.run([tool, "show", "--format", form, "--preset", preset, RUN],
                              capture_output=True, text=True, check=False)
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
                       r'cause = "(\w+)", cpu = (\d+), smi_counted = \d, smi = \[(.*?)\]+, nmi_',
                       done.stdout)
    assert sorted((int(s) * 10**9 + int(ns) - began, stage, int(length), cause, int(cpu),
                   None if not smi.strip() else int(smi.split("=")[1].strip(" ]")))
                  for s, ns, stage, length, cause, cpu, smi in found) == sorted(
        (gap["t_ns"], gap["stage"], gap["len_ns"], gap["cause"], gap["cpu"], gap["smi"])
        for gap in of_type(records, "gap"))


def test_ctf_events(tool, made, tmp_path):
    if not shutil.which("babeltrace2"):
        pytest.skip("no babeltrace2")
    folder = tmp_path / "trace"
    path, records = made
    shown(tool, "--format", "ctf", "--began", "1700000000.5", "--output", folder, path=path)
    text = subprocess.run(["babeltrace2", "--clock-seconds", folder], capture_output=True,
                          text=True, check=True).stdout
    for name, at in (("window", "start_ns"), ("event", "t_ns"), ("gap", "t_ns")):
        found = re.findall(rf"\[(\d+)\.(\d{{9}})\] .* {name}: .* len_ns = (\d+)", text)
        wanted = [(record[at], record["len_ns"]) for record in of_type(records, name)]
        assert sorted((int(s) * 10**9 + int(ns) - 1700000000_500000000, int(length))
                      for s, ns, length in found) == sorted(wanted) and wanted


# ---- LAVA ----


@pytest.mark.full
def test_lava(tool, records):
    """By its own parser."""
    if not MODULES.exists():
        why = LAVA / "why"
        pytest.skip(why.read_text().strip() if why.exists() else "no LAVA: run by make")
    job = yaml.safe_load(JOB.search((ROOT / "docs/howto.md").read_text())[1])
    monitor = job[0]["test"]["monitors"][0]
    # What test_probe.py takes for them.
    assert (monitor["start"], monitor["end"]) == (r"noisefloor \d", r"verdict: \w+")
    log = shown(tool, "--format", "lava", "--preset", "bits", error=b"preset bits: fail").decode()
    done = subprocess.run(
        [sys.executable, "-B", ROOT / "tests/system/lava_reader.py", monitor["pattern"]],
        input=log, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(MODULES)})
    cpus = [cpu for cpu in of_type(records, "cpu") if not cpu.get("part")]
    wanted = [[f"{cpu['stage']}-cpu-{cpu['cpu']}", "fail", "us", cpu["max_ns"] / 1000]
              for cpu in cpus]
    longest = max(cpu["max_ns"] for cpu in cpus)
    wanted.append(["run-complete", "pass", "us", longest / 1000])
    signals, monitor = json.loads(done.stdout)
    assert signals == wanted
    assert [[*case[:3], float(case[3])] for case in monitor] == wanted
