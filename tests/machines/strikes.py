# SPDX-License-Identifier: BSD-2-Clause
"""NMIs and machine checks into a machine that measures, by QEMU's monitor.

One at a time, with two windows between them: each core has then taken the one before. None right
behind the line of a window, where the cores may not have begun the next.
"""
import re
import time

import qmp

WINDOWS_APART = 2
REST = 0.1  # s, from the line of a window
# The line of a window, which comes at its end: its record is sent with the stage's others.
WINDOW = re.compile(rb"^ +\d+/\d+ +\d+ gaps? in ", re.M)
# Uncorrected, not fatal: VAL UC EN in bank 2, RIPV and MCIP.
MACHINE_CHECK = "mce {} 2 0xb000000000000000 0x5 0 0"
LEAST = 1  # least number of each kind, in a run that shows something


class Strikes:
    """Called with the guest some ten times a second; strikes with each kind in turn."""

    def __init__(self, kinds, cores):
        self._kinds, self._cores = kinds, cores
        self._struck = []  # (kind, windows that had ended)
        self._seen = self._windows = 0
        self._line_at = None

    def __call__(self, guest):
        if not self._kinds:
            return
        self._look(guest)
        if guest.status() is None and self._is_due():
            kind = self._kinds[len(self._struck) % len(self._kinds)]
            try:
                self._strike(guest, kind)
            except qmp.QmpError:
                return  # the guest has just left
            self._struck.append((kind, self._windows))

    def _look(self, guest):
        data = guest.serial(self._seen)
        whole = data.rfind(b"\n") + 1
        lines = len(WINDOW.findall(data[:whole]))
        self._windows += lines
        self._seen += whole
        if lines:
            self._line_at = time.monotonic()

    def _is_due(self):
        if self._line_at is None or time.monotonic() < self._line_at + REST:
            return False
        return not self._struck or self._windows >= self._struck[-1][1] + WINDOWS_APART

    def _strike(self, guest, kind):
        if kind == "nmi":
            guest.qmp.execute("inject-nmi")
        else:
            refused = guest.qmp.hmp(MACHINE_CHECK.format(self._count(kind) % self._cores))
            assert not refused.strip(), refused

    def _count(self, kind):
        return sum(one == kind for one, _ in self._struck)

    def _sure(self, kind):
        """Number of blows that every core has certainly taken while it was watched."""
        return sum(one == kind and at + WINDOWS_APART < self._windows for one, at in self._struck)

    def enough(self, cpus):
        """False: the host was too busy for it, or all fell between windows, and nothing is shown.
        `cpus`: the records of that type."""
        return all(
            self._sure(kind) >= LEAST and _gaps(kind, cpus) for kind in self._kinds
        )

    def seen(self, cpus):
        """The kinds that were found as often as struck, and attributed; of others what is wrong."""
        found = [self._judge(kind, cpus) for kind in self._kinds]
        return ", ".join(filter(None, found + self._strangers(cpus)))

    def _judge(self, kind, cpus):
        struck, sure = self._count(kind), self._sure(kind)
        if kind == "nmi":
            counts = _by_core(cpus, "nmi", "nmi_out")
        else:
            # Each core has its own; one that came between two windows is not counted.
            counts = [sum(_by_core(cpus, "mce"))]
            sure = 1
        if not counts or not all(sure <= count <= struck for count in counts):
            return f"{kind} {counts} of {sure} to {struck}"
        return kind if _gaps(kind, cpus) else f"no gap by {kind}"

    def _strangers(self, cpus):
        """Causes that nobody gave it. `unknown` is the host's."""
        causes = {cause for cpu in cpus for cause, sums in cpu["cause"].items() if sums["gaps"]}
        return [f"a gap by {cause}" for cause in sorted(causes - {*self._kinds, "unknown"})]


def _by_core(cpus, *fields):
    """The sums over all stages."""
    sums = {}
    for cpu in cpus:
        sums[cpu["cpu"]] = sums.get(cpu["cpu"], 0) + sum(cpu[field] for field in fields)
    return list(sums.values())


def _gaps(kind, cpus):
    return sum(cpu["cause"].get(kind, {"gaps": 0})["gaps"] for cpu in cpus)
