# SPDX-License-Identifier: BSD-2-Clause
"""The project's own files pass each check: `make lint`, as a part of `make test`."""
import re
import subprocess

import pytest

import sources
from environment import without_make

LINTS = re.search(r"^LINTS := (.+)$", (sources.ROOT / "mk/lint.mk").read_text(), re.M)[1].split()


@pytest.mark.parametrize("name", LINTS)
def test_nothing_is_found(name):
    command = ["make", "-s", f"lint-{name}"]
    done = subprocess.run(
        command, cwd=sources.ROOT, env=without_make(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
