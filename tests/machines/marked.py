# SPDX-License-Identifier: BSD-2-Clause
"""Rows as cases of a test: which tier runs them."""
import pytest


def marked(rows, cheap=None):
    """`cheap`: the names of those in `make test-all`, where they are not the rows' own."""
    marks = {True: [pytest.mark.full], False: [pytest.mark.full, pytest.mark.long]}
    return [pytest.param(row, id=row.name, marks=marks[
        row.cheap if cheap is None else row.name in cheap]) for row in rows]
