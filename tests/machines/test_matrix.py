# SPDX-License-Identifier: BSD-2-Clause
"""The matrix of machines itself: what is not as expected is seen."""
import pytest

import kvm_seen
import machine_matrix
import machine_rows
import machine_seen
import strikes

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


def test_a_counter_that_moved_is_believed():
    assert seen_of(BEGIN, cpu(0, smi=1))["evidence"] == "nmi_count, smi_count"


def test_a_core_that_was_not_proved_shows():
    seen = seen_of(BEGIN, cpu(0), cpu(1, proved="test NMI was not counted"))
    assert seen["cores"] == "2 of 2 (2 measured, 1 proved), 2x2x2, ids 0,4"


def test_a_wrong_rate_shows():
    begin = BEGIN | {"clock": BEGIN["clock"] | {"hz": 1_020_000_000}}
    assert seen_of(begin, cpu(0))["clock"] == "hpet, -, 1020000000 Hz, not 1000000000"


def test_a_loader_shows_by_its_options():
    assert seen_of(BEGIN, cpu(0), loader="GRUB", options="gaps=17")["boots"] == "OVMF, GRUB"
    wrong = seen_of(BEGIN, cpu(0), loader="GRUB", options="gaps=18")["boots"]
    assert wrong == "OVMF, without GRUB's options"


def test_a_missing_sentence_shows():
    log = {"type": "log", "text": "no card"}
    assert seen_of(log, wanted_logs=("no c", "x$"))["logs"] == "1 of 2; not: x$"


class Guest:
    """One that ends a window with each look, and takes what it is given."""

    def __init__(self):
        self.qmp, self.taken, self._line = self, [], b""

    @staticmethod
    def status():
        return None

    @staticmethod
    def seconds():
        return 0

    def serial(self, start):
        self._line += b"  1/20  7 gaps in 100 ms  max 1 us\r\n"
        return self._line[start:]

    def execute(self, command):
        self.taken.append(command)

    def hmp(self, line):
        self.taken.append(line)
        return ""


@pytest.fixture
def struck(monkeypatch):
    """After eight windows: NMIs at 1 and 5, machine checks at 3 and 7."""
    monkeypatch.setattr(strikes, "REST", 0)
    found, guest = strikes.Strikes(("nmi", "mce"), 2), Guest()
    for _ in range(8):
        found(guest)
    assert [what.split()[:2] for what in guest.taken] == [
        ["inject-nmi"], ["mce", "0"], ["inject-nmi"], ["mce", "1"],
    ]
    return found


@pytest.mark.parametrize("cpus,seen", [
    ([cpu(0, nmi=1), cpu(1, nmi=1)], "nmi, mce"),
    ([cpu(0, nmi=0, nmi_out=0), cpu(1, nmi=1)], "nmi [0, 2] of 2 to 2, mce"),
    ([cpu(0, nmi=2), cpu(1, nmi=1)], "nmi [3, 2] of 2 to 2, mce"),
    ([cpu(0, nmi=1, mce=2), cpu(1, nmi=1)], "nmi, mce [3] of 1 to 2"),
    ([cpu(1, nmi=1, cause={"mce": {"gaps": 1}})], "no gap by nmi, mce"),
    ([cpu(1, nmi=1, cause=cpu(1)["cause"] | {"smi": {"gaps": 1}})], "nmi, mce, a gap by smi"),
])
def test_strikes_are_counted(struck, cpus, seen):
    assert struck.seen(cpus) == seen


def test_stages_are_summed(struck):
    cpus = [cpu(1, stage=stage, nmi=1, nmi_out=0) for stage in ("bare", "handoff")]
    assert struck.seen(cpus) == "nmi, mce"


def test_what_fell_between_windows_shows_nothing(struck):
    assert not struck.enough([cpu(1, nmi=0, nmi_out=2, cause={"mce": {"gaps": 1}})])


def gaps(**counts):
    """So many of each cause, 8 ms long."""
    return [
        {"type": "gap", "cause": cause, "len_ns": 8_000_000}
        for cause, count in counts.items() for _ in range(count)
    ]


def nmis(inside, out):
    return {"type": "cpu", "nmi": inside, "nmi_out": out}


def source(hint):
    return {"type": "source", "origin": None, "hint": hint}


STOPPED = [{"type": "gap", "cause": "unknown", "len_ns": kvm_seen.STOP_NS}]


@pytest.mark.parametrize("records,words,seen", [
    (gaps(steal=100, unknown=5), (), "steal"),
    (gaps(steal=85, unknown=162), (), "unknown in 162 of 247"),
    (gaps(steal=7), (), "-"),
    ([], (), "-"),
    ([nmis(3, 1), nmis(3, 0)], ("nmi",), "nmi"),
    ([nmis(2, 0)], ("nmi",), "nmi [(2, 0)] of 4"),
    ([nmis(0, 3)], ("nmi",), "nmi [(0, 3)] of 4"),
    ([nmis(4, 1)], ("nmi",), "nmi [(4, 1)] of 4"),
    (STOPPED * 3 + gaps(steal=12), (kvm_seen.STOP,), "unknown"),
    (STOPPED, (kvm_seen.STOP,), "1 gaps"),
    (STOPPED * 3 + [{"type": "pause"}], (kvm_seen.STOP,), "unknown, 1 pauses"),
    ([source("matches a kernel's tick of 250 Hz"), source(None)], (), "-"),
    ([source("matches the SWSMI timer's 64 ms")], (), "matches the SWSMI timer's 64 ms"),
])
def test_what_kvm_did(records, words, seen):
    assert kvm_seen.events_of(records, set(), words, 4) == seen


def test_the_share_of_steal_is_printed():
    text = kvm_seen.figure("a row", gaps(steal=2, unknown=1))
    assert text == "a row: gaps of 4 ms and more: steal 2, unknown 1"
    assert kvm_seen.figure("a row", []) == "a row: gaps of 4 ms and more: none"


@pytest.mark.parametrize("registers,seen", [
    ({"e7", "e8", "309"}, "refused"), ({"34"}, "refused 34"),
])
def test_what_kvm_refused(registers, seen):
    assert kvm_seen.events_of([], registers, (), 0) == seen


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
