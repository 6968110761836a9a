# SPDX-License-Identifier: BSD-2-Clause
"""Every figure of a run from its raw records, by docs/output.md and docs/method.md alone.

What no other record shows was measured, and is named in MEASURED: all else is computed here.
`Within` is a figure of which the records give bounds only.
"""
import collections
import dataclasses
import math
from fractions import Fraction

NS = 10**9
PPM = 10**6
SHARES = {"p50": 5000, "p90": 9000, "p99": 9900, "p99.9": 9990, "p99.99": 9999}
STAGES = ("firmware", "bare", "acpi", "handoff")
BURST_ONE = 256
WINDOWS_MIN = 5
LOG_MIN = -15
LOG_ERROR = 0.0025  # of log10_p: two thousandths, and the rounding to one

# Of each type of record: what is measured, by path. Everything else must be computed.
MEASURED = {
    "begin": ("cpu.family", "cpu.model", "cpu.stepping", "cpus.found", "cpus.started",
              "cpus.measured", "cpus.bringup_ns", "clock.hz", "clock.quantum", "clock.audit_ppm",
              "begin_tsc"),
    "stage": ("sci_en", "smi_en", "smi_sts"),
    "window": ("start_ns", "len_ns", "smi", "nmi", "smi_out", "nmi_out"),
    "gap": ("cpu", "start_tsc", "ticks", "smi", "nmi", "mce"),
    "event": ("t_ns", "len_ns"),
    "cpu": ("cpu", "apic_id", "package", "core", "thread", "tsc_offset",
            "tsc_offset_bound", "exposure_ns", "dropped", "mce", "interval_p50", "interval_p999",
            "histogram"),
    "summary": ("found", "measured"),
    "stretch": ("cpu", "work", "best", "min", "hist", "course", "throttled"),
    "interfere": ("victim", "aggressor", "ratio", "bound"),
    "service": ("cpu", "status", "min_ns", "smi", "smi_quiet", "smi_others", "overlaps",
                "control_overlaps", "control_longest_ns", "chance_milli"),
}


@dataclasses.dataclass(frozen=True)
class Within:
    low: float
    high: float

    def __eq__(self, other):
        return self.low <= other <= self.high


def to_ns(ticks, hz):
    """Rounded down."""
    return ticks * NS // hz


def total(values):
    """Not known where one is not, nor of none."""
    values = list(values)
    return None if None in values or not values else sum(values)


class Run:
    """The records of a run by their type, and what all figures need."""

    def __init__(self, records):
        self.records = records
        self.of = collections.defaultdict(list)
        for record in records:
            self.of[record["type"]].append(record)
        self.begin, self.end = self.of["begin"][0], self.of["end"][0]
        self.hz = self.begin["clock"]["hz"]
        self.config = dict(word.split("=", 1) for word in self.begin["config"].split())
        self.stages = [s["stage"] for s in self.of["stage"]]

    def in_stage(self, kind, stage):
        return [record for record in self.of[kind] if record["stage"] == stage]

    def has_all_gaps(self, stage):
        return len(self.in_stage("gap", stage)) == sum(
            counted(cpu) for cpu in self.in_stage("cpu", stage))

    def ns(self, gaps):
        return to_ns(sum(gap["ticks"] for gap in gaps), self.hz)


# ---- A core ----


def counted(cpu):
    return sum(count for _, count in cpu["histogram"])


def bucket_end(low, longest):
    """A bucket's width is a 64th of its lower edge at most; both edges are rounded to a ns."""
    return max(low, min(low + low // 64 + 2, longest))


def percentile(cpu, longest, share):
    """(low, high) of the first of which so many 10,000ths are no longer; None: there is none."""
    count = counted(cpu)
    if not count:
        return None
    rank = -(-count * share // 10000)
    if rank == count:
        return longest, longest
    for low, here in cpu["histogram"]:
        rank -= here
        if rank <= 0:
            return low, bucket_end(low, longest)
    raise ValueError("a rank past the histogram's end")


def histogram_agrees(run, cpu, gaps):
    """Each gap, by its length, in a bucket that may hold it."""
    lows = [low for low, count in cpu["histogram"] for _ in range(count)]
    lengths = sorted(to_ns(gap["ticks"], run.hz) for gap in gaps)
    return len(lows) == len(lengths) and all(
        low <= length <= low + low // 64 + 2 for low, length in zip(lows, lengths))


def core(run, cpu):
    """Of a record `cpu`, what follows from its histogram, its causes, windows and gaps."""
    stage, causes = cpu["stage"], cpu["cause"].values()
    gaps = [gap for gap in run.in_stage("gap", stage) if gap["cpu"] == cpu["cpu"]]
    figures = {
        "gaps": counted(cpu),
        "noise_ns": Within(sum(c["ns"] for c in causes), sum(c["ns"] + 1 for c in causes)),
        "max_ns": longest_of(run, cpu, gaps),
    }
    if sum(c["gaps"] for c in causes) != counted(cpu):
        figures["gaps"] = "causes and histogram differ"
    if run.has_all_gaps(stage):
        if not histogram_agrees(run, cpu, gaps):
            figures["gaps"] = "histogram and gaps differ"
        figures["noise_ns"] = run.ns(gaps)
        for name in {gap["cause"] for gap in gaps} | set(cpu["cause"]):
            of = [gap for gap in gaps if gap["cause"] == name]
            figures[f"cause.{name}.gaps"] = len(of)
            figures[f"cause.{name}.ns"] = run.ns(of)
    else:
        figures |= by_cause(cpu)
    for name in "smi", "nmi", "smi_out", "nmi_out":
        figures[name] = from_windows(run, cpu, name)
    return figures


def by_cause(cpu):
    """What the histogram and the sum leave to each cause beside the others."""
    figures = {}
    for name in cpu["cause"]:
        others = [c for other, c in cpu["cause"].items() if other != name]
        ns = cpu["noise_ns"] - sum(c["ns"] for c in others)
        figures |= {f"cause.{name}.gaps": counted(cpu) - sum(c["gaps"] for c in others),
                    f"cause.{name}.ns": Within(ns - 1 - len(others), ns)}
    return figures


def longest_of(run, cpu, gaps):
    """Exact where its gap has a record: those of a stage are its longest."""
    if not cpu["histogram"]:
        return 0
    low = cpu["histogram"][-1][0]
    sent = [to_ns(gap["ticks"], run.hz) for gap in gaps]
    return max(sent) if max(sent, default=-1) >= low else Within(low, low + low // 64 + 2)


def from_windows(run, cpu, name):
    """The windows' sum less the other cores' counts."""
    stage = cpu["stage"]
    whole = total(window[name] for window in run.in_stage("window", stage))
    others = total(c[name] for c in run.in_stage("cpu", stage) if c is not cpu)
    if None in (whole, others):
        return cpu[name] if cpu[name] is None or None in (whole, others) else None
    return whole - others


# ---- Windows, gaps, events ----


def window(run, record):
    """Gaps belong to the window in which they end."""
    stage = record["stage"]
    windows = run.in_stage("window", stage)
    number = windows.index(record)
    figures = {
        "n": 1 + sum(w["windows"] for w in windows[:number]),
        "windows": max(1, windows[number + 1]["n"] - record["n"])
        if record is not windows[-1] else record["windows"],
    }
    if run.has_all_gaps(stage):
        start, end = record["start_ns"], record["start_ns"] + record["len_ns"]
        own = [gap for gap in run.in_stage("gap", stage) if start <= gap["t_ns"] <= end]
        figures |= {"gaps": len(own), "noise_ns": run.ns(own),
                    "max_ns": max((gap["len_ns"] for gap in own), default=0)}
    else:
        figures |= rest_of_windows(run, stage, record, windows)
    return figures


def rest_of_windows(run, stage, record, windows):
    """Without all gaps: what the cores have in all, less the other windows."""
    cpus = run.in_stage("cpu", stage)
    others = [w for w in windows if w is not record]
    noise = sum(cpu["noise_ns"] for cpu in cpus) - sum(w["noise_ns"] for w in others)
    start, end = record["start_ns"], record["start_ns"] + record["len_ns"]
    sent = [gap["len_ns"] for gap in run.in_stage("gap", stage) if start <= gap["t_ns"] <= end]
    return {
        "gaps": sum(map(counted, cpus)) - sum(w["gaps"] for w in others),
        "noise_ns": Within(noise - len(windows), noise + len(cpus)),
        "max_ns": max(sent) if sent else Within(0, min(
            (g["len_ns"] for g in run.in_stage("gap", stage)), default=math.inf)),
    }


def gap(run, record):
    return {"t_ns": to_ns(record["start_tsc"] - run.begin["begin_tsc"], run.hz),
            "len_ns": to_ns(record["ticks"], run.hz)}


def event(run, record):
    """The gaps between its begin and its end, of each core the first and the last."""
    stage, start = record["stage"], record["t_ns"]
    end = start + record["len_ns"]
    figures = {"of": len(run.in_stage("event", stage)) + unsent_events(run, stage)}
    own = [g for g in run.in_stage("gap", stage)
           if g["t_ns"] >= start and g["t_ns"] + g["len_ns"] <= end + 1]
    cores = collections.defaultdict(list)
    for g in own:
        cores[g["cpu"]].append(g)
    enters = {cpu: min(g["start_tsc"] for g in gaps) for cpu, gaps in cores.items()}
    leaves = {cpu: max(g["start_tsc"] + g["ticks"] for g in gaps) for cpu, gaps in cores.items()}
    if not run.has_all_gaps(stage):
        return figures | part_of_event(record, cores)
    figures |= {
        "gaps": len(own),
        "cpus": len(cores),
        "first": min(enters, key=lambda cpu: (enters[cpu], cpu)),
        "last": min(leaves, key=lambda cpu: (-leaves[cpu], cpu)),
        "skew_ns": to_ns(max(enters.values()) - min(enters.values()), run.hz),
        "end_skew_ns": to_ns(max(leaves.values()) - min(leaves.values()), run.hz),
        "t_ns": to_ns(min(enters.values()) - run.begin["begin_tsc"], run.hz),
        "len_ns": to_ns(max(leaves.values()) - min(enters.values()), run.hz),
    }
    for name in {g["cause"] for g in own}:
        of = [g for g in own if g["cause"] == name]
        figures |= {f"causes.{name}.gaps": len(of), f"causes.{name}.ns": run.ns(of)}
    return figures


def part_of_event(record, cores):
    """Of an event some of whose gaps have no record."""
    listed = set(cores_of(record["list"]))
    causes = record["causes"].values()
    figures = {
        "gaps": sum(c["gaps"] for c in causes),
        "cpus": len(listed),
        "first": record["first"] if record["first"] in listed else None,
        "last": record["last"] if record["last"] in listed else None,
        "skew_ns": Within(0, record["len_ns"]),
        "end_skew_ns": Within(0, record["len_ns"]),
    }
    sent = sum(map(len, cores.values()))
    for name, c in record["causes"].items():
        figures |= {f"causes.{name}.gaps": Within(1, record["gaps"]),
                    f"causes.{name}.ns": Within(1, record["len_ns"] * record["cpus"])}
    if sent > figures["gaps"] or not set(cores) <= listed:
        figures["gaps"] = "more gaps than the event has"
    return figures


def cores_of(text):
    for piece in text.split(","):
        first, _, last = piece.partition("-")
        yield from range(int(first), int(last or first) + 1)


def unsent_events(run, stage):
    """Of all stages together the record `end` has them."""
    if len(run.stages) == 1:
        return run.end["events_unsent"] or 0
    of = {e["of"] for e in run.in_stage("event", stage)}
    return of.pop() - len(run.in_stage("event", stage)) if len(of) == 1 else 0


# ---- A run ----


def sampled_ns(run):
    """The length of all windows; of several stages of the shortest."""
    stages = [s for s in run.stages if run.in_stage("window", s)]
    return min((sum(w["len_ns"] for w in run.in_stage("window", s)) for s in stages), default=None)


def watched_ppm(run):
    """The cores' mean exposure in the time from the first window of a stage to the end of its
    last, all stages together; rounded down, of ticks where the records have ns."""
    watched = wall = 0
    for stage in run.stages:
        windows, cpus = run.in_stage("window", stage), run.in_stage("cpu", stage)
        if windows and cpus:
            watched += Fraction(sum(cpu["exposure_ns"] for cpu in cpus), len(cpus))
            wall += windows[-1]["start_ns"] + windows[-1]["len_ns"] - windows[0]["start_ns"]
    if not wall:
        return None
    exact = watched * PPM / wall
    return Within(math.floor(exact - Fraction(1, 100)), math.floor(exact + Fraction(1, 100)))


def end(run, _record):
    figures = {f"records.{kind}": len(run.of[kind]) for kind in run.end["records"]}
    windows = sampled_ns(run)
    figures["sampled_ns"] = windows and Within(windows - 1, windows + len(run.of["window"]))
    figures["watched_ppm"] = watched_ppm(run)
    figures["gaps_unsent"] = sum(map(counted, run.of["cpu"])) - len(run.of["gap"])
    of = {(e["stage"], e["of"]) for e in run.of["event"]}
    figures["events_unsent"] = sum(n for _, n in of) - len(run.of["event"])
    return figures


def summary(run, record):
    """All cores in all stages."""
    cpus = run.of["cpu"]
    figures = {name: total(cpu[name] for cpu in cpus)
               for name in ("exposure_ns", "noise_ns", "smi", "nmi", "mce")}
    figures["gaps"] = total(map(counted, cpus))
    figures["sampled_ns"] = end(run, None)["sampled_ns"]
    figures["threshold_ns"] = duration(run.config["threshold"])
    figures |= longest(cpus)
    for name in {name for cpu in cpus for name in cpu["cause"]}:
        of = [cpu["cause"][name] for cpu in cpus if name in cpu["cause"]]
        figures |= {f"cause.{name}.gaps": sum(c["gaps"] for c in of),
                    f"cause.{name}.ns": sum(c["ns"] for c in of),
                    f"longest.{name}": longest_by_cause(run, name)}
    tails = [r["p999"] for r in run.of["stretch"]]
    figures["stretch"] = PPM + max(tails) if tails else None
    return figures


def longest(cpus):
    """The first of the longest, in the order in which cores were measured."""
    worst = max(cpus, key=lambda cpu: cpu["max_ns"], default=None)
    if not worst or not worst["max_ns"]:
        return {"longest_ns": None, "longest_cpu": None}
    return {"longest_ns": worst["max_ns"], "longest_cpu": worst["cpu"]}


def longest_by_cause(run, name):
    """The records of a stage are of its longest gaps: one of a cause is longer than all without."""
    sent = [gap["len_ns"] for gap in run.of["gap"] if gap["cause"] == name]
    return max(sent) if sent else Within(0, max(cpu["max_ns"] for cpu in run.of["cpu"]))


UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": NS, "m": 60 * NS, "h": 3600 * NS}


def duration(text):
    """Of a key, ns."""
    digits = text.rstrip("nums h".replace(" ", ""))
    return int(Fraction(digits) * UNITS[text[len(digits):]])


# ---- Stretch ----


def next_edge(edge):
    """Eight edges to an octave."""
    return edge + (1 << max(edge.bit_length() - 4, 0))


def most(record, edge):
    """Up to the next edge, and what the buckets of ticks above the minimum add: a 32nd, a tick at
    either end, and the 122 ppm that a minimum may be above another."""
    above = record["best"] - (record.get("min") or record["best"])
    return (next_edge(edge) * Fraction(33, 32) + 122
            + Fraction((2 + Fraction(above, 32)) * PPM, record["best"]))


def at_share(record, share):
    """From the edge of its bucket to the most that is in there."""
    rank = -(-sum(count for _, count in record["hist"]) * share // 10000)
    for edge, count in record["hist"]:
        rank -= count
        if rank <= 0:
            return Within(edge, most(record, edge))
    raise ValueError("a rank past the histogram's end")


def stretch(run, record):
    """Shares from the histogram; the mean as the product of its factors."""
    figures = {"quanta": sum(count for _, count in record["hist"])}
    for name, share in {"p50": 5000, "p90": 9000, "p99": 9900, "p999": 9990}.items():
        figures[name] = at_share(record, share)
    figures["max"] = at_share(record, 10000)
    figures["mean"] = mean(record)
    for name in FACTORS:
        figures[name] = record[name] and factor(record, name)
    return figures


FACTORS = ("gaps", "clock", "cpi", "rest")


def product(record, without=None):
    """Of the factors, and how far it may be off: each is rounded to a ppm, or a 2^30th."""
    whole, off = Fraction(1), Fraction(2, PPM)
    for name in FACTORS:
        if record[name] is not None and name != without:
            whole *= Fraction(record[name], PPM)
            off += Fraction(2, record[name])
    return whole, off


def mean(record):
    """The product of its factors, and no more than the upper edges of the histogram give."""
    whole, off = product(record)
    upper = sum(most(record, edge) * count for edge, count in record["hist"])
    upper /= sum(count for _, count in record["hist"])
    if record["mean"] > upper:
        return f"the histogram has at most {float(upper)}"
    return Within((whole * (1 - off) - 1) * PPM, (whole * (1 + off) - 1) * PPM)


def factor(record, name):
    """What the others leave of the mean."""
    whole, off = product(record, name)
    own = (PPM + record["mean"]) / whole
    return Within(own * (1 - off) - 2, own * (1 + off) + 2)


# ---- Services ----


def service(run, record):
    """What is asked for, and the order of what was measured."""
    if not record["calls"]:
        return {name: 0 for name in ("calls", "failed", "stopped", "controls", "unseen")}
    wanted = "service_writes" if record["service"] == "set_variable" else "service_calls"
    calls = int(run.config[wanted])
    least, most = record["least_ns"], record["longest_ns"]
    return {
        "calls": calls,
        "failed": Within(0, calls) if record["status"] is not None else 0,
        "p50_ns": Within(record["min_ns"], record["p99_ns"]),
        "p99_ns": Within(record["p50_ns"], record["max_ns"]),
        "max_ns": record["p99_ns"] if calls <= 100 and -(-99 * calls // 100) == calls
        else Within(record["p99_ns"], math.inf),
        "others": run.begin["cpus"]["measured"] - 1,
        "stopped": Within(0, record["others"] if record["stops"] else 0),
        "controls": calls * (9 if calls < 30 else 1) if record["others"] else 0,
        "least_ns": most and Within(1, most),
        "longest_ns": least and Within(least, math.inf),
        "unseen": Within(0, calls),
    }


FIGURES = {"cpu": core, "window": window, "gap": gap, "event": event, "end": end,
           "summary": summary, "stretch": stretch, "service": service}


# ---- The ladder ----


def rung(run, stage):
    cpus = run.in_stage("cpu", stage)
    return {
        "stage": stage,
        "cores": len(cpus),
        "exposure_ns": sum(cpu["exposure_ns"] for cpu in cpus),
        "gaps": sum(map(counted, cpus)),
        "noise_ns": sum(cpu["noise_ns"] for cpu in cpus),
        "max_ns": max(cpu["max_ns"] for cpu in cpus),
        "smi": total(cpu["smi"] for cpu in cpus),
    }


def first_core(run, stage):
    cpu = next(c for c in run.in_stage("cpu", stage) if c["cpu"] == 0)
    return {"cores": 1, "exposure_ns": cpu["exposure_ns"], "gaps": counted(cpu),
            "smi": cpu["smi"]}


def dispersion(run, stage, what, cores):
    """Pearson's chi-square of equal rates over its degrees of freedom, by core, in 256ths."""
    windows = [(w[what] or 0, w["len_ns"] // 1000) for w in run.in_stage("window", stage)]
    count, length = sum(c for c, _ in windows), sum(n for _, n in windows)
    if len(windows) < WINDOWS_MIN or not count:
        return BURST_ONE, len(windows) >= WINDOWS_MIN
    rate = Fraction(count, length)
    chi = sum((c - rate * n) ** 2 / (rate * n) for c, n in windows)
    return chi / (len(windows) - 1) * BURST_ONE // 1 // cores, True


def tail_log10(before, after, share):
    """log10 of twice the smaller tail, the exact conditional test: of before + after events each
    falls into the second time with probability `share`."""
    n = before + after
    logs = [math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
            + k * math.log(share) + (n - k) * math.log1p(-share) for k in range(n + 1)]
    low = math.fsum(math.exp(x) for x in logs[: after + 1])
    high = math.fsum(math.exp(x) for x in logs[after:])
    return max(min(math.log10(2 * min(low, high)), 0), LOG_MIN) if min(low, high) else LOG_MIN


def change(run, stages, rungs, what):
    """(word, log10 of p, burst) of what a step changed."""
    if None in (rungs[0][what], rungs[1][what]):
        return None, None, None
    spread = [dispersion(run, s, what, r["cores"]) for s, r in zip(stages, rungs)]
    burst = max(BURST_ONE, *(b for b, _ in spread)) if all(ok for _, ok in spread) else BURST_ONE
    times = [r["exposure_ns"] // r["cores"] for r in rungs]
    counts = [r[what] // r["cores"] * BURST_ONE // burst for r in rungs]
    log = tail_log10(*counts, times[1] / sum(times))
    if log >= -2:
        word = "same"
    else:
        word = "less" if counts[1] * times[0] < counts[0] * times[1] else "more"
    return word, log, burst / BURST_ONE


def ladder(run):
    stages = [s for s in STAGES if run.in_stage("cpu", s)]
    rungs = [rung(run, s) for s in stages]
    for n, r in enumerate(rungs):
        r["against"] = None
        if n:
            r["against"] = against(run, stages[n - 1: n + 1], rungs[n - 1: n + 1])
    return rungs


def compared(run, stages, rungs):
    """All cores, or core 0 alone where there are not as many."""
    if rungs[0]["cores"] == rungs[1]["cores"]:
        return rungs
    return [first_core(run, s) for s in stages]


def against(run, stages, rungs):
    of = compared(run, stages, rungs)
    step = {"stage": stages[0]}
    for what in "gaps", "smi":
        word, log, burst = change(run, stages, of, what)
        step |= {what: word,
                 f"{what}_log10_p": None if log is None else Within(log - LOG_ERROR,
                                                                    log + LOG_ERROR),
                 f"{what}_burst": burst}
    return step


# ---- The document ----


def leaves(value, path=""):
    """(path, leaf) of all that are no object and no array."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from leaves(member, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for n, member in enumerate(value):
            yield from leaves(member, f"{path}[{n}]")
    else:
        yield path, value


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def settled(figure, recorded):
    """What was recorded, where records give bounds only, and it is within them."""
    return recorded if isinstance(figure, Within) and figure == recorded else figure


def percentiles(cpu, longest_ns):
    for name, share in SHARES.items():
        ends = percentile(cpu, longest_ns, share)
        exact = ends and ends[0] == ends[1]
        yield name, ends and {"low": ends[0], "high": ends[1],
                              "value": ends[0] if exact else None}


def cores(run):
    """Of `show --json`, as all below."""
    for cpu in run.of["cpu"]:
        own = core(run, cpu)
        figures = {name: settled(own[name], cpu[name])
                   for name in ("noise_ns", "max_ns", "gaps", "smi", "nmi")}
        yield ({name: cpu[name] for name in ("stage", "cpu", "exposure_ns", "dropped")} | figures
               | {"percentiles_ns": dict(percentiles(cpu, figures["max_ns"]))})


def record_figures(run, record):
    """All numbers of a record, by path: computed, or measured as the line has them."""
    kind = record["type"]
    own = {path: value for path, value in leaves(record)
           if path.partition("[")[0] in ("nf", "seq", *MEASURED.get(kind, ()))}
    if kind in FIGURES:
        own |= FIGURES[kind](run, record)
    return own


def document(records, data):
    """The figures of `show --json` by path."""
    run = Run(records)
    head = {
        "lost": 0, "unusable": 0, "duplicates": 0, "unknown": 0, "cores": list(cores(run)),
        "ladder": ladder(run), "verdict": run.end["verdict"],
        "search": [{"gaps": len(run.in_stage("gap", s))} for s in run.stages
                   if any(run.in_stage(kind, s) for kind in ("cpu", "window", "gap"))],
    }
    own = dict(leaves({"runs": [head],
                       "captures": [{"bytes": len(data), "damaged": 0, "refused": 0}]}))
    for n, record in enumerate(records):
        for path, value in record_figures(run, record).items():
            own[f"runs[0].records[{n}].{path}"] = value
    return own
