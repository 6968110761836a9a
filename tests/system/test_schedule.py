# SPDX-License-Identifier: BSD-2-Clause
"""Schedules: the same from the same seed, within bounds."""
import pytest

import schedule

KINDS = sorted(set(schedule.KINDS) - {"none"})


@pytest.mark.parametrize("kind", KINDS)
def test_same_seed_same_schedule(kind):
    assert schedule.generate(kind, "1", 300) == schedule.generate(kind, "1", 300)
    assert schedule.generate(kind, "1", 300) != schedule.generate(kind, "2", 300)


def test_plan_from_words():
    words = "kind=bursts seed=7 count=20 start=2s nmi_period=1ms target=all"
    plan = schedule.plan_of(words.split())
    assert plan.smis == schedule.generate("bursts", "7", 20)
    assert (plan.start, plan.nmi_period, plan.target) == (2_000_000_000, 1_000_000, 0xFFFFFFFF)


@pytest.mark.parametrize("words", ["start=2", "kind=nosuch", "speed=1", "count=200001 kind=storm"])
def test_bad_words_are_refused(words):
    with pytest.raises(ValueError):
        schedule.plan_of(words.split()).pack()
