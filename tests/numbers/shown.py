# SPDX-License-Identifier: BSD-2-Clause
"""What `noisefloor show` prints: its tables as cells, its other lines as they are; and what both
must be, from the figures (figures.py) and the rules of docs/output.md for printing them."""
import collections
import math
import re
from fractions import Fraction

import figures
from figures import NS, PPM

HEADS = ("CPU", "TIME(s)", "SERVICE", "KERNEL", "STAGE")
KEYS = {"CPU": 1, "TIME(s)": 1, "SERVICE": 1, "KERNEL": 3, "STAGE": 1}
TITLES = {"BEST(us)": "best", "P50": "p50", "P99": "p99", "P99.9": "p999", "MAX": "max",
          "MEAN": "mean", "GAPS": "gaps", "CLOCK": "clock", "CPI": "cpi", "REST": "rest"}
CLAIMS = {"gaps": "gaps", "smi": "SMI", "nmi": "NMI"}
EVENTS_LISTED = 10
SOURCE_EVENTS = 5  # fewer are not looked at for a period
US, MS = 1000, 10**6


# ---- Numbers as they are printed ----


def fixed(value, digits, rounded=math.floor):
    """`value` with so many decimals."""
    scaled = rounded(Fraction(value) * 10**digits)
    return f"{scaled // 10**digits}.{scaled % 10**digits:0{digits}}" if digits else str(scaled)


def nearest(value):
    return math.floor(value + Fraction(1, 2))


def span(ns):
    """A duration in the largest unit below it, with three figures."""
    name, unit = [(n, u) for n, u in (("ns", 1), ("us", US), ("ms", MS), ("s", NS))
                  if ns >= u or u == 1][-1]
    digits = 0 if unit == 1 or ns >= 100 * unit else 1 if ns >= 10 * unit else 2
    return f"{fixed(Fraction(ns, unit), digits, nearest)} {name}"


def or_na(value, form=str):
    return "n/a" if value is None else form(value)


def factor(ppm):
    """A factor with six decimals, or as many as leave it seven figures."""
    digits = 6
    while ppm >= 10 * PPM and digits:
        ppm, digits = nearest(Fraction(ppm, 10)), digits - 1
        if ppm < 10 * PPM:
            break
    return f"{ppm // 10**digits}.{ppm % 10**digits:0{digits}}" if digits else str(ppm)


def range_us(ends):
    """Two ends with the digits that the width leaves, rounded outward."""
    low, high = ends
    if low == high:
        return fixed(Fraction(low, US), 3)
    digits, unit = 3, 1
    while digits and unit <= (high - low + 1) // 10:
        digits, unit = digits - 1, unit * 10
    return (f"{fixed(Fraction(low, US), digits)}-"
            f"{fixed(Fraction(high, US), digits, math.ceil)}")


# ---- Reading what was printed ----


def words(line):
    """A duration is one word, and so is "1 of 3"."""
    line = re.sub(r"(\d) (ns|us|ms|s)\b", r"\1\2", line)
    return re.sub(r"\b(\d+) of (\d+)\b", r"\1of\2", line).split()


def is_row(cells, head, known):
    return len(cells) == len(head) and cells[1] not in ("event:", "events:", "event", "events") \
        and (cells[0] in known or re.fullmatch(r"\d+|\d+\.\d{6}", cells[0]))


def read(text, known):
    """({(stage, table, key, column): word}, [line]) of a run. `known`: words that begin a row."""
    cells, lines, head, stage, rows = {}, [], None, None, 0
    for line in text.splitlines():
        own = words(line)
        if line.startswith("stage "):
            stage = line.split()[1]
        if own and own[0] in HEADS and len(own) > 1:
            head, rows = own, 0
        elif head and is_row(own, head, known):
            key = tuple(own[: KEYS[head[0]]]) if head[0] != "TIME(s)" else (str(rows),)
            of = None if head[0] == "STAGE" else stage
            first = 0 if head[0] == "TIME(s)" else KEYS[head[0]]
            for column, cell in list(zip(head, own))[first:]:
                place = of, head[0], key, column
                if place in cells and cells[place] != cell:
                    raise ValueError(f"{place} is both {cells[place]} and {cell}")
                cells[place] = cell
            rows += 1
        elif line.strip() == "gaps by cause":
            continue
        elif line.startswith("    ") and lines and not head:
            lines[-1] += " " + " ".join(line.split())
        else:
            head = None
            lines.append(" ".join(line.split()))
    return cells, [line for line in lines if re.search(r"\d", line)]


# ---- Tables ----


def core_row(cpu, exposure, noise, longest):
    available = Fraction(max(exposure - noise, 0), exposure) if exposure else None
    return {
        "RUNTIME(us)": fixed(Fraction(exposure, US), 0, nearest),
        "NOISE(us)": fixed(Fraction(noise, US), 1, nearest),
        "%AVAILABLE": or_na(available, lambda a: fixed(a * 100, 5)),
        "MAX(us)": fixed(Fraction(longest, US), 1, nearest),
        "GAPS": str(figures.counted(cpu)),
        "SMI": or_na(cpu["smi"]),
        "NMI": or_na(cpu["nmi"]),
    }


def all_cores(cpus):
    """A record of all together, as far as the table has it."""
    whole = {name: sum(cpu[name] for cpu in cpus)
             for name in ("exposure_ns", "noise_ns", "dropped")}
    whole |= {name: figures.total(cpu[name] for cpu in cpus) for name in ("smi", "nmi")}
    whole["max_ns"] = max(cpu["max_ns"] for cpu in cpus)
    whole["histogram"] = [pair for cpu in cpus for pair in cpu["histogram"]]
    whole["cause"] = {}
    for cpu in cpus:
        for name, cause in cpu["cause"].items():
            of = whole["cause"].setdefault(name, {"gaps": 0})
            of["gaps"] += cause["gaps"]
    return whole


def core_cells(stage, cpus):
    rows = [(str(cpu["cpu"]), cpu) for cpu in cpus]
    whole = all_cores(cpus)
    causes = [name for name, c in whole["cause"].items() if c["gaps"]]
    if len(cpus) > 1:
        rows.append(("all", whole))
    for key, cpu in rows:
        row = core_row(cpu, cpu["exposure_ns"], cpu["noise_ns"], cpu["max_ns"])
        row |= {"DROPPED": str(cpu["dropped"])} if whole["dropped"] else {}
        row |= {name: str(cpu["cause"].get(name, {"gaps": 0})["gaps"]) for name in causes}
        yield from (((stage, "CPU", (key,), column), cell) for column, cell in row.items())


def percentile_cells(stage, cpus):
    for cpu in cpus:
        if not figures.counted(cpu):
            continue
        for name, share in figures.SHARES.items():
            ends = figures.percentile(cpu, cpu["max_ns"], share)
            yield (stage, "CPU", (str(cpu["cpu"]),), name), range_us(ends)
        yield (stage, "CPU", (str(cpu["cpu"]),), "MAX"), fixed(Fraction(cpu["max_ns"], US), 3)


def listed_events(events):
    """The longest, of equal ones the first, by their time."""
    return sorted(sorted(events, key=lambda e: (-e["len_ns"], e["t_ns"]))[:EVENTS_LISTED],
                  key=lambda e: e["t_ns"])


def event_cells(stage, events):
    for n, e in enumerate(listed_events(events)):
        row = {
            "TIME(s)": fixed(Fraction(e["t_ns"], NS), 6, nearest),
            "LENGTH(us)": fixed(Fraction(e["len_ns"], US), 1, nearest),
            "CPUS": str(e["cpus"]),
            "SCOPE": or_na(e["scope"]) + ("+" if e["partial"] else ""),
            "CAUSE": e["cause"],
            "FIRST": str(e["first"]),
            "LAST": str(e["last"]),
            "SKEW(us)": fixed(Fraction(e["skew_ns"], US), 1, nearest),
        }
        yield from (((stage, "TIME(s)", (str(n),), column), cell) for column, cell in row.items())


def stretch_cells(run, stage):
    for r in run.in_stage("stretch", stage):
        key = r["kernel"], r["phase"], str(r["cpu"])
        row = {"QUANTA": str(figures.stretch(run, r)["quanta"])}
        for title, name in TITLES.items():
            if name == "best":
                row[title] = fixed(Fraction(figures.to_ns(r["best"], run.hz), US), 3)
            elif name in ("p50", "p99", "p999", "max", "mean"):
                row[title] = factor(PPM + r[name])
            else:
                row[title] = or_na(r[name], factor)
        yield from (((stage, "KERNEL", key, column), cell) for column, cell in row.items())


def service_cells(run, stage):
    for r in run.in_stage("service", stage):
        if not r["calls"]:
            continue
        row = {
            "CALLS": str(r["calls"]), "FAILED": str(r["failed"]),
            "MEDIAN": span(r["p50_ns"]), "P99": span(r["p99_ns"]), "MAX": span(r["max_ns"]),
            "SMIS": or_na(r["smi"]),
            "STOPPED": f"{r['stopped']} of {r['others']}" if r["others"] else "n/a",
            "LONGEST": or_na(r["longest_ns"], span),
        }
        yield from (((stage, "SERVICE", (r["service"],), column), "".join(words(cell)))
                    for column, cell in row.items())


def ladder_cells(rungs):
    for r in rungs if len(rungs) > 1 else ():
        exposure = r["exposure_ns"]
        row = {
            "CORES": str(r["cores"]),
            "RUNTIME(s)": fixed(Fraction(exposure // r["cores"], NS), 3),
            "GAPS/s": rate(r, "gaps"),
            "SMI/s": rate(r, "smi"),
            "NOISE(ppm)": fixed(Fraction(r["noise_ns"] * PPM, exposure), 1),
            "MAX(us)": fixed(Fraction(r["max_ns"], US), 1, nearest),
        }
        yield from (((None, "STAGE", (r["stage"],), column), cell) for column, cell in row.items())


def cells(run):
    own = {}
    for stage in run.stages:
        cpus = run.in_stage("cpu", stage)
        if cpus:
            own.update(core_cells(stage, cpus))
            own.update(percentile_cells(stage, cpus))
        own.update(event_cells(stage, run.in_stage("event", stage)))
        own.update(stretch_cells(run, stage))
        own.update(service_cells(run, stage))
    own.update(ladder_cells(figures.ladder(run)))
    return own


# ---- The ladder's sentences ----


def per_second(r, what):
    """In hundredths, rounded down."""
    return r[what] * 100 * NS // r["exposure_ns"]


def rate(r, what):
    return "n/a" if r[what] is None else fixed(Fraction(per_second(r, what), 100), 2)


def percent(before, after):
    """Of rates as printed, rounded down."""
    if not before:
        return ""
    sign = "-" if before > after else "+"
    return f"{sign}{fixed(Fraction(abs(after - before) * 100, before), 1)} %, "


def probabilities(log):
    """How p may be printed: two figures, of a log10 that is right within LOG_ERROR."""
    if log <= figures.LOG_MIN + figures.LOG_ERROR:
        yield "under 1e-15"
    for off in (-1, -0.5, 0, 0.5, 1):
        exact = log + off * figures.LOG_ERROR
        exponent = max(math.ceil(-exact), 0)
        mantissa = round(10 ** (exact + exponent) * 10)
        if exponent <= 3:
            yield f"{mantissa / 10 ** (exponent + 1):.{exponent + 1}f}"
        else:
            yield f"{mantissa / 10:.1f}e-{exponent}"


def changes(run, stages, rungs, what, name):
    """The ways to print what a step changed."""
    before, after = rungs
    word, log, burst = figures.change(run, stages, rungs, what)
    if word is None:
        return [f"{name} not compared"]
    hundredths = [per_second(r, what) for r in rungs]
    judged = "not significant" if word == "same" else "significant"
    bursts = f", in bursts of {nearest(Fraction(burst))}" if burst > 2 else ""
    return [f"{name} {rate(before, what)} to {rate(after, what)} /s ({percent(*hundredths)}"
            f"{judged}, p {p}{bursts})" for p in sorted(set(probabilities(log)))]


def ladder_lines(run):
    rungs = figures.ladder(run)
    for n in range(1, len(rungs)):
        stages = [r["stage"] for r in rungs[n - 1: n + 1]]
        of = figures.compared(run, stages, rungs[n - 1: n + 1])
        alone = "" if of == rungs[n - 1: n + 1] else ", core 0 alone"
        yield tuple(f"{stages[0]} to {stages[1]}{alone}: {gaps}; {smis}"
                    for gaps in changes(run, stages, of, "gaps", "gaps")
                    for smis in changes(run, stages, of, "smi", "SMIs"))


# ---- Other lines ----


def is_same(value, default):
    """60s is 1m."""
    times = [re.fullmatch(r"[\d.]+(ns|us|ms|s|m|h)", text) for text in (value, default)]
    return value == default or \
        all(times) and figures.duration(value) == figures.duration(default)


def begin_lines(run, file, defaults):
    b = run.begin
    cpu, cpus, clock = b["cpu"], b["cpus"], b["clock"]
    machine = {name: value or "n/a" for name, value in b["machine"].items()}
    yield f"{file}: run {b['sid']}, noisefloor {b['version']}"
    yield (f"machine: {machine['vendor']} {machine['product']}, board {machine['board']}, BIOS "
           f"{machine['bios_vendor']} {machine['bios_version']} of {machine['bios_date']}")
    yield (f"cpu: {cpu['brand']}, {cpu['vendor']} family {cpu['family']} model {cpu['model']} "
           f"stepping {cpu['stepping']}, microcode {or_na(cpu['microcode'], hex)}")
    up = "" if cpus["bringup_ns"] is None else f", up in {span(cpus['bringup_ns'])}"
    yield (f"cores: {cpus['found']} found, {cpus['started']} started, {cpus['measured']} "
           f"measured, APIC ids {cpus['apic_ids']}{up}")
    yield (f"clock: {clock['hz']} Hz by {clock['source']}, "
           f"{'' if clock['invariant'] else 'not '}invariant, smallest step {clock['quantum']} "
           f"tick{'' if clock['quantum'] == 1 else 's'}, checked by {clock['audited_by']}: "
           f"{clock['audit_ppm']} ppm apart")
    yield f"began: {b['began']}"
    yield "config: " + " ".join(f"{key}={value}" for key, value in run.config.items()
                                if not is_same(value, defaults[key]))


def state_lines(state):
    if state["sci_en"] is not None:
        usb = f" USB owner {state['usb_owner']}: {state['usb']}" if state["usb_owner"] else ""
        yield f"ACPI mode {'on' if state['sci_en'] else 'off'} (SCI_EN {state['sci_en']}){usb}"
    if state["chipset"]:
        timers = "; timers: " + ", ".join(state["timers"]) if state["timers"] else ""
        yield (f"SMI sources enabled ({state['chipset']}): {state['smi_enabled'] or 'none'}"
               f"{timers}")
    if state["smi_status"]:
        yield f"SMI status set: {state['smi_status']}"


def bound(exposure):
    """The rule of three, rounded up."""
    unit, name = next((u, n) for u, n, least in (
        (86400 * NS, "day", 86400 * NS), (3600 * NS, "hour", 3600 * NS), (60 * NS, "minute", NS),
        (NS, "second", 0)) if exposure >= least)
    return f"at most {fixed(Fraction(3 * unit, exposure), 2, math.ceil)} per {name}"


def claim_lines(cpus):
    """What was not seen at all."""
    for field, name in CLAIMS.items():
        none = [c["exposure_ns"] for c in cpus
                if (figures.counted(c) if field == "gaps" else c[field]) == 0]
        if not none:
            continue
        if len(cpus) == 1:
            yield f"no {name} in {span(none[0])}: {bound(none[0])} (95 %)"
            continue
        where = f"any of {len(cpus)}" if len(none) == len(cpus) else f"{len(none)} of {len(cpus)}"
        more = " or more" if min(none) < max(none) else ""
        yield (f"no {name} on {where} cores in {span(min(none))}{more} each: "
               f"{bound(min(none))} and core (95 %)")


SCOPES = {"cpu": "on one cpu", "core": "of a core", "package": "of a package",
          "machine": "of the machine", None: "of scope n/a"}


def event_lines(run, stage):
    events = run.in_stage("event", stage)
    if not events:
        return
    of = events[0]["of"]
    scopes = collections.Counter(e["scope"] for e in events)
    scoped = ", ".join(f"{scopes[s]} {text}" for s, text in SCOPES.items() if scopes[s])
    if len(events) < of:
        yield f"scopes are known of {len(events)} events: {scoped}"
        scoped = ""
    shown = min(len(events), EVENTS_LISTED)
    end = f"; the {shown} longest:" if shown < of else ":"
    yield f"{of} event{'' if of == 1 else 's'}{': ' + scoped if scoped else ''}{end}"


def search_lines(run, stage):
    sent = len(run.in_stage("gap", stage))
    all_gaps = sum(map(figures.counted, run.in_stage("cpu", stage)))
    if max(sent, all_gaps) < SOURCE_EVENTS:
        return
    if sent < all_gaps:
        yield (f"sources of any period were not looked for: {sent} of {all_gaps} gaps are in the "
               "report; gaps=all sends all")
    else:
        yield f"sources of any period, looked for in all {sent} gaps: none"


def core_lines(run, stage):
    cpus = run.in_stage("cpu", stage)
    yield from claim_lines(cpus)
    smi, nmi = (figures.total(c[name] for c in cpus) for name in ("smi_out", "nmi_out"))
    if smi or nmi:
        yield f"between windows, all cores together: smi {or_na(smi)}, nmi {or_na(nmi)}"
    yield from event_lines(run, stage)
    yield from search_lines(run, stage)


def service_lines(run, stage):
    for r in run.in_stage("service", stage):
        if not r["calls"]:
            yield f"{r['service']} n/a {r['why']}"
        elif r["stops"]:
            yield f"{r['service']} {stops(r)}"
        else:
            yield f"{r['service']} {own(r)}"


EFI = ("get_", "set_", "next_", "query_")


def stops(r):
    what = "EFI calls" if r["service"].startswith(EFI) else "it"
    whom = f"all {r['others'] + 1} cores" if r["stopped"] == r["others"] else \
        f"{r['stopped']} of {r['others']} other cores"
    to = "" if r["least_ns"] == r["longest_ns"] else f" to {span(r['longest_ns'])}"
    return (f"stops {whom}, {span(r['least_ns'])}{to}: confining {what} to a housekeeping core "
            "does not help")


def own(r):
    if not r["others"]:
        return f"takes up to {span(r['max_ns'])}; whom it stops is not known: no other core sampled"
    if (r["smi"] or 0) > (r["smi_quiet"] or 0):
        how = f", with {r['smi']} SMIs"
    else:
        how = " on its own core" + (" only, confine it" if r["max_ns"] >= 10 * US else "")
    return (f"takes up to {span(r['max_ns'])}{how}: no other was seen to be stopped by "
            f"{r['calls'] - r['unseen']} calls")


def interfere_lines(run, stage):
    for r in run.in_stage("interfere", stage):
        if r["ratio"] > r["bound"]:
            group = f"{r['group']} of " if r["group"] else ""
            yield (f"cpu {r['victim']} beside {group}cpu {r['aggressor']}: "
                   f"{fixed(Fraction(r['ratio'], PPM), 6)} times ({r['kernel']}; chance: up to "
                   f"{fixed(Fraction(r['bound'], PPM), 6)})")


# ---- The verdict ----


def ppm_up(cpu):
    return -(-cpu["noise_ns"] * PPM // cpu["exposure_ns"])


def worst(values):
    """The first of the greatest: (value, core)."""
    values = list(values)
    return max(values, key=lambda pair: pair[0]) if values else (0, 0)


def reasons(run, cpus):
    """Why it failed, of one stage; each limit by the core that is furthest past it."""
    at = {
        "max": ("longest gap", span, worst((c["max_ns"], c["cpu"]) for c in cpus)),
        "max_smi": ("SMIs", str, worst((c["smi"] or 0, c["cpu"]) for c in cpus)),
        "max_noise": ("noise in ppm", str, worst((ppm_up(c), c["cpu"]) for c in cpus)),
        "max_stretch": ("p99.9 of stretch", lambda v: fixed(Fraction(v, PPM), 6), worst(
            (PPM + r["p999"], r["cpu"]) for r in run.of["stretch"])),
        "service_max": ("longest call", span, worst(
            (r["max_ns"], r["cpu"]) for r in run.of["service"] if r["calls"])),
    }
    for key, (what, form, (value, cpu)) in at.items():
        limit = limit_of(run, key)
        if limit is not None and value > limit:
            yield f"{key}: {what} {form(value)} on cpu {cpu} exceeds the limit of {form(limit)}"


def limit_of(run, key):
    text = run.config[key]
    if text == "none":
        return None
    if key == "max_stretch":
        return int(Fraction(text) * PPM)
    return figures.duration(text) if key in ("max", "service_max") else int(text)


LIMITS = ("max", "max_smi", "max_noise", "max_stretch", "service_max")


def verdict(run):
    """(verdict, its reasons), of complete runs whose counters were seen to count."""
    why = list(reasons(run, run.of["cpu"])) if len(run.stages) == 1 else [
        line for stage in run.stages for line in reasons(run, run.in_stage("cpu", stage))]
    if why:
        return "fail", why
    return ("pass" if any(run.config[key] != "none" for key in LIMITS) else "none"), []


def end_lines(run):
    unsent = figures.end(run, None)["gaps_unsent"]
    watched = run.end["watched_ppm"]
    if watched is not None:
        yield f"watched {fixed(Fraction(watched, 10**4), 4)} % of the time, first to last window"
    if unsent:
        yield f"{unsent} gaps are counted in tables and histograms, but not listed individually"
    word, why = verdict(run)
    yield f"verdict: {word}" + (f" ({'; '.join(why)})" if why else "")


def lines(run, file, defaults):
    """All that are not of a table; a tuple has several ways to print one."""
    yield from begin_lines(run, file, defaults)
    for state in run.of["stage"]:
        stage = state["stage"]
        yield from state_lines(state)
        if run.in_stage("cpu", stage):
            yield from core_lines(run, stage)
        yield from service_lines(run, stage)
        yield from interfere_lines(run, stage)
    yield from ladder_lines(run)
    yield from (f"{log['level']}: {log['text']}" for log in run.of["log"])
    yield from end_lines(run)
