#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Matches the probe's gaps with the SMIs that were really there, one by one.

    match.py TRUTH SERIAL      TRUTH: what truth.save() wrote; SERIAL: a capture

For one core whose every moment is known: a gap that no SMI explains is false, and so is one
with another cause than smi; an SMI no gap shows is missed, unless it was shorter than the
threshold or outside all windows. All is in ticks of the core's TSC.

The first sample of a window comes up to EDGE ticks after its start tick.
"""
import bisect
import dataclasses
import sys

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
    """What the probe said of one core."""

    gaps: list  # of Gap, in time order
    windows: list  # of (start, end, smi, smi_out)
    threshold: int
    interval: int  # between two samples, median


@dataclasses.dataclass(frozen=True)
class Rules:
    """What may be asked of a probe.

    loop_blind: two SMIs with a shorter pause than this may be one gap: no sample lies between.
    slow_blind: the same while the gap before is being recorded, where samples are rarer.
    slow_path: how long after a gap it may still be being recorded.
    """

    loop_blind: int
    slow_blind: int
    slow_path: int

    @staticmethod
    def of(interval, piece=100, slow_path=400):
        """piece: the longest stretch of the slow path without a sample, ticks."""
        return Rules(2 * interval, piece, slow_path)


@dataclasses.dataclass
class Match:
    injected: int = 0
    found: int = 0
    missed: int = 0
    false: int = 0
    merged: int = 0  # found, but in one gap with the SMI before
    short: int = 0  # below the threshold, and no gap
    outside: int = 0  # not in any window, or at its very edge
    edge: int = 0  # found, astride a window's begin or end
    start_error: int = 0  # largest, in the loop
    slow_start_error: int = 0  # largest, while the gap before was being recorded
    length_error: int = 0
    problems: list = dataclasses.field(default_factory=list)

    def problem(self, text):
        self.problems.append(text)

    def line(self):
        return (
            f"injected {self.injected}, found {self.found}, missed {self.missed}, "
            f"false {self.false}, start error {self.start_error} "
            f"(slow path {self.slow_start_error}), length error {self.length_error} ticks; "
            f"merged {self.merged}, short {self.short}, outside {self.outside}, edge {self.edge}"
        )


def match(spans, run, rules):
    """Match the spans of one core with what the probe said of it."""
    result = Match(injected=len(spans))
    taken = _explain_gaps(spans, run, rules, result)
    _explain_rest(spans, run, taken, result)
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
    before = None
    for gap in run.gaps:
        slow = before is not None and gap.start - before.end < rules.slow_path
        covered = [i for i in _covered(spans, entries, gap) if i not in taken]
        if not covered or gap.cause != "smi":
            result.false += 1
            result.problem(f"false: {gap}, SMIs under it: {[spans[i] for i in covered]}")
        else:
            taken.update(_accept(spans, run, rules, gap, covered, slow, result))
        before = gap
    return taken


def _accept(spans, run, rules, gap, covered, slow, result):
    """Take the SMIs under a gap as found; those it hides behind another are not."""
    blind = rules.slow_blind if slow else rules.loop_blind
    found = [covered[0]]
    slack = 0
    for i in covered[1:]:
        pause = spans[i][0] - spans[i - 1][1]
        if pause >= blind:
            result.problem(f"hidden: {spans[i]}, {pause} ticks after another, is in {gap}")
            continue
        slack += pause
        found.append(i)
        result.merged += 1
    result.found += len(found)
    _measure(spans, run, gap, covered, slow, slack, result)
    return found


def _measure(spans, run, gap, covered, slow, slack, result):
    """Errors of start and length. The pauses in a merged gap may be counted or not."""
    entry, end = spans[covered[0]][0], spans[covered[-1]][1]
    begun = [start for start, *_ in run.windows if entry < start <= gap.start + run.interval]
    if begun and begun[-1] < end:
        # Astride the begin: the gap is what lies inside.
        entry = begun[-1]
        result.edge += 1
    elif any(entry <= closed < end for _, closed, *_ in run.windows):
        result.edge += 1
    start_error = abs(gap.start - entry)
    if slow:
        result.slow_start_error = max(result.slow_start_error, start_error)
    else:
        result.start_error = max(result.start_error, start_error)
    length_error = gap.ticks - (end - entry)
    if length_error < 0:
        length_error = max(0, -length_error - slack)
    result.length_error = max(result.length_error, length_error)


def _visible(span, run):
    """How many ticks of the SMI some window must show; 0 when it may be in none."""
    entry, end = span
    at = bisect.bisect_left(run.windows, (entry,))
    visible = 0
    if at > 0 and run.windows[at - 1][0] + EDGE <= entry < run.windows[at - 1][1]:
        visible = end - entry
    for start, *_ in run.windows[max(0, at - 1) : at + 1]:
        if entry < start + EDGE < end:
            visible = max(visible, end - start - EDGE)
    return visible


def _explain_rest(spans, run, taken, result):
    for i, span in enumerate(spans):
        if i in taken:
            continue
        visible = _visible(span, run)
        if not visible:
            result.outside += 1
        elif visible < run.threshold:
            result.short += 1
        else:
            result.missed += 1
            result.problem(f"missed: {span}, {span[1] - span[0]} ticks, {visible} in a window")


def _check_counts(spans, run, rules, result):
    """The SMI counter's steps, gap by gap and window by window, against the log.

    A gap's step counts from the gap before, so short SMIs in between are in it. Whether an SMI
    during the slow path is in this gap's step or in the next one's is for the probe to choose;
    the sums are not.
    """
    entries = [entry for entry, _ in spans]

    def begun(tick):
        return bisect.bisect_left(entries, tick)

    for start, end, smi, _ in run.windows:
        low = begun(end) - begun(start + EDGE)
        high = begun(end + EDGE) - begun(start - EDGE)
        if not low <= smi <= high:
            result.problem(f"window at {start}: counted {smi} SMIs, {low} to {high} were there")
        _check_steps(run, rules, start, end, begun, result)
    if run.windows:
        counted = sum(smi + out for _, _, smi, out in run.windows)
        low = begun(run.windows[-1][1]) - begun(run.windows[0][0] + EDGE)
        high = begun(run.windows[-1][1] + EDGE) - begun(run.windows[0][0] - EDGE)
        if not low <= counted <= high:
            result.problem(f"all windows: counted {counted} SMIs, {low} to {high} were there")


def _check_steps(run, rules, start, end, begun, result):
    counted = 0
    for gap in run.gaps:
        if not start <= gap.start < end:
            continue
        counted += gap.smi
        low = begun(gap.end) - begun(start + EDGE)
        high = begun(gap.end + rules.slow_path) - begun(start - EDGE)
        if not low <= counted <= high:
            result.problem(f"{gap}: {counted} SMIs counted so far, {low} to {high} were there")
            return


def run_of(records, cpu=0):
    """What the records (parsed JSON lines) say of one core. Raises ValueError when not all is there."""
    of_type = {}
    for record in records:
        of_type.setdefault(record["type"], []).append(record)
    if "end" not in of_type:
        raise ValueError("no end record")
    begin = of_type["begin"][0]
    end = of_type["end"][0]
    core = next(r for r in of_type["cpu"] if r["cpu"] == cpu and not r.get("part"))
    gaps = [r for r in of_type.get("gap", []) if r["cpu"] == cpu]
    if end["gaps_unsent"] or core["dropped"] or len(of_type.get("gap", [])) != end["records"]["gap"]:
        raise ValueError("not all gaps were sent")
    if any(r["windows"] != 1 for r in of_type["window"]):
        raise ValueError("windows were taken together")
    hz, zero = begin["clock"]["hz"], begin["begin_tsc"]
    windows = [
        (
            zero + _ticks(r["start_ns"], hz),
            zero + _ticks(r["start_ns"] + r["len_ns"], hz),
            r["smi"] or 0,
            r["smi_out"] or 0,
        )
        for r in of_type["window"]
    ]
    return Run(
        gaps=[Gap(r["start_tsc"], r["ticks"], r["smi"] or 0, r["cause"]) for r in gaps],
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


def main(argv):
    import pathlib

    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "qemu"))
    import records
    import truth

    if len(argv) != 3:
        sys.exit(__doc__)
    run = run_of(records.find(pathlib.Path(argv[2]).read_bytes()))
    spans = truth.whole(truth.load(argv[1]).cores[0].spans)
    result = match(spans, run, Rules.of(run.interval))
    for problem in result.problems[:20]:
        print(problem)
    print(result.line())
    return 1 if result.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
