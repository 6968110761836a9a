# SPDX-License-Identifier: BSD-2-Clause
"""`fleet` and `status` from an engine that answers rubbish: an error, and never a wrong answer."""
import base64
import contextlib
import gzip
import http.server
import json
import re
import resource
import subprocess
import threading

import pytest
from collecting import program

UUID = "11111111-2222-3333-4444-555555555555"
INFLUX, VICTORIA = "/query?db=noisefloor", "/api/v1/query"
NUMBERS = {"lines": 10, "sid_high": 1, "sid_low": 2, "ended_ms": 1700000000000, "verdict": 1,
           "lost": 0, "cores": 2, "sources": 1, "known": 7, "longest_ns": 10000.5,
           "noise_ppm": 1.5, "smi_per_hour": 60, "began_s": None}
LABELS = {"uuid": UUID, "run": "", "product": "Box", "bios": "1.0", "stage": "handoff"}
SOURCE = {"period_ns": 64000000, "sid_low": 2, "uuid": UUID, "run": "", "source": "0",
          "cause": "smi"}


def table(row):
    """InfluxDB's answer."""
    series = {"name": "x", "columns": ["time", *row], "values": [["then", *row.values()]]}
    return {"results": [{"statement_id": 0, "series": [series]}]}


def influx(query, changes):
    if "COUNT(" in query:
        return table({"runs": 1})
    if "node_source" in query:
        return table({**SOURCE, "source": changes.get("source", "0")})
    return table({**NUMBERS, **LABELS, **changes})


def victoria(query, changes):
    row = {**NUMBERS, **LABELS, **changes}
    if query.startswith("sum("):
        row, name = {"runs": 1}, "runs"
    elif "node_source_" in query:
        row = {**SOURCE, "source": changes.get("source", "0")}
        name = re.search(r"noisefloor_node_source_(\w+)", query)[1]
    else:
        name = re.search(r"noisefloor_node_(\w+)", query)[1]
    labels = {key: value for key, value in row.items()
              if isinstance(value, str) and key != name and value}
    value = row[name]
    samples = [] if value is None else [{"metric": labels, "value": [1700000000, str(value)]}]
    return {"status": "success", "data": {"resultType": "vector", "result": samples}}


KINDS = {INFLUX: influx, VICTORIA: victoria}


def basic(password):
    return "Basic " + base64.b64encode(password.encode()).decode()


@contextlib.contextmanager
def engine(kind, changes=None, raw=None, status=200, head=(), tls=None, password=None):
    """Its URL. `raw` is answered instead of JSON."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            if password and self.headers["Authorization"] != basic(password):
                self.send_error(401)
                return
            form = self.rfile.read(int(self.headers["Content-Length"])).decode()
            query = http.server.urllib.parse.parse_qs(form)["q" if kind == INFLUX else "query"][0]
            body = raw if raw is not None else json.dumps(
                KINDS[kind](query, changes or {})).encode()
            self.send_response(status)
            for name, value in head:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http{'s' if tls else ''}://127.0.0.1:{server.server_port}{kind}"
        finally:
            server.shutdown()
            thread.join()


def asked(tool, *arguments):
    return subprocess.run([program(tool), *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("kind", KINDS)
def test_good(tool, kind):
    with engine(kind) as url:
        done = asked(tool, "fleet", "--from", url, "--json")
        assert (done.returncode, done.stderr) == (0, "")
        group, = json.loads(done.stdout)["groups"]
        assert group["longest_ns"] == {"median": 10000.5, "max": 10000.5}
        assert group["sources"] == [{"period_ns": 64000000, "cause": "smi", "nodes": 1}]
        assert (group["product"], group["bios"], group["pass"]) == ("Box", "1.0", 1)
        done = asked(tool, "status", UUID, "--from", url)
        assert done.stdout == f"{UUID} pass {1 << 32 | 2:016x} 10 lines\n"


@pytest.mark.parametrize("kind", KINDS)
def test_tls(tool, tmp_path, certificate, kind):
    """Only who is trusted is asked; the password is that of the file, and printed nowhere."""
    cert, tls = certificate
    netrc = tmp_path / "netrc"
    netrc.touch(0o600)
    with engine(kind, tls=tls, password="me:hunter2") as url:
        trusted = ("status", UUID, "--from", url, "--cacert", cert)
        netrc.write_text("machine 127.0.0.1 login me password hunter2\n")
        done = asked(tool, *trusted, "--netrc-file", netrc)
        assert done.stdout == f"{UUID} pass {1 << 32 | 2:016x} 10 lines\n" and not done.stderr
        netrc.write_text("machine 127.0.0.1 login me password hunter3\n")
        for options, why in (((), "HTTP status 401"), (("--netrc-file", netrc), "HTTP status 401"),
                             (("--netrc-file", tmp_path / "none"), "No such file")):
            done = asked(tool, *trusted, *options)
            assert (done.returncode, done.stdout) == (2, "") and why in done.stderr
            assert "hunter" not in done.stderr
        done = asked(tool, "status", UUID, "--from", url, "--netrc-file", netrc)
        assert (done.returncode, done.stdout) == (2, "") and "certificate" in done.stderr
        done = asked(tool, *trusted[:4], "--cacert", tmp_path / "none")
        assert (done.returncode, done.stdout) == (2, "") and "No such file" in done.stderr
    with engine(kind, raw=b"{}") as url:
        done = asked(tool, "status", UUID, "--from", url.replace("http:", "https:"))
        assert (done.returncode, done.stdout) == (2, "") and "status: https://" in done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_max_age(tool, kind):
    """A pass of long ago counts no more; a fail does."""
    for verdict, word, code, old in ((1, "pass", 0, 3), (0, "none", 0, 3), (2, "fail", 1, 1),
                                     (4, "error", 2, 2)):
        with engine(kind, {"verdict": verdict}) as url:
            done = asked(tool, "status", UUID, "--from", url, "--max-age", "20000d")
            assert (done.returncode, word in done.stdout) == (code, True)
            done = asked(tool, "status", UUID, "--from", url, "--max-age", "7d", "--json")
            answer = json.loads(done.stdout)
            assert done.returncode == old and answer["expired"] is (old == 3)
            if old == 3:
                assert answer["verdict"] == "incomplete"
                assert answer["reason"].startswith(f"{word}, but too old: received ")


@pytest.mark.parametrize("kind", KINDS)
def test_no_limit_is_no_pass(tool, kind):
    with engine(kind, {"verdict": 0}) as url:
        done = asked(tool, "fleet", "--from", url)
        assert "\n  1 machines: 1 none\n" in done.stdout and "pass" not in done.stdout
        done = asked(tool, "fleet", "--from", url, "--json")
        group, = json.loads(done.stdout)["groups"]
        assert (group["none"], group["pass"]) == (1, 0)
        done = asked(tool, "status", UUID, "--from", url)
        assert done.stdout == f"{UUID} none {1 << 32 | 2:016x} 10 lines\n"
        done = asked(tool, "status", UUID, "--from", url, "--json")
        assert json.loads(done.stdout)["verdict"] == "none" and "pass" not in done.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_bad_points(tool, kind):
    """What no machine has is left out, and counted; a known figure that is missing, too."""
    for changes in ({"sid_low": 1 << 32}, {"sid_high": -1}, {"verdict": 5}, {"verdict": 1.5},
                    {"lines": None if kind == VICTORIA else 0.5}, {"noise_ppm": None},
                    {"longest_ns": -3}, {"sources": 9}, {"sources": 2}, {"known": 15},
                    {"cores": 1e300}, {"source": "1"}, {"source": "00x"}, {"source": "0 "},
                    {"source": ""}):
        with engine(kind, changes) as url:
            done = asked(tool, "fleet", "--from", url)
            assert done.returncode == 2, changes
            assert done.stderr == f"fleet: {url}: no runs there, and 1 points were not read\n"
            done = asked(tool, "status", UUID, "--from", url)
            assert (done.returncode, done.stderr) == (2, f"status: {url}: 1 points not read\n")


BAD = {
    b"<html>Sign in</html>": "the answer is not JSON",
    b"": "the answer is not JSON",
    b'{"results":[{"statement_id"': "the answer is not JSON",
    b"[]": "the answer is not of the form that this query has",
    b"{}": "the answer is not of the form that this query has",
    b"[" * 100000: "the answer is not JSON",
    b'{"error":"\\u001b]0;evil"}': "?]0;evil",
    b'{"error":7}': "the answer is not of the form that this query has",
    b'{"results":[{"error":"database not found: x"}]}': "database not found: x",
    b'{"results":[{"partial":true}],"isPartial":true,"data":{"resultType":"vector","result":[]}}':
        "the answer is partial",
    b'{"results":[{"series":[{"columns":["lines"],"values":[["ten"]]}]}],'
    b'"data":{"resultType":"vector","result":[{"metric":{},"value":[1,"ten"]}]}}':
        "the answer is not of the form that this query has",
    b'{"results":[{"series":[{"columns":["lines"],"values":[[]]}]}],'
    b'"data":{"resultType":"matrix","result":[]}}':
        "the answer is not of the form that this query has",
    b'{"results":[{"series":[{"columns":["uuid"],"values":[[5]]}]}],'
    b'"data":{"resultType":"vector","result":[{"metric":{"uuid":5},"value":[1,"5"]}]}}':
        "the answer is not of the form that this query has",
    b'{"results":[{"series":7}],"data":{"resultType":"vector","result":7}}':
        "the answer is not of the form that this query has",
    b'{"results":[{"series":[{"columns":["lines"],"values":[[1e999]]}]}],'
    b'"data":{"resultType":"vector","result":[{"metric":{},"value":[1,"NaN"]}]}}': None,
}


@pytest.mark.parametrize("kind", KINDS)
def test_bad_answers(tool, kind):
    for raw, why in BAD.items():
        with engine(kind, raw=raw) as url:
            for command in (["fleet"], ["status", UUID]):
                done = asked(tool, *command, "--from", url)
                assert (done.returncode, done.stdout) == (2, ""), raw
                assert done.stderr.startswith(f"{command[0]}: {url}: "), raw
                if why:
                    assert done.stderr == f"{command[0]}: {url}: {why}\n", raw


@pytest.mark.parametrize("kind", KINDS)
def test_bad_statuses(tool, kind):
    for status, raw, head, why in (
        (500, b"<html>oops</html>", (), "HTTP status 500"),
        (503, b'{"error":"timeout"}', (), "HTTP status 503: timeout"),
        (204, b"", (), "HTTP status 204"),
        (302, b"", [("Location", "http://127.0.0.1/")],
         "HTTP status 302: redirects are not followed"),
        (200, b"{}", [("Content-Length", "7")], "the answer is cut"),
    ):
        with engine(kind, raw=raw, status=status, head=head) as url:
            done = asked(tool, "fleet", "--from", url)
            assert (done.returncode, done.stdout) == (2, "")
            assert done.stderr == f"fleet: {url}: {why}\n"


def test_addresses(tool):
    for url in ("", "http://", "http://127.0.0.1:1/write?db=x", "http://127.0.0.1:1/?db=x",
                "http://127.0.0.1:1/query", "influx:http://a:1/query"):
        done = asked(tool, "fleet", "--from", url)
        assert done.returncode == 2 and "not an engine's address; accepted: " in done.stderr
    done = asked(tool, "fleet", "--from", "http://me:hunter2@127.0.0.1:1/api/v1/query")
    assert done.returncode == 2 and ": use --netrc-file" in done.stderr
    done = asked(tool, "fleet", "--from", "http://127.0.0.1:1/api/v1/query")
    assert (done.returncode, done.stderr.split(": ")[-1]) == (2, "Connection refused\n")
    for arguments, why in ((["fleet"], "no --from"), (["fleet", "x", "--from", "x"], "extra"),
                           (["status", UUID], "no --from"), (["status", "--from", "x"], "UUID"),
                           (["status", "", "--from", "x"], "the UUID is empty")):
        done = asked(tool, *arguments)
        assert (done.returncode, why in done.stderr) == (2, True)


MACHINES, ADDRESS_SPACE = 150000, 500 << 20


@pytest.mark.full
def test_the_same_in_each_answer(tool):
    """A hundred times as large as it is sent, and once more for each field: it is kept once."""
    row = b'{"metric":{},"value":[0,"1"]}'
    body = (b'{"status":"success","data":{"resultType":"vector","result":[' +
            b",".join([row] * MACHINES) + b"]}}")
    packed = gzip.compress(body)
    assert len(packed) * 16 < 1 << 20
    with engine(VICTORIA, raw=packed, head=[("Content-Encoding", "gzip")]) as url:
        done = subprocess.run(
            [program(tool), "fleet", "--from", url], capture_output=True, text=True, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                  (ADDRESS_SPACE, ADDRESS_SPACE)))
    assert done.returncode == 2 and "no runs there, and 1 points were not read" in done.stderr
