# SPDX-License-Identifier: BSD-2-Clause
"""Runs of the probe under the injector, with the truth beside what the probe reported.

Booting to the injector takes some ten seconds under icount. So one machine is booted per set of
tests and saved when the injector waits for its plan; each run goes on from there with a plan of
its own.
"""
import dataclasses
import pathlib

import machine as machines
import runner
import saved
import truth
from guest import GuestError
from schedule import Plan

FWCFG = "opt/noisefloor/inject"
BOOT_SECONDS = 300
LAST_WORDS_SECONDS = 300
CONFIG = "then=halt"  # the rest comes with the plan, as load options
# Options of a machine that the injector needs, by its firmware or processor.
WANTED = {
    "x86_64": {"memory": "256M", "extra": ("-global", "hpet.msi=on")},
    "aarch64": {"memory": "1G", "extra": (), "board": "virt-el2"},
    "uboot-monitor": {"memory": "1G", "extra": (), "board": "virt-el3"},
    "uboot-tfa": {"memory": "1G", "extra": (), "board": "virt-tfa"},
}


@dataclasses.dataclass
class Injection:
    """The probe's report, and the handler's log."""

    result: runner.Result
    truth: truth.Truth

    def spans(self, core=0):
        """The SMIs of a core, (first, last tick) each. Exact under icount shift 0."""
        return truth.whole(self.truth.cores[core].spans)


def options(app, injector, out, plan, icount, smp, firmware, extra, emulator="system", prompt=()):
    """What to run: `app` started by the injector, its load options from the plan. `prompt`: what to
    type at U-Boot's."""
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
        app=app, out=out, machine=machine, config=CONFIG, inject=injector, prompt=prompt)


def run(app, injector, out, plan, icount=0, smp=1, firmware="plain", extra=(), timeout=None,
        emulator="system", last_words=None, prompt=(), state=None):
    """One run from power on, or from a saved machine. `last_words`: what the probe prints after
    the end record, to be waited for."""
    wanted = options(app, injector, out, plan, icount, smp, firmware, extra, emulator, prompt)
    wanted.timeout = timeout
    if state:
        wanted.machine = saved.go_on(wanted.machine, state)
    read = []

    def at_end(guest):
        read.append(truth.read(guest.pmemsave, wanted.machine.processor))
        if last_words:
            guest.wait_for(last_words, LAST_WORDS_SECONDS)

    result = runner.run(wanted, at_end=at_end)
    if not read:
        raise GuestError(f"the run ended before the truth could be read: {result.problem}")
    return Injection(result, read[0])


class Saved:
    """A machine saved where the injector waits for its plan, in the folder `out`. `extra`: what
    else it has."""

    def __init__(self, app, injector, out, extra=(), firmware="plain", emulator="system"):
        """Boot and save it, unless the folder already has it. Others may want the same folder."""
        self._app = app
        self._injector = injector
        self._extra = tuple(extra)
        self._machine = {"firmware": firmware, "emulator": emulator}
        self._out = pathlib.Path(out).resolve()
        self._state = saved.save(
            self._out, self._lay_out, "inject: waiting for a plan", BOOT_SECONDS
        )

    def _lay_out(self):
        wanted = options(self._app, self._injector, self._out, Plan(mode="wait"), 0, 1,
                         extra=self._extra, **self._machine)
        return wanted.machine, wanted.volume()

    def run(self, out, plan, timeout=None, last_words=None):
        """Go on with this plan. Same volume as when it was saved: the firmware remembers it."""
        return run(self._app, self._injector, out, plan, extra=self._extra, timeout=timeout,
                   last_words=last_words, state=self._state, **self._machine)
