# SPDX-License-Identifier: BSD-2-Clause
"""Commands that tests run to their end."""
import subprocess


def ran(*argv, **options):
    """What has become of it: the exit status, and what it printed."""
    return subprocess.run(argv, capture_output=True, text=True, check=False, **options)
