# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor-collect --policy`: who reads the folder, or is sent to, has one verdict."""
import contextlib
import hashlib
import json
import os
import pathlib
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request
import xml.etree.ElementTree

import pytest
import yaml

import node
import pages
import records
from collecting import (SECONDS, ask as stored, change, free_port, policy_text, rows, status,
                        wait_for)
from ran import ran
from test_collect import UUID as LETTERED, Engine, fails, nodes_in
from test_fleet import cpu, fleet

HOUR = 3600 * 10**9
UUID = "11111111-2222-3333-4444-555555555555"  # the attested run's
CONFIG = "threshold=100ns max=1ms"
TOTALS = '"begin":1,"cpu":1,"end":1'


def measured(sid, longest, verdict="pass", uuid=UUID, config=CONFIG):
    """A run of one core."""
    begin = node.machine(uuid) + node.BEGIN + f',"version":"1.2.0","config":"{config}"'
    end = (f',"verdict":"{verdict}","reasons":["own"],"gaps_unsent":0,"sampled_ns":{HOUR},'
           f'"records":{{{TOTALS}}}')
    return [node.record(sid, 0, "begin", begin), cpu(sid, 1, 0, longest, 100, 0),
            node.record(sid, 2, "end", end)]


def policy_in(folder):
    return stored(folder, "SELECT value FROM setting WHERE name='policy'")


class Shown:
    """The verdict of one run, as each program that shows verdicts has it."""

    def __init__(self, tool, collect, tmp_path, policy, run):
        self.tool, self.tmp_path, self.port = tool, tmp_path, free_port()
        self.engine = Engine()
        file = tmp_path / "policy.conf"
        if policy:
            file.write_text(policy)
        collector = collect("--metrics", f"127.0.0.1:{self.port}", "--junit", tmp_path / "j.xml",
                            *self.engine.option, *(("--policy", file) if policy else ()))
        self.folder = collector.folder
        if run:
            collector.deliver(int(json.loads(run[0])["sid"], 16), run)
            wait_for(lambda: self.engine.taken)
        wait_for(lambda: "noisefloor_collect_node_verdict{" in get(self.port, "/metrics")[1])
        self.page = get(self.port, "/metrics")[1]
        self.asked = ask(self.port, f"/verdict/{UUID}")
        assert collector.end() == 0
        self.log = collector.text()
        self.engine.close()

    def status(self):
        code, printed = status(self.tool, self.folder, UUID, "--json")
        answer = json.loads(printed)
        return code, answer["verdict"], answer.get("node_verdict"), answer["reason"]

    def verdict(self):
        """Over HTTP."""
        code, answer = self.asked
        assert answer["uuid"] == UUID and answer["outcome"] == (
            answer["policy_verdict"] or answer["node_verdict"])
        return code, answer["policy_verdict"], answer["node_verdict"], answer["reasons"]

    def metrics(self):
        own = re.findall(r'node_own_verdict{uuid="(.*)",verdict="(\w+)"} 1', self.page)
        return nodes_in(self.page)["verdict"][UUID], own

    def junit(self):
        case, = xml.etree.ElementTree.parse(self.tmp_path / "j.xml").getroot().find("testsuite")
        return [(what.tag, what.get("message")) for what in case]

    def fleet(self):
        group, = json.loads(fleet(self.tool, self.folder, "--format", "json")[1])["groups"]
        return {verdict for verdict in ("pass", "fail", "none", "incomplete") if group[verdict]}

    def point(self):
        """verdict and node_verdict in the engine."""
        return re.search(r"^noisefloor_end,.*,verdict=(\w+),node_verdict=(\w+)",
                         self.engine.taken[0], re.M).groups()

    def logged(self):
        """The logged verdict of the run, that of the node, and the reason."""
        return re.findall(rf"{UUID}: run \w{{16}} (\w+), \d+ lines, by the node (\w+)(?:: (.*))?\n",
                          self.log)

    def assert_all(self, verdict, node_verdict, reason):
        """Each has the policy's verdict, with the node's beside it. `reason` "": of a pass."""
        code, http, tag = {"pass": (0, 200, None), "fail": (1, 409, "failure"),
                           "none": (0, 409, "skipped"), "incomplete": (3, 409, "error")}[verdict]
        assert self.status() == (code, verdict, node_verdict, reason)
        assert self.verdict() == (http, verdict, node_verdict, [reason] if reason else [])
        assert self.metrics() == ([verdict], [(UUID, node_verdict)])
        assert self.junit() == ([(tag, reason)] if tag else [])
        assert self.fleet() == {verdict}
        assert self.point() == (verdict, node_verdict)
        assert self.logged() == [(verdict, node_verdict, reason)]


def test_stricter_than_the_node(tool, collect, tmp_path):
    """The node passed; by the policy it fails, wherever one asks."""
    reason = "max: longest gap 10.0 us on cpu 0 exceeds the limit of 5.00 us"
    shown = Shown(tool, collect, tmp_path, policy_text(max="5us"), measured(1, 10000))
    shown.assert_all("fail", "pass", reason)
    assert f" fail {1:016x} 3 lines, by the node pass: {reason}\n" in status(
        tool, shown.folder, UUID)[1]
    # A merged folder is judged as those that it is made of.
    assert ran(tool, "fleet", "import", "--dir", tmp_path / "all", shown.folder).returncode == 0
    assert status(tool, tmp_path / "all", UUID)[0] == 1
    # If no policy is given, the node's verdict counts again, also for stored runs.
    shown = Shown(tool, collect, tmp_path, None, None)
    assert shown.status() == (0, "pass", None, "own")
    assert shown.verdict() == (200, None, "pass", [])
    assert shown.metrics() == (["pass"], [])
    assert shown.junit() == [] and shown.fleet() == {"pass"}


def test_met(tool, collect, tmp_path):
    """Nothing but that; at the limit, and whatever limits the node had."""
    shown = Shown(tool, collect, tmp_path, policy_text(max="10us", duration="1h"),
                  measured(1, 10000, "fail"))
    shown.assert_all("pass", "fail", "")


ATTESTED = pathlib.Path(__file__).parents[1] / "data" / "attest"
IMAGE = "4976064dc2a5ebce7505e2163190d713a294f0b6d84014b55ddad796215eab05"
CONFIGURED = "ad510345b336747784abe4cce3c7fc7ede07f57dff3e21ac77534e4803e0074e"
LINES = (ATTESTED / "named.jsonl").read_bytes().splitlines(keepends=True)
KEY_FILE = ATTESTED / "named.pem"
KEY_DIGEST = "dce322b0327fe9dbf402273f85d0c2174dacf330e0c8d91227630adafe946e6a"
SID = json.loads(LINES[0])["sid"]


def changed_gap(lines):
    """Its checksum is right again."""
    number = next(n for n, line in enumerate(lines) if b'"type":"gap"' in line)
    body = re.sub(rb'"len_ns":\d+', b'"len_ns":1001', lines[number])[: -records.CRC_TAIL - 1]
    assert body not in lines[number]
    line = body + b',"crc":"%08x"}\n' % records.crc32c(body)
    return lines[:number] + [line] + lines[number + 1:]


def other_key(folder):
    private, public = folder / "other.key", folder / "other.pem"
    for argv in (["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", private],
                 ["ec", "-in", private, "-pubout", "-out", public]):
        subprocess.run(["openssl", *argv], check=True, capture_output=True)
    return public


@pytest.mark.parametrize("what, verdict, reason", [
    ("good", "pass", ""),
    ("key", "fail", f"attest_key: {KEY_DIGEST} is not allowed"),
    ("image", "fail", f"attest_image: the firmware started {IMAGE}, which is not known"),
    ("records", "fail", "attest: the records are not those that were quoted"),
    ("config", "fail", f"config: {CONFIGURED} is not allowed"),
    ("none", "incomplete", "attest: the run has no attestation"),
])
def test_attested(tool, collect, tmp_path, what, verdict, reason):
    """A TPM's quote is required; once checked as it arrives, and by who reads the folder."""
    key = other_key(tmp_path) if what == "key" else KEY_FILE
    image = "0" * 64 if what == "image" else IMAGE
    config = IMAGE if what == "config" else CONFIGURED
    lines = {"records": changed_gap(LINES), "none": measured(1, 100)}.get(what, LINES)
    if what == "none":
        config = hashlib.sha256(CONFIG.encode()).hexdigest()
    shown = Shown(tool, collect, tmp_path, policy_text(
        attest_key=str(key), attest_image=image, config=config), lines)
    own = "pass" if what == "none" else "none"
    shown.assert_all(verdict, own, reason)
    # The key's file is not needed any more.
    (tmp_path / "other.pem").unlink(missing_ok=True)
    copy = policy_in(shown.folder)
    assert re.fullmatch("[0-9a-f]{64}", json.loads(copy)["default"]["attest_key"][0])
    assert shown.status()[1] == verdict and shown.fleet() == {verdict}
    state = {"records": "bad", "none": "none"}.get(what, "good")
    assert rows(shown.folder)[-1]["attest_state"] == state


def test_attested_of_old(tool, collect, tmp_path):
    """Stored runs are checked once a policy asks: at the start, and on SIGHUP."""
    file = tmp_path / "policy.conf"
    asked = policy_text(attest_key=str(KEY_FILE), attest_image=IMAGE)
    file.write_text(policy_text())
    collector = collect("--policy", file)
    collector.deliver(int(SID, 16), LINES)
    wait_for(lambda: "by the node none" in collector.text())
    assert rows(collector.folder)[-1]["attest_lines"] == 0
    file.write_text(asked)
    collector.hang_up()
    assert "SIGHUP: files opened anew" in collector.text()
    found = rows(collector.folder)[-1]
    assert (found["attest_lines"], found["attest_state"]) == (24, "good")
    collector = collect("--policy", file)
    assert collector.end() == 0
    assert rows(collector.folder)[-1] == found
    _, printed = fleet(tool, collector.folder, "--format", "json")
    assert json.loads(printed)["groups"][0]["pass"] == 1


def test_refused(tool, collect, tmp_path):
    """With its section, and what is accepted; nothing is begun."""
    file, folder = tmp_path / "policy.conf", tmp_path / "runs"
    file.write_text(policy_text(max="5", min="1"))
    printed = fails(tool, "--listen", ":0", "--dir", folder, "--policy", file)
    assert f'noisefloor-collect: {file}: "default": max=5 needs a unit' in printed
    assert f'{file}: "default": `min` is unknown; accepted: max, ' in printed
    assert not folder.exists()
    file.write_text(policy_text(max="5us"))
    assert collect("--policy", file).end() == 0
    assert json.loads(policy_in(folder)) == json.loads(file.read_text())
    assert collect().end() == 0
    assert not stored(folder, "SELECT count(*) FROM setting WHERE name='policy'")


def test_read_again(tool, collect, tmp_path):
    """On SIGHUP: what was judged is judged anew, and what comes later; not by a mistake."""
    port, file = free_port(), tmp_path / "policy.conf"
    lax, strict = policy_text(max="10us"), policy_text(max="5us")
    file.write_text(lax)
    collector = collect("--metrics", f"127.0.0.1:{port}", "--policy", file)
    uuids = [f"{UUID[:-1]}{n}" for n in range(1, 4)]

    def outcomes():
        return [ask(port, f"/verdict/{uuid}")[1].get("outcome") for uuid in uuids]

    def hang_up(seen):
        collector.hang_up()
        assert outcomes() == seen and status(tool, collector.folder, uuids[0])[0] == (
            {"pass": 0, "fail": 1}[seen[0]])

    for sid, (uuid, longest) in enumerate(zip(uuids, (10000, 5000)), 1):
        collector.deliver(sid, measured(sid, longest, uuid=uuid))
    wait_for(lambda: outcomes() == ["pass", "pass", None])
    hang_up(["pass", "pass", None])
    file.write_text(strict)
    assert outcomes() == ["pass", "pass", None]
    hang_up(["fail", "pass", None])
    collector.deliver(3, measured(3, 6000, uuid=uuids[2]))
    wait_for(lambda: outcomes() == ["fail", "pass", "fail"])
    assert "stay as they were" not in collector.text()
    for text in (policy_text(max="5"), "", None):
        file.unlink()
        if text is None:
            os.mkfifo(file)
        else:
            file.write_text(text)
        hang_up(["fail", "pass", "fail"])
    assert f'{file}: "default": max=5 needs a unit' in collector.text()
    assert collector.text().count("SIGHUP: all files stay as they were") == 3
    assert json.loads(policy_in(collector.folder)) == json.loads(strict)
    file.unlink()
    file.write_text(lax)
    hang_up(["pass", "pass", "pass"])


def test_judged_by_half(tool, collect, tmp_path):
    """A policy that cannot be stored: the one before judges all again at the next start."""
    file = tmp_path / "policy.conf"
    file.write_text(policy_text(max="10us"))
    collector = collect("--policy", file)
    collector.deliver(1, measured(1, 6000))
    wait_for(lambda: status(tool, collector.folder, UUID)[0] == 0)
    change(collector.folder, "CREATE TRIGGER refuse BEFORE INSERT ON setting WHEN new.value "
           "LIKE '%5us%' BEGIN SELECT RAISE(ABORT, ''); END")
    file.write_text(policy_text(max="5us"))
    collector.hang_up()
    assert "SIGHUP: all files stay as they were" in collector.text()
    assert collector.end() == 0
    change(collector.folder, "DROP TRIGGER refuse")
    file.write_text(policy_text(max="10us"))
    assert collect("--policy", file).end() == 0
    assert status(tool, collector.folder, UUID)[0] == 0


def get(port, path):
    """The status, and what is behind it."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=SECONDS) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def ask(port, path):
    """The status, and what is in the JSON."""
    code, text = get(port, path)
    return code, json.loads(text)


def test_verdict_over_http(collect, tmp_path):
    """By the policy, and as it changes."""
    port, file = free_port(), tmp_path / "policy.conf"
    file.write_text(policy_text(max="10us"))
    collector = collect("--metrics", f"127.0.0.1:{port}", "--policy", file)
    assert ask(port, f"/verdict/{LETTERED}")[0] == 404
    for sid, longest, verdict, code, outcome in ((1, 10000, "fail", 200, "pass"),
                                                 (2, 10001, "pass", 409, "fail")):
        collector.deliver(sid, measured(sid, longest, verdict, LETTERED))
        wait_for(lambda sid=sid: ask(port, f"/verdict/{LETTERED}")[1].get("run") == f"{sid:016x}")
        status_code, answer = ask(port, f"/verdict/{LETTERED.upper()}")
        assert (status_code, answer["outcome"], answer["policy_verdict"], answer["node_verdict"]
                ) == (code, outcome, outcome, verdict)
        assert 0 <= answer["age_s"] < SECONDS
    reason, = answer["reasons"]
    assert reason.startswith("max: longest gap")
    assert ask(port, "/verdict/..%2f")[0] == 400
    assert ask(port, f"/verdict/{LETTERED[:-1]}6")[0] == 404


def test_health(collect):
    """Numbers of runs that wait for the engine, and of bytes that fit on the disk."""
    port = free_port()
    with contextlib.closing(Engine(answers=[503] * 1000)) as engine:
        collector = collect("--metrics", f"127.0.0.1:{port}", *engine.option)
        code, health = ask(port, "/healthz")
        assert (code, health["state"], health["oldest_waiting_s"]) == (200, "ok", 0)
        assert health["room_bytes"] > 0
        collector.deliver(1, measured(1, 100))
        wait_for(lambda: ask(port, "/healthz")[1]["oldest_waiting_s"] > 0)


@pytest.mark.parametrize("small_disk", ["1m"], indirect=True)
def test_health_of_a_full_disk(small_disk, collect):
    port = free_port()
    collect("--metrics", f"127.0.0.1:{port}", "--disk-free", "30")
    assert ask(port, "/healthz")[0] == 200
    (small_disk / "more").write_bytes(b"x" * 400000)
    wait_for(lambda: ask(port, "/healthz")[0] == 503)
    assert ask(port, "/healthz")[1]["state"] == "disk full"
    (small_disk / "more").unlink()
    wait_for(lambda: ask(port, "/healthz")[0] == 200)


def talk(port, *pieces):
    """Sent one after the other; the answer's first line."""
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as client:
        for piece in pieces:
            client.sendall(piece)
            time.sleep(0.01)
        return client.recv(4096).split(b"\r\n")[0].decode()


def test_requests_in_pieces(collect):
    port = free_port()
    collector = collect("--metrics", f"127.0.0.1:{port}")
    collector.deliver(1, measured(1, 100))
    whole = f"GET /verdict/{UUID} HTTP/1.1\r\nHost: a\r\n".encode()
    wait_for(lambda: ask(port, f"/verdict/{UUID}")[0] == 200)
    assert talk(port, whole[:20], whole[20:], b"\r\n") == "HTTP/1.1 200 OK"
    assert talk(port, *(whole[n:n + 1] for n in range(len(whole))), b"\r\n") == "HTTP/1.1 200 OK"
    assert talk(port, b"HEAD /healthz HTTP/1.0\r\n\r\n").endswith(" 200 OK")
    for method in ("POST", "PUT", "DELETE", "X"):
        for path in (f"/verdict/{UUID}", "/healthz", "/metrics"):
            assert " 405 " in talk(port, f"{method} {path} HTTP/1.0\r\n\r\n".encode())
    # A line of any length ends somewhere; what is no request gets no page.
    assert " 4" in talk(port, b"GET /verdict/" + b"1" * 20000)
    assert " 400 " in talk(port, b"GET /verdict/\0" + UUID.encode() + b" HTTP/1.0\r\n\r\n")
    assert " 200 " not in talk(port, b"\0\xff" * 100 + b"\r\n\r\n")


EXAMPLES = pages.ROOT / "docs/examples"


def test_example_of_a_policy(tool, collect, tmp_path):
    shown = Shown(tool, collect, tmp_path, (EXAMPLES / "noisefloor-collect.policy").read_text(),
                  measured(1, 20000))
    assert shown.status()[:2] == (0, "pass")


def test_check(collect, tmp_path):
    """The script's exit status, and what it prints."""
    port, file = free_port(), tmp_path / "policy.conf"
    file.write_text(policy_text(max="10us"))
    collector = collect("--metrics", f"127.0.0.1:{port}", "--policy", file)
    for sid, longest in ((1, 10000), (2, 10001)):
        uuid = f"{UUID[:-1]}{sid}"
        collector.deliver(sid, measured(sid, longest, uuid=uuid))
        wait_for(lambda uuid=uuid: ask(port, f"/verdict/{uuid}")[0] != 404)

    def check(uuid, where=port):
        done = ran(EXAMPLES / "noisefloor-collect-check.sh", f"http://127.0.0.1:{where}", uuid)
        return done.returncode, done.stdout

    assert check(f"{UUID[:-1]}1")[0] == 0
    code, printed = check(f"{UUID[:-1]}2")
    assert code == 1 and json.loads(printed)["policy_verdict"] == "fail"
    assert check(f"{UUID[:-1]}3")[0] == 2 and check("x")[0] == 2
    assert check(UUID, free_port()) == (2, "")


def test_alert_rules(tool, collect, tmp_path):
    """Each is about series that a collector has, with values of labels that these have."""
    shown = Shown(tool, collect, tmp_path, policy_text(max="5us"), measured(1, 10000))
    page = shown.page
    group, = yaml.safe_load((EXAMPLES / "noisefloor-collect.rules.yml").read_text())["groups"]
    names = [rule["alert"] for rule in group["rules"]]
    assert len(set(names)) == len(names) > 5
    for rule in group["rules"]:
        assert set(rule) - {"for"} == {"alert", "expr", "labels", "annotations"}
        assert rule["labels"]["severity"] in ("warning", "critical")
        series = re.findall(r"(noisefloor_\w+)(?:{(\w+)=~?\"([\w|]+)\"})?", rule["expr"])
        assert series, rule
        for name, label, values in series:
            assert re.search(rf"^# TYPE {name} ", page, re.M), name
            for value in values.split("|") if label else ():
                assert re.search(rf'^{name}{{.*{label}="{value}"', page, re.M), (name, value)
