#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""How much a core at work slows another, by `noisefloor measure mode=stretch` on this machine.

A run measures `adds`, which share nothing, and `dram`, which share the memory, on two cores: each
alone and beside the other, in turns. Of the ratios of the runs it prints the median and the
interval between two order statistics that holds the median of all such runs with 95.9 % where
there are 20, whatever their distribution; and in how many of the runs the ratio was significant.
No figure is a limit. Exit status: 0, 2 when there is nothing to judge.
"""
import argparse
import collections
import json
import math
import pathlib
import subprocess
import sys

KERNELS = ("adds", "dram")
CONFIDENCE = 0.95
RUN_SECONDS_MAX = 600
ONE = 1_000_000  # ppm


class BenchError(Exception):
    """What was measured is not what was meant."""


def interval(values):
    """(low, high, coverage): of pairs of order statistics, n of which are left out at each end,
    the narrowest with CONFIDENCE (David, Nagaraja: Order Statistics, 7.1)."""
    n, values = len(values), sorted(values)
    best = None
    for out in range(n // 2):
        tail = sum(math.comb(n, k) for k in range(out + 1)) / 2**n
        if 1 - 2 * tail < CONFIDENCE:
            break
        best = values[out], values[n - 1 - out], 1 - 2 * tail
    if not best:
        raise BenchError(f"{n} runs are too few for an interval of {CONFIDENCE:.0%}")
    return best


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def measure(tool, cpus, duration, path):
    """The records `interfere` of one run."""
    command = [tool, "measure", "mode=stretch", f"kernel={','.join(KERNELS)}", f"cpus={cpus}",
               f"duration={duration}", "live=no", "--output", path]
    path.unlink(missing_ok=True)
    done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS_MAX)
    if done.returncode:
        raise BenchError(f"{tool}: exit status {done.returncode}: {done.stderr.strip()}")
    found = [json.loads(line) for line in path.read_text().splitlines()]
    return [record for record in found if record["type"] == "interfere"]


def main():
    parser = argparse.ArgumentParser(description="Who slows whom, on this machine.")
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--cpus", default="0-1", help="two of them")
    parser.add_argument("--duration", default="2s", help="of a run")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    ratios, significant = collections.defaultdict(list), collections.Counter()
    try:
        for run in range(args.runs):
            path = args.out / f"{run}.jsonl"
            for r in measure(args.tool, args.cpus, args.duration, path):
                key = r["kernel"], r["victim"], r["aggressor"]
                ratios[key].append(r["ratio"] / ONE)
                significant[key] += r["ratio"] > r["bound"]
        if len(ratios) != 2 * len(KERNELS) or {len(v) for v in ratios.values()} != {args.runs}:
            raise BenchError(f"of {args.runs} runs on two cores there are {dict(ratios)}")
        for (kernel, victim, aggressor), values in sorted(ratios.items()):
            low, high, coverage = interval(values)
            print(f"{kernel}: cpu {victim} beside cpu {aggressor} takes {median(values):.4f} "
                  f"times as long ({low:.4f} to {high:.4f}, {coverage:.1%}); significant in "
                  f"{significant[kernel, victim, aggressor]} of {args.runs} runs")
    except (BenchError, OSError, ValueError, subprocess.TimeoutExpired) as error:
        print(f"bench-stretch: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
