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


def right_gaps():
    # The short SMI is in the step of the gap behind it.
    return [gap(SPANS[0]), gap(SPANS[2], smi=2)]


def test_a_right_run_has_no_problem():
    m = match(SPANS, run(right_gaps()), RULES)
    assert (m.injected, m.found, m.missed, m.false, m.short) == (3, 2, 0, 0, 1)
    assert (m.start_error["loop"], m.length_error["loop"]) == (3, 7)
    assert m.problems == []


def test_missing_gap():
    m = match(SPANS, run(right_gaps()[1:]), RULES)
    assert (m.found, m.missed) == (1, 1)
    assert m.problems


def test_extra_gap():
    first, last = right_gaps()
    m = match(SPANS, run([first, Gap(300_000, 2000, 0, "unknown"), last]), RULES)
    assert (m.found, m.missed, m.false) == (2, 0, 1)
    assert m.problems


@pytest.mark.parametrize("cause", ["unknown", "nmi"])
def test_wrong_cause(cause):
    m = match(SPANS, run([gap(SPANS[0], cause=cause), gap(SPANS[2], smi=2)]), RULES)
    assert (m.missed, m.false) == (1, 1)


def test_shifted_gap_has_its_start_error():
    m = match(SPANS, run([gap(SPANS[0], before=40, after=-33), gap(SPANS[2], smi=2)]), RULES)
    assert m.start_error["loop"] == 40


@pytest.mark.parametrize("wrong", [-60, 60])
def test_wrong_length_has_its_error(wrong):
    m = match(SPANS, run([gap(SPANS[0], after=4 + wrong), gap(SPANS[2], smi=2)]), RULES)
    assert m.length_error["loop"] == abs(7 + wrong)


def pair(pause):
    return [(200_000, 205_000), (205_000 + pause, 207_000 + pause)]


def test_smis_that_a_sample_parts_may_not():
    spans = pair(2 * INTERVAL)
    one = Gap(spans[0][0] - 3, spans[1][1] - spans[0][0] + 7, 2, "smi")
    m = match(spans, run([one], smi=2), RULES)
    assert (m.found, m.missed) == (1, 1)
    assert m.problems


def slow_trio(pause):
    """An SMI in the loop, then two more while it is recorded."""
    first = (200_000, 205_000)
    second = (205_040, 207_000)
    third = (207_000 + pause, 209_000 + pause)
    return [first, second, third]


def slow_gaps(spans, length_off=0):
    both = Gap(spans[1][0] + 20, spans[2][1] - spans[1][0] + length_off, 2, "smi")
    return [gap(spans[0]), both]


def test_but_not_that_rare():
    spans = slow_trio(RULES.slow_blind)
    assert match(spans, run(slow_gaps(spans), smi=3), RULES).missed == 1


def test_a_merged_gap_may_leave_out_the_pause_and_no_more():
    spans = slow_trio(60)
    within = match(spans, run(slow_gaps(spans, -60), smi=3), RULES)
    assert within.length_error["slow path"] == 0
    beyond = match(spans, run(slow_gaps(spans, -90), smi=3), RULES)
    assert beyond.length_error["slow path"] == 30


def test_gap_outside_all_windows_without_smi_is_false():
    m = match(SPANS, run([*right_gaps(), Gap(1_200_000, 5000, 0, "unknown")]), RULES)
    assert m.false == 1


def two_windows(smi=(1, 0), out=(0, 0)):
    return [(100_000, 300_000, smi[0], out[0]), (350_000, 550_000, smi[1], out[1])]


@pytest.mark.parametrize("before,missed", [(2 * INTERVAL, 0), (2 * INTERVAL + 1, 1)])
def test_smi_where_a_window_ends_is_not_asked_for(before, missed):
    """Its end may be a gap's start, and as far off."""
    late = [*SPANS[:2], (WINDOW[1] - before, WINDOW[1] + 5_000)]
    m = match(late, run([gap(late[0])], smi=2), RULES)
    assert (m.outside, m.missed) == (1 - missed, missed)
    assert bool(m.problems) == bool(missed)


@pytest.mark.parametrize("counted", [2, 4])
def test_wrong_count_of_a_window(counted):
    assert match(SPANS, run(right_gaps(), smi=counted), RULES).problems


def test_smis_counted_in_the_wrong_window():
    spans = [(200_000, 205_000), (400_000, 405_000)]
    gaps = [gap(span) for span in spans]
    assert match(spans, run(gaps, windows=two_windows((1, 1))), RULES).problems == []
    problems = match(spans, run(gaps, windows=two_windows((2, 0))), RULES).problems
    assert len([text for text in problems if text.startswith("window at")]) == 2


def test_wrong_count_of_a_gap():
    m = match(SPANS, run([gap(SPANS[0], smi=2), gap(SPANS[2], smi=1)]), RULES)
    assert m.problems


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
