# SPDX-License-Identifier: BSD-2-Clause
"""
The outputs that sessions are made of, and what stands in each: typed from the text, or added up
here, never by what reads them. `longest_us` is as the tool printed it.
"""
import dataclasses
import json
import pathlib


PEERS = pathlib.Path(__file__).resolve().parents[1] / "data/peers"
RUNS = PEERS.parent / "runs"


@dataclasses.dataclass(frozen=True)
class Piece:
    text: str
    tool: str
    longest_us: float
    cores: int = 1
    # How long the least and the most watched core was, s; None: the text does not have it.
    watched_s: tuple | None = None
    # Of the longest: what was printed may be that far from it. None: no upper bound is known.
    unit_us: float | None = 1
    missing: frozenset = frozenset()  # notes on what is not there


def of_file(name, tool, longest_us, *, folder=PEERS, **more):
    return Piece((folder / name).read_text(), tool, longest_us, **more)


def cut(piece, last, **more):
    """Up to the line with that text, which is left out."""
    at = piece.text.rindex("\n", 0, piece.text.index(last)) + 1
    return dataclasses.replace(piece, text=piece.text[:at], **more)


# ---- Written from their figures ----


def cyclictest(*longest, cycles=60000, pid=1200):
    """Its last screen."""
    return Piece(
        "".join(
            f"T:{n:2} ({pid + n:5}) P:90 I:1000 C:{cycles - n:7} Min:{2:7} Act:{4:5} Avg:{4:5} "
            f"Max:{us:8}\n"
            for n, us in enumerate(longest)),
        "cyclictest", max(longest))


def cyclictest_histogram(*longest, cycles=60000):
    """What -h prints behind its buckets, all in the first three."""
    row = " ".join(f"{cycles // 3:06}" for _ in longest)
    counts = " ".join(f"{us:05}" for us in longest)
    return Piece(
        "# /dev/cpu_dma_latency set to 0us\n# Histogram\n"
        + "".join(f"{us:06} {row}\n" for us in (2, 3, 4))
        + "# Total: " + " ".join(f"{cycles:09}" for _ in longest) + "\n"
        + "# Min Latencies:" + " 00002" * len(longest) + "\n"
        + "# Avg Latencies:" + " 00003" * len(longest) + "\n"
        + f"# Max Latencies: {counts}\n"
        + "# Histogram Overflows:" + " 00001" * len(longest) + "\n"
        + "# Histogram Overflow at cycle number:\n"
        + "".join(f"# Thread {n}: 00077\n" for n in range(len(longest))),
        "cyclictest", max(longest))


def timerlat_top(*longest, seconds=60, irq=9, unit="us"):
    """rtla's table; of threads."""
    minutes, left = divmod(seconds, 60)
    return Piece(
        f"{'Timer Latency':>50}\n"
        f"  0 00:{minutes:02}:{left:02}   |          IRQ Timer Latency ({unit})        |"
        f"         Thread Timer Latency ({unit})\n"
        "CPU COUNT      |      cur       min       avg       max |      cur       min       "
        "avg       max\n"
        + "".join(
            f"{cpu:3} #{seconds * 1000:<10}|{1:9} {0:9} {1:9} {irq:9} |{10:9} {3:9} {9:9} {us:9}\n"
            for cpu, us in enumerate(longest)),
        "rtla timerlat top", max(longest), cores=len(longest))


def osnoise_top(*longest, seconds=60, noise=900):
    minutes, left = divmod(seconds, 60)
    return Piece(
        f"{'Operating System Noise':>64}\n"
        f"duration:   0 00:{minutes:02}:{left:02} | time is in us\n"
        "CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single          HW"
        "          NMI          IRQ      Softirq       Thread\n"
        + "".join(
            f"{cpu:3} #{seconds:<5} {seconds * 1000000:12} {noise:12}    99.99850 {noise // 2:12}"
            f" {us:12} {3:12} {0:12} {40:12} {9:12} {7:12}\n"
            for cpu, us in enumerate(longest)),
        "rtla osnoise top", max(longest), cores=len(longest), watched_s=(seconds, seconds))


def hwlatdetect(*us, seconds=120, threshold=10, listed=None, longest=None):
    """`listed`: how many of its samples nobody has cut."""
    listed = len(us) if listed is None else listed
    longest = longest or max(us, default=0)
    head = (
        f"hwlatdetect:  test duration {seconds} seconds\n"
        "   detector: tracer\n   parameters:\n"
        f"        Latency threshold: {threshold}us\n"
        "        Sample window:     1000000us\n"
        "        Sample width:      500000us\n"
        "     Non-sampling period:  500000us\n"
        "        Output File:       None\n\nStarting test\ntest finished\n")
    tail = f"Max Latency: {longest}us\n" if longest else "Max Latency: Below threshold\n"
    tail += f"Samples recorded: {len(us)}\nSamples exceeding threshold: {len(us)}\n"
    for n, one in enumerate(us[:listed]):
        tail += f"ts: 16468373{n:02}.559832215, inner:{one}, outer:{one - 3}\n"
    missing = {"partly-listed"} if listed < len(us) else set()
    return Piece(head + tail, "hwlatdetect", longest, watched_s=(seconds / 2, seconds / 2),
                 missing=frozenset(missing),
                 unit_us=1 if longest else threshold + 1)


def oslat(*longest, seconds=10):
    """With three buckets, of one core each column."""
    column = lambda value: " ".join(str(value) for _ in longest)  # noqa: E731
    return Piece(
        "oslat V 2.60\n"
        f"Total runtime: \t\t{seconds} seconds\nThread priority: \tSCHED_FIFO:1\n"
        f"CPU list: \t\t0-{len(longest) - 1}\nCPU for main thread: \t0\nWorkload: \t\tno\n"
        f"Workload mem: \t\t0 (KiB)\nPreheat cores: \t\t{len(longest)}\n\n"
        "Pre-heat for 1 seconds...\nTest starts...\nTest completed.\n\n"
        f"        Core:\t {' '.join(str(n) for n in range(len(longest)))}\n"
        f"Counter Freq:\t {column(2100)} (Mhz)\n"
        f"    001 (us):\t {column(90000000)}\n    002 (us):\t {column(71)}\n"
        f"    003 (us):\t {column(4)} (including overflows)\n"
        f"     Minimum:\t {column(1)} (us)\n     Average:\t {column('1.002')} (us)\n"
        f"     Maximum:\t {' '.join(str(us) for us in longest)} (us)\n"
        f"     Max-Min:\t {' '.join(str(us - 1) for us in longest)} (us)\n"
        f"    Duration:\t {column(f'{seconds}.000')} (sec)\n\n",
        "oslat", max(longest), cores=len(longest), watched_s=(seconds, seconds))


def sysjitter(*longest, seconds=5):
    row = lambda name, values: f"{name}: {' '.join(str(v) for v in values)}\n"  # noqa: E731
    cores = range(len(longest))
    each = [1] * len(longest)
    return Piece(
        row("core_i", cores) + row("threshold(ns)", [300 * n for n in each])
        + row("cpu_mhz", [2100 * n for n in each])
        + row("runtime(ns)", [seconds * 10**9 * n for n in each])
        + row("runtime(s)", [f"{seconds}.000" for _ in each])
        + row("int_n", each) + row("int_max(ns)", [us * 1000 for us in longest])
        + row("int_total(ns)", [us * 1000 for us in longest]),
        "sysjitter", max(longest), cores=len(longest), watched_s=(seconds, seconds), unit_us=1)


def osnoise_trace(*seconds):
    """A line a second, each with (noise, longest) in us, of one core."""
    return Piece(
        "# tracer: osnoise\n#\n"
        + "".join(
            f"     osnoise/1-915     [001] .....  {70 + n}.000013: 1000000 {noise:10}  99.99000"
            f" {longest:8}      1      0   12      3      2\n"
            for n, (noise, longest) in enumerate(seconds)),
        "osnoise", max(longest for _, longest in seconds), watched_s=(len(seconds),) * 2)


def hwlat_trace(*us):
    """(inner, outer) each, of core 2."""
    return Piece(
        "# tracer: hwlat\n#\n"
        + "".join(
            f"           <...>-1729  [002] d.... {600 + n}.446055: #{n + 1:<5} inner/outer(us): "
            f"{inner:4}/{outer:<5} ts:149904{n:04}.280109106\n"
            for n, (inner, outer) in enumerate(us)),
        "hwlat", max(max(pair) for pair in us))


# ---- From tests/data/peers, and what stands there ----

KNOWN = {
    "cyclictest": of_file("cyclictest.txt", "cyclictest", 28208),
    "cyclictest -h": of_file("cyclictest-2.6.txt", "cyclictest", 5623),
    "cyclictest --json": of_file("cyclictest.json", "cyclictest", 3219, cores=2),
    "cyclictest --json -a": of_file("cyclictest-2.4-h8.json", "cyclictest", 7465, cores=2),
    "detour": of_file("detect-detour-figure-2.txt", "detect-detour", 727.398, cores=4,
                      unit_us=0),
    "detour --invol": of_file("detect-detour-figure-3.txt", "detect-detour", 587583.546, cores=2,
                              unit_us=0),
    "ftq": of_file("ftq.dat", "FTQ", 12316.961, unit_us=12317),
    "fwq": of_file("netgauge-fwq.txt", "FWQ", 5, unit_us=5),
    "hwlat": of_file("hwlat-6.12.trace", "hwlat", 199),
    "hwlat per-cpu": of_file("hwlat-per-cpu.trace", "hwlat", 6126, cores=2),
    "hwlat round-robin": of_file("hwlat-round-robin.trace", "hwlat", 3462, cores=2),
    "hwlatdetect": of_file("hwlatdetect-openshift.txt", "hwlatdetect", 326,
                           watched_s=(9.5, 9.5)),
    "hgrm": of_file("jhiccup.hgrm", "jHiccup", 26080, unit_us=214),
    "hlog": of_file("by-hand/jhiccup.hlog", "jHiccup", 26080, unit_us=13042),
    "oslat": of_file("oslat.txt", "oslat", 12044, cores=2, watched_s=(2.998, 3.001)),
    "oslat 2.6": of_file("oslat-2.6.txt", "oslat", 21180, watched_s=(1.998, 1.998)),
    "oslat --json": of_file("oslat-2.4.json", "oslat", 3901, cores=2, watched_s=(2, 2)),
    "oslat --json 2.6": of_file("oslat-2.6.json", "oslat", 21180, watched_s=(1.998, 1.998)),
    "oslat ns": of_file("oslat-2.6-500ns.txt", "oslat", 56573.377, unit_us=.001,
                        watched_s=(1.01, 1.01)),
    "osnoise": of_file("osnoise.trace", "osnoise", 4751, cores=2, watched_s=(4, 4)),
    "osnoise 6.12": of_file("osnoise-6.12.trace", "osnoise", 1596, watched_s=(10, 10)),
    "osnoise events": of_file("osnoise-one-second.trace", "osnoise", 30, cores=2,
                              watched_s=(1, 1)),
    "osnoise stopped": of_file("osnoise-figure-10.trace", "osnoise", 50.946, unit_us=0,
                               missing=frozenset({"stopped-at-noise"})),
    "osnoise stopped at 30": of_file("osnoise-figure-11.trace", "osnoise", 30.938, unit_us=0,
                                     missing=frozenset({"stopped-at-noise"})),
    "rteval": of_file("by-hand/rteval.txt", "rteval", 31, cores=2),
    "rteval xml": of_file("by-hand/rteval-summary.xml", "rteval", 31, cores=2),
    "rtla osnoise top": of_file("rtla-osnoise-top.txt", "rtla osnoise top", 5572, cores=2,
                                watched_s=(5, 5)),
    "rtla osnoise hist": of_file("rtla-osnoise-hist.txt", "rtla osnoise hist", 8750, cores=2,
                                 unit_us=50),
    "rtla osnoise hist quiet": of_file(
        "by-hand/rtla-osnoise-hist-quiet.txt", "rtla osnoise hist", 0, cores=2, unit_us=0,
        watched_s=(53.1, 54.9)),
    "rtla timerlat top": of_file("rtla-timerlat-top.txt", "rtla timerlat top", 34, cores=4),
    "rtla timerlat hist": of_file("rtla-timerlat-hist.txt", "rtla timerlat hist", 24, cores=2),
    "sysjitter": of_file("sysjitter-1.4.summary.verbose.txt", "sysjitter", 57313.38, cores=2,
                         unit_us=23, watched_s=(3.012115247, 3.012125719)),
    "timerlat": of_file("by-hand/timerlat.trace", "timerlat", 11.7, cores=2, unit_us=0),
}


def own(name):
    """Records of noisefloor: the longest is in them."""
    text = (RUNS / name).read_text(errors="replace")
    records = (json.loads(line) for line in text.splitlines() if '"type":"cpu"' in line)
    cpus = [record for record in records if not record["part"]]  # the rest is histograms
    return Piece(text, "noisefloor", max(cpu["max_ns"] for cpu in cpus) / 1000, unit_us=0,
                 cores=len(cpus), watched_s=(min(cpu["exposure_ns"] for cpu in cpus) / 1e9,
                                             max(cpu["exposure_ns"] for cpu in cpus) / 1e9))


OWN = own("quiet.log")
