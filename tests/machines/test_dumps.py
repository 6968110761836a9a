# SPDX-License-Identifier: BSD-2-Clause
"""What the probe makes of surveyed machines, beside a decoding of its own from the manuals."""
import lzma
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
    # What is compared is there, in each area.
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


DUMPED = """\
FACP @ 0x0000000000000000
    0000: 46 41 43 50 74 00 00 00 01 00 4E 46 54 45 53 54  FACPt.....NFTEST
    0010: 00 00 00 00  ....

DSDT @ 0x0000000000000000
    0000: 44 53 44 54  DSDT
"""


def test_forms_of_a_folder(tmp_path):
    """Each form is read, below folders too; what is none is refused with its name and why."""
    source = next(SURVEYS.glob("*Eagleton.survey")).read_text()
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "acpi.txt").write_text(DUMPED)
    (tmp_path / "hole.txt").write_text(DUMPED.replace("0010:", "0020:"))
    (tmp_path / "a.survey").write_text(source)
    (tmp_path / "README").write_text("no dump\n")
    (tmp_path / "cut.xz").write_bytes(b"\xfd7zXZ\x00\x00\x04")
    lines = [
        '{"machine":"one","tables":[{"sig":"HPET","hex":"48504554"}]}',
        '{"processor":"two","cpus":[{"leaves":[["00000000",-1,"1","2","3","4"]]}],"msr":{}}',
        '{"machine":"none","tables":[{"sig":"DSDT","hex":"44"}]}',
        '{"machine":"odd","tables":[{"sig":"HPET","hex":"4"}]}',
        "[]",
        "{",
    ]
    (tmp_path / "all.jsonl.xz").write_bytes(lzma.compress("\n".join(lines).encode()))
    found = {name: (form, why) for name, form, why in folder.machines(tmp_path)}
    forms = {name: form for name, (form, why) in found.items() if form}
    assert forms.keys() == {"below/acpi.txt", "a.survey", "one", "two"}
    assert forms["below/acpi.txt"].splitlines()[1:] == [
        "[acpi FACP]", "46414350740000000100" "4e465445535400000000",
    ]
    assert forms["one"].splitlines()[1:] == ["[acpi HPET]", "48504554"]
    assert "00000000 0 00000001 00000002 00000003 00000004 0" in forms["two"]
    whys = {name: why for name, (form, why) in found.items() if why}
    assert whys.keys() == {"hole.txt", "README", "cut.xz"} | {
        f"all.jsonl.xz:{line}" for line in (3, 4, 5, 6)
    }
    assert whys["hole.txt"] == "FACP: at 0020, after 10"
    assert "no CPUID leaf" in whys["README"]
    assert "no table that is read" in whys["all.jsonl.xz:3"]
