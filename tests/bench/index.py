#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""How long `fleet status`, `fleet list` and a start take with a store of many runs, and in how much
memory.

The runs are short, several of each machine, and are imported; a collector forwards to an engine
that is away, so that all runs wait. What counts is the best of some
runs of each command, as whatever else works on the machine only slows it down; and each has to know
all machines. Exit status: 0, 1 over a limit, 2 when there is nothing to judge.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
for where in ("tests/system", "qemu"):
    sys.path.insert(0, str(ROOT / where))

import collecting  # noqa: E402
import node  # noqa: E402

EACH = 3  # runs of a machine
TIMES = 5
HOUR = 3600 * 10**9
AWAY = "influx:http://127.0.0.1:1/write?db=runs"  # no one listens
STATUS_SECONDS, LIST_SECONDS, START_SECONDS, MB = 0.05, 1, 1, 250
CORE = (',"stage":"handoff","cpu":0,"apic_id":0,"proved":"nmi","tsc_offset":0,'
        '"tsc_offset_bound":null,"exposure_ns":{},"noise_ns":{},"max_ns":{},"gaps":9,"dropped":0,'
        '"smi":0,"nmi":0,"mce":null,"smi_out":null,"nmi_out":null,'
        '"cause":{{"unknown":{{"gaps":9,"ns":1}}}},"interval_p50":26,"interval_p999":40,'
        '"histogram":[]')


class BenchError(Exception):
    """The measurement did not do what was intended."""


def uuid_of(machine):
    return f"{machine:08x}-2222-3333-4444-555555555555"

END = (',"verdict":"pass","reasons":[],"records":{"begin":1,"cpu":1,"end":1},"gaps_unsent":0,'
       '"events_unsent":0')


def lay_part(path, first, machines, step):
    made = []
    for machine in range(first, machines, step):
        for n in range(EACH):
            sid = (machine * EACH + n + 1) * 0x9E3779B97F4A7C15 & node.MASK
            begin, _ = node.run_lines(sid, uuid_of(machine), 0, config="max=none threshold=1us")
            core = CORE.format(HOUR, 50000 + machine % 99, 9000 + machine % 777)
            lines = [begin, node.record(sid, 1, "cpu", core),
                     node.record(sid, 2, "end", END)]
            made += lines
    path.write_bytes(b"".join(made))


def lay(tool, folder, machines):
    """Import them. Returns the seconds that it took."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    parts = [folder / f"part-{n}.jsonl" for n in range(os.cpu_count())]
    made = [multiprocessing.Process(target=lay_part, args=(path, n, machines, os.cpu_count()))
            for n, path in enumerate(parts)]
    for one in made:
        one.start()
    for one in made:
        one.join()
    started = time.monotonic()
    subprocess.run([tool, "fleet", "import", "--dir", folder, *parts], check=True,
                   stdout=subprocess.DEVNULL)
    return time.monotonic() - started


def start(tool, folder):
    """The seconds until a collector listens, and MB at most resident."""
    started = time.monotonic()
    collector = collecting.Collector(tool, folder, "--forward", AWAY)
    seconds = time.monotonic() - started
    mb = collector.resident()
    collector.end()
    return seconds, mb


def measure(command):
    """The least (seconds, MB at most resident) of some runs, and what it printed."""
    best = None
    for _ in range(TIMES):
        started = time.monotonic()
        with subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE) as process:
            output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - started
        if process.returncode:
            raise BenchError(f"{command}: exit status {process.returncode}")
        if not best or seconds < best[0]:
            best = (seconds, usage.ru_maxrss * 1024 / 1e6)
    return *best, output


def check(name, seconds, mb, most):
    print(f"{name}: {seconds:.3f} s (at most {most}), {mb:.0f} MB (at most {MB})")
    return seconds <= most and mb <= MB


def bench(tool, folder, machines):
    seconds = lay(tool, folder, machines)
    print(f"{machines} machines, {machines * EACH} runs, imported in {seconds:.0f} s")
    good = check("start", *start(tool, folder), START_SECONDS)
    seconds, mb, output = measure([tool, "fleet", "status", "--dir", folder, "--json", uuid_of(7)])
    of = json.loads(output)
    waiting = collecting.ask(
        folder, "SELECT count(*) FROM run WHERE ended AND forward_state IS NULL")
    if (of["verdict"], of["runs"], waiting) != ("pass", EACH, machines * EACH):
        raise BenchError(f"fleet status: {output}, {waiting} runs wait")
    good = check("fleet status", seconds, mb, STATUS_SECONDS) and good
    seconds, mb, output = measure([tool, "fleet", "list", "--json", folder])
    if sum(group["nodes"] for group in json.loads(output)["groups"]) != machines:
        raise BenchError("fleet list: not all machines")
    return check("fleet list", seconds, mb, LIST_SECONDS) and good


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--machines", type=int, default=100000)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    try:
        return 0 if bench(options.tool.resolve(), options.out, options.machines) else 1
    except (BenchError, OSError, KeyError) as error:
        print(f"bench-index: {error}", file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(options.out, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
