# SPDX-License-Identifier: BSD-2-Clause
"""The host command as a whole."""
import pathlib
import subprocess

import machine as machines
import pytest
from ran import ran

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = "tests/data/runs/smis.log"


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", RUN),
        ("show", "--json", RUN),
        ("predict", RUN),
        ("advise", RUN),
        ("diff", "--force", RUN, RUN),
        ("compare", "--force", RUN, "tests/data/peers/osnoise-one-second.trace"),
        ("--help",),
        ("--version",),
        ("help", "show"),
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


def printed(*arguments):
    done = ran(machines.BUILD / "noisefloor", *arguments, cwd=ROOT)
    return done.returncode, done.stdout, done.stderr


def test_help():
    """In all the ways people ask for it."""
    all_of_it = printed("--help")
    assert all_of_it[0] == 0 and "usage: noisefloor SUBCOMMAND" in all_of_it[1]
    for arguments in ("-h",), ("help",):
        assert printed(*arguments) == all_of_it
    of_show = printed("show", "--help")
    assert of_show[0] == 0 and "usage: noisefloor show" in of_show[1]
    for arguments in ("show", "-h"), ("show", "help"), ("help", "show"):
        assert printed(*arguments) == of_show
    assert printed("-V") == printed("--version") == (0, "noisefloor 0.1.0\n", "")
    assert printed("help", "sow") == (
        2, "", "noisefloor: no subcommand sow; see `noisefloor --help`\n"
    )
