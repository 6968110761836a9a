#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Cost of a fleet's node to a collector, an engine, the disk and the network.

Seconds are elapsed, and of the processor: those of the collector with the programs that it starts.
The machine also runs the nodes, and whatever else it does at the time slows down the former.

    tests/bench/engines.py build/noisefloor build/bench/fleet_nodes --out build/bench/engines
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/system"), str(ROOT / "qemu")]
import collecting  # noqa: E402
import engines  # noqa: E402


def size_of(folder):
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def processor(pid):
    """Seconds of a process so far, and of its children that have ended: proc(5)."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def fill(options, engine, folder):
    """Nodes, a collector, and the engine. Returns the seconds of each."""
    collector = collecting.Collector(options.tool, folder, "--quiet", "--forward",
                                     f"influx:{engine.url(engine.write_path)}")
    start = time.monotonic()
    subprocess.run([options.nodes_program, "send", "--port", str(collector.port), "--nodes",
                    str(options.nodes), "--gaps", str(options.gaps)],
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


def points(tool, folder):
    """Bytes that are posted of the first run; all have as many records."""
    sid = collecting.ask(folder, "SELECT sid FROM run WHERE id=1")
    return len(subprocess.check_output([collecting.program(tool), "points", folder, sid]))


def measure(options, name):
    folder, home = options.out / "runs", options.out / name
    for path in (folder, home):
        shutil.rmtree(path, ignore_errors=True)
    with engines.start(name, home) as engine:
        received, forwarded = fill(options, engine, folder)
        engine.flush()
        time.sleep(2)
        stored = size_of(home)
    size, n = collecting.ask(folder, "SELECT sum(bytes) FROM progress"), options.nodes
    print(f"{name}, {n} nodes, {options.gaps} gaps each")
    for title, value in (
            ("nodes to collector", received), ("then collector to engine", forwarded),
            ("records of a node, bytes", size // n),
            ("and on the collector's disk, bytes", size_of(folder) // n),
            ("points of a node, posted, bytes", points(options.tool, folder)),
            ("and on the engine's disk, bytes", stored // n)):
        print(f"  {title:<44} {value}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("nodes_program", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--gaps", type=int, default=200)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    for name in engines.KINDS:
        measure(options, name)


if __name__ == "__main__":
    main()
