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
    received, done = time.monotonic(), folder / "forwarded"
    stored = processor(collector.process.pid)
    while done.stat().st_size < options.nodes * len("0123456789abcdef taken\n"):
        time.sleep(0.2)
    forwarded, used = time.monotonic(), processor(collector.process.pid)
    collector.end()
    return (f"{received - start:.1f} s, processor {stored:.1f} s",
            f"{forwarded - received:.1f} s, processor {used - stored:.1f} s")


def fill_with_points(options, engine):
    """As many machines as one machine's points make, under other names."""
    path = options.out / "one.jsonl"
    path.write_bytes(subprocess.run(
        [options.nodes_program, "print", "--nodes", "1", "--gaps", "20", "--dir", "."],
        stdout=subprocess.PIPE, check=True).stdout)
    shown = subprocess.run([options.tool, "show", "--format", "influx", path],
                           stdout=subprocess.PIPE, check=True, text=True).stdout
    points = "".join(line for line in shown.splitlines(True) if "_node" in line)
    for at in range(0, options.machines, 5000):
        engine.ask(engine.write_path, "".join(
            points.replace("uuid=00000000", f"uuid={n:08x}").replace(
                "longest_ns=", f"longest_ns={n % 9}")
            for n in range(at, min(at + 5000, options.machines))).encode())
    engine.flush()
    time.sleep(2)


def measure_many(options, name):
    """Only what `fleet` asks for, of more machines."""
    home = options.out / name
    shutil.rmtree(home, ignore_errors=True)
    with engines.start(name, home) as engine:
        fill_with_points(options, engine)
        counter = Counter(engine.http)
        url = f"http://127.0.0.1:{counter.port}{engine.query_path}"
        collector = collecting.program(options.tool)
        asked = Asked(collector, "fleet", "--from", url, "--json", engine=engine)
        report(f"{name}, the points of {options.machines} machines", [
            ("on the engine's disk, bytes each", size_of(home) // options.machines),
            ("fleet --from URL", asked),
            ("bytes fetched", counter.received),
        ])


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
        collector = collecting.program(options.tool)
        asked = Asked(collector, "fleet", "--from", url, "--json", engine=engine)
        fetched = counter.received
        read = Asked(options.tool, "fleet", folder, "--json")
        assert asked.answer == read.answer
    size = sum(path.stat().st_size for path in folder.glob("*.jsonl"))
    report(f"{name}, {n} nodes, {options.gaps} gaps each", [
        ("nodes to collector", received),
        ("then collector to engine", forwarded),
        ("records of a node, bytes", size // n),
        ("and on the collector's disk, bytes", size_of(folder) // n),
        ("points of a node, posted, bytes", posted // n),
        ("and on the engine's disk, bytes", stored // n),
        ("fleet DIR", read),
        ("bytes read", size),
        ("fleet --from URL", asked),
        ("bytes fetched", fetched),
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("nodes_program", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--gaps", type=int, default=200)
    parser.add_argument("--machines", type=int, default=20000)
    parser.add_argument("--odd", type=int, default=37)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    for name in engines.KINDS:
        if options.nodes:
            measure(options, name)
        if options.machines:
            measure_many(options, name)


if __name__ == "__main__":
    main()
