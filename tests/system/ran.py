# SPDX-License-Identifier: BSD-2-Clause
"""Commands that tests run to their end."""
import subprocess


def ran(*argv, **options):
    """Run a program: its exit status, and its output."""
    return subprocess.run(argv, capture_output=True, text=True, check=False, **options)
