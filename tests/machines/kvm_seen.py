# SPDX-License-Identifier: BSD-2-Clause
"""Effects on a guest of a real KVM, as the probe reports them."""
import collections

import machine_seen
from schedule import MS

LONG_NS = 4 * MS  # a time slice of the host's scheduler, or more
SHARE = 0.95
LEAST = 20  # gaps that long, in a run that shows something
STOP, STOP_NS = "stop 0.05", 50 * MS
TRIED = {"e7", "e8"}  # MPERF and APERF


def is_most_of(count, sent):
    """One that came between two windows does not count."""
    return max(1, sent - 1) <= count <= sent


def causes(found, least_ns=LONG_NS):
    """How many gaps that long have each cause."""
    gaps = machine_seen.of_type(found, "gap")
    return collections.Counter(gap["cause"] for gap in gaps if gap["len_ns"] >= least_ns)


def figure(name, found):
    """The causes of the long gaps, as a line."""
    counts = ", ".join(f"{cause} {count}" for cause, count in causes(found).most_common())
    return f"{name}: gaps of {LONG_NS // MS} ms and more: {counts or 'none'}"


def long_gaps(found, stopped):
    """The cause that they have, if there are enough. `stopped`: how often QEMU was.

    A few are there anyway: the host has other things to do now and then.
    """
    counts = causes(found, STOP_NS if stopped else LONG_NS)
    gaps = sum(counts.values())
    if not (is_most_of(gaps, stopped) if stopped else gaps >= LEAST):
        return [f"{gaps} gaps"] if stopped else []
    ((cause, count),) = counts.most_common(1)
    return [cause if count >= SHARE * gaps else f"{cause} in {count} of {gaps}"]


def nmis(found, sent):
    counts = [(cpu["nmi"], cpu["nmi_out"]) for cpu in machine_seen.of_type(found, "cpu")]
    right = counts and all(inside and is_most_of(inside + out, sent) for inside, out in counts)
    return ["nmi" if right else f"nmi {counts} of {sent}"]


def names(found):
    """Names of sources, but for a tick of the host's kernel, which is right where the host runs
    something else."""
    sources = machine_seen.of_type(found, "source")
    texts = {source[key] for source in sources for key in ("origin", "hint")} - {None}
    return sorted(text for text in texts if "a kernel's tick" not in text)


def refused(registers):
    """Registers that KVM refuses, out of TRIED. The probe tries all of them, or none on a processor
    that lacks them."""
    if not registers:
        return []
    return ["refused" if TRIED <= registers else f"refused {' '.join(sorted(registers))}"]


def events_of(found, registers, words, sent):
    """`words`: what was done to it, each `sent` times. `registers`: those that KVM refused."""
    events = long_gaps(found, sent if STOP in words else 0)
    events += nmis(found, sent) if "nmi" in words else []
    events += [] if "smi" in events else names(found)
    if pauses := machine_seen.of_type(found, "pause"):
        events.append(f"{len(pauses)} pauses")
    return ", ".join(events + refused(registers)) or machine_seen.NOTHING
