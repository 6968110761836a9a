#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a node of a fleet costs a collector, an engine, the disk and the network; and the question
which nodes differ, asked of the folder and of the engine.

    tests/bench/engines.py build/noisefloor build/bench/fleet_nodes --nodes 2000
"""
import argparse
import pathlib
import shutil
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
import collecting  # noqa: E402
import engines  # noqa: E402


class Counter:
    """Passes connections on to a port of this machine, and counts the bytes."""

    def __init__(self, port):
        self.to, self.sent, self.received = port, 0, 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.socket.accept()
            server = socket.create_connection(("127.0.0.1", self.to))
            for name, one, other in (("sent", client, server), ("received", server, client)):
                threading.Thread(target=self._pass, args=(name, one, other), daemon=True).start()

    def _pass(self, name, one, other):
        try:
            while data := one.recv(1 << 16):
                setattr(self, name, getattr(self, name) + len(data))
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def size_of(folder):
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def seconds(*command):
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    assert done.returncode == 1, done
    return time.monotonic() - start, done.stdout


def fill(options, engine, folder, counter):
    """Nodes, a collector, and the engine behind the counter. Returns the seconds of each."""
    to = f"influx:http://127.0.0.1:{counter.port}{engine.write_path}"
    collector = collecting.Collector(options.tool, folder, "--quiet", "--forward", to)
    start = time.monotonic()
    subprocess.run([options.nodes_program, "send", "--port", str(collector.port), "--nodes",
                    str(options.nodes), "--gaps", str(options.gaps), "--odd", str(options.odd)],
                   stdout=subprocess.DEVNULL, check=True)
    received, done = time.monotonic(), folder / "forwarded"
    while done.stat().st_size < options.nodes * len("0123456789abcdef taken\n"):
        time.sleep(0.2)
    ended = time.monotonic()
    collector.end()
    return received - start, ended - received


def report(title, rows):
    print(title)
    for name, value in rows:
        print(f"  {name:<44} {value}")


def measure(options, name):
    folder, home = options.out / "runs", options.out / name
    for path in (folder, home):
        shutil.rmtree(path, ignore_errors=True)
    with engines.start(name, home) as engine:
        counter, n = Counter(engine.http), options.nodes
        received, forwarded = fill(options, engine, folder, counter)
        posted = counter.sent
        engine.flush()
        time.sleep(2)
        stored = size_of(home)
        counter.sent = counter.received = 0
        url = f"http://127.0.0.1:{counter.port}{engine.query_path}"
        asked, answer = seconds(options.tool, "fleet", "--from", url, "--json")
        fetched = counter.received
        read, stated = seconds(options.tool, "fleet", folder, "--json")
        assert answer == stated
    size = sum(path.stat().st_size for path in folder.glob("*.jsonl"))
    report(f"{name}, {n} nodes, {options.gaps} gaps each", [
        ("nodes to collector, s", f"{received:.1f}"),
        ("then collector to engine, s", f"{forwarded:.1f}"),
        ("records of a node, bytes", size // n),
        ("and on the collector's disk, bytes", size_of(folder) // n),
        ("points of a node, posted, bytes", posted // n),
        ("and on the engine's disk, bytes", stored // n),
        ("fleet DIR: s, bytes read", f"{read:.2f}, {size}"),
        ("fleet --from URL: s, bytes fetched", f"{asked:.2f}, {fetched}"),
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("nodes_program", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--gaps", type=int, default=200)
    parser.add_argument("--odd", type=int, default=37)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    for name in engines.KINDS:
        measure(options, name)


if __name__ == "__main__":
    main()
