# SPDX-License-Identifier: BSD-2-Clause
"""Reports in a small store of variables: it is never full, and no moment damages what is there.

The test build writes a checkpoint every 20 ms, of several variables. What is in the flash when
QEMU stands still is what is there after a power cut at that moment.
"""
import itertools
import os
import random
import signal
import subprocess
import time

import esp
import flashvars
import machine as machines
import pytest
import records
from guest import Guest

CUTS = 10
STARTS = 3  # of the machine, at most, until there have been so many
POLL_SECONDS = 0.0005
LONGEST_WRITE = 0.05  # seconds, of all variables of a report
SECONDS = 300
SMALL = dict(firmware="small", smp=1, resets=True)
RUN = "duration=2500ms window=25ms checkpoint=10s selftest=no save=nvram"


@pytest.fixture
def probe(variant):
    return variant("many-checkpoints")


def newest(store):
    """Our variables as the firmware has them at its next start, by their names."""
    found = {}
    for v in flashvars.variables(store):
        # One that another was about to replace counts while there is no other.
        if v.guid == flashvars.REPORT_GUID and v.is_there:
            found[v.name] = v
    return found


def harvested(tool, store, folder):
    """What `noisefloor boot fetch` does with them: its exit code, records, and what it printed."""
    efivars = folder / "efivars"
    efivars.mkdir(parents=True)
    for name, v in newest(store).items():
        (efivars / f"{name}-{v.guid}").write_bytes(v.attributes.to_bytes(4, "little") + v.data)
    done = subprocess.run([tool, "boot", "fetch", "--efivars", efivars], capture_output=True,
                          check=False)
    return done.returncode, records.join(records.find(done.stdout)), done.stderr.decode()


def free_bytes(store):
    """Of the store, and how many it has."""
    found = flashvars.variables(store)
    used = sum(flashvars.HEADER.size + 2 * len(v.name) + 2 + len(v.data) for v in found)
    size = flashvars.size(store)
    return size - used, size


def boot(probe, out, config):
    files = {esp.CONFIG_PATH: esp.config_text(config), esp.BOOT_PATH: probe}
    return Guest(machines.Machine(**SMALL), out, files)


@pytest.mark.full
def test_a_hundred_checkpoints_leave_room_for_the_report(probe, tool, out):
    with boot(probe, out, RUN) as guest:
        guest.wait_exit(SECONDS)
        text = guest.serial().decode(errors="replace")
    store = (out / "vars.fd").read_bytes()
    assert "saved in the firmware's variables" in text, text[-1500:]
    code, saved, printed = harvested(tool, store, out / "end")
    assert code == 0, printed
    assert saved[-1]["type"] == "end" and saved[-1]["verdict"] == "none"
    assert not [r for r in saved if r["type"] == "log" and "left out" in r["text"]]
    assert "the firmware's store has room for" in text
    free, size = free_bytes(store)
    assert free >= size // 5, f"{free} of {size} bytes are left"


def wait_write(guest, flash):
    """Until the firmware writes, or the run is over: most moments are none of a write."""
    before = flash.stat().st_mtime_ns
    while flash.stat().st_mtime_ns == before and guest.status() is None:
        time.sleep(POLL_SECONDS)


@pytest.mark.full
def test_killed_at_random_moments(probe, tool, out, figure):
    """While the firmware writes. Each a report of several parts, or none before the first."""
    seed = random.randrange(1 << 32)
    moments = random.Random(seed)
    whole = 0
    for start in range(STARTS):
        whole += killed(probe, tool, out / f"start{start}", moments, CUTS - whole)
        if whole == CUTS:
            break
    assert whole == CUTS, f"only {whole} in {STARTS} runs, seed {seed}"
    figure(f"killed {CUTS} times in the midst of writing, seed {seed}: as many whole reports")


def killed(probe, tool, out, moments, wanted):
    """A run, until it is over or as many moments as wanted left a whole report."""
    whole = 0
    with boot(probe, out, RUN.replace("save=nvram", "save=file")) as guest:
        guest.wait_for(b'"type":"begin"', SECONDS)
        for cut in itertools.count():
            wait_write(guest, out / "vars.fd")
            time.sleep(moments.uniform(0, LONGEST_WRITE))
            if whole == wanted or guest.status() is not None:
                return whole
            store = stopped(guest, out)
            code, saved, printed = harvested(tool, store, out / f"cut{cut}")
            if saved:
                assert code in (0, 3) and len(newest(store)) > 1, printed
                whole += 1
            else:
                assert not whole, f"a whole report was there before cut {cut}: {printed}"
                assert code == 2 and "no report is in" in printed, printed


def stopped(guest, out):
    """What is in the flash at this moment."""
    os.kill(guest.pid, signal.SIGSTOP)
    store = (out / "vars.fd").read_bytes()
    os.kill(guest.pid, signal.SIGCONT)
    return store
