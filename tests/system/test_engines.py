# SPDX-License-Identifier: BSD-2-Clause
"""Points in the engines that sites run: what they answer is what is in the report."""
import json
import pathlib
import re
import socket
import subprocess
import time
import urllib.parse

import engines
import machine as machines
import node
import pytest
from collecting import program, wait_for
from test_collect_fleet import Fleet, program as fleet_nodes

pytestmark = pytest.mark.full

NODES, GAPS = 4, 60
ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(name="engine", params=sorted(engines.KINDS))
def fixture_engine(request, tmp_path):
    """start(**ports) -> an engine on the folder that the last one left."""
    if engines.missing(request.param):
        pytest.skip(engines.missing(request.param))
    started = []

    def start(**ports):
        started.append(engines.start(request.param, tmp_path / "engine", **ports))
        return started[-1]

    start.kind = engines.KINDS[request.param]
    yield start
    for one in started:
        one.close()


def report(tool, path):
    """{"max_gap": ns, "cpus": how many} of the one run in a file, by `noisefloor show`."""
    shown = subprocess.run(
        [tool, "show", "--json", path], capture_output=True, check=True, text=True
    )
    stages = json.loads(shown.stdout)["runs"][0]["ladder"]
    return {"max_gap": max(stage["max_ns"] for stage in stages),
            "cpus": sum(stage["cores"] for stage in stages)}


def assert_reported(engine, tool, folder):
    """Of each run the engine has each core's point once, and the longest gap of the report."""
    files = sorted(folder.glob("*[0-9a-f].jsonl"))
    assert len(files) == NODES
    for path in files:
        stated = report(tool, path)
        wait_for(lambda path=path: engine.max_gap(path.stem) is not None)
        assert engine.max_gap(path.stem) == stated["max_gap"]
        assert engine.count(path.stem) == stated["cpus"]


def forwarded(collector):
    path = collector.folder / "forwarded"
    return path.read_text().count(" taken") if path.exists() else 0


def test_forward(collect, tool, engine):
    """The engine is there all the time."""
    there = engine()
    collector = collect("--forward", f"influx:{there.url(there.write_path)}")
    Fleet(collector.port, NODES, GAPS).assert_complete(collector.folder)
    wait_for(lambda: forwarded(collector) == NODES)
    assert_reported(there, tool, collector.folder)
    assert collector.end() == 0


def test_engine_away(collect, tool, engine):
    """It is started late, and killed in between; so is the collector. Nothing is lost or twice."""
    ports = {"http": engines.free_port(), "udp": engines.free_port()}
    to = ("--forward", f"influx:http://127.0.0.1:{ports['http']}{engine.kind.write_path}")
    collector = collect(*to)
    Fleet(collector.port, NODES, GAPS).assert_complete(collector.folder)
    wait_for(lambda: "does not accept points" in collector.text())
    collector.kill()
    collector = collect(*to)
    there = engine(**ports)
    wait_for(lambda: forwarded(collector) > 0)
    collector.kill()
    there.close()
    collector = collect(*to)
    time.sleep(1)
    there = engine(**ports)
    wait_for(lambda: forwarded(collector) == NODES)
    assert_reported(there, tool, collector.folder)
    assert collector.end() == 0
    assert re.fullmatch(r"([0-9a-f]{16} taken\n)+", (collector.folder / "forwarded").read_text())


WAYS = ("longest_ns", "noise_ppm", "smi_per_hour", "source")  # fleet_stream.h


def odd_ones(nodes, odd):
    """{number of a node: in what it differs}, spread as fleet_stream.c has it."""
    found = [n for n in range(nodes) if (n + 1) * odd // nodes > n * odd // nodes]
    return {n: WAYS[at % len(WAYS)] for at, n in enumerate(found)}


def asked(tool, *arguments):
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)
    assert done.stderr == "", done.stderr
    return done.returncode, done.stdout


def assert_same_fleet(tool, folder, url, odd):
    """What the engine answers is what the folder does, and that is what was made."""
    code, answer = asked(tool, "fleet", folder, "--json")
    assert code == 1
    differ = {}
    for entry in json.loads(answer)["differ"]:
        kind = entry.get("figure", "source")
        differ.setdefault(int(entry["uuid"][:8], 16), set()).add(kind)
    assert differ == {n: {way} for n, way in odd.items()}
    assert asked(program(tool), "fleet", "--from", url, "--json") == (code, answer)
    code, answer = asked(tool, "fleet", folder)
    answer = answer.replace("files not", "points not")
    assert asked(program(tool), "fleet", "--from", url) == (code, answer)
    return {entry["uuid"] for entry in json.loads(asked(tool, "fleet", folder, "--json")[1])[
        "differ"]}


@pytest.mark.parametrize("nodes,odd", [(150, 9), pytest.param(2000, 37, marks=pytest.mark.long)])
def test_fleet(collect, tool, engine, nodes, odd):
    """`fleet` and `status` from the engine and from the folder."""
    there = engine()
    collector = collect("--forward", f"influx:{there.url(there.write_path)}")
    Fleet(collector.port, nodes, GAPS, "--odd", str(odd)).assert_complete(collector.folder)
    wait_for(lambda: forwarded(collector) == nodes)
    assert collector.end() == 0
    there.flush()
    url = there.url(there.query_path)
    uuids = assert_same_fleet(tool, collector.folder, url, odd_ones(nodes, odd))
    for uuid in sorted(uuids)[:12]:
        code, line = asked(tool, "status", uuid, "--dir", collector.folder, "--json")
        stated = {**json.loads(line), "reason": None}
        assert [run["state"] for run in stated.pop("forward")] == ["accepted"]
        assert stated["verdict"] == ("fail" if code else "pass") and stated["runs"] == 1
        other, line = asked(program(tool), "status", uuid, "--from", url, "--json")
        assert (other, json.loads(line)) == (code, stated)


def put_run(folder, sid, *swaps, without=None):
    """A whole run with these texts replaced in its records."""
    text = subprocess.run([fleet_nodes(), "print", "--nodes", "1", "--gaps", "12", "--dir", "."],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = []
    for line in text.splitlines():
        kind, rest = line.split(',"type":"', 1)[1].split('"', 1)
        rest = rest[:rest.index(',"crc":')]
        for old, new in swaps:
            rest = rest.replace(old, new)
        if kind != without:
            lines.append(node.record(sid, len(lines), kind, rest))
    (folder / f"{sid:016x}.jsonl").write_bytes(b"".join(lines))


def test_latest_run(tool, engine, tmp_path):
    """A machine's later run, with another BIOS and less to report, hides all of the earlier."""
    there = engine()
    old = "00000000-0000-4000-8000-e220a8397b1d"
    uuid = "11111111-2222-3333-4444-55555555555A"
    put_run(tmp_path, 1, (old, uuid), ('"verdict":"pass"', '"verdict":"fail"'))
    put_run(tmp_path, 2, (old, uuid), ('"1.2"', '"2.0"'), ('"smi":0', '"smi":null'),
            ('"source":1', '"source":0'), ('"began":null', '"began":"2023-11-14T22:30:00Z"'),
            without="source")
    put_run(tmp_path, 3, (old, ""))
    put_run(tmp_path, 4, (old, ""))
    for sid, began in ((2, 1700001000), (1, 1700000000), (3, 1700000000), (4, 1700000000)):
        path = tmp_path / f"{sid:016x}.jsonl"
        points = subprocess.run(
            [tool, "show", "--format", "influx", "--began", str(began), path],
            stdout=subprocess.PIPE, check=False).stdout
        there.ask(there.write_path, points)
        there.ask(there.write_path, points)  # as the forwarder may
    there.flush()
    (tmp_path / "index.jsonl").write_text("".join(
        json.dumps({"sid": f"{sid:016x}", "at": 1700000000 + sid}) + "\n" for sid in (1, 2, 3, 4)))
    url = there.url(there.query_path)
    code, answer = asked(tool, "fleet", tmp_path, "--json")
    assert asked(program(tool), "fleet", "--from", url, "--json") == (code, answer)
    groups = json.loads(answer)["groups"]
    assert [(group["bios"], group["nodes"]) for group in groups] == [("1.2", 2), ("2.0", 1)]
    assert groups[1]["smi_per_hour"] is None and groups[1]["sources"] == []
    code, line = asked(tool, "status", uuid.lower(), "--dir", tmp_path, "--json")
    stated = json.loads(line)
    assert (code, stated["verdict"], stated["sid"], stated["runs"]) == (0, "pass", f"{2:016x}", 2)
    other, line = asked(program(tool), "status", uuid.lower(), "--from", url, "--json")
    assert (other, json.loads(line)) == (code, {**stated, "reason": None})
    for nobody in (uuid[:-1], ".*", "1.", "a/b", '"', "\\"):
        done = subprocess.run([program(tool), "status", nobody, "--from", url], capture_output=True,
                              text=True, check=False)
        assert (done.returncode, done.stderr) == (2, f"status: no run of {nobody}\n")


def test_ten_thousand(tool, engine, tmp_path):
    """As many rows as InfluxDB puts in one chunk, unless it is asked for more."""
    there = engine()
    put_run(tmp_path, 1)
    points = subprocess.run([tool, "show", "--format", "influx", tmp_path / f"{1:016x}.jsonl"],
                            stdout=subprocess.PIPE, check=True, text=True).stdout
    points = "".join(line for line in points.splitlines(True) if "_node" in line)
    there.ask(there.write_path, "".join(
        points.replace("uuid=00000000", f"uuid={n:08x}") for n in range(10000)).encode())
    there.flush()
    code, answer = asked(program(tool), "fleet", "--from", there.url(there.query_path), "--json")
    assert (code, json.loads(answer)["machines"]) == (0, 10000)


def dashboard():
    """docs/grafana: {(title of a panel, legend): its query}, with all runs, over the last day."""
    text = (ROOT / "docs/grafana/noisefloor.json").read_text()
    for name, value in (("$run", ".*"), ("$__range", "1d"), ("$__interval", "1d")):
        text = text.replace(name, value)
    return {(panel["title"], target["legendFormat"]): target["expr"]
            for panel in json.loads(text)["panels"] for target in panel["targets"]}


def by_decade(cpus):
    """What each bar of gaps by length has, from below 1 us to 1 s and more."""
    bars = [0] * 8
    for low, count in (bucket for cpu in cpus for bucket in cpu["histogram"]):
        bars[min(max(len(str(low)) - 3, 0), 7)] += count
    return bars


def assert_dashboard(there, records):
    """Each panel has data: what it shows of a known run is what the records have. With a label in
    its legend, as many series as values."""
    cpus, gaps = ([one for one in records if one["type"] == kind] for kind in ("cpu", "gap"))
    causes = {gap["cause"] for gap in gaps}
    end = records[-1]
    wanted = {
        "Runs by verdict": [1],
        "Longest gap": [max(cpu["max_ns"] for cpu in cpus)],
        "Share of time watched, least": [end["watched_ppm"] / 1e6],
        "Runs with lost records": [0],
        "Machines": [1],
        "Longest gap of a core": [cpu["max_ns"] for cpu in cpus],
        "Noise of a core, share of its exposure": [
            cpu["noise_ns"] / cpu["exposure_ns"] for cpu in cpus],
        "Gaps by cause": [max(gap["len_ns"] for gap in gaps if gap["cause"] == cause)
                          for cause in causes],
        "SMIs of a core": [cpu["smi"] for cpu in cpus],
        "Gaps by length": by_decade(cpus),
    }
    shown = {title: [] for title in wanted}
    for (title, legend), query in dashboard().items():
        path = "/api/v1/query?" + urllib.parse.urlencode({"query": query, "nocache": 1})
        result = json.loads(there.ask(path))["data"]["result"]
        assert result, f"{title}: {query}"
        for label in re.findall(r"{{(\w+)}}", legend):
            assert all(one["metric"].get(label) for one in result), f"{title}: no {label}"
        values = [float(one["value"][1]) for one in result]
        shown[title] += values if title == "Gaps by length" else sorted(values)
    assert {title: pytest.approx(values) for title, values in shown.items()} == {
        title: values if title == "Gaps by length" else sorted(values)
        for title, values in wanted.items()}


def test_dashboard_colours():
    """Without a colour of its own Grafana draws a panel's number red from 80 on."""
    panels = json.loads((ROOT / "docs/grafana/noisefloor.json").read_text())["panels"]
    for panel in panels:
        if panel["type"] != "timeseries":
            defaults = panel["fieldConfig"]["defaults"]
            assert defaults["color"]["mode"] == "fixed" or defaults["thresholds"], panel["title"]


def test_udp(engine, tool, tmp_path):
    """What `show` writes, as datagrams straight into the engine; and what is drawn of it."""
    there = engine()
    program = machines.BUILD / "bench" / "fleet_nodes"
    text = subprocess.run([program, "print", "--nodes", "1", "--gaps", str(GAPS), "--dir", "."],
                          stdout=subprocess.PIPE, check=True).stdout
    path = tmp_path / "run.jsonl"
    path.write_bytes(text)
    sid = json.loads(text.splitlines()[0])["sid"]
    points = subprocess.run(
        [tool, "show", "--format", "influx", path], capture_output=True, check=True
    ).stdout
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        for line in points.splitlines(keepends=True):
            sock.sendto(line, ("127.0.0.1", there.udp))
            time.sleep(0.001)
    stated = report(tool, path)
    wait_for(lambda: there.count(sid) == stated["cpus"])
    assert there.max_gap(sid) == stated["max_gap"]
    if there.name == "victoria-metrics":
        assert_dashboard(there, [json.loads(line) for line in text.splitlines()])
