# SPDX-License-Identifier: BSD-2-Clause
"""The host command as a whole."""
import pathlib
import subprocess

import machine as machines
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = "tests/data/runs/smis.log"


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", RUN),
        ("show", "--json", RUN),
        ("predict", RUN),
        ("diff", "--force", RUN, RUN),
        ("compare", "--force", RUN, "tests/data/peers/osnoise-one-second.trace"),
    ],
    ids=" ".join,
)
def test_full_disk(arguments):
    """Output that could not be written is no success."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [machines.BUILD / "noisefloor", *arguments],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "standard output: No space left on device" in done.stderr
