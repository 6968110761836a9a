# SPDX-License-Identifier: BSD-2-Clause
"""What one sample costs, counted instruction by instruction in the image that ships."""
import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "bench"))

import loop as bench  # noqa: E402

pytestmark = pytest.mark.exact

# Eight samples of seven instructions, then a comparison and a branch: loop.h.
SAMPLES = 8
INSTRUCTIONS = SAMPLES * 7 + 2


@pytest.mark.full
def test_instructions_per_sample(app, out, figure):
    with bench.Window(app, out) as window:
        loop = bench.find_loop(window.gdb, app.read_bytes())
    figure(loop.line())
    assert loop.per_sample <= bench.INSTRUCTIONS_MAX
    assert (len(loop.reads()), len(loop.order)) == (SAMPLES, INSTRUCTIONS)


def test_only_a_closed_loop_counts():
    assert bench.one_pass([1, 2, 3, 1, 2, 3, 1]) == (1, 2, 3)
    assert bench.one_pass([1, 2, 3, 1, 2, 4, 1]) is None
    assert bench.one_pass([1, 2, 3, 4]) is None
