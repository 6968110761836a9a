# SPDX-License-Identifier: BSD-2-Clause
"""Time-series engines of Debian on loopback: their own folders, ports of chance, no service.

    with engines.start("influxdb", folder) as engine:
        ... points come to engine.url("/write?db=noisefloor") ...
        assert engine.max_gap(f"{sid:016x}") == 1234

`make test-engines` unpacks them into build/engines/root.
"""
import json
import os
import pathlib
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from collecting import free_port

BUILD = pathlib.Path(os.environ.get("BUILD", pathlib.Path(__file__).resolve().parents[2] / "build"))
UNPACKED = BUILD / "engines"
DATABASE = "noisefloor"
SECONDS = 600  # a guard against hangs; nothing here takes nearly as long
ATTEMPTS = 3  # somebody else may take a port of chance first

INFLUX_CONFIG = """
reporting-disabled = true
bind-address = "127.0.0.1:{rpc}"
[meta]
dir = "{folder}/meta"
[data]
dir = "{folder}/data"
wal-dir = "{folder}/wal"
[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:{http}"
log-enabled = false
"""


class EngineError(Exception):
    """The engine does not exist, or does not answer as it should."""


def missing(name):
    """Why this engine cannot be started here; None: it can."""
    if program(name):
        return None
    why = UNPACKED / "why"
    if why.exists():
        return why.read_text().strip()
    return f"no {name}: make test-engines has not been run"


def program(name):
    for folder in ("usr/bin", "usr/sbin"):
        path = UNPACKED / "root" / folder / PROGRAMS[name]
        if path.exists():
            return path
    installed = shutil.which(PROGRAMS[name])
    return pathlib.Path(installed) if installed else None


class Engine:
    """One that runs. `http` is a port of 127.0.0.1; a folder may be used again."""

    def __init__(self, name, folder, http=None):
        self.name, self.folder = name, pathlib.Path(folder)
        self.http = http or free_port()
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [program(name), *self.arguments()],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder)}, cwd=self.folder,
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def url(self, path):
        return f"http://127.0.0.1:{self.http}{path}"

    def ask(self, path, data=None):
        with urllib.request.urlopen(self.url(path), data, timeout=SECONDS) as answer:
            return answer.read().decode()

    def wait_ready(self):
        """False: the process has ended."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if self.process.poll() is not None:
                return False
            try:
                self.prepare()
                return True
            except (OSError, urllib.error.URLError):
                time.sleep(0.05)
        raise EngineError(f"{self.name} is not ready after {SECONDS} s:\n{self.log()}")

    def log(self):
        return (self.folder / "log").read_text(errors="replace")[-4000:]

    def flush(self):
        """Let queries see what was accepted."""

    # Each has max_gap() and count(): the longest gap of a run's points, by the engine's own query,
    # None without one, and how many points there are.


class Influx(Engine):
    """InfluxDB 1.x."""

    write_path = f"/write?db={DATABASE}"

    def arguments(self):
        config = self.folder / "influxdb.conf"
        config.write_text(INFLUX_CONFIG.format(
            rpc=free_port(), http=self.http, folder=self.folder))
        return ["-config", config]

    def prepare(self):
        self.ask("/query", urllib.parse.urlencode({"q": f"CREATE DATABASE {DATABASE}"}).encode())

    def query(self, text):
        """The value of the only column beside the time; None: there is nothing."""
        path = "/query?" + urllib.parse.urlencode({"db": DATABASE, "q": text})
        result = json.loads(self.ask(path))["results"][0]
        if "error" in result:
            raise EngineError(f"{text}: {result['error']}")
        return result["series"][0]["values"][0][1] if "series" in result else None

    def max_gap(self, run):
        return self.query(f"SELECT MAX(max_ns) FROM noisefloor_cpu WHERE run = '{run}'")

    def count(self, run):
        return self.query(f"SELECT COUNT(max_ns) FROM noisefloor_cpu WHERE run = '{run}'") or 0


class Victoria(Engine):
    """VictoriaMetrics. It has no databases, and keeps numbers as floating point."""

    write_path = "/write"

    def arguments(self):
        return [
            f"-storageDataPath={self.folder}/data", f"-httpListenAddr=127.0.0.1:{self.http}",
            "-retentionPeriod=100y",
            "-search.latencyOffset=0s", "-dedup.minScrapeInterval=1ms",
            "-memory.allowedBytes=256MB",
        ]

    def prepare(self):
        self.ask("/health")

    def flush(self):
        self.ask("/internal/force_flush")

    def query(self, text):
        self.flush()
        path = "/api/v1/query?" + urllib.parse.urlencode({"query": text, "nocache": 1})
        result = json.loads(self.ask(path))["data"]["result"]
        return int(float(result[0]["value"][1])) if result else None

    def max_gap(self, run):
        return self.query(f'max(max_over_time(noisefloor_cpu_max_ns{{run="{run}"}}[1d]))')

    def count(self, run):
        return self.query(f'sum(count_over_time(noisefloor_cpu_max_ns{{run="{run}"}}[1d]))') or 0


KINDS = {"influxdb": Influx, "victoria-metrics": Victoria}
PROGRAMS = {"influxdb": "influxd", "victoria-metrics": "victoria-metrics"}


def start(name, folder, **how):
    """An engine that is ready, with its database made."""
    if missing(name):
        raise EngineError(missing(name))
    for _ in range(ATTEMPTS):
        engine = KINDS[name](name, folder, **how)
        if engine.wait_ready():
            return engine
    raise EngineError(f"{name} does not start:\n{engine.log()}")
