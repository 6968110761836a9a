# SPDX-License-Identifier: BSD-2-Clause
"""Schedules: the same from the same seed, within bounds, packed as plan.h defines."""
import struct

import pytest

import schedule
import truth

KINDS = sorted(set(schedule.KINDS) - {"none"})


@pytest.mark.parametrize("kind", KINDS)
def test_same_seed_same_schedule(kind):
    assert schedule.generate(kind, "1", 300) == schedule.generate(kind, "1", 300)
    assert schedule.generate(kind, "1", 300) != schedule.generate(kind, "2", 300)


@pytest.mark.parametrize("kind", KINDS)
def test_schedules_are_within_bounds(kind):
    smis = schedule.generate(kind, "3", 500)
    assert len(smis) == 500
    assert all(schedule.SHORTEST <= length <= 50 * schedule.MS for _, length in smis)
    assert all(0 <= pause <= 300 * schedule.MS for pause, _ in smis)


def test_plan_file():
    packed = schedule.Plan(((20, 300), (0, 400)), start=5, target=1, options="duration=1s").pack()
    assert struct.unpack_from("<8sIIIIQII", packed) == (b"\r\nNFPLAN", 1, 0, 2, 1, 5, 0, 0)
    assert packed[64:].startswith(b"duration=1s\0")
    assert struct.unpack("<4I", packed[512:]) == (20, 300, 0, 400)


def test_plan_from_words():
    words = "kind=bursts seed=7 count=20 start=2s nmi_period=1ms target=all"
    plan = schedule.plan_of(words.split())
    assert plan.smis == schedule.generate("bursts", "7", 20)
    assert (plan.start, plan.nmi_period, plan.target) == (2_000_000_000, 1_000_000, 0xFFFFFFFF)


@pytest.mark.parametrize("words", ["start=2", "kind=nosuch", "speed=1", "count=200001 kind=storm"])
def test_bad_words_are_refused(words):
    with pytest.raises(ValueError):
        schedule.plan_of(words.split()).pack()


def header(magic=truth.HEADER_MAGIC, count=2, lost=0, started=2):
    head = truth.HEADER.pack(magic, 1, 0, 10**9, 77, 5, 0, 10**7, 1, truth.CORE.size, 2)
    return head + truth.CORE.pack(0, 0x40000, 0x1000, 10, count, lost, 0, 0, 2, started, 0, 0, 0, 0)


def memory(head):
    image = {0x60000: head, 0x1000: struct.pack("<4Q", 100, 400, 500, 900)}

    def read(address, size):
        base = max(at for at in image if at <= address)
        return image[base][address - base : address - base + size]

    return read


def test_truth_from_memory(tmp_path):
    found = truth.read(memory(header()))
    assert found.cores[0].spans == [(100, 400), (500, 900)]
    assert (found.armed_tsc, found.planned) == (77, 2)
    assert found.complete() is None
    truth.save(found, tmp_path / "truth.json")
    assert truth.load(tmp_path / "truth.json") == found


@pytest.mark.parametrize("wrong", [{"lost": 1}, {"started": 1}, {"count": 1}])
def test_incomplete_truth(wrong):
    assert truth.read(memory(header(**wrong))).complete()


@pytest.mark.parametrize("wrong", [{"magic": 1}, {"count": 11}])
def test_memory_that_is_no_truth(wrong):
    with pytest.raises(truth.TruthError):
        truth.read(memory(header(**wrong)))
