# SPDX-License-Identifier: BSD-2-Clause
"""match.py on made-up runs whose answer is known, most of them wrong on purpose."""
import pytest

import match as matching
from match import Gap, Rules, Run, match

INTERVAL = 7
RULES = Rules.of(INTERVAL)
WINDOW = (100_000, 1_100_000)
# Three SMIs far apart, one below the threshold of 1000.
SPANS = [(200_000, 205_000), (400_000, 400_500), (600_000, 601_500)]


def gap(span, smi=1, cause="smi", before=3, after=4):
    """The gap that a correct probe shows for an SMI: from the sample before to the sample after."""
    return Gap(span[0] - before, span[1] - span[0] + before + after, smi, cause)


def run(gaps, smi=None, windows=None):
    windows = windows or [(*WINDOW, len(SPANS) if smi is None else smi, 0)]
    return Run(gaps=gaps, windows=windows, threshold=1000, interval=INTERVAL)


RIGHT = [gap(SPANS[0]), gap(SPANS[2], smi=2)]  # the short SMI is in the step of the gap behind it


def pair(pause):
    return [(200_000, 205_000), (205_000 + pause, 207_000 + pause)]


PAIR = pair(2 * INTERVAL)


def slow_trio(pause):
    """An SMI in the loop, then two more while it is recorded."""
    return [(200_000, 205_000), (205_040, 207_000), (207_000 + pause, 209_000 + pause)]


def slow_run(spans, length_off=0):
    both = Gap(spans[1][0] + 20, spans[2][1] - spans[1][0] + length_off, 2, "smi")
    return run([gap(spans[0]), both], smi=3)


def of_windows(*smi):
    """A run whose two windows have counted so many SMIs, and one came in the first."""
    return run([gap(span) for span in TWO], windows=[(100_000, 300_000, smi[0], 0),
                                                     (350_000, 550_000, smi[1], 0)])


TWO = [(200_000, 205_000), (400_000, 405_000)]


def late(before):
    """SMIs of which the last hits the end of the window so long before."""
    return [*SPANS[:2], (WINDOW[1] - before, WINDOW[1] + 5_000)]


# By what is wrong: the SMIs, the run, what is matched, and the number of problems; None: any.
CASES = {
    "nothing": (SPANS, run(RIGHT), {
        "injected": 3, "found": 2, "missed": 0, "false": 0, "short": 1, "start loop": 3,
        "length loop": 7}, 0),
    "a missing gap": (SPANS, run(RIGHT[1:]), {"found": 1, "missed": 1}, None),
    "an extra gap": (SPANS, run([RIGHT[0], Gap(300_000, 2000, 0, "unknown"), RIGHT[1]]), {
        "found": 2, "missed": 0, "false": 1}, None),
    "cause unknown": (SPANS, run([gap(SPANS[0], cause="unknown"), RIGHT[1]]), {
        "missed": 1, "false": 1}, None),
    "cause nmi": (SPANS, run([gap(SPANS[0], cause="nmi"), RIGHT[1]]), {
        "missed": 1, "false": 1}, None),
    "shifted": (SPANS, run([gap(SPANS[0], before=40, after=-33), RIGHT[1]]), {
        "start loop": 40}, 0),
    "too short": (SPANS, run([gap(SPANS[0], after=-56), RIGHT[1]]), {"length loop": 53}, 0),
    "too long": (SPANS, run([gap(SPANS[0], after=64), RIGHT[1]]), {"length loop": 67}, 0),
    "two that a sample parts": (
        PAIR, run([Gap(PAIR[0][0] - 3, PAIR[1][1] - PAIR[0][0] + 7, 2, "smi")], smi=2), {
            "found": 1, "missed": 1}, None),
    "two that the slow path parts": (
        slow_trio(RULES.slow_blind), slow_run(slow_trio(RULES.slow_blind)), {"missed": 1}, None),
    "a merged gap without the pause": (
        slow_trio(60), slow_run(slow_trio(60), -60), {"length slow path": 0}, 0),
    "a merged gap without more": (
        slow_trio(60), slow_run(slow_trio(60), -90), {"length slow path": 30}, 0),
    "outside all windows": (SPANS, run([*RIGHT, Gap(1_200_000, 5000, 0, "unknown")]), {
        "false": 1}, None),
    # A window's end may be a gap's start, and as far off.
    "at a window's end": (late(2 * INTERVAL), run([RIGHT[0]], smi=2), {
        "outside": 1, "missed": 0}, 0),
    "before a window's end": (late(2 * INTERVAL + 1), run([RIGHT[0]], smi=2), {
        "outside": 0, "missed": 1}, None),
    "two counted in a window": (SPANS, run(RIGHT, smi=2), {}, None),
    "four counted in a window": (SPANS, run(RIGHT, smi=4), {}, None),
    "two windows": (TWO, of_windows(1, 1), {}, 0),
    "a wrong count of a gap": (SPANS, run([gap(SPANS[0], smi=2), gap(SPANS[2], smi=1)]), {}, None),
}


@pytest.mark.parametrize("name", CASES)
def test_match(name):
    spans, of, wanted, problems = CASES[name]
    found = match(spans, of, RULES)
    seen = {**vars(found), **{f"start {place}": n for place, n in found.start_error.items()},
            **{f"length {place}": n for place, n in found.length_error.items()}}
    assert {key: seen[key] for key in wanted} == wanted
    assert found.problems if problems is None else len(found.problems) == problems


def test_smis_counted_in_the_wrong_window():
    problems = match(TWO, of_windows(2, 0), RULES).problems
    assert len([text for text in problems if text.startswith("window at")]) == 2


def records():
    begin = {
        "type": "begin",
        "clock": {"hz": 1_000_000_000},
        "begin_tsc": 1000,
        "config": "duration=1s window=1s threshold=1us",
    }
    window = {"type": "window", "windows": 1, "start_ns": 500, "len_ns": 9000}
    window |= {"smi": 1, "smi_out": 0}
    one = {"type": "gap", "cpu": 0, "start_tsc": 2000, "ticks": 1500, "smi": 1, "cause": "smi"}
    cpu = {"type": "cpu", "cpu": 0, "interval_p50": 7, "dropped": 0}
    end = {"type": "end", "gaps_unsent": 0, "records": {"gap": 1}}
    return [begin, window, one, cpu, end]


def test_run_of_records():
    r = matching.run_of(records())
    assert r.gaps == [Gap(2000, 1500, 1, "smi")]
    assert r.windows == [(1500, 10_500, 1, 0)]
    assert (r.threshold, r.interval) == (1000, 7)


@pytest.mark.parametrize(
    "at,field,value",
    [
        (3, "dropped", 1),
        (4, "gaps_unsent", 1),
        (4, "records", {"gap": 2}),
        (1, "windows", 2),
        (4, "type", "log"),
    ],
)
def test_records_that_are_not_all_there(at, field, value):
    some = records()
    some[at] = {**some[at], field: value}
    with pytest.raises(ValueError):
        matching.run_of(some)
