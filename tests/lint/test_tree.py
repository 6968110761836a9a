# SPDX-License-Identifier: BSD-2-Clause
"""The project's own files pass each check: `make lint`, as a part of `make test`."""
import os
import re
import subprocess

import pytest

import sources

LINTS = re.search(r"^LINTS := (.+)$", (sources.ROOT / "mk/lint.mk").read_text(), re.M)[1].split()


@pytest.mark.parametrize("name", LINTS)
def test_nothing_is_found(name):
    # Without the flags of the make that runs this.
    env = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    command = ["make", "-s", f"lint-{name}"]
    done = subprocess.run(
        command, cwd=sources.ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
