# SPDX-License-Identifier: BSD-2-Clause
"""Points in the engines that sites run: what they answer is what is in the report."""
import json
import pathlib
import re
import subprocess
import time
import urllib.parse

import engines
import machine as machines
import pytest
from collecting import free_port, rows, wait_for
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


def assert_reported(engine, tool, folder, out):
    """For each run the engine has each core's point once, and the longest gap of the report."""
    subprocess.run([tool, "fleet", "export", folder, "-o", out], check=True)
    files = sorted(out.glob("*.jsonl"))
    assert len(files) == NODES
    for path in files:
        stated = report(tool, path)
        wait_for(lambda path=path: engine.max_gap(path.stem) is not None)
        assert engine.max_gap(path.stem) == stated["max_gap"]
        assert engine.count(path.stem) == stated["cpus"]


def forwarded(collector):
    return [run["forward_state"] for run in rows(collector.folder)].count("accepted")


def test_engine_away(collect, tool, engine, tmp_path):
    """The engine is started late, and killed in between; so is the collector. Nothing is lost or
    stored twice."""
    port = free_port()
    to = ("--forward", f"influx:http://127.0.0.1:{port}{engine.kind.write_path}")
    collector = collect(*to)
    Fleet(collector.port, NODES, GAPS).assert_complete(collector.folder)
    wait_for(lambda: "does not accept points" in collector.text())
    collector.kill()
    collector = collect(*to)
    there = engine(http=port)
    wait_for(lambda: forwarded(collector) > 0)
    collector.kill()
    there.close()
    collector = collect(*to)
    time.sleep(1)
    there = engine(http=port)
    wait_for(lambda: forwarded(collector) == NODES)
    assert_reported(there, tool, collector.folder, tmp_path / "out")
    assert collector.end() == 0
    assert forwarded(collector) == NODES


def dashboard():
    """docs/grafana: {(title of a panel, legend): its query}, with all runs, over the last day."""
    text = (ROOT / "docs/grafana/noisefloor.json").read_text()
    for name, value in (("$run", ".*"), ("$__range", "1d"), ("$__interval", "1d")):
        text = text.replace(name, value)
    return {(panel["title"], target["legendFormat"]): target["expr"]
            for panel in json.loads(text)["panels"] for target in panel["targets"]}


def by_decade(cpus):
    """Number of gaps in each bar of gaps by length, from below 1 us to 1 s and more."""
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


def test_show(engine, tool, tmp_path):
    """The points of `show` are written straight into the engine; and are drawn."""
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
    there.ask(there.write_path, points)
    stated = report(tool, path)
    wait_for(lambda: there.count(sid) == stated["cpus"])
    assert there.max_gap(sid) == stated["max_gap"]
    if there.name == "victoria-metrics":
        assert_dashboard(there, [json.loads(line) for line in text.splitlines()])
