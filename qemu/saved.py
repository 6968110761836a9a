# SPDX-License-Identifier: BSD-2-Clause
"""A machine that was booted once and saved, to go on from again and again."""
import dataclasses
import fcntl

import patience
from guest import Guest, GuestError


def save(out, lay_out, ready, seconds):
    """Boot a machine in the folder `out` and save it once its serial line has `ready`, within so
    many seconds of its own; unless it was: others may want the same. lay_out() returns the machine
    and its files. Returns the file."""
    state = out / "machine.state"
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "saved.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not state.exists():
            machine, files = lay_out()
            with Guest(machine, out, files) as guest:
                guest.wait_for(ready, seconds)
                _write(guest, state)
    return state


def go_on(machine, state):
    """The same machine, but it begins as it was saved."""
    extra = (*machine.extra, "-incoming", f"exec:cat '{state}'")
    return dataclasses.replace(machine, extra=extra)


def _write(guest, state):
    part = state.with_suffix(".part")
    guest.qmp.execute("migrate-set-parameters", max_bandwidth=1 << 32)
    guest.qmp.execute("migrate", uri=f"exec:cat > '{part}'")
    patience.wait_for(lambda: _is_saved(guest), "saving the machine", 0.2)
    part.rename(state)


def _is_saved(guest):
    status = guest.qmp.execute("query-migrate").get("status")
    if status in ("failed", "cancelled"):
        raise GuestError(f"saving the machine: {status}")
    return status == "completed"
