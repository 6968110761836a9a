#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""How long the host tool takes to show a record file of 1 GB, and in how much memory.

jq reads the same file in the same run and counts its records by type, which checks the host
tool's own count, too. Both read from the page cache: the file was read once before. The host
tool's figures are the best of three runs, as whatever else runs on the machine only adds to
them; how much it added shows in the processor's share. Exit status: 0, 1 over a limit, 2 when
there is nothing to judge.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

SECONDS_MAX = 10
MB_MAX = 200
RUNS = 3
COUNT = "reduce inputs as $r ({}; .[$r.type] += 1)"


class BenchError(Exception):
    """What was measured is not what was meant."""


def measure(command):
    """(seconds, of these the processor's, MB at most resident, output)"""
    started = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        output = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - started
    if process.returncode != 0:
        raise BenchError(f"{command[0]}: exit status {process.returncode}")
    cpu = usage.ru_utime + usage.ru_stime
    return seconds, cpu, usage.ru_maxrss * 1024 / 1e6, output


def warm(path):
    """Read the file once; its size."""
    size = 0
    with open(path, "rb") as file:
        while chunk := file.read(1 << 16):
            size += len(chunk)
    return size


def gaps_shown(text):
    """What the table's last row, the sum of all cores, has in its column GAPS."""
    columns = re.search(r"^ *CPU +RUNTIME.*$", text, re.M)
    total = re.search(r"^all .*$", text, re.M)
    if not columns or not total:
        raise BenchError("no table was shown")
    return int(total[0].split()[columns[0].split().index("GAPS")])


def report(size, shown, counted):
    """Print both; True within the limits."""
    within = shown[0] <= SECONDS_MAX and shown[2] <= MB_MAX
    print(f"{'':<16} {'seconds':>8} {'of CPU':>8} {'MB/s':>6} {'MB resident':>12}")
    for name, (seconds, cpu, resident, _) in (("noisefloor show", shown), ("jq", counted)):
        rate = size / 1e6 / seconds
        print(f"{name:<16} {seconds:>8.2f} {cpu:>8.2f} {rate:>6.0f} {resident:>12.1f}")
    print(
        f"limits for {size / 1e9:.2f} GB: {SECONDS_MAX} s and {MB_MAX} MB: "
        f"{'met' if within else 'NOT MET'}"
    )
    return within


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", type=pathlib.Path, help="the host tool")
    parser.add_argument("file", type=pathlib.Path, help="a record file of at least 1 GB")
    args = parser.parse_args()
    try:
        size = warm(args.file)
        if size < 10**9:
            raise BenchError(f"{args.file}: {size} bytes, not 1 GB")
        shown = min(measure([args.tool, "show", args.file]) for _ in range(RUNS))
        counted = measure(["jq", "-n", COUNT, args.file])
        records = json.loads(counted[3])
        print(", ".join(f"{count} {name}" for name, count in records.items()))
        if gaps_shown(shown[3]) != records["gap"]:
            raise BenchError(f"{gaps_shown(shown[3])} gaps shown of {records['gap']}")
    except (BenchError, OSError) as error:
        print(f"bench-host: {error}", file=sys.stderr)
        return 2
    return 0 if report(size, shown, counted) else 1


if __name__ == "__main__":
    sys.exit(main())
