# SPDX-License-Identifier: BSD-2-Clause
"""The probe's decoding of surveyed machines, compared with an independent one from the manuals."""
import pathlib

import pytest

import dumps
import folder
from firmware import BUILD

SURVEYS = pathlib.Path(__file__).resolve().parent.parent / "data" / "surveys"
PROGRAM = BUILD / "decode"
SIXTY = 60  # machines at least


def compared(paths):
    return list(dumps.compared(PROGRAM, paths))


def test_as_the_manuals_have_it():
    machines = compared(sorted(SURVEYS.glob("*.survey")))
    assert not [f"{m.name}: {text}" for m in machines for text in m.wrong]
    assert len(machines) >= SIXTY
    # The compared properties exist in each area.
    seen = [m.seen["processor"] for m in machines]
    assert sum(bool(p["rates"]) for p in seen) >= 20
    assert sum(m.rates_by_ratio > 0 for m in machines) >= 10
    assert sum(p["caches"][0] > 0 for p in seen) >= SIXTY
    assert sum("reference" in p["counters"] for p in seen) >= 20
    for name in ("turbo", "hwp", "energy-perf-bias", "c1e", "microcode"):
        assert any(p["settings"].get(name) for p in seen)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        # The probe is given another machine than the one that is expected.
        ("00000015 0 00000002 000000b0", "00000015 0 00000002 000000b4", "rates.cpuid15"),
        ("00000004 2 fc004143 03c0003f", "00000004 2 fc004143 01c0003f", "caches"),
        ("0000000a 0 08300805", "0000000a 0 08300801", "counters"),
        ("1b0 6 0", "1b0 0 0", "settings.energy-perf-bias"),
        ("770 1 0", "770 fault 0", "settings.hwp"),
        ("ce 405082cf4811600 0", "ce 405082cf4811400 0", "rates.cpuid15 by the ratio"),
    ],
)
def test_a_difference_shows(tmp_path, old, new, what):
    (source,) = SURVEYS.glob("*SapphireRapids_06.survey")
    assert not compared([source])[0].wrong
    text = source.read_text()
    assert text.count(old) == 1
    other = tmp_path / source.name
    other.write_text(text.replace(old, new))
    (seen,) = dumps.decoded(PROGRAM, [other])
    # A ratio is compared with what the same processor states.
    wrong = dumps.compared_one(seen, other if "ratio" in what else source).wrong
    assert any(text.startswith(what) for text in wrong), wrong


def acpi_of(name):
    (source,) = SURVEYS.glob(f"*{name}.survey")
    return dumps.sections(source.read_text())


@pytest.mark.parametrize(
    ("table", "at", "value", "what"),
    [
        ("APIC", 48, 0, "cores"),  # the first core's flags: it is disabled
        ("FACP", 76, 0, "fadt.pm_timer"),
        ("MCFG", 55, 1, "ecams"),
    ],
)
def test_a_difference_of_tables_shows(tmp_path, table, at, value, what):
    """The probe is given another table than the one that is expected, with a good sum."""
    tables = dumps.tables(acpi_of("Eagleton"))
    ours, theirs = tmp_path / "a.survey", tmp_path / "b.survey"
    ours.write_text(folder.tables_form("as it is", tables.items()))
    changed = bytearray(tables[table])
    changed[at] = value
    changed[9] = (changed[9] - sum(changed)) & 0xFF
    theirs.write_text(folder.tables_form("changed", (tables | {table: changed}).items()))
    assert not compared([ours])[0].wrong
    assert not compared([theirs])[0].wrong
    wrong = dumps.compared_one(dumps.decoded(PROGRAM, [theirs])[0], ours).wrong
    assert any(text.startswith(what) for text in wrong), wrong
