# SPDX-License-Identifier: BSD-2-Clause
"""Matches the probe's gaps with the SMIs that were really there, one by one.

For one core whose every moment is known: a gap that no SMI explains is false, and so is one
with another cause than smi; an SMI no gap shows is missed, unless it was shorter than the
threshold or outside all windows. All is in ticks of the core's TSC.

The first sample of a window comes up to EDGE ticks after its start tick. Its end is as exact as
a gap's start: it is one where an SMI behind the last gap reaches past it.
"""
import bisect
import dataclasses

EDGE = 200


@dataclasses.dataclass(frozen=True)
class Gap:
    start: int
    ticks: int
    smi: int
    cause: str

    @property
    def end(self):
        return self.start + self.ticks


@dataclasses.dataclass(frozen=True)
class Run:
    """The probe's report on one core."""

    gaps: list  # Gap objects in time order
    windows: list  # tuples (start, end, smi, smi_out)
    threshold: int
    interval: int  # between two samples, median

    @property
    def error(self):
        """How far a gap's start may be off, and a window's end."""
        return 2 * self.interval


@dataclasses.dataclass(frozen=True)
class Rules:
    """Requirements on a probe.

    loop_blind: two SMIs with a shorter pause than this may be one gap: no sample lies between.
    slow_blind: the same while the gap before is being recorded, and while the start of a
        window is awaited, where samples are rarer.
    slow_path: how long it takes to record a gap, at most. Gaps that come meanwhile queue up.
    cause: what every gap is put down to; only SMIs are counted, too.
    """

    loop_blind: int
    slow_blind: int
    slow_path: int
    cause: str = "smi"
    or_unknown: bool = False  # gaps may be of unknown cause

    @staticmethod
    def of(interval, piece=100, slow_path=600, cause="smi"):
        """piece: the longest stretch of the slow path without a sample, ticks."""
        return Rules(2 * interval, piece, slow_path, cause)


# Where a gap begins: in the hot loop, while the gap before is being recorded, or with the
# window itself, before the hot loop runs.
PLACES = ("loop", "slow path", "edge")


@dataclasses.dataclass
class Match:
    injected: int = 0
    found: int = 0
    missed: int = 0
    false: int = 0
    merged: int = 0  # found, but in one gap with the SMI before
    short: int = 0  # below the threshold, and no gap
    outside: int = 0  # not in any window, or at its very edge
    edge: int = 0  # found, the first or last thing in a window
    # Largest errors by where the gap began, see PLACES.
    start_error: dict = dataclasses.field(default_factory=lambda: dict.fromkeys(PLACES, 0))
    length_error: dict = dataclasses.field(default_factory=lambda: dict.fromkeys(PLACES, 0))
    problems: list = dataclasses.field(default_factory=list)

    def problem(self, text):
        self.problems.append(text)

    def line(self):
        return (
            f"injected {self.injected}, found {self.found}, missed {self.missed}, "
            f"false {self.false}, start error {max(self.start_error.values())}, "
            f"length error {max(self.length_error.values())} ticks ({self._by_place()}); "
            f"merged {self.merged}, short {self.short}, outside {self.outside}, edge {self.edge}"
        )

    def _by_place(self):
        return ", ".join(f"{p} {self.start_error[p]}/{self.length_error[p]}" for p in PLACES)


def match(spans, run, rules):
    """Match the spans of one core with what the probe reported of it."""
    result = Match(injected=len(spans))
    taken = _explain_gaps(spans, run, rules, result)
    _explain_rest(spans, run, taken, result)
    if rules.cause == "smi":
        _check_counts(spans, run, rules, result)
    return result


def _covered(spans, entries, gap):
    """Indexes of the SMIs that overlap the gap."""
    first = bisect.bisect_left(entries, gap.end)
    last = first
    while first > 0 and spans[first - 1][1] > gap.start:
        first -= 1
    return range(first, last)


def _explain_gaps(spans, run, rules, result):
    """The set of SMIs found. Each belongs to the first gap that shows it."""
    entries = [entry for entry, _ in spans]
    taken = set()
    busy = 0  # until then the probe records gaps
    for gap in run.gaps:
        slow = gap.start < busy
        busy = _recorded(spans, entries, max(gap.end, busy if slow else 0), rules)
        edge = _begins_window(spans, entries, gap, run)
        place = "slow path" if slow else "edge" if edge else "loop"
        covered = [i for i in _covered(spans, entries, gap) if i not in taken]
        if not covered or gap.cause not in (rules.cause, "unknown" if rules.or_unknown else None):
            result.false += 1
            result.problem(f"false: {gap}, SMIs under it: {[spans[i] for i in covered]}")
        else:
            blind = rules.loop_blind if place == "loop" else rules.slow_blind
            slack = _accept(spans, gap, covered, blind, result)
            _measure(spans, run, gap, covered, place, slack, result)
            taken.update(covered)
    return taken


def _recorded(spans, entries, tick, rules):
    """By when the probe has recorded a gap, begun at `tick`: SMIs meanwhile hold it up."""
    until = tick + rules.slow_path
    for i in range(bisect.bisect_left(entries, tick), len(spans)):
        if entries[i] >= until:
            break
        until += spans[i][1] - spans[i][0]
    return until


def _accept(spans, gap, covered, blind, result):
    """Take the SMIs under a gap as found; those it hides behind another are missed.

    Returns the ticks between them, which the gap may count or not.
    """
    found = 1
    slack = 0
    for i in covered[1:]:
        pause = spans[i][0] - spans[i - 1][1]
        if pause >= blind:
            result.missed += 1
            result.problem(f"missed: {spans[i]}, {pause} ticks after another, is in {gap}")
            continue
        slack += pause
        found += 1
    result.found += found
    result.merged += found - 1
    return slack


def _begins_window(spans, entries, gap, run):
    """Whether something held the core at the window's start tick, or before its first sample,
    which comes after an SMI astride the start."""
    at = bisect.bisect_left(run.windows, (gap.start + 2,)) - 1
    if at < 0:
        return False
    start = run.windows[at][0]
    astride = bisect.bisect_left(entries, start) - 1
    if astride >= 0:
        start = max(start, spans[astride][1])
    return gap.start - start < EDGE


def _measure(spans, run, gap, covered, place, slack, result):
    """Errors of start and length; `slack` ticks may be missing in the length."""
    entry, end = spans[covered[0]][0], spans[covered[-1]][1]
    for start, *_ in run.windows[bisect.bisect_left(run.windows, (entry,)) :][:1]:
        if start < end:
            # Astride the begin: the gap is what lies inside.
            entry = start
    if place == "edge" or _ends_window(gap, run):
        result.edge += 1
    length_error = gap.ticks - (end - entry)
    if length_error < 0:
        length_error = max(0, -length_error - slack)
    result.start_error[place] = max(result.start_error[place], abs(gap.start - entry))
    result.length_error[place] = max(result.length_error[place], length_error)


def _ends_window(gap, run):
    """A window ends with the first sample past its end: after an SMI in the way, the gap's."""
    at = bisect.bisect_right(run.windows, (gap.start,)) - 1
    return at >= 0 and 0 <= run.windows[at][1] - gap.end < EDGE


def _visible(span, run):
    """How many ticks of the SMI some window must show; 0 when it may be in none."""
    entry, end = span
    at = bisect.bisect_left(run.windows, (entry,))
    visible = 0
    if at > 0 and run.windows[at - 1][0] + EDGE <= entry < run.windows[at - 1][1] - run.error:
        visible = end - entry
    for start, *_ in run.windows[max(0, at - 1) : at + 1]:
        if entry < start and start + EDGE < end:
            visible = max(visible, end - start - EDGE)
    return visible


def _explain_rest(spans, run, taken, result):
    for block in _blocks(spans, taken):
        visible = _visible((spans[block[0]][0], spans[block[-1]][1]), run)
        if not visible:
            result.outside += len(block)
        elif visible < run.threshold:
            result.short += len(block)
        else:
            result.missed += len(block)
            result.problem(f"missed: {[spans[i] for i in block]}, {visible} ticks in a window")


def _blocks(spans, taken):
    """The SMIs no gap shows, as lists of those without an instruction in between."""
    block = []
    for i in range(len(spans)):
        if block and (i in taken or spans[i][0] > spans[i - 1][1]):
            yield block
            block = []
        if i not in taken:
            block.append(i)
    if block:
        yield block


def _check_counts(spans, run, rules, result):
    """The SMI counter's steps, gap by gap and window by window, against the log.

    A gap's step counts from the gap before, so short SMIs in between are in it. Whether an SMI
    during the slow path is in this gap's step or in the next one's is for the probe to choose;
    the sums are not.
    """
    entries = [entry for entry, _ in spans]
    exits = _last_exits(spans, rules.slow_blind)

    def between(start, end):
        """Fewest and most that may have been counted from a window's start tick to another tick."""
        begun = bisect.bisect_left(entries, end - run.error)
        return (
            begun - bisect.bisect_left(entries, start + EDGE),
            bisect.bisect_left(entries, end + EDGE) - bisect.bisect_left(exits, start - EDGE),
        )

    for start, end, smi, _ in run.windows:
        low, high = between(start, end)
        if not low <= smi <= high:
            result.problem(f"window at {start}: counted {smi} SMIs, {low} to {high} were there")
        _check_steps(spans, entries, run, rules, (start, end), between, result)
    if run.windows:
        counted = sum(smi + out for _, _, smi, out in run.windows)
        low, high = between(run.windows[0][0], run.windows[-1][1])
        if not low <= counted <= high:
            result.problem(f"all windows: counted {counted} SMIs, {low} to {high} were there")


def _last_exits(spans, blind):
    """For each SMI the end of those behind it with too short pauses to read a counter in."""
    exits = [end for _, end in spans]
    for i in range(len(spans) - 2, -1, -1):
        if spans[i + 1][0] - exits[i] < blind:
            exits[i] = exits[i + 1]
    return exits


def _check_steps(spans, entries, run, rules, window, between, result):
    """Where the probe is done with recording; gaps in one queue share the steps as they like."""
    start, end = window
    counted = 0
    first = bisect.bisect_left(run.gaps, start, key=lambda gap: gap.start)
    last = bisect.bisect_left(run.gaps, end, key=lambda gap: gap.start)
    for at, gap in enumerate(run.gaps[first:last], first):
        counted += gap.smi
        done = _recorded(spans, entries, gap.end, rules)
        if at + 1 < last and run.gaps[at + 1].start < done:
            continue
        low, high = between(start, gap.end)[0], between(start, done)[1]
        if not low <= counted <= high:
            result.problem(f"{gap}: {counted} SMIs counted so far, {low} to {high} were there")
            return


def run_of(records, cpu=0):
    """A core's part of whole records. Raises ValueError when it is not complete."""
    of_type = {}
    for record in records:
        of_type.setdefault(record["type"], []).append(record)
    if "end" not in of_type:
        raise ValueError("no end record")
    begin = of_type["begin"][0]
    end = of_type["end"][0]
    core = next(r for r in of_type["cpu"] if r["cpu"] == cpu)
    gaps = [r for r in of_type.get("gap", []) if r["cpu"] == cpu]
    sent = len(of_type.get("gap", []))
    if end["gaps_unsent"] or core["dropped"] or sent != end["records"]["gap"]:
        raise ValueError("not all gaps were sent")
    if any(r["windows"] != 1 for r in of_type["window"]):
        raise ValueError("windows were taken together")
    hz, zero = begin["clock"]["hz"], begin["begin_tsc"]
    windows = [
        (
            zero + _ticks(r["start_ns"], hz),
            zero + _ticks(r["start_ns"] + r["len_ns"], hz),
            r.get("smi") or 0,
            r.get("smi_out") or 0,
        )
        for r in of_type["window"]
    ]
    return Run(
        gaps=[Gap(r["start_tsc"], r["ticks"], r.get("smi") or 0, r["cause"]) for r in gaps],
        windows=windows,
        threshold=_ticks(_threshold_ns(begin["config"]), hz),
        interval=core["interval_p50"],
    )


def _ticks(ns, hz):
    """ns to ticks, rounded up, as the probe does."""
    return -(-ns * hz // 1_000_000_000)


def _threshold_ns(config):
    text = dict(word.split("=", 1) for word in config.split())["threshold"]
    for unit, factor in (("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)):
        if text.endswith(unit) and text[: -len(unit)].isdigit():
            return int(text[: -len(unit)]) * factor
    raise ValueError(f"threshold={text}")
