#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""More runs than InfluxDB takes with its default limits: each is there, or waits with the reason.

A collector finds the runs in its folder and forwards them. Those that InfluxDB rejects are to be
named with its reason, and to be there, too, once its limits are raised and the collector gets
SIGHUP. What InfluxDB has is counted by its own query. Exit status: 0, 1 if a run is lost or has no
reason, 2 where there is nothing to judge.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import sys
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
for where in ("tests/system", "qemu"):
    sys.path.insert(0, str(ROOT / where))
import collecting  # noqa: E402
import engines  # noqa: E402
import index  # noqa: E402

WAIT_SECONDS = 3600
NO_LIMITS = "max-values-per-tag = 0\nmax-series-per-database = 0"
# Of each run there is one, and it is made last.
ENDS = "SHOW TAG VALUES FROM noisefloor_end WITH KEY = run"
REJECTED = re.compile(r"run ([0-9a-f]{16}) was rejected: (.*)")


class BenchError(Exception):
    """What was measured is not what was meant."""


def settled(folder):
    """What the collector knows of each run: "accepted" or "refused"."""
    return {run["sid"]: run["forward_state"] for run in collecting.rows(folder)
            if run["forward_state"]}


def runs_in(engine):
    path = "/query?" + urllib.parse.urlencode({"db": engines.DATABASE, "q": ENDS})
    series = json.loads(engine.ask(path))["results"][0].get("series", [])
    return {value for one in series for _, value in one["values"]}


def wait(collector, folder, done):
    started = time.monotonic()
    while not done(settled(folder)):
        if collector.process.poll() is not None:
            raise BenchError(f"the collector has ended: {collector.text()[-2000:]}")
        if time.monotonic() - started > WAIT_SECONDS:
            raise BenchError(f"not settled after {WAIT_SECONDS} s")
        time.sleep(0.5)
    return time.monotonic() - started


def bench(tool, out, machines):
    folder, home, runs = out / "runs", out / "influxdb", machines * index.EACH
    collecting.SECONDS = WAIT_SECONDS
    shutil.rmtree(home, ignore_errors=True)
    index.lay(tool, folder, machines)
    with engines.start("influxdb", home) as engine:
        port = engine.http
        to = f"influx:http://127.0.0.1:{port}{engine.write_path}"
        collector = collecting.Collector(tool, folder, "--quiet", "--forward", to)
        seconds = wait(collector, folder, lambda all_of_them: len(all_of_them) == runs)
        there, first = runs_in(engine), settled(folder)
    taken = {sid for sid, how in first.items() if how == "accepted"}
    why = {}
    for sid, reason in REJECTED.findall(collector.text()):
        why.setdefault(sid, reason)
    waiting = first.keys() - taken
    print(f"{runs} runs of {machines} machines, InfluxDB's default limits: {len(taken)} forwarded, "
          f"{len(waiting)} wait, {len(waiting - why.keys())} of them without a reason; forwarded "
          f"and not there: {len(taken - there)}; {seconds:.0f} s")
    for reason in sorted({re.sub(r'"?[0-9a-f]{16}"?|\d+', "N", why[sid]) for sid in waiting})[:5]:
        print(f"  {reason}")
    good = waiting and waiting <= why.keys() and taken <= there
    with engines.start("influxdb", home, http=port, data=NO_LIMITS) as engine:
        collector.process.send_signal(signal.SIGHUP)
        seconds = wait(collector, folder,
                       lambda known: sum(how == "accepted" for how in known.values()) == runs)
        lost = runs - len(runs_in(engine))
    collector.end()
    print(f"limits raised: {len(waiting)} more forwarded in {seconds:.0f} s; lost: {lost}")
    return 0 if good and not lost else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--machines", type=int, default=40000)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    try:
        return bench(options.tool.resolve(), options.out.resolve(), options.machines)
    except (BenchError, engines.EngineError, OSError) as error:
        print(f"{os.path.basename(sys.argv[0])}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
