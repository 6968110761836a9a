# SPDX-License-Identifier: BSD-2-Clause
"""The environment of a make that a test runs, below the make that runs the test."""
import os


def without_make(*names, **more):
    """Ours, without what the make above put there for its own, nor the variables of these names:
    one in another folder takes no BUILD of ours."""
    ours = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("MAKE") and name not in ("MFLAGS", *names)
    }
    return {**ours, **more}
