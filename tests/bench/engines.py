#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a node of a fleet costs a collector, an engine, the disk and the network; and the question
which nodes differ, asked of the folder and of the engine, and of an engine with many machines.

Seconds are elapsed, and of the processor: those of the collector with the programs that it starts.
The machine also runs the nodes, and whatever else it does at the time slows down the former.

    tests/bench/engines.py build/noisefloor build/bench/fleet_nodes --out build/bench/engines
"""
import argparse
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/system"), str(ROOT / "qemu")]
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


def processor(pid):
    """Seconds of a process so far, and of its children that have ended: proc(5)."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


class Asked:
    """`noisefloor fleet`, with what it cost itself, and the engine if there is one."""

    def __init__(self, *command, engine=None):
        before, start = engine and processor(engine.process.pid), time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            self.answer = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode in (0, 1), command
        self.elapsed = time.monotonic() - start
        self.own = usage.ru_utime + usage.ru_stime
        self.resident = usage.ru_maxrss * 1024 / 1e6
        self.engine = processor(engine.process.pid) - before if engine else 0

    def __str__(self):
        return (f"{self.elapsed:.2f} s; processor {self.own:.2f} s, engine's {self.engine:.2f} s; "
                f"{self.resident:.0f} MB")


def fill(options, engine, folder, counter):
    """Nodes, a collector, and the engine behind the counter. Returns the seconds of each."""
    to = f"influx:http://127.0.0.1:{counter.port}{engine.write_path}"
    collector = collecting.Collector(options.tool, folder, "--quiet", "--forward", to)
    start = time.monotonic()
    subprocess.run([options.nodes_program, "send", "--port", str(collector.port), "--nodes",
                    str(options.nodes), "--gaps", str(options.gaps), "--odd", str(options.odd)],
                   stdout=subprocess.DEVNULL, check=True)
    received = time.monotonic()
    stored = processor(collector.process.pid)
    while collecting.ask(folder, "SELECT count(*) FROM run WHERE forward_state='accepted'"
                         ) < options.nodes:
        time.sleep(0.2)
    forwarded, used = time.monotonic(), processor(collector.process.pid)
    collector.end()
    return (f"{received - start:.1f} s, processor {stored:.1f} s",
            f"{forwarded - received:.1f} s, processor {used - stored:.1f} s")


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
    read = Asked(options.tool, "fleet", "list", folder, "--json")
    size = collecting.ask(folder, "SELECT sum(bytes) FROM progress")
    report(f"{name}, {n} nodes, {options.gaps} gaps each", [
        ("nodes to collector", received),
        ("then collector to engine", forwarded),
        ("records of a node, bytes", size // n),
        ("and on the collector's disk, bytes", size_of(folder) // n),
        ("points of a node, posted, bytes", posted // n),
        ("and on the engine's disk, bytes", stored // n),
        ("fleet list DIR", read),
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
