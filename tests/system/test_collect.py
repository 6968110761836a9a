# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor-collect` and `noisefloor fleet status` as processes: sockets, a store, signals."""
import contextlib
import http.server
import json
import os
import random
import re
import select
import signal
import socket
import subprocess
import threading
import time
import urllib.request
import xml.etree.ElementTree

import pytest

import node
from collecting import SECONDS, change, program, put, rows, wait_for
from ran import ran
from tiers import full

UUID = "1111aaaa-bbbb-3333-4444-555555555555"  # a UUID that has two cases
KEY = bytes(range(16))


def address(collector, host="127.0.0.1"):
    return host, collector.port


def status(tool, folder, uuid=UUID, *options):
    done = ran(tool, "fleet", "status", uuid, "--dir", folder, *options)
    return done.returncode, done.stdout + done.stderr


def deliver(collector, sid, lines, **how):
    sender = node.Node(address(collector), sid, lines, **how)
    try:
        assert sender.run(SECONDS), (sender.next, sender.state, collector.text())
    finally:
        sender.close()
    return sender


def test_crc_and_siphash_of_the_node():
    assert node.crc32c(b"123456789") == 0xE3069283
    tag = node.siphash128(bytes(range(16)), bytes(range(15)))
    assert tag.hex() == "5493e99933b0a8117e08ec0f97cfc3d9"


def test_a_run(tool, collect):
    lines = node.run_lines(0xABC, UUID, 50)
    collector = collect()
    deliver(collector, 0xABC, lines)
    # It stands there before it is acknowledged.
    assert collector.lines(0xABC) == b"".join(lines)
    assert status(tool, collector.folder)[0] == 0
    assert collector.end() == 0
    assert f"{UUID}: run {0xABC:016x} pass, 52 lines" in collector.text()
    assert status(tool, collector.folder)[0] == 0


@pytest.mark.parametrize("listen,host", [
    ("[::1]:0", "::1"), ("127.0.0.1:0", "127.0.0.1"), (":0", "127.0.0.1"), (":0", "::1"),
])
def test_both_families(collect, listen, host):
    if ":" in host and not socket.has_ipv6:
        pytest.skip("no IPv6")
    collector = collect(listen=listen)
    sender = node.Node((host, collector.port), 1, node.run_lines(1, UUID, 3))
    assert sender.run(SECONDS)
    sender.close()
    assert rows(collector.folder)[-1]["host"] == host


@pytest.mark.parametrize("key", [full(None), KEY])
def test_bad_network(collect, tmp_path, key):
    lines = node.run_lines(5, UUID, 600)
    (tmp_path / "key").write_text(KEY.hex() + "\n")
    (tmp_path / "key").chmod(0o600)
    collector = collect(*(("--key", tmp_path / "key") if key else ()))
    deliver(collector, 5, lines, key=key, loss=0.3, seed=1)
    assert collector.lines(5) == b"".join(lines)
    assert collector.end() == 0
    assert KEY.hex() not in collector.text().lower()


@pytest.mark.parametrize("key", [full(None), KEY])
def test_killed_in_mid_run(tool, collect, tmp_path, key):
    """Killed three times: what was acknowledged is there, and the node goes on."""
    lines = node.run_lines(5, UUID, 900)
    (tmp_path / "key").write_text(KEY.hex())
    options = ("--key", tmp_path / "key") if key else ()
    collector = collect(*options)
    sender = node.Node(address(collector), 5, lines, key=key)
    port = collector.port
    for part in (1, 2, 3):
        assert sender.run(SECONDS, lambda part=part: sender.next >= part * 200), sender.next
        collector.kill()
        kept = collector.lines(5)
        assert kept.count(b"\n") >= sender.next
        code, printed = status(tool, collector.folder)
        assert (code, "incomplete" in printed) == (3, True)
        for _ in range(20):
            sender.step()
            time.sleep(0.01)
        collector = collect(*options, listen=f"127.0.0.1:{port}")
    assert sender.run(SECONDS)
    sender.close()
    assert collector.lines(5) == b"".join(lines)
    assert status(tool, collector.folder)[0] == 0
    assert collector.end() == 0
    assert rows(collector.folder)[-1]["ended"] == 1


def fire(collector, *datagrams):
    """Send these, and wait until a datagram behind them has been answered."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.connect(address(collector))
        for data in datagrams:
            sock.send(data)


def test_key(tool, collect, tmp_path):
    """Not signed, forged, damaged, replayed: never in the file, and counted."""
    (tmp_path / "key").write_text(KEY.hex())
    options = ("--key", tmp_path / "key")
    lines = node.run_lines(9, UUID, 30)
    collector = collect(*options)
    sender = deliver(collector, 9, lines, key=KEY)
    evil = node.run_lines(13, UUID, 3, "fail")
    signed = node.datagram(13, 0, 0, evil, KEY, sender.token)
    fire(
        collector,
        node.datagram(13, 0, 0, evil),
        node.datagram(13, 0, 0, evil, bytes(16)),
        signed[:100] + bytes([signed[100] ^ 1]) + signed[101:],
        signed,  # with another run's token
        *sender.sent,  # a duplicate, or without a token
    )
    deliver(collector, 10, node.run_lines(10, UUID[::-1], 3), key=KEY)
    counts = collector.refused()
    assert counts["unsigned"] == counts["forged"] == counts["damaged"] == counts["replayed"] == 1
    assert collector.lines(9) == b"".join(lines)
    assert not collector.lines(13)
    # All that was ever sent, once more to one that was started again and does not have it.
    change(collector.folder, "DELETE FROM run WHERE id=1", "DELETE FROM progress WHERE run=1",
           "DELETE FROM chunk WHERE run=1")
    collector = collect(*options)
    fire(collector, *sender.sent)
    deliver(collector, 11, node.run_lines(11, UUID[::-1], 3), key=KEY)
    assert collector.refused()["replayed"] > 0
    assert not collector.lines(9)
    assert KEY.hex() not in collector.text()


def test_own_key(tool, collect, tmp_path):
    """A node's own key signs runs of its UUID, and nobody else's."""
    (tmp_path / "key").write_text(KEY.hex())
    command = [tool, "fleet", "key", "--fleet", tmp_path / "key", "--node", UUID.upper()]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    own = bytes.fromhex(printed)
    assert own == node.own_key(KEY, UUID)
    collector = collect("--key", tmp_path / "key")
    deliver(collector, 1, node.run_lines(1, UUID, 100), key=own, uuid=UUID)
    deliver(collector, 2, node.run_lines(2, UUID[::-1], 3), key=KEY)
    other = "22222222" + UUID[8:]
    for named, uuid in ((other, UUID), (UUID, other), (other, other)):
        sender = node.Node(address(collector), 3, node.run_lines(3, named, 1), key=own, uuid=uuid)
        assert sender.run(SECONDS, lambda sender=sender: sender.state == node.WRONG_KEY)
        sender.close()
    assert not collector.lines(3)
    assert status(tool, collector.folder)[0] == 0
    for wrong in (UUID[:-1], UUID + "0", UUID.replace("1", "g"), ""):
        done = ran(tool, "fleet", "key", "--fleet", tmp_path / "key", "--node", wrong)
        assert done.returncode == 2 and "not a UUID" in done.stderr and not done.stdout


def test_two_keys(collect, tmp_path):
    """The old key is good until it is withdrawn; a revoked node's own is not."""
    new = bytes(reversed(KEY))
    for name, key in (("new", new), ("old", KEY)):
        (tmp_path / name).write_text(key.hex())
    other = "22222222" + UUID[8:]
    (tmp_path / "revoked").write_text("# sold\n")
    collector = collect("--key", tmp_path / "new", "--old-key", tmp_path / "old", "--revoked",
                        tmp_path / "revoked")

    def own(key, uuid):
        return {"key": node.own_key(key, uuid), "uuid": uuid}

    deliver(collector, 1, node.run_lines(1, UUID, 3), **own(KEY, UUID))
    deliver(collector, 2, node.run_lines(2, UUID, 3), **own(new, UUID))
    deliver(collector, 3, node.run_lines(3, UUID, 3), key=KEY)
    (tmp_path / "revoked").write_text(f"{UUID}\n")
    (tmp_path / "old").write_text(new.hex())
    collector.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "SIGHUP" in collector.text())
    for how in (own(new, UUID), own(KEY, other), {"key": KEY}):
        sender = node.Node(address(collector), 4, node.run_lines(4, how.get("uuid", other), 1),
                           **how)
        assert sender.run(SECONDS, lambda sender=sender: sender.state == node.WRONG_KEY)
        sender.close()
    assert not collector.lines(4)
    deliver(collector, 5, node.run_lines(5, other, 3), **own(new, other))
    (tmp_path / "revoked").write_text("me\n")
    collector.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "all files stay as they were" in collector.text())
    assert ":1: `me` is no UUID" in collector.text() and collector.end() == 0


def test_hostile(collect):
    """Rubbish, cut, too long, doubled: the run beside it is whole, and nothing else is there."""
    collector = collect()
    lines = node.run_lines(3, UUID, 200)
    good = node.datagram(4, 0, 0, lines[:1])
    fire(
        collector,
        b"",
        b"nfd2",
        os.urandom(1200),
        b"nfd2" + os.urandom(60000),
        *(good[:count] for count in range(0, len(good), 7)),
        good,  # lines of another run
        node.datagram(3, 0, 0, lines[:1] * 2),
        node.datagram(3, 1 << 63, 0, lines[:1]),
        node.datagram(6, 7, 0, [node.record(6, 7, "gap")]),
    )
    deliver(collector, 3, lines, loss=0.1, seed=3)
    assert collector.lines(3) == b"".join(lines)
    assert {path.name for path in collector.folder.iterdir()} == {
        "runs.sqlite", "runs.sqlite-shm", "runs.sqlite-wal",
    }
    counts = collector.refused()
    assert counts["malformed"] > 5 and counts["unknown_run"] >= 1 and counts["bad_lines"] == 2


def test_status(tool, collect):
    collector = collect()
    for sid, verdict, code in ((1, "pass", 0), (2, "fail", 1), (3, "error", 2),
                               (4, "incomplete", 3), (5, "none", 0), (6, "odd", 2)):
        uuid = UUID[:-1] + str(sid)
        deliver(collector, sid, node.run_lines(sid, uuid, 2, verdict))
        assert status(tool, collector.folder, uuid)[0] == code
        # As some firmware writes it.
        assert status(tool, collector.folder, uuid.upper())[0] == code
    assert "because" in status(tool, collector.folder, UUID[:-1] + "2")[1]
    code, printed = status(tool, collector.folder, "no-such")
    assert code == 2 and "no run of no-such" in printed
    assert status(tool, collector.folder / "none")[0] == 2
    # Without `end` it is incomplete.
    deliver(collector, 7, node.run_lines(7, UUID[:-1] + "7", 2)[:-1])
    assert status(tool, collector.folder, UUID[:-1] + "7")[0] == 3


def test_status_of_a_node_that_reports_no_more(tool, tmp_path):
    """Its pass counts up to --max-age; its fail always."""
    now, week = int(time.time()), ("--max-age", "7d")
    for name, days, verdict, code in (("new", 6, "pass", 0), ("old", 8, "pass", 3),
                                      ("none", 8, "none", 3), ("bad", 8, "fail", 1),
                                      ("future", -2, "pass", 3), ("ahead", -1 / 48, "pass", 0)):
        folder = tmp_path / name
        when = now - int(days * 86400)
        put(tool, folder, {1: node.run_lines(1, UUID, 3, verdict)}, when)
        assert status(tool, folder)[0] == (verdict == "fail")
        assert status(tool, folder, UUID, *week)[0] == code, name
    printed = status(tool, tmp_path / "old", UUID, *week)[1]
    assert printed.startswith(f"{UUID} incomplete ")
    assert ": pass, but too old: received 192 h ago, at most 7d\n" in printed
    assert "pass, but of the future" in status(tool, tmp_path / "future", UUID, *week)[1]
    for name, verdict, expired in (("old", "incomplete", True), ("new", "pass", False),
                                   ("bad", "fail", False)):
        answer = json.loads(status(tool, tmp_path / name, UUID, *week, "--json")[1])
        assert (answer["verdict"], answer["expired"]) == (verdict, expired)
    # What has not ended is not too old, but incomplete.
    put(tool, tmp_path / "new", {2: node.run_lines(2, UUID, 2)[:-1]})
    assert status(tool, tmp_path / "new", UUID, *week)[0] == 3
    for wrong in ("7", "", "0d", "-1d", "d"):
        assert status(tool, tmp_path / "new", UUID, "--max-age", wrong)[0] == 2, wrong


def scraped(text):
    return {
        name: int(value)
        for name, value in re.findall(r"^(noisefloor_collect_\S+) (\d+)$", text, re.M)
    }


def test_metrics(collect):
    port = free_port()
    collector = collect("--metrics", f"127.0.0.1:{port}")
    deliver(collector, 1, node.run_lines(1, UUID, 10))
    wait_for(lambda: scraped(page_of(port))["noisefloor_collect_runs_ended_total"] == 1)
    found = scraped(page_of(port))
    assert found["noisefloor_collect_lines_total"] == 12
    assert found['noisefloor_collect_datagrams_total{result="forged"}'] == 0
    assert found['noisefloor_collect_datagrams_total{result="taken"}'] >= 1
    assert collector.end() == 0


def nodes_in(text):
    """The metrics of nodes: {family: {UUID: value, or the verdicts that are 1}}."""
    found = {"verdict": {}, "duration_seconds": {}, "stretch": {}}
    for family, uuid, verdict, value in re.findall(
            r'^noisefloor_collect_node_(\w+){uuid="([^"]+)"(?:,verdict="(\w+)")?} ([\d.]+)$',
            text, re.M):
        if family == "verdict":
            found[family].setdefault(uuid, {})[verdict] = float(value)
        elif family in found:
            found[family][uuid] = float(value)
    for uuid, states in found["verdict"].items():
        assert set(states) == {"none", "pass", "fail", "incomplete", "error"}
        found["verdict"][uuid] = [state for state, value in states.items() if value]
    return found


def timed_lines(sid, uuid, verdict, seconds):
    """A run whose last window ends so many seconds after its begin."""
    lines = node.run_lines(sid, uuid, 0, verdict)
    windows = [node.record(sid, 1 + n, "window",
                           f',"stage":"bare","n":{n},"start_ns":{(seconds - 2 + n) * 10**9},'
                           '"windows":1,"len_ns":1000000000,"gaps":0,"noise_ns":0,"max_ns":0')
               for n in range(2)]
    end = node.record(sid, 3, "end", f',"verdict":"{verdict}","reasons":["because"]')
    return [lines[0], *windows, end]


def test_metrics_of_nodes(collect):
    """The latest run of each node that has ended, whatever the number of runs."""
    port, other, third = free_port(), UUID[::-1], UUID.replace("1", "2")
    where = "--metrics", f"127.0.0.1:{port}"
    collector = collect(*where)
    deliver(collector, 1, timed_lines(1, UUID, "pass", 60))
    deliver(collector, 2, timed_lines(2, UUID.upper(), "fail", 70))
    deliver(collector, 3, timed_lines(3, other, "none", 80))
    deliver(collector, 4, timed_lines(4, other, "pass", 90)[:-1])  # it has not ended
    deliver(collector, 5, node.run_lines(5, third, 1, config="mode=stretch max=none"))
    deliver(collector, 6, node.run_lines(6, "", 1))
    wanted = {"verdict": {UUID.upper(): ["fail"], other: ["none"], third: ["pass"]},
              "duration_seconds": {UUID.upper(): 70, other: 80},  # the third has no windows
              "stretch": {third: 1}}
    wait_for(lambda: nodes_in(page_of(port)) == wanted)
    assert collector.end() == 0
    # A restarted collector reads them from its folder; another run adds no series.
    collector = collect(*where)
    assert nodes_in(page_of(port)) == wanted
    deliver(collector, 7, timed_lines(7, other, "incomplete", 85))
    wanted["verdict"][other], wanted["duration_seconds"][other] = ["incomplete"], 85
    wait_for(lambda: nodes_in(page_of(port)) == wanted)
    # The latest run counts, not what the node once was.
    deliver(collector, 8, node.run_lines(8, third, 1, config="mode=gaps max=none"))
    wait_for(lambda: nodes_in(page_of(port)) == {**wanted, "stretch": {}})
    assert collector.end() == 0


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_metrics_of_many_nodes(tool, collect, tmp_path):
    """More than a socket holds, and clients that ask and do not read."""
    nodes, port, folder = 3000, free_port(), tmp_path / "runs"
    put(tool, folder, {sid: node.run_lines(sid, f"{sid:08}{UUID[8:]}", 0)
                       for sid in range(1, nodes + 1)})
    collector = collect("--metrics", f"127.0.0.1:{port}")
    with contextlib.ExitStack() as stack:
        for _ in range(12):
            idle = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            idle.sendall(b"GET / HTTP/1.0\r\n\r\n")
        page = f"http://127.0.0.1:{port}/metrics"
        with urllib.request.urlopen(page, timeout=SECONDS) as answer:
            text = answer.read().decode()
    assert text.count(',verdict="pass"} 1\n') == nodes
    assert text.count(',verdict="none"} 0\n') == nodes
    assert "noisefloor_collect_nodes_left_out 0\n" in text
    assert collector.end() == 0


def page_of(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=SECONDS) as answer:
        return answer.read().decode()


def test_more_clients_than_places(collect):
    """The oldest of them give way, whatever they are doing."""
    port = free_port()
    collector = collect("--metrics", f"127.0.0.1:{port}")
    with contextlib.ExitStack() as stack:
        for n in range(400):
            idle = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            if n % 2:
                idle.sendall(b"GET /metrics HTTP/1.1\r\nHost: ")
            if n % 100 == 99:
                assert "noisefloor_collect_lines_total" in page_of(port)
    assert collector.end() == 0


@pytest.mark.parametrize("begun", [b"G", full(b"GET / HTTP/1.1\r\nHost: a\r\n"), full(b"\r\n")])
def test_clients_that_drip(collect, begun):
    """A byte now and then does not keep a connection open for ever."""
    port = free_port()
    collector = collect("--metrics", f"127.0.0.1:{port}")
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as client:
        client.sendall(begun)

        def is_closed():
            try:
                client.sendall(b"E")
                return select.select([client], [], [], 0)[0] and not client.recv(4096)
            except OSError:
                return True

        wait_for(is_closed)
    assert "noisefloor_collect_lines_total" in page_of(port)
    assert collector.end() == 0


def test_clients_that_send_rubbish(collect):
    """Requests cut, altered and of random bytes; the collector goes on, and so do its pages."""
    port, dice = free_port(), random.Random(7)
    collector = collect("--metrics", f"127.0.0.1:{port}")
    wait_for(lambda: "noisefloor_collect_lines_total" in page_of(port))
    true = (f"POST /verdict/{UUID} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
            "Content-Length: 99999999999999999999\r\nExpect: 100-continue\r\n\r\n"
            "ffffffffffffffff\r\nGET / HTTP/1.0\r\n\r\n").encode()
    for _ in range(300):
        sent = bytearray(true if dice.random() < 0.7 else dice.randbytes(dice.randrange(20000)))
        for _ in range(dice.randrange(4)):
            sent[dice.randrange(len(sent) or 1):] = dice.randbytes(dice.randrange(40))
        with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as client:
            with contextlib.suppress(OSError):
                client.sendall(sent)
                if dice.random() < 0.5:
                    client.shutdown(socket.SHUT_WR)
    deliver(collector, 1, node.run_lines(1, UUID, 10))
    wait_for(lambda: scraped(page_of(port))["noisefloor_collect_lines_total"] == 12)
    assert collector.end() == 0


def test_junit(collect, tmp_path):
    # Somebody else's link is replaced, and what it leads to stays.
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "fleet.xml").symlink_to(tmp_path / "victim")
    collector = collect("--junit", tmp_path / "fleet.xml")
    deliver(collector, 1, node.run_lines(1, UUID, 3))
    deliver(collector, 2, node.run_lines(2, UUID[::-1], 3, "fail"))
    deliver(collector, 3, node.run_lines(3, UUID, 3)[:-1])
    deliver(collector, 4, node.run_lines(4, UUID, 3, "none", "mode=stretch max=none"))
    deliver(collector, 5, node.run_lines(5, UUID, 3, remark="2 s is too short"))
    assert collector.end(signal.SIGINT) == 0
    assert (tmp_path / "victim").read_text() == "mine"
    suite = xml.etree.ElementTree.parse(tmp_path / "fleet.xml").getroot().find("testsuite")
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["5", "1", "1", "2"]
    assert [case.get("name") for case in suite if "mode" in case.get("name")] == [
        f"{UUID} {4:016x} mode=stretch"]
    cases = {case.get("name").split()[1]: case for case in suite}
    assert list(cases) == [f"{sid:016x}" for sid in range(1, 6)]
    assert not len(cases[f"{1:016x}"])
    assert cases[f"{2:016x}"].find("failure").get("message") == "because"
    assert cases[f"{3:016x}"].find("error").get("type") == "incomplete"
    assert cases[f"{4:016x}"].find("skipped").get("message") == "because"
    assert cases[f"{5:016x}"].find("skipped").get("message") == "2 s is too short"


class Engine:
    """A time-series engine: answers with these, then with 204; keeps what it took.

    `failing` {what points have: (status, answer)} comes before both.
    """

    def __init__(self, port=0, answers=(), tls=None, failing=None, path="/write?db=nf",
                 authorization=None):
        engine = self
        self.answers, self.taken, self.asked = list(answers), [], 0
        self.failing = failing or {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                code, text = next((how for what, how in engine.failing.items() if what in body),
                                  (None, b""))
                code = code or (engine.answers.pop(0) if engine.answers else 204)
                if self.headers["Authorization"] != authorization:
                    code = 401
                if code == 204 and self.path == path:
                    engine.taken.append(body.decode())
                engine.asked += 1
                self.send_response(code)
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", port), Handler)
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def runs_in(engine):
    return [re.findall(r"^noisefloor_end,run=(\w+)", body, re.M) for body in engine.taken]


def accepted(collector):
    return [run["forward_state"] for run in rows(collector.folder)].count("accepted")


def ended_run(sid):
    """Of which `show` makes points."""
    lines = node.run_lines(sid, UUID, 2)
    totals = (
        '"begin":1,"stage":0,"window":0,"gap":2,"event":0,"cpu":0,"source":0,"pause":0,"log":0,'
        '"end":1'
    )
    lines[-1] = node.record(
        sid, 3, "end", f',"verdict":"pass","reasons":[],"records":{{{totals}}},"gaps_unsent":0'
    )
    return lines


def test_forward(collect):
    """Engine away, collector killed, engine busy, then there: each run arrives, and once."""
    engine = Engine()
    port = engine.port
    engine.close()
    to = ("--forward", f"influx:http://127.0.0.1:{port}/write?db=nf")
    collector = collect(*to)
    deliver(collector, 1, ended_run(1))
    wait_for(lambda: "does not accept points" in collector.text())
    collector.kill()
    engine = Engine(port, [503])
    try:
        metrics = free_port()
        collector = collect(*to, "--metrics", f"127.0.0.1:{metrics}")
        wait_for(lambda: len(engine.taken) == 1)
        deliver(collector, 2, ended_run(2))
        deliver(collector, 3, node.run_lines(3, UUID, 2)[:-1])  # not ended
        wait_for(lambda: len(engine.taken) == 2)
        assert runs_in(engine) == [[f"{1:016x}"], [f"{2:016x}"]]
        wait_for(lambda: accepted(collector) == 2)
        wait_for(lambda: scraped(page_of(metrics))["noisefloor_collect_forwarded_total"] == 2)
        assert collector.end() == 0
        # One that starts again knows what is done; what the engine rejects is done, too.
        asked = engine.asked
        engine.answers = [400]
        collector = collect(*to)
        deliver(collector, 4, ended_run(4))
        wait_for(lambda: "was rejected" in collector.text())
        assert engine.asked == asked + 1 and len(engine.taken) == 2
        assert collector.end() == 0
    finally:
        engine.close()


@pytest.mark.parametrize("first", [
    node.machine(UUID),
    ',"part":0' + node.machine(UUID) + node.BEGIN + ',"more":true',
    node.machine(UUID) + node.BEGIN,
], ids=["incomplete", "parts", "two"])
def test_verdict_for_another_machine(tool, collect, tmp_path, first):
    """A node with a key of its own begins as itself, and once more as somebody else: that is not
    taken, and neither the engine nor the folder has a verdict for that machine."""
    (tmp_path / "key").write_text(KEY.hex())
    other = UUID[::-1]
    lines = [node.record(5, 0, "begin", first),
             node.record(5, 1, "begin", node.machine(other) + node.BEGIN),
             node.record(5, 2, "end", ',"verdict":"pass","reasons":[],"gaps_unsent":0,'
                                      '"records":{"begin":1,"end":1}')]
    engine = Engine()
    try:
        collector = collect("--key", tmp_path / "key", "--forward",
                            f"influx:http://127.0.0.1:{engine.port}/write?db=nf")
        sender = node.Node(address(collector), 5, lines, key=node.own_key(KEY, UUID), uuid=UUID)
        assert sender.run(SECONDS, lambda: sender.state == node.WRONG_KEY)
        sender.close()
        assert other not in "".join(engine.taken)
        assert not re.search(r"^noisefloor_end,.*verdict=pass", "".join(engine.taken), re.M)
        assert collector.end() == 0
    finally:
        engine.close()
    assert status(tool, collector.folder, other)[0] == 2
    assert status(tool, collector.folder)[0] in (2, 3)


# As InfluxDB 1.x answers.
FULL = (b'{"error":"partial write: max-values-per-tag limit exceeded (100001/100000): '
        b'measurement=\\"noisefloor_end\\" tag=\\"run\\" dropped=1"}\n')


@pytest.mark.parametrize("answer,why", [
    (FULL, "max-values-per-tag limit exceeded"),
    (b"cannot parse line\nsecond line" + b"x" * 1000000, "cannot parse line\n"),
], ids=["influx", "victoria"])
def test_rejected_run_is_sent_again(collect, answer, why):
    """With the engine's reason; when somebody asks for it, and at the next start."""
    engine = Engine(failing={b"noisefloor": (400, answer)})
    to = ("--forward", f"influx:http://127.0.0.1:{engine.port}/write?db=nf")
    try:
        collector = collect(*to)
        for sid in (1, 2):
            deliver(collector, sid, ended_run(sid))
        wait_for(lambda: collector.text().count("was rejected: HTTP status 400") == 2)
        assert why in collector.text() and not engine.taken
        engine.failing = {b"run=%016x" % 2: (400, answer)}
        collector.process.send_signal(signal.SIGHUP)
        wait_for(lambda: runs_in(engine) == [[f"{1:016x}"]])
        assert collector.end() == 0
        engine.failing = {}
        collector = collect(*to)
        wait_for(lambda: runs_in(engine) == [[f"{1:016x}"], [f"{2:016x}"]])
        wait_for(lambda: accepted(collector) == 2)
        assert collector.end() == 0
    finally:
        engine.close()


def drip(engine, asked):
    """Answer one request, a byte every now and then, until the other end has enough."""
    client, _ = engine.accept()
    with client, contextlib.suppress(OSError):
        client.recv(65536)
        client.sendall(b"HTTP/1.1 204 No Content\r\nX-Drip: ")
        asked.set()
        while True:
            client.sendall(b"H")
            time.sleep(0.2)


def test_nobody_holds_up_its_end(collect):
    """An engine that drips, a client of the metrics that sends nothing."""
    asked = threading.Event()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        metrics = free.getsockname()
    with socket.create_server(("127.0.0.1", 0)) as engine:
        threading.Thread(target=drip, args=(engine, asked), daemon=True).start()
        port = engine.getsockname()[1]
        collector = collect("--forward", f"influx:http://127.0.0.1:{port}/write?db=nf",
                            "--metrics", f"127.0.0.1:{metrics[1]}")
        idle = socket.create_connection(metrics)
        deliver(collector, 1, node.run_lines(1, UUID, 3))
        assert asked.wait(SECONDS)
        assert collector.end() == 0
        # So it reports when it has waited for the request, which may take 30 s.
        assert "does not accept points" not in collector.text()
        idle.close()
    assert not accepted(collector)


def test_forward_usage(tool, tmp_path):
    form = "accepted: influx:http[s]://HOST:PORT/write?db=NAME"
    for wrong, why in (
        ("http://a:1/", form), ("influx:a", form), ("influx:ftp://a/x", form),
        ("influx:http://a:1/ x", form), ("influx:http://a:99999/", form),
        ("influx:https://me:hunter2@a:1/x", "use --netrc-file"),
    ):
        printed = fails(tool, "--listen", "127.0.0.1:0", "--dir", tmp_path, "--forward", wrong)
        assert why in printed and "hunter2" not in printed
    for option in ("--cacert", "--netrc-file", "--authorization"):
        printed = fails(tool, "--listen", "127.0.0.1:0", "--dir", tmp_path, "--forward",
                        "influx:https://127.0.0.1:1/x", option, tmp_path / "none")
        assert f"{option} {tmp_path / 'none'}: No such file" in printed


def test_forward_over_tls(collect, certificate):
    """Points go to who is trusted; for who is not they wait."""
    cert, tls = certificate
    engine = Engine(tls=tls)
    try:
        to = ("--forward", f"influx:https://127.0.0.1:{engine.port}/write?db=nf")
        collector = collect(*to)
        deliver(collector, 1, ended_run(1))
        wait_for(lambda: "does not accept points" in collector.text())
        assert collector.end() == 0 and not engine.taken
        collector = collect(*to, "--cacert", cert)
        wait_for(lambda: runs_in(engine) == [[f"{1:016x}"]])
        assert collector.end() == 0
    finally:
        engine.close()


def test_forward_by_a_token(collect, tmp_path):
    """As InfluxDB 2 wants it, at its path: without it runs wait, and it is printed nowhere."""
    path = "/api/v2/write?org=lab&bucket=nf&precision=ns"
    engine = Engine(path=path, authorization="Token hunter2")
    token = tmp_path / "token"
    try:
        to = ("--forward", f"influx:http://127.0.0.1:{engine.port}{path}", "--authorization", token)
        token.write_text("Token hunter3\n")
        collector = collect(*to)
        deliver(collector, 1, ended_run(1))
        wait_for(lambda: "does not accept points" in collector.text())
        assert collector.end() == 0 and not engine.taken and "hunter" not in collector.text()
        token.write_text("Token hunter2\n")
        collector = collect(*to)
        wait_for(lambda: runs_in(engine) == [[f"{1:016x}"]])
        assert collector.end() == 0 and "hunter" not in collector.text()
    finally:
        engine.close()


@pytest.mark.parametrize("mode, warned", [(0o600, False), (0o660, False), (0o604, True),
                                          (0o602, True)])
def test_secrets_of_everybody(tool, collect, tmp_path, mode, warned):
    """Files that others than owner and group may read or write are warned of, and used."""
    texts = {"--key": KEY.hex(), "--old-key": KEY.hex(), "--authorization": "Token hunter2",
             "--netrc-file": "machine example.com login me password hunter2"}
    paths = {option: tmp_path / option[2:] for option in texts}
    for option, path in paths.items():
        path.write_text(texts[option])
        path.chmod(mode)
    why = "this file is readable or writable by everybody\n"
    engine = f"http://127.0.0.1:{free_port()}/"
    collector = collect("--forward", f"influx:{engine}write?db=nf",
                        *(word for item in paths.items() for word in item))
    assert collector.end() == 0
    for option, path in paths.items():
        assert (f"noisefloor-collect: {option} {path}: {why}" in collector.text()) == warned
    assert collector.text().count(why) == warned * len(paths)
    done = ran(tool, "fleet", "key", "--fleet", paths["--key"], "--node", UUID)
    assert (f"fleet key: --fleet {paths['--key']}: {why}" in done.stderr) == warned, done.stderr
    assert KEY.hex() not in done.stderr


def fails(tool, *arguments):
    done = ran(program(tool), *arguments, timeout=SECONDS)
    assert done.returncode == 2
    return done.stderr


def test_usage(tool, collect, tmp_path):
    folder = tmp_path / "x"
    for wrong in ("5514", "localhost:1", ":70000", "[::1", "1.2.3.4.5:1", ":", "[]:1",
                  "[1.2.3.4]:1"):
        assert "accepted: [2001:db8::1]:5514" in fails(tool, "--listen", wrong, "--dir", folder)
    assert "1 to 10000000" in fails(tool, "--listen", ":0", "--dir", folder, "--runs", "0")
    assert "No such file" in fails(tool, "--listen", ":0", "--dir", folder, "--key", folder)
    for text in ("", "none", "0zz1", KEY.hex() + "0", "x" * 32, KEY.hex() * 2):
        (tmp_path / "key").write_text(text)
        printed = fails(tool, "--listen", ":0", "--dir", folder, "--key", tmp_path / "key")
        assert "32 hex digits" in printed and (not text or text == "none" or text not in printed)
    collector = collect()
    assert "another collector uses it" in fails(tool, "--listen", ":0", "--dir", collector.folder)
    assert "in use" in fails(tool, "--listen", f"127.0.0.1:{collector.port}", "--dir", folder)
