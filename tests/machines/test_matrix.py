# SPDX-License-Identifier: BSD-2-Clause
"""The matrix of machines itself: what is not as expected is seen."""
import machine_matrix
import machine_rows
import machine_seen

RATE = ("a rate", 1e9)
BEGIN = {
    "type": "begin",
    "machine": {"bios_vendor": "EFI Development Kit II / OVMF"},
    "cpus": {"found": 2, "started": 2, "measured": 2},
    "hypervisor": None,
    "clock": {"source": "hpet", "audited_by": None, "hz": 10**9 + 10**6},
    "evidence": ["smi_count", "nmi_count"],
    "config": "duration=2s gaps=17",
}


def cpu(number, **more):
    return {
        "type": "cpu", "cpu": number, "apic_id": 4 * number, "package": number, "core": 0,
        "thread": 0, "proved": "nmi, delay", "smi": None, "nmi": 3, "nmi_out": 1, "mce": number,
        "cause": {"nmi": {"gaps": 2}, "mce": {"gaps": number}, "unknown": {"gaps": 9}}, **more,
    }


END = {"type": "end", "verdict": "none"}


def seen_of(*records, **more):
    return machine_seen.columns(records, RATE, **more)


def test_columns():
    assert seen_of(BEGIN, cpu(0), cpu(1), END) == {
        "boots": "OVMF", "cores": "2 of 2, 2x2x2, ids 0,4", "hypervisor": "none",
        "clock": "hpet, -, a rate", "evidence": "nmi_count", "verdict": "none", "logs": "-",
    }


def test_a_row_that_is_not_as_expected_is_marked():
    row = machine_rows.ROWS[0]
    expected = row.expected()
    assert machine_matrix.differences(expected, expected) == []
    seen = expected | {"verdict": "fail"}
    assert machine_matrix.differences(expected, seen) == [
        "verdict: expected 'none', seen 'fail'"
    ]
    text = machine_matrix.entry(row.name, expected, seen)
    *_, line, sums = machine_matrix.lines([text])
    assert "fail NOT none" in line and line.endswith("FAILED")
    assert sums == "1 machines, 0 as expected"


def test_each_row_has_a_name_of_its_own():
    rows = (*machine_rows.ROWS, *machine_rows.BOCHS, *machine_rows.KVM)
    names = [row.name for row in rows]
    assert len(set(names)) == len(names) >= 25
