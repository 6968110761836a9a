# SPDX-License-Identifier: BSD-2-Clause
"""Which tests `make test` leaves to `make test-all`: those that prove again, of another card or
firmware or key, what another test of their kind has proved."""
import pytest


def full(*values, **more):
    """A case that only `make test-all` runs."""
    return pytest.param(*values, marks=pytest.mark.full, **more)


def full_but(wanted, cases):
    """The cases, each but the wanted ones in `make test-all` only. A case is a value or a tuple."""
    cases = list(cases)
    assert set(wanted) <= set(cases)
    return [
        case if case in wanted else full(*(case if isinstance(case, tuple) else (case,)))
        for case in cases
    ]
