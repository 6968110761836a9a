#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write files as FTQ, netgauge's FWQ and P-SNAP do, of a real run of loops of our own.

    tests/data/capture_fixed_work.py FOLDER

None of these tools is packaged in Debian. The loops are Python's, so a piece of work is long; the
formats are those of github.com/rminnich/ftq, netgauge 2.4 and P-SNAP 1.0, whose histogram leaves
out the longest of all loops, and so does this.
"""
import collections
import pathlib
import sys
import time

QUANTUM_NS = 100_000
QUANTA = 60
LOOPS = 400


def piece():
    for _ in range(20):
        pass


def ftq():
    rows = []
    first = start = time.perf_counter_ns()
    end = start + QUANTUM_NS
    for _ in range(QUANTA):
        start, work = time.perf_counter_ns(), 0
        while time.perf_counter_ns() < end:
            piece()
            work += 1
        rows.append((start - first, work))
        end += QUANTUM_NS * ((time.perf_counter_ns() - end) // QUANTUM_NS + 1)
    most = max(work for _, work in rows) * QUANTA
    total = sum(work for _, work in rows)
    head = [f"Frequency {1e9 / QUANTUM_NS:f}", "Ticks per ns: 1", "octave: pkg load signal",
            "x = load(<file name>)", f"pwelch(x(:,2),[],[],[],{1e9 / QUANTUM_NS:f})",
            "thread 1, core 0", "start delay 0 msec", f"Total count is {total}",
            f"Max possible work is {most}", f"Fraction is {total / most:g}"]
    return "".join(f"# {line}\n" for line in head) + "".join(f"{t} {n}\n" for t, n in rows)


def loops():
    """Durations in ns."""
    durations = []
    for _ in range(LOOPS):
        start = time.perf_counter_ns()
        for _ in range(10):
            piece()
        durations.append(time.perf_counter_ns() - start)
    return durations


def fwq(durations):
    rows = "".join(f"{i}             {ns // 1000}\n" for i, ns in enumerate(durations))
    return "# Fixed Work Quantum Benchmark\n# cycle number    duration [us]\n" + rows


def psnap(durations):
    count = collections.Counter(ns // 1000 for ns in durations)
    total = sum(us * n for us, n in count.items())
    rows = "".join(f"0 {us} {n} node1\n" for us, n in sorted(count.items())[:-1])
    return ("########\n# P-SNAP: PAL System Noise Activity Program v1.0\n# Copyright 2006\n"
            "# http://www.c3.lanl.gov/pal/software/psnap/\n########\n"
            f"# count = 10, time = {min(count)}\n# 0 1.000000 {total} node1\n" + rows)


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "ftq.dat").write_text(ftq())
    (folder / "netgauge-fwq.txt").write_text(fwq(loops()))
    (folder / "psnap.txt").write_text(psnap(loops()))


if __name__ == "__main__":
    main()
