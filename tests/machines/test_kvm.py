# SPDX-License-Identifier: BSD-2-Clause
"""The probe under a real KVM, which itself is emulated: each of its machines."""
import pytest

import esp
import kvm
import kvm_seen
import machine_rows
import machine_seen
import schedule
from kvm_seen import STOP
from schedule import MS
from strikes import WINDOW

# Each byte on the serial line costs three machines an exit: only long gaps have a record.
KEYS = "duration=1s window=250ms threshold=1ms gaps=all save=none then=qemu-exit"
WINDOWS, TRIES = 4, 3
CONFIG = {esp.CONFIG_PATH: esp.config_text(KEYS)}
SECONDS = 900
SURVEY = {esp.CONFIG_PATH: esp.config_text("mode=survey save=none then=qemu-exit")}
# A guest that knows what it is, and one that takes itself for the processor.
SURVEYED = (
    "host,+kvm-steal-time 1 survey idle",
    "Nehalem,-hypervisor,kvm=off 2 survey idle",
)
WORDS = {"nmi": "nmi", "unknown": STOP}  # action on the guest, by its event
SMIS = schedule.Plan(((20 * MS, 5 * MS),) * 200).pack()


class Often:
    """Each of `words` to the machine in between, in each window but the first."""

    def __init__(self, words):
        self._words = words
        self.sent = 0

    def __call__(self, host):
        ended = len(WINDOW.findall(host.serial))
        if self._words and self.sent < ended < WINDOWS:
            for word in self._words:
                host.send(word)
            self.sent += 1


def run(host, machine, words):
    """Again where this host was too busy for all of them. (what was seen, how often they came)"""
    for _ in range(TRIES):
        often = Often(words)
        ended = host.run(machine, often, SECONDS)
        if not words or often.sent == WINDOWS - 1:
            break
    return ended, often.sent


def columns(host, row, figure):
    words = [WORDS[event] for event in row.events if event in WORDS]
    ended, sent = run(host, row.machine, words)
    seen = machine_seen.columns(ended.records, ("1 GHz", kvm.HZ), wanted_logs=row.logs)
    figure(kvm_seen.figure(row.name, ended.records))
    return seen | {
        "events": kvm_seen.events_of(ended.records, ended.refused, words, sent),
        "leaving": f"qemu-exit {ended.status >> 1}",
    }


@pytest.mark.full
@pytest.mark.long
def test_machines(app, injector, variant, out, figure):
    """In one boot of the machine in between."""
    why = kvm.why_not()
    if why:
        pytest.skip(why)
    disks = {
        "plain": {esp.BOOT_PATH: app, **CONFIG},
        "smi": {esp.BOOT_PATH: injector, "noisefloor.efi": app, "inject.bin": SMIS, **CONFIG},
        # Takes the processor to have all counters, and tries their registers.
        "tries": {esp.BOOT_PATH: variant("all-evidence"), **CONFIG},
    }
    with kvm.Host(out, disks, SECONDS) as host:
        seen = {row.name: columns(host, row, figure) for row in machine_rows.KVM}
    assert seen == {row.name: row.expected() for row in machine_rows.KVM}
    assert len(seen) == len(machine_rows.KVM)


def surveyed(host, machine):
    ended = host.run(machine, lambda host: None, SECONDS)
    (end,) = machine_seen.of_type(ended.records, "end")
    assert end["verdict"] == "none" and end["reasons"] == [], end
    assert not [log for log in machine_seen.of_type(ended.records, "log")
                if log["level"] == "error"]
    assert ended.status == 1, "qemu-exit 0"
    parts = machine_seen.survey_parts(ended.records)
    return dict(line.split()[:2] for line in parts["msr", None].decode().splitlines()), ended


@pytest.mark.full
@pytest.mark.long
def test_survey(app, out):
    """A survey is read to its end, whatever KVM refuses; a refused register is a fault in it."""
    why = kvm.why_not()
    if why:
        pytest.skip(why)
    with kvm.Host(out, {"survey": {esp.BOOT_PATH: app, **SURVEY}}, SECONDS) as host:
        for machine in SURVEYED:
            registers, ended = surveyed(host, machine)
            assert int(registers["1b"], 16) & 0x800, "the local APIC is on"
            # KVM's own log has them, and they are no fault of the probe's.
            assert ended.refused >= kvm_seen.TRIED
            assert {registers[number] for number in kvm_seen.TRIED} == {"fault"}
