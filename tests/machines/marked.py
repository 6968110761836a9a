# SPDX-License-Identifier: BSD-2-Clause
"""Rows as cases of a test: which tier runs them, and those that are known to be wrong."""
import pytest


def _marks(row):
    yield pytest.mark.full
    if not row.cheap:
        yield pytest.mark.long
    if row.until:
        yield pytest.mark.xfail(strict=True, reason=row.until)


def marked(rows):
    return [pytest.param(row, id=row.name, marks=[*_marks(row)]) for row in rows]
