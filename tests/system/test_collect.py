# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor-collect` and `noisefloor fleet status` as processes: sockets, a store, signals."""
import contextlib
import http.server
import json
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
from collecting import SECONDS, free_port, program, put, rows, status, wait_for
from ran import ran

UUID = "1111aaaa-bbbb-3333-4444-555555555555"  # a UUID that has two cases
KEY = bytes(range(16))


def test_a_run(tool, collect):
    lines = node.run_lines(0xABC, UUID, 50)
    collector = collect()
    collector.deliver(0xABC, lines)
    # The run is in the store before it is acknowledged.
    assert collector.lines(0xABC) == b"".join(lines)
    assert status(tool, collector.folder, UUID)[0] == 0
    assert collector.end() == 0
    assert f"{UUID}: run {0xABC:016x} pass, 52 lines" in collector.text()
    assert status(tool, collector.folder, UUID)[0] == 0


def test_killed_in_mid_run(tool, collect, tmp_path):
    """Killed three times: what was acknowledged is there, and the node goes on."""
    lines = node.run_lines(5, UUID, 900)
    (tmp_path / "key").write_text(KEY.hex())
    options = ("--key", tmp_path / "key")
    collector = collect(*options)
    sender = collector.sender(5, lines, key=KEY)
    port = collector.port
    for part in (1, 2, 3):
        assert sender.run(SECONDS, lambda part=part: sender.next >= part * 200), sender.next
        collector.kill()
        kept = collector.lines(5)
        assert kept.count(b"\n") >= sender.next
        code, printed = status(tool, collector.folder, UUID)
        assert (code, "incomplete" in printed) == (3, True)
        for _ in range(20):
            sender.step()
            time.sleep(0.01)
        collector = collect(*options, listen=f"127.0.0.1:{port}")
    assert sender.run(SECONDS)
    sender.close()
    assert collector.lines(5) == b"".join(lines)
    assert status(tool, collector.folder, UUID)[0] == 0
    assert collector.end() == 0
    assert rows(collector.folder)[-1]["ended"] == 1


def test_own_key(tool, collect, tmp_path):
    """A node's own key signs runs of its UUID, and nobody else's."""
    (tmp_path / "key").write_text(KEY.hex())
    command = [tool, "fleet", "key", "--fleet", tmp_path / "key", "--node", UUID.upper()]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    own = bytes.fromhex(printed)
    assert own == node.own_key(KEY, UUID)
    collector = collect("--key", tmp_path / "key")
    collector.deliver(1, node.run_lines(1, UUID, 100), key=own, uuid=UUID)
    collector.deliver(2, node.run_lines(2, UUID[::-1], 3), key=KEY)
    other = "22222222" + UUID[8:]
    for named, uuid in ((other, UUID), (UUID, other), (other, other)):
        collector.refuse(3, node.run_lines(3, named, 1), key=own, uuid=uuid)
    assert not collector.lines(3)
    assert status(tool, collector.folder, UUID)[0] == 0
    for wrong in (UUID[:-1], UUID + "0", UUID.replace("1", "g"), ""):
        done = ran(tool, "fleet", "key", "--fleet", tmp_path / "key", "--node", wrong)
        assert done.returncode == 2 and "not a UUID" in done.stderr and not done.stdout


def test_two_keys(collect, tmp_path):
    """The old key is good until it is withdrawn; a revoked node's own is not, wherever it is in the
    list."""
    new = bytes(reversed(KEY))
    for name, key in (("new", new), ("old", KEY)):
        (tmp_path / name).write_text(key.hex())
    other, before = "22222222" + UUID[8:], "00000000" + UUID[8:]
    (tmp_path / "revoked").write_text("# sold\n")
    collector = collect("--key", tmp_path / "new", "--old-key", tmp_path / "old", "--revoked",
                        tmp_path / "revoked")

    def own(key, uuid):
        return {"key": node.own_key(key, uuid), "uuid": uuid}

    collector.deliver(1, node.run_lines(1, UUID, 3), **own(KEY, UUID))
    collector.deliver(2, node.run_lines(2, UUID, 3), **own(new, UUID))
    collector.deliver(3, node.run_lines(3, UUID, 3), key=KEY)
    (tmp_path / "revoked").write_text(f"{UUID}\n{before}\n")
    (tmp_path / "old").write_text(new.hex())
    collector.hang_up()
    for how in (own(new, UUID), own(new, before), own(KEY, other), {"key": KEY}):
        collector.refuse(4, node.run_lines(4, how.get("uuid", other), 1), **how)
    assert not collector.lines(4)
    collector.deliver(5, node.run_lines(5, other, 3), **own(new, other))
    (tmp_path / "revoked").write_text("me\n")
    collector.hang_up()
    assert "all files stay as they were" in collector.text()
    assert ":1: `me` is no UUID" in collector.text() and collector.end() == 0


def test_status(tool, tmp_path):
    verdicts = (("pass", 0), ("fail", 1), ("error", 2), ("incomplete", 3), ("none", 0), ("odd", 2))
    uuids = [f"{UUID[:-1]}{sid}" for sid in range(len(verdicts) + 1)]
    runs = {sid: node.run_lines(sid, uuids[sid], 2, verdict)
            for sid, (verdict, _) in enumerate(verdicts)}
    # Without `end` it is incomplete.
    put(tool, tmp_path, {**runs, len(runs): node.run_lines(len(runs), uuids[-1], 2)[:-1]})
    for uuid, (_, code) in zip(uuids, (*verdicts, (None, 3)), strict=True):
        assert status(tool, tmp_path, uuid)[0] == code
        # Some firmware writes it in capitals.
        assert status(tool, tmp_path, uuid.upper())[0] == code
    assert "because" in status(tool, tmp_path, uuids[1])[1]
    code, printed = status(tool, tmp_path, "no-such")
    assert code == 2 and "no run of no-such" in printed
    assert status(tool, tmp_path / "none", UUID)[0] == 2


def test_status_of_a_node_that_reports_no_more(tool, tmp_path):
    """Its pass counts up to --max-age; its fail always."""
    now, week = int(time.time()), ("--max-age", "7d")
    for name, days, verdict, code in (("pass", 6, "pass", 0), ("incomplete", 8, "pass", 3),
                                      ("fail", 8, "fail", 1)):
        put(tool, tmp_path / name, {1: node.run_lines(1, UUID, 3, verdict)}, now - days * 86400)
        found, printed = status(tool, tmp_path / name, UUID, *week, "--json")
        answer = json.loads(printed)
        assert (found, answer["verdict"], answer["expired"]) == (code, name, code == 3)
    code, printed = status(tool, tmp_path / "incomplete", UUID, *week)
    assert code == 3 and printed.startswith(f"{UUID} incomplete ")
    assert ": pass, but too old: received 192 h ago, at most 7d\n" in printed
    assert status(tool, tmp_path / "incomplete", UUID)[0] == 0
    for wrong in ("7", "", "0d", "-1d", "d"):
        assert status(tool, tmp_path / "pass", UUID, "--max-age", wrong)[0] == 2, wrong


def scraped(text):
    return {
        name: int(value)
        for name, value in re.findall(r"^(noisefloor_collect_\S+) (\d+)$", text, re.M)
    }


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


def page_of(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=SECONDS) as answer:
        return answer.read().decode()


def test_metrics_of_nodes(collect):
    """The latest run of each node that has ended, whatever the number of runs."""
    port, other, third = free_port(), UUID[::-1], UUID.replace("1", "2")
    where = "--metrics", f"127.0.0.1:{port}"
    collector = collect(*where)
    collector.deliver(1, timed_lines(1, UUID, "pass", 60))
    collector.deliver(2, timed_lines(2, UUID.upper(), "fail", 70))
    collector.deliver(3, timed_lines(3, other, "none", 80))
    collector.deliver(4, timed_lines(4, other, "pass", 90)[:-1])  # the run has not ended
    collector.deliver(5, node.run_lines(5, third, 1, config="mode=stretch max=none"))
    collector.deliver(6, node.run_lines(6, "", 1))
    wanted = {"verdict": {UUID.upper(): ["fail"], other: ["none"], third: ["pass"]},
              "duration_seconds": {UUID.upper(): 70, other: 80},  # the third has no windows
              "stretch": {third: 1}}
    wait_for(lambda: nodes_in(page_of(port)) == wanted)
    assert collector.end() == 0
    # A restarted collector reads them from its folder; another run adds no series.
    collector = collect(*where)
    assert nodes_in(page_of(port)) == wanted
    collector.deliver(7, timed_lines(7, other, "incomplete", 85))
    wanted["verdict"][other], wanted["duration_seconds"][other] = ["incomplete"], 85
    wait_for(lambda: nodes_in(page_of(port)) == wanted)
    # The latest run counts, not what the node once was.
    collector.deliver(8, node.run_lines(8, third, 1, config="mode=gaps max=none"))
    wait_for(lambda: nodes_in(page_of(port)) == {**wanted, "stretch": {}})


def test_metrics_of_many_nodes(tool, collect, tmp_path):
    """More than a socket holds, and clients that ask and do not read."""
    nodes, port, folder = 3000, free_port(), tmp_path / "runs"
    put(tool, folder, {sid: node.run_lines(sid, f"{sid:08}{UUID[8:]}", 0)
                       for sid in range(1, nodes + 1)})
    collect("--metrics", f"127.0.0.1:{port}")
    with contextlib.ExitStack() as stack:
        for _ in range(12):
            idle = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            idle.sendall(b"GET / HTTP/1.0\r\n\r\n")
        text = page_of(port)
    assert text.count(',verdict="pass"} 1\n') == nodes
    assert text.count(',verdict="none"} 0\n') == nodes
    assert "noisefloor_collect_nodes_left_out 0\n" in text


def test_more_clients_than_places(collect):
    """The oldest of them give way, whatever they are doing."""
    port = free_port()
    collect("--metrics", f"127.0.0.1:{port}")
    with contextlib.ExitStack() as stack:
        for n in range(400):
            idle = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            if n % 2:
                idle.sendall(b"GET /metrics HTTP/1.1\r\nHost: ")
            if n % 100 == 99:
                assert "noisefloor_collect_lines_total" in page_of(port)


def test_clients_that_drip(collect):
    """A byte now and then does not keep a connection open for ever."""
    port = free_port()
    collect("--metrics", f"127.0.0.1:{port}")
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as client:
        client.sendall(b"G")

        def is_closed():
            try:
                client.sendall(b"E")
                return select.select([client], [], [], 0)[0] and not client.recv(4096)
            except OSError:
                return True

        wait_for(is_closed)
    assert "noisefloor_collect_lines_total" in page_of(port)


def test_clients_that_send_rubbish(collect):
    """Requests cut, altered and of random bytes; the collector goes on, and so do its pages."""
    port, dice = free_port(), random.Random(7)
    collector = collect("--metrics", f"127.0.0.1:{port}")
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
    collector.deliver(1, node.run_lines(1, UUID, 10))
    wait_for(lambda: scraped(page_of(port))["noisefloor_collect_lines_total"] == 12)
    found = scraped(page_of(port))
    assert found["noisefloor_collect_runs_ended_total"] == 1
    assert found['noisefloor_collect_datagrams_total{result="forged"}'] == 0
    assert found['noisefloor_collect_datagrams_total{result="taken"}'] >= 1


def test_junit(collect, tmp_path):
    # Somebody else's link is replaced, and what it leads to stays.
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "fleet.xml").symlink_to(tmp_path / "victim")
    collector = collect("--junit", tmp_path / "fleet.xml")
    collector.deliver(1, node.run_lines(1, UUID, 3))
    collector.deliver(2, node.run_lines(2, UUID[::-1], 3, "fail"))
    collector.deliver(3, node.run_lines(3, UUID, 3)[:-1])
    collector.deliver(4, node.run_lines(4, UUID, 3, "none", "mode=stretch max=none"))
    collector.deliver(5, node.run_lines(5, UUID, 3, remark="2 s is too short"))
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
        self.option = "--forward", f"influx:http{'s' if tls else ''}://127.0.0.1:{self.port}{path}"
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
    """An ended run, from which `show` makes points."""
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
    port, to = engine.port, engine.option
    engine.close()
    collector = collect(*to)
    collector.deliver(1, ended_run(1))
    wait_for(lambda: "does not accept points" in collector.text())
    collector.kill()
    with contextlib.closing(Engine(port, [503])) as engine:
        metrics = free_port()
        collector = collect(*to, "--metrics", f"127.0.0.1:{metrics}")
        wait_for(lambda: len(engine.taken) == 1)
        collector.deliver(2, ended_run(2))
        collector.deliver(3, node.run_lines(3, UUID, 2)[:-1])  # not ended
        wait_for(lambda: len(engine.taken) == 2)
        assert runs_in(engine) == [[f"{1:016x}"], [f"{2:016x}"]]
        wait_for(lambda: accepted(collector) == 2)
        wait_for(lambda: scraped(page_of(metrics))["noisefloor_collect_forwarded_total"] == 2)


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
    with contextlib.closing(Engine()) as engine:
        collector = collect("--key", tmp_path / "key", *engine.option)
        collector.refuse(5, lines, key=node.own_key(KEY, UUID), uuid=UUID)
        assert other not in "".join(engine.taken)
        assert not re.search(r"^noisefloor_end,.*verdict=pass", "".join(engine.taken), re.M)
        assert collector.end() == 0
    assert status(tool, collector.folder, other)[0] == 2
    assert status(tool, collector.folder, UUID)[0] in (2, 3)


# An answer of InfluxDB 1.x.
FULL = (b'{"error":"partial write: max-values-per-tag limit exceeded (100001/100000): '
        b'measurement=\\"noisefloor_end\\" tag=\\"run\\" dropped=1"}\n')


def test_rejected_run_is_sent_again(collect):
    """With the engine's reason; when somebody asks for it, and at the next start."""
    with contextlib.closing(Engine(failing={b"noisefloor": (400, FULL)})) as engine:
        collector = collect(*engine.option)
        for sid in (1, 2):
            collector.deliver(sid, ended_run(sid))
        wait_for(lambda: collector.text().count("was rejected: HTTP status 400") == 2)
        assert "max-values-per-tag limit exceeded" in collector.text() and not engine.taken
        engine.failing = {b"run=%016x" % 2: (400, FULL)}
        collector.hang_up()
        wait_for(lambda: runs_in(engine) == [[f"{1:016x}"]])
        assert collector.end() == 0
        engine.failing = {}
        collector = collect(*engine.option)
        wait_for(lambda: runs_in(engine) == [[f"{1:016x}"], [f"{2:016x}"]])
        wait_for(lambda: accepted(collector) == 2)


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
    asked, metrics = threading.Event(), ("127.0.0.1", free_port())
    with socket.create_server(("127.0.0.1", 0)) as engine:
        threading.Thread(target=drip, args=(engine, asked), daemon=True).start()
        port = engine.getsockname()[1]
        collector = collect("--forward", f"influx:http://127.0.0.1:{port}/write?db=nf",
                            "--metrics", f"127.0.0.1:{metrics[1]}")
        idle = socket.create_connection(metrics)
        collector.deliver(1, node.run_lines(1, UUID, 3))
        assert asked.wait(SECONDS)
        assert collector.end() == 0
        # The collector reports that after waiting for the request, which may take 30 s.
        assert "does not accept points" not in collector.text()
        idle.close()
    assert not accepted(collector)


def test_forward_usage(tool, tmp_path):
    for wrong, why in (("http://a:1/", "accepted: influx:http[s]://HOST:PORT/write?db=NAME"),
                       ("influx:https://me:hunter2@a:1/x", "use --netrc-file"),
                       ("influx:me:hunter2@127.0.0.1", "without a password")):
        printed = fails(tool, "--listen", "127.0.0.1:0", "--dir", tmp_path, "--forward", wrong)
        assert why in printed and "hunter2" not in printed
    for option in ("--cacert", "--netrc-file", "--authorization"):
        printed = fails(tool, "--listen", "127.0.0.1:0", "--dir", tmp_path, "--forward",
                        "influx:https://127.0.0.1:1/x", option, tmp_path / "none")
        assert f"{option} {tmp_path / 'none'}: No such file" in printed


def test_forward_by_a_token_over_tls(collect, certificate, tmp_path):
    """Points go to the path of InfluxDB 2. They wait for an engine that is not trusted, and for a
    token that it accepts, which is printed nowhere."""
    cert, tls = certificate
    token = tmp_path / "token"
    with contextlib.closing(Engine(tls=tls, path="/api/v2/write?org=lab&bucket=nf&precision=ns",
                                   authorization="Token hunter2")) as engine:
        for text, trusted in (("hunter2", ()), ("hunter3", ("--cacert", cert))):
            token.write_text(f"Token {text}\n")
            collector = collect(*engine.option, "--authorization", token, *trusted)
            if not trusted:
                collector.deliver(1, ended_run(1))
            wait_for(lambda: "does not accept points" in collector.text())
            assert collector.end() == 0 and not engine.taken
            assert bool(engine.asked) == bool(trusted) and "hunter" not in collector.text()
        token.write_text("Token hunter2\n")
        collector = collect(*engine.option, "--authorization", token, *trusted)
        wait_for(lambda: runs_in(engine) == [[f"{1:016x}"]])
        assert collector.end() == 0 and "hunter" not in collector.text()


@pytest.mark.parametrize("mode, warned", [(0o660, False), (0o604, True), (0o602, True)])
def test_secrets_of_everybody(tool, collect, tmp_path, mode, warned):
    """Files that others than owner and group may read or write are warned of, and used."""
    texts = {"--key": KEY.hex(), "--old-key": KEY.hex(), "--authorization": "Token hunter2",
             "--netrc-file": "machine example.com login me password hunter2"}
    paths = {option: tmp_path / option[2:] for option in texts}
    for option, path in paths.items():
        path.write_text(texts[option])
        path.chmod(mode)
    why = "this file is readable or writable by everybody\n"
    collector = collect("--forward", f"influx:http://127.0.0.1:{free_port()}/write?db=nf",
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
    assert done.returncode == 2 and not done.stdout
    return done.stderr


def test_usage(tool, collect, tmp_path):
    folder = tmp_path / "x"
    assert "accepted: [2001:db8::1]:5514" in fails(tool, "--listen", "5514", "--dir", folder)
    assert "1 to 10000000" in fails(tool, "--listen", ":0", "--dir", folder, "--runs", "0")
    assert "No such file" in fails(tool, "--listen", ":0", "--dir", folder, "--key", folder)
    for text in ("", "none", "0zz1", KEY.hex() + "0", "x" * 32, KEY.hex() * 2):
        (tmp_path / "key").write_text(text)
        printed = fails(tool, "--listen", ":0", "--dir", folder, "--key", tmp_path / "key")
        assert "32 hex digits" in printed and (not text or text == "none" or text not in printed)
    collector = collect()
    assert "another collector uses it" in fails(tool, "--listen", ":0", "--dir", collector.folder)
    assert "in use" in fails(tool, "--listen", f"127.0.0.1:{collector.port}", "--dir", folder)
