# SPDX-License-Identifier: BSD-2-Clause
"""Runs of the probe under the injector, with the truth beside what the probe reported.

Booting to the injector takes some ten seconds under icount. So one machine is booted per set of
tests and saved when the injector waits for its plan; each run goes on from there with a plan of
its own.
"""
import dataclasses
import fcntl
import pathlib

import machine as machines
import patience
import runner
import truth
from guest import Guest, GuestError
from schedule import Plan

FWCFG = "opt/noisefloor/inject"
BOOT_SECONDS = 300
LAST_WORDS_SECONDS = 300
CONFIG = "then=halt"  # the rest comes with the plan, as load options
# What the injector wants of a machine, by its firmware or processor.
WANTED = {
    "x86_64": {"memory": "256M", "extra": ("-global", "hpet.msi=on")},
    "aarch64": {"memory": "1G", "extra": (), "board": "virt-el2"},
    "uboot-monitor": {"memory": "1G", "extra": (), "board": "virt-el3"},
    "uboot-tfa": {"memory": "1G", "extra": (), "board": "virt-tfa"},
}


@dataclasses.dataclass
class Injection:
    """What the probe reported, and what the handler did."""

    result: runner.Result
    truth: truth.Truth

    def spans(self, core=0):
        """The SMIs of a core, (first, last tick) each. Exact under icount shift 0."""
        return truth.whole(self.truth.cores[core].spans)


def options(app, injector, out, plan, icount, smp, firmware, extra, emulator="system", others=None,
            prompt=()):
    """What to run: `app` started by the injector, its load options from the plan. `others`: more
    images by the path below which a plan may name them. `prompt`: what to type at U-Boot's."""
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    packed = out / "plan.bin"
    packed.write_bytes(plan.pack())
    wanted = dict(WANTED.get(firmware) or WANTED[machines.EMULATORS[emulator].processor])
    wanted["extra"] += ("-fw_cfg", f"name={FWCFG},file={packed}") + tuple(extra)
    machine = machines.Machine(
        smp=smp, firmware=firmware, icount=icount, emulator=emulator, **wanted
    )
    return runner.Options(
        app=app, out=out, machine=machine, config=CONFIG, inject=injector, files=others or {},
        prompt=prompt,
    )


def run(app, injector, out, plan, icount=0, smp=1, firmware="plain", extra=(), timeout=None,
        emulator="system", last_words=None, others=None, prompt=()):
    """One run from power on (or from a saved machine, by `extra`). `last_words`: what the probe
    prints after the end record, to be waited for."""
    wanted = options(app, injector, out, plan, icount, smp, firmware, extra, emulator, others,
                     prompt)
    wanted.timeout = timeout
    read = []

    def at_end(guest):
        read.append(truth.read(guest.pmemsave, wanted.machine.processor))
        if last_words:
            guest.wait_for(last_words, LAST_WORDS_SECONDS)

    result = runner.run(wanted, at_end=at_end)
    if not read:
        raise GuestError(f"the run ended before the truth could be read: {result.problem}")
    truth.save(read[0], pathlib.Path(out) / "truth.json")
    return Injection(result, read[0])


def _is_saved(guest):
    status = guest.qmp.execute("query-migrate").get("status")
    if status in ("failed", "cancelled"):
        raise GuestError(f"saving the machine: {status}")
    return status == "completed"


class Saved:
    """A machine saved where the injector waits for its plan, in the folder `out`. `extra`: what
    else it has; `others`: images to run in place of the app."""

    def __init__(self, app, injector, out, extra=(), firmware="plain", emulator="system",
                 others=None):
        """Boot and save it, unless the folder already has it. Others may want the same folder."""
        self._app = app
        self._injector = injector
        self._extra = tuple(extra)
        self._machine = {"firmware": firmware, "emulator": emulator, "others": others}
        self._out = pathlib.Path(out).resolve()
        self._out.mkdir(parents=True, exist_ok=True)
        self._state = self._out / "machine.state"
        with open(self._out / "saved.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self._state.exists():
                self._boot()

    def _boot(self):
        plan = Plan(mode="wait")
        wanted = options(
            self._app, self._injector, self._out, plan, 0, 1, extra=self._extra, **self._machine
        )
        with Guest(wanted.machine, wanted.out, wanted.volume()) as guest:
            guest.wait_for("inject: waiting for a plan", BOOT_SECONDS)
            self._save(guest)

    def _save(self, guest):
        part = self._state.with_suffix(".part")
        guest.qmp.execute("migrate-set-parameters", max_bandwidth=1 << 32)
        guest.qmp.execute("migrate", uri=f"exec:cat > '{part}'")
        patience.wait_for(lambda: _is_saved(guest), "saving the machine", 0.2)
        part.rename(self._state)

    def run(self, out, plan, timeout=None, last_words=None):
        """Go on with this plan. Same volume as when it was saved: the firmware remembers it."""
        extra = (*self._extra, "-incoming", f"exec:cat '{self._state}'")
        return run(self._app, self._injector, out, plan, extra=extra, timeout=timeout,
                   last_words=last_words, **self._machine)
