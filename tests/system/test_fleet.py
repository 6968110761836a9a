# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor fleet list`: made-up machines of which is known who differs, and in what."""
import json
import pathlib
import random
import re
import subprocess
import time

import pytest
from collecting import change, put

import node
from ran import ran

HOUR = 3600 * 10**9
ROOT = pathlib.Path(__file__).resolve().parents[2]


def cpu(sid, seq, number, longest, noise, smi, stage="handoff"):
    smi = "null" if smi is None else smi
    rest = (
        f',"stage":"{stage}","cpu":{number},"apic_id":{number},"proved":"nmi","tsc_offset":0,'
        f'"tsc_offset_bound":null,"exposure_ns":{HOUR},"noise_ns":{noise},"max_ns":{longest},'
        f'"gaps":9,"dropped":0,"smi":{smi},"nmi":0,"mce":null,"smi_out":null,"nmi_out":null,'
        '"cause":{"unknown":{"gaps":9,"ns":1}},"interval_p50":26,"interval_p999":40,"histogram":[]'
    )
    return node.record(sid, seq, "cpu", rest)


def source(sid, seq, period, stage="handoff", cause="smi"):
    rest = (
        f',"stage":"{stage}","cause":"{cause}",'
        f'"period_ns":{period},"jitter_ns":5,"fill_ppm":999999,'
        '"events":50,"chance_milli":-40000,"origin":null,"hint":null'
    )
    return node.record(sid, seq, "source", rest)


def machine(folder, sid, longest=10000, noise=3600000, smi=60, periods=(64000000,), **known):
    """A run: two cores, the first of which is quiet. It is stored when somebody asks."""
    uuid = known.get("uuid", f"machine-{sid}")
    bios, product = known.get("bios", "1.0"), known.get("product", "Box")
    rest = f',"machine":{{"uuid":"{uuid}","product":"{product}","bios_version":"{bios}"}}'
    config = f',"config":"{known["config"]}"' if "config" in known else ""
    lines = [node.record(sid, 0, "begin", rest + node.BEGIN + config)]
    lines.append(cpu(sid, len(lines), 0, 100, noise, smi and 0))
    lines.append(cpu(sid, len(lines), 1, longest, noise, smi))
    lines += [source(sid, len(lines) + n, period) for n, period in enumerate(periods)]
    verdict = known.get("verdict", "pass")
    lines.append(node.record(sid, len(lines), "end", f',"verdict":"{verdict}"'))
    NEW.setdefault(folder, {})[sid] = lines


NEW = {}  # {folder: {sid: lines}} that are not stored


def store(tool, folder):
    if folder in NEW:
        put(tool, folder, NEW.pop(folder))


def fleet(tool, folder, *options):
    store(tool, folder)
    done = ran(tool, "fleet", "list", folder, *options)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(name="alike")
def fixture_alike(tmp_path):
    """40 machines that differ as machines do."""
    dice = random.Random(7)
    for sid in range(1, 41):
        machine(tmp_path, sid, longest=round(10000 * dice.uniform(0.9, 1.1)),
                noise=round(3600000 * dice.uniform(0.8, 1.2)), smi=60 + dice.randrange(-3, 4),
                periods=(64000000 + dice.randrange(-1000, 1000),))
    return tmp_path


def test_some_differ(tool, alike):
    """In JSON; test_fleet of C has the rule, and the text."""
    machine(alike, 98, longest=900000)
    machine(alike, 99, periods=(64000000, 8000000))
    code, printed = fleet(tool, alike, "--format", "json")
    answer = json.loads(printed)
    assert (code, answer["differing"]) == (1, 2)
    longest, source_of = answer["differ"]
    assert {"uuid": "machine-98", "figure": "longest_ns", "value": 900000,
            "began": None}.items() <= longest.items()
    assert {"uuid": "machine-99", "source": {"period_ns": 8000000, "cause": "smi"}, "has": True,
            "nodes": 1, "of": 42}.items() <= source_of.items()


def test_no_limit_is_no_pass(tool, tmp_path):
    """Neither in what fleet and status print nor in what they count."""
    machine(tmp_path, 1, verdict="none")
    code, printed = fleet(tool, tmp_path)
    assert code == 0 and "\n  1 machines: 1 none\n" in printed and "pass" not in printed
    printed = fleet(tool, tmp_path, "--json")[1]
    group, = json.loads(printed)["groups"]
    assert (group["none"], group["pass"]) == (1, 0) and printed.count("pass") == 1
    for options, verdict in ((), "machine-1 none "), (("--json",), '"verdict": "none"'):
        done = ran(tool, "fleet", "status", "machine-1", "--dir", tmp_path, *options)
        assert (done.returncode, done.stderr) == (0, "")
        assert verdict in done.stdout and "pass" not in done.stdout


def test_figures(tool, alike):
    machine(alike, 99, bios="2.0", longest=5000, noise=7200000, smi=None, verdict="fail")
    groups = json.loads(fleet(tool, alike, "--json")[1])["groups"]
    assert [(group["bios"], group["nodes"], group["pass"], group["fail"]) for group in groups] == [
        ("1.0", 40, 40, 0), ("2.0", 1, 0, 1),
    ]
    assert groups[1]["longest_ns"] == {"median": 5000, "max": 5000}
    assert groups[1]["noise_ppm"]["median"] == pytest.approx(2)
    assert groups[1]["smi_per_hour"] is None
    assert groups[0]["smi_per_hour"]["median"] == pytest.approx(60, abs=1)


def test_what_cannot_be_read(tool, alike, tmp_path_factory):
    """A run of calls whose lines are damaged is named; the others are compared."""
    machine(alike, 77, config="mode=services")
    store(tool, alike)
    change(alike, "UPDATE chunk SET crc32c=0 WHERE run=41")
    code, printed = fleet(tool, alike)
    assert code == 2 and "0 of 41 machines differ" in printed
    assert f"runs.sqlite: run {77:016x}: 1 chunks are damaged" in printed
    empty = tmp_path_factory.mktemp("empty")
    assert fleet(tool, empty)[0] == 2
    assert fleet(tool, empty / "none")[0] == 2
    assert fleet(tool, empty, empty)[0] == 2


# A title for the terminal's window, in both of the ways that terminals know, and a cut character.
EVIL = r"\u001b]0;evil\u0007\u009b31m" + r"\u00e9" * 12


def test_nodes_send_terminals_nothing(tool, tmp_path):
    """Text from a node is printed as printable characters only."""
    lines = [node.record(7, 0, "begin", f',"machine":{{"uuid":"{EVIL}","product":"{EVIL}",'
                                        f'"bios_version":"{EVIL}"}}{node.BEGIN}'),
             cpu(7, 1, 0, 100, 100, 0, EVIL), source(7, 2, 64000000, EVIL, EVIL),
             node.record(7, 3, "end", f',"verdict":"{EVIL}","reasons":["{EVIL}"]')]
    put(tool, tmp_path, {7: lines})
    for options in ([], ["--json"]):
        done = subprocess.run([tool, "fleet", "list", tmp_path, *options], capture_output=True,
                              check=False)
        assert done.returncode == 0
        assert b"evil" in done.stdout
        assert set(done.stdout) <= {10, *range(32, 127)}
        assert not options or json.loads(done.stdout)["groups"][0]["sources"][0]["nodes"] == 1


def test_who_has_not_reported(tool, tmp_path):
    """The command in docs/network.md: machines of a list without a run that ended this week."""
    text = (ROOT / "docs/network.md").read_text(encoding="utf-8")
    command = re.search(r"```sh\n(sqlite3 [^`]*?comm [^`]*)```", text)[1]
    (tmp_path / "machines.txt").write_text("box-1\nbox-2\nbox-3\n")
    for sid, uuid, age in ((1, "BOX-1", 0), (2, "box-2", 8 * 86400)):
        machine(tmp_path / "runs", sid, uuid=uuid)
        put(tool, tmp_path / "runs", NEW.pop(tmp_path / "runs"), time.time() - age)
    assert subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True,
                          check=True).stdout == "box-2\nbox-3\n"
