# SPDX-License-Identifier: BSD-2-Clause
"""A machine ends as asked, whatever the firmware's ResetSystem does."""
import pytest
from leaving import Leaving
from tiers import full

SHORT = "duration=300ms window=100ms selftest=no"
SEEN = {"reset": "reset", "shutdown": "power off"}
# The message for each.
WHY = {
    "reset-spins": b"did not return within 4 s",
    "reset-spins-masked": b"did not return within 4 s",
    "reset-faults": b"took an exception (",
    "reset-missing": b"is missing",
    "reset-reads-page-0": None,
    "reset-reads-high": None,
    "": None,
}
ALL = [quirk if quirk == "reset-faults" else full(quirk) for quirk in WHY]


@pytest.fixture
def end(run):
    """end("reset", "reset-spins", ...): the run's result, and how the machine ended."""

    def end(way, quirk, config="", **wanted):
        leaving = Leaving(way)
        result = run(files={"quirks.txt": quirk.encode()}, config=f"{SHORT} {config} then={way}",
                     ticks=[Leaving.connect], at_end=leaving, **{"smp": 1, **wanted})
        return result, leaving.seen(result.status)

    return end


def check_why(result, why):
    assert (b"ResetSystem " in result.serial) == (why is not None), result.serial[-2000:]
    if why:
        assert b"the firmware's ResetSystem " + why in result.serial


@pytest.mark.parametrize("quirk", ALL)
def test_a_reset(end, quirks, quirk):
    """Without boot services, and on one core: nobody else could end a call."""
    result, seen = end("reset", quirk, inject=quirks)
    assert seen == "reset"
    check_why(result, WHY[quirk])


@pytest.mark.full
def test_off(end):
    """By ACPI: ResetSystem is not asked."""
    result, seen = end("shutdown", "")
    assert seen == "power off"
    check_why(result, None)


# EDK II's own handler prints what takes an exception, and its timer ends what spins.
@pytest.mark.full
@pytest.mark.parametrize("way, quirk, fault", [
    ("reset", "reset-spins", "wait"),
    ("reset", "reset-faults", "exception"),
])
def test_boot_services_are_alive(end, quirks, way, quirk, fault):
    result, seen = end(way, quirk, "stages=firmware", inject=quirks)
    assert seen == SEEN[way]
    check_why(result, None)
    assert [record["kind"] for record in result.of_type("fault")] == [fault]


ARM = {"emulator": "aarch64", "firmware": "aarch64"}


@pytest.mark.full
@pytest.mark.parametrize("way, board, quirk", [
    ("reset", "virt", "reset-spins"), ("shutdown", "virt-el2", ""),
])
def test_aarch64(end, aarch64, quirks_aarch64, way, board, quirk):
    """At level 1 by HVC, at level 2 by SMC."""
    result, seen = end(way, quirk, app=aarch64, inject=quirks_aarch64, board=board, **ARM)
    assert seen == SEEN[way]
    check_why(result, WHY[quirk])


@pytest.mark.full
def test_aarch64_boot_services_are_alive(end, aarch64, quirks_aarch64):
    result, seen = end("reset", "reset-faults", "stages=firmware", app=aarch64,
                       inject=quirks_aarch64, board="virt", **ARM)
    assert seen == "reset"
    check_why(result, None)
