# SPDX-License-Identifier: BSD-2-Clause
"""Limits that a busy machine does not reach: the seconds of a process, without those in which it
waited for a processor. They are guards against hangs, not expectations."""
import os
import pathlib
import time

AT_LEAST = 1 / 10  # share of the wall clock's seconds that counts whatever the machine does
POLL_SECONDS = 0.2
POLL_SHARE = 20  # polling takes at most one in so many seconds
HANG_SECONDS = 600  # nothing that happens at all takes nearly as long


def wait_for(condition, what, step=0.02):
    """Until it is true. `what` is for the error, which is that of a hang."""
    end = time.monotonic() + HANG_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {HANG_SECONDS} s: it hangs")
        time.sleep(step)


class Clock:
    """The seconds of one process since now. While any of its threads waits for a processor, which
    the kernel counts in schedstat, the clock stands still, or nearly; it goes on when the process
    runs or sleeps. So it does for those that `below()` lists, for which the process may wait."""

    def __init__(self, pid=None, below=lambda: ()):
        self._pid = pid or os.getpid()
        self._below = below
        self._delays = self._read()
        self._owed = {}  # by thread: it was known at the end of the wait, when less time had passed
        self._start = self._polled = time.monotonic()
        self._wait = POLL_SECONDS
        self._delayed = 0.0

    def seconds(self):
        now = time.monotonic()
        if now - self._polled >= self._wait:
            self._poll(now)
        wall = now - self._start
        return max(wall - self._delayed, wall * AT_LEAST)

    def _poll(self, now):
        delays, passed = self._read(), now - self._polled
        owed = {task: self._owed.get(task, 0) + delay - self._delays.get(task, 0)
                for task, delay in delays.items()}
        self._delayed += min(max(owed.values(), default=0), passed)
        self._owed = {task: max(wait - passed, 0) for task, wait in owed.items()}
        self._delays, self._polled = delays, now
        self._wait = max(POLL_SECONDS, POLL_SHARE * (time.monotonic() - now))

    def _read(self):
        """{thread: seconds that it has waited so far}; empty where nobody counts them."""
        delays = {}
        for pid in (self._pid, *self._below()):
            tasks = pathlib.Path(f"/proc/{pid}/task")
            try:
                for task in os.listdir(tasks):
                    text = (tasks / task / "schedstat").read_text()
                    delays[task] = int(text.split()[1]) / 1e9
            except (OSError, ValueError, IndexError):
                pass  # the process has ended, or this kernel does not count
        return delays
