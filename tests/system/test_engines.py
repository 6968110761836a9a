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
import pytest
from collecting import wait_for
from test_collect_fleet import Fleet

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


def dashboard():
    """docs/grafana: {title of a panel: its query}, with all runs, over the last day."""
    text = (ROOT / "docs/grafana/noisefloor.json").read_text()
    for name, value in (("$run", ".*"), ("$__range", "1d"), ("$__interval", "1d")):
        text = text.replace(name, value)
    return {panel["title"]: target["expr"]
            for panel in json.loads(text)["panels"] for target in panel["targets"]}


def assert_dashboard(there, stated):
    """Each panel has data; and what it shows of a known run is that."""
    answers = {}
    for title, query in dashboard().items():
        path = "/api/v1/query?" + urllib.parse.urlencode({"query": query, "nocache": 1})
        result = json.loads(there.ask(path))["data"]["result"]
        assert result, f"{title}: {query}"
        answers[title] = [float(one["value"][1]) for one in result]
    assert answers["Longest gap"] == [stated["max_gap"]]
    assert len(answers["Longest gap of a core"]) == stated["cpus"]
    assert answers["Runs with lost records"] == [0]
    assert sum(answers["Runs by verdict"]) == sum(answers["Machines"]) == 1


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
        assert_dashboard(there, stated)
