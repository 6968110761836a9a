# SPDX-License-Identifier: BSD-2-Clause
"""Tiers of cases: `make test` leaves those to `make test-all`, and this to test-exact, test-net and
test-machines, that prove again, with another card or firmware or key, what another case has
proved."""
import pytest


def full(*values, **more):
    """A case that only `make test-all` runs, and the longer ones."""
    return pytest.param(*values, marks=pytest.mark.full, **more)


def long(*values, **more):
    """A case that test-all leaves out as well."""
    return pytest.param(*values, marks=(pytest.mark.full, pytest.mark.long), **more)


def full_but(wanted, cases, among_all=None):
    """The cases, each but the wanted ones in `make test-all` only, or `long` where it is not
    `among_all`. A case is a value or a tuple."""
    cases = list(cases)
    assert {*wanted, *(among_all or ())} <= set(cases)

    def tier(case):
        rare = among_all is not None and case not in among_all
        return (long if rare else full)(*(case if isinstance(case, tuple) else (case,)))

    return [case if case in wanted else tier(case) for case in cases]
