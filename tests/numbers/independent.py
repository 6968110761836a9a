# SPDX-License-Identifier: BSD-2-Clause
"""The numbers of `noisefloor show --json`, computed again from the documentation alone.

Who wrote it knew docs/ and the captures, not the tool's code and nothing that it prints; the
ladder's sums were added to docs/output.md and here when both were compared.
How bursts are rounded, `rest` and `sampled_ns` were settled by what the captures state. What only
the probe can state, such as the windows, gaps and registers, is as the records have it.
"""

import re
from collections import Counter, defaultdict

NS = 10 ** 9
MILLION = 10 ** 6
SHARES = {"p50": (50, 100), "p90": (90, 100), "p99": (99, 100), "p99.9": (999, 1000),
          "p99.99": (9999, 10000)}


class Run:
    """The records of one run."""

    def __init__(self, records):
        self.records = records
        begin = self.one("begin")
        self.hz = begin["clock"]["hz"]
        self.begin_tsc = begin["begin_tsc"]
        self.config = dict(pair.split("=", 1) for pair in begin["config"].split())
        self.stages = [record["stage"] for record in self.of("stage")]

    def of(self, kind, stage=None, **fields):
        return [record for record in self.records if record["type"] == kind
                and stage in (None, record.get("stage"))
                and all(record[name] == value for name, value in fields.items())]

    def one(self, kind):
        return self.of(kind)[0]

    def ns(self, ticks):
        """output.md: ticks * 10^9 / the rate in `begin`, rounded down."""
        return ticks * NS // self.hz

    def sum_ns(self, gaps):
        """output.md: a sum is of ticks."""
        return self.ns(sum(gap["ticks"] for gap in gaps))

    def whole(self, stage):
        """Whether all gaps of a stage have records: they were asked for, or histograms agree."""
        cpus = self.of("cpu", stage)
        if self.config["gaps"] == "all" and not any(cpu["dropped"] for cpu in cpus):
            return True
        return (sum(count for cpu in cpus for _, count in cpu["histogram"])
                == len(self.of("gap", stage)))


# -- records, computed again from those that are raw --

def longest(run, gaps):
    return run.ns(max((gap["ticks"] for gap in gaps), default=0))


def by_cause(run, gaps):
    causes = defaultdict(list)
    for gap in gaps:
        causes[gap["cause"]].append(gap)
    return {cause: {"gaps": len(group), "ns": run.sum_ns(group)}
            for cause, group in causes.items()}


def gap_fields(run, gap):
    return {"t_ns": run.ns(gap["start_tsc"] - run.begin_tsc), "len_ns": run.ns(gap["ticks"])}


def window_fields(run, window):
    fields = {}
    for name in ("smi", "nmi", "smi_out", "nmi_out"):
        counts = [cpu.get(name) for cpu in run.of("cpu", window["stage"])]
        if name in window and counts and None not in counts and not any(counts):
            fields[name] = 0
    if not run.whole(window["stage"]):
        return fields
    end = window["start_ns"] + window["len_ns"]
    gaps = [gap for gap in run.of("gap", window["stage"])
            if window["start_ns"] <= run.ns(gap["start_tsc"] - run.begin_tsc) < end]
    fields.update(gaps=len(gaps), noise_ns=run.sum_ns(gaps), max_ns=longest(run, gaps))
    return fields


def events_of(run, stage):
    """Gaps that overlap in time and have one cause, merged; in order of time."""
    events = []
    last = {}
    for gap in sorted(run.of("gap", stage), key=lambda gap: gap["start_tsc"]):
        event = last.get(gap["cause"])
        if event is None or gap["start_tsc"] >= event["end"]:
            event = {"gaps": [], "end": 0}
            last[gap["cause"]] = event
            events.append(event)
        event["gaps"].append(gap)
        event["end"] = max(event["end"], gap["start_tsc"] + gap["ticks"])
    return events


def event_fields(run, events, index):
    event = events[index]
    gaps = event["gaps"]
    enter = {}
    leave = {}
    for gap in gaps:
        cpu = gap["cpu"]
        enter[cpu] = min(enter.get(cpu, gap["start_tsc"]), gap["start_tsc"])
        leave[cpu] = max(leave.get(cpu, 0), gap["start_tsc"] + gap["ticks"])
    start = min(enter.values())
    return {
        "of": len(events),
        "t_ns": run.ns(start - run.begin_tsc),
        "len_ns": run.ns(event["end"] - start),
        "gaps": len(gaps),
        "cpus": len(enter),
        "first": min(enter, key=lambda cpu: (enter[cpu], cpu)),
        "last": max(leave, key=lambda cpu: (leave[cpu], -cpu)),
        "skew_ns": run.ns(max(enter.values()) - start),
        "end_skew_ns": run.ns(event["end"] - min(leave.values())),
        "cause": gaps[0]["cause"],
    }


def edge_of(record, length):
    """The lower edge of the bucket that a length is in."""
    return max((low for low, _ in record["histogram"] if low <= length), default=None)


def cpu_fields(run, cpu):
    stage = cpu["stage"]
    gaps = run.of("gap", stage, cpu=cpu["cpu"])
    fields = {"gaps": sum(count for _, count in cpu["histogram"])}
    if gaps:
        # `gaps` keeps the longest: if any of a core is there, its longest is.
        fields["max_ns"] = longest(run, gaps)
    if run.whole(stage):
        fields["gaps"] = len(gaps) + cpu["dropped"]
        fields["noise_ns"] = run.sum_ns(gaps)
        fields["max_ns"] = longest(run, gaps)
        fields["cause"] = by_cause(run, gaps)
        counts = Counter(edge_of(cpu, run.ns(gap["ticks"])) for gap in gaps)
        fields["histogram"] = [[low, counts[low]] for low, _ in cpu["histogram"]]
    elif len(cpu["cause"]) == 1:
        cause, = cpu["cause"]
        fields["cause"] = {cause: {"gaps": fields["gaps"]}}
    windows = run.of("window", stage)
    for name in ("smi", "nmi", "smi_out", "nmi_out"):
        steps = [window.get(name) for window in windows]
        if name not in cpu or not steps or None in steps:
            continue
        if len(run.of("cpu", stage)) == 1 or not any(steps):
            fields[name] = sum(steps)
    return fields


def stretch_fields(run, record):
    fields = {"quanta": sum(count for _, count in record["hist"])}
    for name, share in (("p50", "p50"), ("p90", "p90"), ("p99", "p99"), ("p999", "p99.9")):
        if rank_of(fields["quanta"], share) == fields["quanta"]:
            fields[name] = record["max"]
    fields["rest"] = rest(record)
    return fields


def rest(record):
    """method.md: the mean of S is a product; a factor without evidence is in the rest.

    Each figure is known to 1 ppm, which bounds the rest: what is stated is taken if it is between.
    """
    low = MILLION + record["mean"] - 1
    high = low + 2
    for name in ("gaps", "clock", "cpi"):
        if record[name] is not None:
            low = low * MILLION // (record[name] + 1)
            high = -(-high * MILLION // (record[name] - 1))
    return record["rest"] if low - 1 <= record["rest"] <= high + 1 else (low + high) // 2


def service_fields(run, record):
    if record["calls"] and rank_of(record["calls"], "p99") == record["calls"]:
        return {"p99_ns": record["max_ns"]}
    return {}


def unknown_sum(values):
    """Sum of the values; unknown for no core."""
    values = list(values)
    return None if None in values or not values else sum(values)


def longest_cpu(cpus):
    worst = max(cpus, key=lambda cpu: cpu["max_ns"], default=None)
    return worst["cpu"] if worst and worst["max_ns"] else None


def unit(text):
    number, suffix = re.fullmatch(r"([0-9]+)([a-z]+)", text).groups()
    return int(number) * {"ns": 1, "us": 10 ** 3, "ms": 10 ** 6, "s": NS, "m": 60 * NS,
                          "h": 3600 * NS, "d": 86400 * NS}[suffix]


def summary_fields(run, record):
    begin = run.one("begin")
    cpus = [computed_cpu(run, cpu) for cpu in run.of("cpu")]
    gaps = run.of("gap")
    fields = {
        "microcode": begin["cpu"]["microcode"],
        "found": begin["cpus"]["found"],
        "measured": begin["cpus"]["measured"],
        "threshold_ns": unit(run.config["threshold"]),
        "exposure_ns": unknown_sum(cpu["exposure_ns"] for cpu in cpus),
        "gaps": unknown_sum(cpu["gaps"] for cpu in cpus),
        "noise_ns": unknown_sum(cpu["noise_ns"] for cpu in cpus),
        "smi": unknown_sum(cpu["smi"] for cpu in cpus),
        "nmi": unknown_sum(cpu["nmi"] for cpu in cpus),
        "mce": unknown_sum(cpu["mce"] for cpu in cpus),
        "longest_ns": max((cpu["max_ns"] for cpu in cpus), default=0) or None,
        "longest_cpu": longest_cpu(cpus),
        "cause": {},
        "longest": {},
    }
    for cpu in cpus:
        for cause, step in cpu["cause"].items():
            total = fields["cause"].setdefault(cause, {"gaps": 0, "ns": 0})
            total["gaps"] += step["gaps"]
            total["ns"] += step["ns"]
    for cause in record["longest"]:
        of_cause = [gap for gap in gaps if gap["cause"] == cause]
        if of_cause:
            fields["longest"][cause] = longest(run, of_cause)
        elif cause not in fields["cause"]:
            fields["longest"][cause] = None
    worst = [stretch["p999"] for stretch in run.of("stretch")]
    fields["stretch"] = MILLION + max(worst) if worst else None
    fields["sampled_ns"] = sampled(run, record["sampled_ns"])
    return fields


def sampled(run, stated):
    """Sampled time of the shortest stage, by its windows: a sum of ticks, known to 1 ns per
    window."""
    sums = []
    for stage in run.stages:
        windows = run.of("window", stage)
        if not windows:
            return None
        sums.append((sum(window["len_ns"] for window in windows), len(windows)))
    low = min(total for total, _ in sums)
    high = min(total + count - 1 for total, count in sums)
    return stated if stated is not None and low <= stated <= high else low


def watched(run):
    """The cores' mean exposure over the time from first window to end of last, in ppm."""
    exposure = 0
    span = 0
    cores = 0
    for stage in run.stages:
        windows = run.of("window", stage)
        cpus = run.of("cpu", stage)
        if not windows or not cpus:
            return None
        cores = len(cpus)
        exposure += sum(cpu["exposure_ns"] for cpu in cpus)
        span += windows[-1]["start_ns"] + windows[-1]["len_ns"] - windows[0]["start_ns"]
    return exposure * MILLION // (cores * span)


def end_fields(run, record):
    sent = len(run.of("gap"))
    events = 0
    for stage in run.stages:
        records = run.of("event", stage)
        events += records[0]["of"] if records else 0
    return {
        "records": {kind: len(run.of(kind)) for kind in record["records"]},
        "gaps_unsent": sum(computed_cpu(run, cpu)["gaps"] for cpu in run.of("cpu")) - sent,
        "events_unsent": events - len(run.of("event")),
        "watched_ppm": watched(run),
        "sampled_ns": sampled(run, record["sampled_ns"]),
    }


def computed_cpu(run, cpu):
    return overlay(cpu, cpu_fields(run, cpu))


def overlay(stated, computed):
    result = dict(stated)
    for name, value in computed.items():
        if isinstance(value, dict) and isinstance(result.get(name), dict):
            result[name] = overlay(result[name], value)
        else:
            result[name] = value
    return result


def again(run):
    """For each record the fields that are computed from other records."""
    events = {stage: events_of(run, stage) for stage in run.stages if run.whole(stage)}
    position = Counter()
    functions = {"gap": gap_fields, "window": window_fields, "cpu": cpu_fields,
                 "stretch": stretch_fields, "service": service_fields,
                 "summary": summary_fields, "end": end_fields}
    result = []
    for record in run.records:
        kind = record["type"]
        fields = {}
        if kind in functions:
            fields = functions[kind](run, record)
        elif kind == "event" and record["stage"] in events:
            stage = record["stage"]
            if position[stage] < len(events[stage]):
                fields = event_fields(run, events[stage], position[stage])
            position[stage] += 1
        result.append(fields)
    return result


# -- what show adds --

def rank_of(count, share):
    """output.md: a percentile of n gaps is gap number n * share, rounded up."""
    numerator, denominator = SHARES[share]
    return -(-count * numerator // denominator)


def percentile(run, cpu, share):
    """A range: from the bucket's lower edge to 1/64 and 2 ns above it, at most max_ns."""
    count = cpu["gaps"]
    if count == 0:
        return None
    rank = rank_of(count, share)
    if rank == count:
        return {"low": cpu["max_ns"], "value": cpu["max_ns"], "high": cpu["max_ns"]}
    gaps = run.of("gap", cpu["stage"], cpu=cpu["cpu"])
    if len(gaps) == count:
        low = edge_of(cpu, run.ns(sorted(gap["ticks"] for gap in gaps)[rank - 1]))
    else:
        below = 0
        for low, number in cpu["histogram"]:
            below += number
            if below >= rank:
                break
    high = min(cpu["max_ns"], low + low // 64 + 2)
    return {"low": low, "value": low if low == high else None, "high": high}


def core(run, cpu):
    row = {name: cpu[name] for name in ("cpu", "exposure_ns", "noise_ns", "max_ns", "gaps",
                                        "dropped", "smi", "nmi") if name in cpu}
    row["percentiles_ns"] = {share: percentile(run, cpu, share) for share in SHARES}
    return row


def ladder(run):
    if run.config.get("mode", "gaps") != "gaps":
        return []
    rungs = []
    # AArch64 has no SMIs, and no field named after them.
    names = [name for name in ("exposure_ns", "gaps", "noise_ns", "smi")
             if all(name in cpu for cpu in run.of("cpu"))]
    for stage in run.stages:
        cores = [computed_cpu(run, cpu) for cpu in run.of("cpu", stage)]
        rung = {name: unknown_sum(cpu[name] for cpu in cores) for name in names}
        rung["cores"] = len(cores)
        rung["max_ns"] = max(cpu["max_ns"] for cpu in cores)
        rungs.append(rung)
    return rungs


def search(run):
    if run.config.get("mode", "gaps") != "gaps":
        return []
    result = []
    for stage in run.stages:
        # A reason why not is a sentence, which is no leaf here; null: it was searched.
        row = {"gaps": len(run.of("gap", stage)),
               "why_not": None if run.whole(stage) else "gaps are missing"}
        row["sources"] = []
        result.append(row)
    return result


# -- the document as paths --

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


def document(records, data):
    """Path to value, of each leaf that is a number or null."""
    run = Run(records)
    tree = {
        "runs": [{
            "remark": run.one("end")["remark"],
            "lost": 0, "unusable": 0, "duplicates": 0, "unknown": 0,
            "records": [overlay(record, fields)
                        for record, fields in zip(run.records, again(run), strict=True)],
            "cores": [core(run, computed_cpu(run, cpu)) for cpu in run.of("cpu")],
            "ladder": ladder(run),
            "search": search(run),
        }],
        "captures": [{"bytes": len(data), "damaged": 0, "refused": 0}],
    }
    return {path: value for path, value in leaves(tree)
            if value is None or is_number(value)}
