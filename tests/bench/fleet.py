#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A fleet of made-up nodes into one collector, and the same lines into rsyslog, in one run.

Each node has a UDP socket and an address of its own (hosts.py) and speaks the real protocol; its
records are written by the probe's own code. The time counts from the first datagram until the last
line is acknowledged, and so durable; afterwards every file is compared with what its node sent,
byte by byte.

rsyslog's imudp is fed the same lines by the same machine, one a datagram as syslog has it, into one
file. It has no acknowledgement, so what a sender may rely on depends on how fast it sends:
  flood   as fast as the sender can: lines in the file by the time until the file stops growing
  paced   the highest rate tried at which no line is lost
It does not wait for the disk (its default), and the collector does: rsyslog is given the easier
task. Figures are the best of --runs by turns, as whatever else runs on the machine only slows
down; but no run may lose a line. The collector must keep every line, and at least as many of them
a second as rsyslog does either way, though rsyslog loses some of a flood. With a key of its own for
each node a line may cost 15 % more processor time than with the fleet's, with which every datagram
is signed as well. The two are run beside each other, the one or the other first by turns, and what
counts is the ratio of such a pair: other work shifts it to either side, so only if every pair
exceeds the limit has the collector done so. What a line costs that nobody signs is printed beside.
Exit status: 0, 1 if not so, 2 where there is nothing to judge.

ext4 makes files many times as slowly for five minutes after others were removed from the same part
of the disk, which a second run soon after this one sees.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/system"), str(ROOT / "qemu")]
import hosts  # noqa: E402
from collecting import Collector, free_port, resident  # noqa: E402

KEY = bytes(range(16)).hex()
WAYS = ("plain", "key", "keys")  # nothing is signed; with the fleet's key; with each node's own
KEYS_COST = 1.15  # most processor time per line, own keys to the fleet's, in one pair
EXTRA = 6  # lines of a node beside its gaps: fleet_stream.h
QUIET_SECONDS = 3  # a file that has not grown for so long has stopped growing
START_SECONDS = 30
PACED_SECONDS = 4
PACED_STEPS = 6

RSYSLOG = """
global(workDirectory="{folder}" maxMessageSize="8k")
module(load="imudp" threads="{threads}" batchSize="128")
main_queue(queue.type="LinkedList" queue.size="1000000" queue.dequeueBatchSize="2048"
           queue.highWatermark="900000")
template(name="line" type="string" string="%rawmsg-after-pri%\\n")
ruleset(name="lines") {{
    action(type="omfile" file="{folder}/lines" template="line" ioBufferSize="256k")
}}
input(type="imudp" address="127.0.0.1" port="{port}" ruleset="lines" rcvbufSize="16m")
"""


class BenchError(Exception):
    """The measurement did not do what was intended."""


def answer_of(command):
    """The JSON object that a command prints, and its exit status."""
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, check=False)
    try:
        return json.loads(done.stdout), done.returncode
    except ValueError:
        raise BenchError(f"{command[0]} {command[1]}: printed {done.stdout!r}") from None


def used(end):
    """End a process by that; the seconds of processor time that it took, of all its threads."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    end()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def empty(folder):
    """An empty folder, on a disk that has nothing left to write of what was before."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    os.sync()
    return folder


def checked(args, folder, out, size):
    """The nodes' lines in a collector's folder, the check's exit status, and the number of files,
    which are in `out` then."""
    subprocess.run([args.collector.with_name("noisefloor"), "fleet", "export", folder, "-o", out],
                   check=True)
    found = answer_of([args.nodes_program, "check", "--dir", out, *size])
    return *found, len(list(out.glob("????????????????.jsonl")))


def bench_collector(args, name, number):
    folder = empty(args.out / f"collect-{name}-{number}")
    ours, theirs = (), ()
    if name != "plain":
        (folder / "key").touch(0o600)
        (folder / "key").write_text(KEY)
        ours = "--key", folder / "key"
        theirs = "--key", KEY, *(["--own-keys"] if name == "keys" else [])
    size = ["--nodes", args.nodes, "--gaps", args.gaps]
    collector = Collector(args.collector, folder / "runs", "--quiet", *ours, listen=":0")
    try:
        sent, code = answer_of([args.nodes_program, "send", "--hosts", "--port", collector.port,
                                *size, *theirs])
        memory = collector.resident()
    finally:
        cpu = used(collector.end)
    kept, wrong, _ = checked(args, folder / "runs", folder / "exported", size)
    if collector.process.returncode:
        raise BenchError(f"the collector: exit status {collector.process.returncode}")
    print(f"collect, {name}: {sent['delivered']} of {sent['nodes']} nodes delivered "
          f"{sent['lines']} lines in {sent['datagrams']} datagrams, "
          f"{sent['again']} of them sent again; "
          f"files: {kept['files']}, wrong: {kept['wrong']}; {sent['seconds']:.2f} s, "
          f"{cpu:.2f} s of CPU")
    return {"name": f"collect, {name}", "sent": sent["lines"], "kept": kept["lines"],
            "seconds": sent["seconds"], "memory": memory, "cpu": cpu,
            "well": not code and not wrong}


def bound(port):
    """Does somebody hold this UDP port?"""
    return f":{port:04X} " in pathlib.Path("/proc/net/udp").read_text()


def stop(process):
    process.terminate()
    process.wait()


def start_rsyslog(args, folder, port):
    root = args.rsyslog
    library = root / "usr/lib/x86_64-linux-gnu"
    config = folder / "rsyslog.conf"
    config.write_text(RSYSLOG.format(folder=folder, port=port, threads=args.threads))
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [root / "usr/sbin/rsyslogd", "-n", "-f", config, "-i", folder / "pid",
             "-M", library / "rsyslog"],
            env={"LD_LIBRARY_PATH": str(library)}, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )
    for _ in range(START_SECONDS * 100):
        if bound(port):
            return process
        if process.poll() is not None:
            break
        time.sleep(0.01)
    stop(process)
    raise BenchError(f"rsyslog does not start: {(folder / 'log').read_text()}")


def last_growth(path):
    """When the file last grew, s since 1970, once it has not for QUIET_SECONDS."""
    end = time.time() + START_SECONDS
    while True:
        grown = path.stat().st_mtime if path.exists() else 0
        if grown and time.time() > grown + QUIET_SECONDS:
            return grown
        if not grown and time.time() > end:
            raise BenchError(f"rsyslog has written nothing to {path}")
        time.sleep(0.1)


def count_lines(path):
    """Whole lines that are records."""
    count = 0
    if not path.exists():
        return 0
    with path.open("rb") as file:
        for line in file:
            count += line.startswith(b'{"nf":1,') and line.endswith(b'"}\n')
    return count


def bench_rsyslog(args, name, nodes, rate):
    folder = empty(args.out / "rsyslog")
    port = free_port()
    process = start_rsyslog(args, folder, port)
    try:
        sent, _ = answer_of([args.nodes_program, "syslog", "--port", port, "--nodes", nodes,
                        "--gaps", args.gaps, "--rate", rate])
        # Its records are made before the first is sent, and that does not count.
        begun = time.time() - sent["seconds"]
        seconds = last_growth(folder / "lines") - begun
        memory = resident(process)
    finally:
        cpu = used(lambda: stop(process))
    kept = count_lines(folder / "lines")
    shutil.rmtree(folder)
    return {"name": name, "sent": sent["lines"], "kept": kept, "seconds": seconds, "memory": memory,
            "cpu": cpu, "rate": sent["lines"] / sent["seconds"]}


def bench_paced(args, guess):
    """The highest rate without loss of those tried, found by halving."""
    low, high, best = 0, None, None
    rate = guess
    for _ in range(PACED_STEPS):
        nodes = max(1, round(rate * PACED_SECONDS / (args.gaps + EXTRA)))
        tried = bench_rsyslog(args, "rsyslog imudp, paced", nodes, round(rate))
        well = tried["kept"] == tried["sent"]
        print(f"rsyslog: {tried['sent']} lines at {tried['rate']:.0f} a second: "
              f"{tried['sent'] - tried['kept']} lost")
        if well and (not best or tried["rate"] > best["rate"]):
            best = tried
        low, high = (rate, high) if well else (low, rate)
        rate = (low + high) / 2 if high else rate * 1.5
    if best:
        best["seconds"] = best["sent"] / best["rate"]
    return best


def show(rows):
    print(f"{'':<22} {'lines sent':>10} {'kept':>9} {'lost':>9} {'seconds':>8} {'kept/s':>8} "
          f"{'of CPU':>7} {'MB resident':>12}")
    for row in rows:
        lost = row["sent"] - row["kept"]
        print(f"{row['name']:<22} {row['sent']:>10} {row['kept']:>9} {lost:>9} "
              f"{row['seconds']:>8.2f} {row['kept'] / row['seconds']:>8.0f} {row['cpu']:>7.2f} "
              f"{row['memory']:>12.1f}")


def per_second(row):
    return row["kept"] / row["seconds"]


def ratios(collected, what, beside):
    """Ratios of the nodes' own keys to another way, in runs beside each other: the least, the
    median and the highest."""
    found = sorted(what(own) / what(other)
                   for own, other in zip(collected["keys"], collected[beside]))
    return found[0], statistics.median(found), found[-1]


def cpu_per_line(run):
    return run["cpu"] / run["sent"]


def judge_keys(collected):
    """Do the nodes' own keys cost little enough?"""
    for beside, text in (("key", "with the fleet's key"), ("plain", "unsigned")):
        least, median, most = ratios(collected, cpu_per_line, beside)
        _, slower, _ = ratios(collected, lambda run: 1 / per_second(run), beside)
        print(f"a line with a key of each node, beside one {text}: median {median:.3f} times the "
              f"processor time ({least:.3f} to {most:.3f}), {slower:.2f} times the time")
    least, _, _ = ratios(collected, cpu_per_line, "key")
    well = least <= KEYS_COST
    print(f"processor time, own keys beside the fleet's, limit {KEYS_COST}: "
          f"{'met' if well else 'EXCEEDED by every pair'}")
    return well


def bench(args):
    collected, flooded = {name: [] for name in WAYS}, []
    for number in range(args.runs):
        for name in WAYS[:: -1 if number % 2 else 1]:
            collected[name].append(bench_collector(args, name, number))
        if args.rsyslog:
            flooded.append(bench_rsyslog(args, "rsyslog imudp, flood", args.nodes, 0))
    # Not before: ext4 spares the inodes of files that were just removed, and looks long for others.
    for number in range(args.runs):
        for name in WAYS:
            shutil.rmtree(args.out / f"collect-{name}-{number}")
    ours, *signed = (max(collected[name], key=per_second) for name in WAYS)
    rows = [ours]
    if args.rsyslog:
        rows.append(max(flooded, key=per_second))
        paced = bench_paced(args, per_second(rows[1]))
        rows += [paced] if paced else []
    show([*rows, *signed])
    ours_rate = per_second(ours)
    best = max(map(per_second, rows[1:]), default=0)
    well = all(run["well"] and run["kept"] == run["sent"]
               for runs in collected.values() for run in runs)
    print(f"{args.nodes} nodes, {ours_rate:.0f} records/s, {ours['memory']:.0f} MB at most, "
          f"lost {ours['sent'] - ours['kept']}: "
          f"{'every file is what its node sent' if well else 'NOT ALL IS THERE'}")
    if best:
        print(f"beside the most that rsyslog keeps, {best:.0f} lines/s: "
              f"{'as many or more' if ours_rate >= best else 'FEWER'}")
    cheap = judge_keys(collected)
    return 0 if well and ours_rate >= best and cheap else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collector", type=pathlib.Path)
    parser.add_argument("nodes_program", type=pathlib.Path, help="the program that plays the nodes")
    parser.add_argument("--rsyslog", type=pathlib.Path, help="where rsyslog was unpacked")
    parser.add_argument("--threads", type=int, default=1, help="of imudp (1)")
    parser.add_argument("--nodes", type=int, default=10000)
    parser.add_argument("--gaps", type=int, default=500, help="gap, event, window records a node")
    parser.add_argument("--runs", type=int, default=3, help="of each, by turns (3)")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="a folder for the files")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))  # end started processes first
    args.out, args.collector, args.nodes_program = (
        path.resolve() for path in (args.out, args.collector, args.nodes_program))
    args.rsyslog = args.rsyslog and args.rsyslog.resolve()
    try:
        hosts.enter()
        return bench(args)
    except (BenchError, OSError, subprocess.CalledProcessError) as error:
        print(f"bench-fleet: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
