# SPDX-License-Identifier: BSD-2-Clause
"""The project's own files pass each check: `make lint`, as a part of `make test`."""
import re
import subprocess

import pytest

import sources
from environment import without_make

LINTS = re.search(r"^LINTS := (.+)$", (sources.ROOT / "mk/lint.mk").read_text(), re.M)[1].split()
PARTS = 3  # for as many workers; each make reads all rules first


@pytest.mark.parametrize("names", [LINTS[n::PARTS] for n in range(PARTS)], ids=" ".join)
def test_nothing_is_found(names):
    command = ["make", "-sk", *(f"lint-{name}" for name in names)]
    done = subprocess.run(
        command, cwd=sources.ROOT, env=without_make(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
