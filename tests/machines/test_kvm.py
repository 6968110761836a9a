# SPDX-License-Identifier: BSD-2-Clause
"""The probe under a real KVM, which itself is emulated: a row of the matrix each."""
import pytest

import esp
import kvm
import machine_matrix
import machine_rows
import machine_seen
from marked import marked
from strikes import WINDOW

# Each byte on the serial line costs three machines an exit: only long gaps have a record.
KEYS = "duration=2s window=500ms threshold=1ms gaps=all save=none then=qemu-exit"
SECONDS = 1800
LONG_NS = 4_000_000  # what the host's scheduler takes at a time, or more
STEAL_SHARE = 0.95
LEAST = 20  # gaps that long, in a run that shows something


class NmiOften:
    """An NMI in each window."""

    def __init__(self):
        self.sent = 0

    def __call__(self, run):
        if len(WINDOW.findall(run.serial)) > self.sent:
            run.send("nmi")
            self.sent += 1


def long_gaps(found):
    return [gap for gap in machine_seen.of_type(found, "gap") if gap["len_ns"] >= LONG_NS]


def events_of(found, sent):
    """What was found of what was done to it, and no SMI timer's name."""
    gaps, cpus = long_gaps(found), machine_seen.of_type(found, "cpu")
    stolen = sum(gap["cause"] == "steal" for gap in gaps)
    events = []
    if len(gaps) >= LEAST:
        right = stolen >= STEAL_SHARE * len(gaps)
        events.append("steal" if right else f"steal in {stolen} of {len(gaps)}")
    if sent:
        counts = [cpu["nmi"] + cpu["nmi_out"] for cpu in cpus]
        # One or two that came behind the last window are not counted.
        right = counts and all(max(1, sent - 2) <= count <= sent for count in counts)
        events.append("nmi" if right else f"nmi {counts} of {sent}")
    sources = machine_seen.of_type(found, "source")
    names = {source[key] for source in sources for key in ("origin", "hint")}
    events += [name for name in sorted(filter(None, names)) if "timer" in name]
    return ", ".join(events) or machine_matrix.NOTHING


@pytest.mark.parametrize("row", marked(machine_rows.KVM))
def test_machine(row, app, out, in_matrix):
    why = kvm.why_not()
    if why:
        pytest.skip(why)
    files = {esp.BOOT_PATH: app, esp.CONFIG_PATH: esp.config_text(f"{KEYS} {row.config}")}
    strikes = NmiOften()
    tick = strikes if "nmi" in row.events else lambda run: None
    with kvm.Run(out, files, **row.machine) as run:
        status = run.watch(tick, SECONDS)
        found = run.records()
    seen = machine_seen.columns(
        found, ("1 GHz", kvm.HZ), wanted_logs=row.logs
    )
    seen |= {"events": events_of(found, strikes.sent), "leaving": f"qemu-exit {status >> 1}"}
    in_matrix(row.name, row.expected(), seen)
    assert not machine_matrix.differences(row.expected(), seen)
