# SPDX-License-Identifier: BSD-2-Clause
"""match.py on made-up runs whose answer is known, most of them wrong on purpose."""
import dataclasses

import pytest

import match as matching
from match import Gap, Rules, Run, match

INTERVAL = 7
RULES = Rules.of(INTERVAL)
WINDOW = (100_000, 1_100_000)
# Three SMIs far apart, one below the threshold of 1000.
SPANS = [(200_000, 205_000), (400_000, 400_500), (600_000, 601_500)]


def gap(span, smi=1, cause="smi", before=3, after=4):
    """What a right probe shows of an SMI: from the sample before to the sample after."""
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


def test_nothing_injected_and_nothing_found():
    m = match([], run([], smi=0), RULES)
    assert (m.injected, m.found, m.missed, m.false) == (0, 0, 0, 0)
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


def test_extra_gap_with_a_good_cause():
    m = match(SPANS, run([right_gaps()[0], Gap(300_000, 2000, 1, "smi"), right_gaps()[1]]), RULES)
    assert m.false == 1


@pytest.mark.parametrize("cause", ["unknown", "nmi"])
def test_wrong_cause(cause):
    m = match(SPANS, run([gap(SPANS[0], cause=cause), gap(SPANS[2], smi=2)]), RULES)
    assert (m.missed, m.false) == (1, 1)


def test_shifted_gap_has_its_start_error():
    m = match(SPANS, run([gap(SPANS[0], before=40, after=-33), gap(SPANS[2], smi=2)]), RULES)
    assert m.start_error["loop"] == 40


def test_gap_shifted_past_its_smi():
    late = Gap(SPANS[0][1] + 10, 5000, 1, "smi")
    m = match(SPANS, run([late, gap(SPANS[2], smi=2)]), RULES)
    assert (m.missed, m.false) == (1, 1)


@pytest.mark.parametrize("wrong", [-60, 60])
def test_wrong_length_has_its_error(wrong):
    m = match(SPANS, run([gap(SPANS[0], after=4 + wrong), gap(SPANS[2], smi=2)]), RULES)
    assert m.length_error["loop"] == abs(7 + wrong)


def chain(*lengths):
    """SMIs without an instruction in between."""
    spans = []
    at = 200_000
    for length in lengths:
        spans.append((at, at + length))
        at += length
    return spans


def test_short_smis_back_to_back_are_long_enough():
    spans = chain(400, 400, 400)
    one = Gap(spans[0][0] - 3, 1207, 3, "smi")
    m = match(spans, run([one], smi=3), RULES)
    assert (m.found, m.merged, m.missed, m.problems) == (3, 2, 0, [])
    assert match(spans, run([], smi=3), RULES).missed == 3
    assert match(chain(400, 400), run([], smi=2), RULES).short == 2


def test_the_same_smi_twice():
    m = match(SPANS, run([right_gaps()[0], right_gaps()[0], right_gaps()[1]]), RULES)
    assert (m.found, m.false) == (2, 1)


def test_two_gaps_for_one_smi():
    first = Gap(SPANS[0][0] - 3, 2000, 1, "smi")
    second = Gap(first.end, 3005, 0, "smi")
    m = match(SPANS, run([first, second, gap(SPANS[2], smi=2)]), RULES)
    assert m.false == 1
    assert m.length_error["loop"] >= 3000


def pair(pause):
    return [(200_000, 205_000), (205_000 + pause, 207_000 + pause)]


def test_smis_that_no_sample_parts_may_be_one_gap():
    spans = pair(INTERVAL)
    one = Gap(spans[0][0] - 3, spans[1][1] - spans[0][0] + 7, 2, "smi")
    m = match(spans, run([one], smi=2), RULES)
    assert (m.found, m.merged, m.missed, m.length_error["loop"]) == (2, 1, 0, 7)
    assert m.problems == []


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


def test_in_the_slow_path_samples_are_rarer():
    spans = slow_trio(60)
    m = match(spans, run(slow_gaps(spans), smi=3), RULES)
    assert (m.found, m.merged, m.missed, m.false) == (3, 1, 0, 0)
    assert (m.start_error["loop"], m.start_error["slow path"]) == (3, 20)
    assert m.problems == []


def test_but_not_that_rare():
    spans = slow_trio(RULES.slow_blind)
    assert match(spans, run(slow_gaps(spans), smi=3), RULES).missed == 1


def test_a_merged_gap_may_leave_out_the_pause_and_no_more():
    spans = slow_trio(60)
    within = match(spans, run(slow_gaps(spans, -60), smi=3), RULES)
    assert within.length_error["slow path"] == 0
    beyond = match(spans, run(slow_gaps(spans, -90), smi=3), RULES)
    assert beyond.length_error["slow path"] == 30


def test_smis_hold_up_the_recording_of_a_gap():
    """The third comes long after the first, but while that is being recorded."""
    spans = [(200_000, 205_000), (205_040, 205_940), (205_960, 207_960), (300_000, 302_000)]
    gaps = [gap(spans[0], smi=3), gap(spans[2], smi=0), gap(spans[3])]
    assert match(spans, run(gaps, smi=4), RULES).problems == []
    late = [*spans[:2], (206_900, 208_900), spans[3]]
    gaps = [gap(late[0], smi=3), gap(late[2], smi=0), gap(late[3])]
    assert match(late, run(gaps, smi=4), RULES).problems


def test_gaps_in_one_queue_share_the_steps_as_they_like():
    spans = [*slow_trio(60), (209_200, 211_200)]
    first, both = slow_gaps(spans)
    both = dataclasses.replace(both, smi=1)
    right = [first, both, gap(spans[3], smi=2)]
    assert match(spans, run(right, smi=4), RULES).problems == []
    wrong = [first, both, gap(spans[3], smi=1)]
    assert match(spans, run(wrong, smi=4), RULES).problems


def test_smis_outside_windows_are_not_asked_for():
    spans = [(50_000, 55_000), *SPANS, (1_200_000, 1_300_000)]
    m = match(spans, run(right_gaps()), RULES)
    assert (m.injected, m.found, m.outside, m.missed) == (5, 2, 2, 0)
    assert m.problems == []


def test_gap_outside_all_windows_without_smi_is_false():
    m = match(SPANS, run([*right_gaps(), Gap(1_200_000, 5000, 0, "unknown")]), RULES)
    assert m.false == 1


def two_windows(smi=(1, 0), out=(0, 0)):
    return [(100_000, 300_000, smi[0], out[0]), (350_000, 550_000, smi[1], out[1])]


def test_smi_astride_a_windows_end():
    spans = [(299_000, 304_000)]
    m = match(spans, run([gap(spans[0])], windows=two_windows()), RULES)
    assert (m.found, m.start_error["loop"], m.length_error["loop"]) == (1, 3, 7)
    assert m.problems == []
    assert match(spans, run([], windows=two_windows()), RULES).missed == 1


@pytest.mark.parametrize("before,missed", [(2 * INTERVAL, 0), (2 * INTERVAL + 1, 1)])
def test_smi_where_a_window_ends_is_not_asked_for(before, missed):
    """Its end may be a gap's start, and as far off."""
    late = [*SPANS[:2], (WINDOW[1] - before, WINDOW[1] + 5_000)]
    m = match(late, run([gap(late[0])], smi=2), RULES)
    assert (m.outside, m.missed) == (1 - missed, missed)
    assert bool(m.problems) == bool(missed)


def test_smi_astride_a_windows_begin_shows_what_is_inside():
    spans = [(348_000, 353_000)]
    inside = Gap(350_000, 3004, 0, "smi")
    m = match(spans, run([inside], windows=two_windows((0, 0), (0, 1))), RULES)
    assert (m.found, m.edge, m.false) == (1, 1, 0)
    assert (m.start_error["edge"], m.length_error["edge"]) == (0, 4)
    assert m.problems == []
    assert match(spans, run([], windows=two_windows((0, 0), (0, 1))), RULES).missed == 1


def test_behind_a_short_smi_astride_the_begin_samples_are_as_rare():
    """The window's first sample comes when that SMI has ended: here the second SMI 45 ticks after
    it is 17 ticks after the sample."""
    spans = [(WINDOW[0] - 14_000, WINDOW[0] + 878), (WINDOW[0] + 923, WINDOW[0] + 20_248)]
    found = gap(spans[1], before=17, after=6)
    m = match(spans, run([found], windows=[(*WINDOW, 1, 1)]), RULES)
    assert (m.found, m.short, m.missed, m.false, m.problems) == (1, 1, 0, 0, [])
    assert (m.start_error["edge"], m.start_error["loop"]) == (17, 0)


def test_long_after_an_smi_astride_the_begin_samples_are_as_near_as_ever():
    spans = [(WINDOW[0] - 14_000, WINDOW[0] + 878), (WINDOW[0] + 5_000, WINDOW[0] + 20_248)]
    m = match(spans, run([gap(spans[1], before=17)], windows=[(*WINDOW, 1, 1)]), RULES)
    assert (m.start_error["edge"], m.start_error["loop"]) == (0, 17)


def test_smis_astride_a_windows_begin_are_parted_by_rarer_samples():
    spans = [(348_000, 349_970), (350_010, 353_000)]
    both = Gap(350_000, 3004, 1, "smi")
    windows = two_windows((0, 1), (0, 1))
    assert match(spans, run([both], windows=windows), RULES).problems == []
    spans = [(348_000, 350_500), (350_540, 353_000)]
    both = Gap(350_000, 3004, 2, "smi")
    m = match(spans, run([both], windows=two_windows((0, 2))), RULES)
    assert (m.found, m.merged, m.problems) == (2, 1, [])
    spans[1] = (350_500 + RULES.slow_blind, 353_000)
    assert match(spans, run([both], windows=two_windows((0, 2))), RULES).missed == 1


def test_smi_before_the_first_sample_may_go_unseen():
    spans = [(350_050, 355_000)]
    m = match(spans, run([], windows=two_windows((0, 0), (0, 1))), RULES)
    assert (m.outside, m.problems) == (1, [])


def test_smi_astride_a_pause_between_windows_is_asked_for_once():
    spans = [(299_000, 349_000)]
    m = match(spans, run([gap(spans[0])], windows=two_windows()), RULES)
    assert (m.found, m.missed, m.false) == (1, 0, 0)


def test_smi_between_windows_is_counted_there():
    spans = [(310_000, 320_000)]
    m = match(spans, run([], windows=two_windows((0, 0), (0, 1))), RULES)
    assert (m.outside, m.problems) == (1, [])


@pytest.mark.parametrize("counted", [2, 4])
def test_wrong_count_of_a_window(counted):
    assert match(SPANS, run(right_gaps(), smi=counted), RULES).problems


def test_smi_astride_a_windows_begin_may_be_counted_in_it():
    spans = [(348_000, 353_000)]
    inside = Gap(350_000, 3004, 1, "smi")
    assert match(spans, run([inside], windows=two_windows((0, 1), (0, 0))), RULES).problems == []
    assert match(spans, run([inside], windows=two_windows((0, 1), (0, 1))), RULES).problems


def test_smis_counted_in_the_wrong_window():
    spans = [(200_000, 205_000), (400_000, 405_000)]
    gaps = [gap(span) for span in spans]
    assert match(spans, run(gaps, windows=two_windows((1, 1))), RULES).problems == []
    problems = match(spans, run(gaps, windows=two_windows((2, 0))), RULES).problems
    assert len([text for text in problems if text.startswith("window at")]) == 2


def test_counters_cannot_be_read_between_smis_back_to_back():
    spans = [(346_000, 348_000), (348_000, 349_000), (349_000, 353_000)]
    counted = Gap(350_000, 3004, 3, "smi")
    assert match(spans, run([counted], windows=two_windows((0, 3))), RULES).problems == []
    spans[0] = (345_000, 348_000 - RULES.slow_blind)
    assert match(spans, run([counted], windows=two_windows((0, 3))), RULES).problems


def test_wrong_count_between_windows():
    spans = [(310_000, 320_000)]
    assert match(spans, run([], windows=two_windows((0, 0), (0, 0))), RULES).problems


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


def test_rules_grow_with_the_interval():
    assert dataclasses.astuple(Rules.of(10))[0] == 20
