# SPDX-License-Identifier: BSD-2-Clause
"""Cost of one sample, counted instruction by instruction in the image that ships."""
import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "bench"))

import loop as bench  # noqa: E402

pytestmark = pytest.mark.exact

SAMPLES = 8
SLOW_MOST = 430  # 1,600 where the counters are judged, too


@pytest.mark.full
def test_instructions_per_sample(app, out, figure):
    """Eight samples of seven instructions, then a comparison and a branch: loop.h."""
    with bench.Window(app, out) as window:
        loop = bench.find_loop(window.gdb, app.read_bytes())
    figure(loop.line())
    assert loop.per_sample <= bench.INSTRUCTIONS_MAX
    assert (len(loop.reads()), len(loop.order)) == (SAMPLES, SAMPLES * 7 + 2)


@pytest.mark.full
def test_instructions_on_aarch64(aarch64, out, figure):
    """Eight samples of five, a load, a comparison and a branch. The counters are only read."""
    with bench.Window(aarch64, out) as window:
        loop = bench.find_loop(window.gdb, aarch64.read_bytes(), window.processor)
        steps = bench.slow_path(window.gdb, loop, loop.reads()[0], range(0))
        assert {"cycles_all", "cycles", "instructions"} <= set(window.evidence)
    figure(f"AArch64, {loop.line()}; {bench.slow_line([steps], window.evidence)}")
    assert (len(loop.reads()), len(loop.order)) == (SAMPLES, SAMPLES * 5 + 3)
    assert steps <= SLOW_MOST
