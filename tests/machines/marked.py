# SPDX-License-Identifier: BSD-2-Clause
"""Rows as cases of a test: which tier runs them."""
import pytest


def marked(rows):
    marks = {True: [pytest.mark.full], False: [pytest.mark.full, pytest.mark.long]}
    return [pytest.param(row, id=row.name, marks=marks[row.cheap]) for row in rows]
