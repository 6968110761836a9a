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


@pytest.fixture(scope="module", name="schema")
def fixture_schema(tmp_path_factory):
    """The messages of perfetto.proto, as Python classes."""
    if not shutil.which("protoc"):
        pytest.skip("no protoc")
    pytest.importorskip("google.protobuf")
    folder = tmp_path_factory.mktemp("schema")
    data = ROOT / "tests/data"
    subprocess.run(["protoc", f"--proto_path={data}", f"--python_out={folder}", "perfetto.proto"],
                   check=True)
    sys.path.insert(0, str(folder))
    import perfetto_pb2
    return perfetto_pb2


class Track:
    def __init__(self, descriptor):
        self.name, self.parent = descriptor.name, descriptor.parent_uuid
        self.slices, self.open = [], None


def read_trace(schema, data):
    """{uuid: Track}; slices of a track never overlap, nor does time go back."""
    tracks, last, kinds = {}, 0, schema.TrackEvent
    trace = schema.Trace.FromString(data)
    assert len({packet.trusted_packet_sequence_id for packet in trace.packet}) == 1
    assert trace.packet[0].trusted_packet_sequence_id
    assert [packet.sequence_flags for packet in trace.packet[:2]] == [1, 0]
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            assert packet.track_descriptor.uuid not in tracks
            tracks[packet.track_descriptor.uuid] = Track(packet.track_descriptor)
            continue
        event, track = packet.track_event, tracks[packet.track_event.track_uuid]
        assert packet.timestamp >= last
        last = packet.timestamp
        if event.type == kinds.TYPE_SLICE_BEGIN:
            assert track.open is None
            track.open = packet
            continue
        assert event.type == kinds.TYPE_SLICE_END
        begin, track.open = track.open, None
        track.slices.append((begin.timestamp, last - begin.timestamp, begin.track_event))
    assert all(track.open is None for track in tracks.values())
    return tracks


def notes(event):
    return {note.name: note.uint_value if note.HasField("uint_value") else note.string_value
            for note in event.debug_annotations}


def test_perfetto(tool, schema, records):
    tracks = read_trace(schema, shown(tool, "--format", "perfetto"))
    group = [uuid for uuid, track in tracks.items() if not track.parent]
    assert len(group) == 1 and records[0]["sid"] in tracks[group[0]].name
    found, windows = [], []
    for track in tracks.values():
        assert track.parent in (0, group[0])
        for start, length, event in track.slices:
            if track.name == "windows":
                windows.append((event.name, start, length))
                continue
            note = notes(event)
            assert list(event.categories) == ["gap", event.name]
            found.append((track.name, start, length, event.name, note["stage"], note.get("smi"),
                          note.get("nmi"), note.get("mce")))
    assert sorted(found) == sorted(
        (f"cpu {gap['cpu']}", gap["t_ns"], gap["len_ns"], gap["cause"], gap["stage"], gap["smi"],
         gap["nmi"], gap.get("mce")) for gap in of_type(records, "gap"))
    assert windows == [(window["stage"], window["start_ns"], window["len_ns"])
                       for window in of_type(records, "window")]


@pytest.fixture(name="made")
def fixture_made(tmp_path):
    """A run made up of events of two cores each: its file, and its records."""
    program = machines.BUILD / "bench" / "fleet_nodes"
    text = subprocess.run([program, "print", "--nodes", "1", "--gaps", "60", "--dir", "."],
                          stdout=subprocess.PIPE, check=True).stdout
    path = tmp_path / "run.jsonl"
    path.write_bytes(text)
    return path, [json.loads(line) for line in text.splitlines()]


def test_perfetto_events(tool, schema, made):
    """Events of different cores at once, and gaps that only a broken file has: all are there."""
    path, records = made
    gaps, events = of_type(records, "gap"), of_type(records, "event")
    tracks = read_trace(schema, shown(tool, "--format", "perfetto", path=path)).values()
    assert sum(len(t.slices) for t in tracks if t.name.startswith("cpu ")) == len(gaps) > 0
    found = [(start, length, event.name, notes(event)["cpus"])
             for t in tracks if t.name == "events" for start, length, event in t.slices]
    assert found == [(event["t_ns"], event["len_ns"], event["cause"], event["cpus"])
                     for event in events] and events


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
