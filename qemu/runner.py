# SPDX-License-Identifier: BSD-2-Clause
"""One run of the probe, from disk image to exit code."""
import dataclasses
import functools
import pathlib
import subprocess

import esp
import limits
import machine as machines
import qmp
import records
import uboot
from firmware import FIRMWARE
from guest import Guest

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXIT_CODES = {"pass": 0, "none": 0, "fail": 1, "error": 2, "incomplete": 3}
BROKEN = 2  # the run itself went wrong
LEAVE_SECONDS = 20  # from the end record to the end of QEMU, as a rule
QUIET_SECONDS = 1  # a machine that stays on has no more output
TICK_SECONDS = 0.1
# Ways out that leave the machine on, or may: None is no `then` at all.
STAYS_ON = ("halt", "exit", None)


@dataclasses.dataclass
class Options:
    """What to run. `config` is key=value text; `config_bytes` replaces the file as it is.
    The file is at `config_path`; None: there is none. `medium` is booted from as it is, but
    for that file and `files`, which are beside it where it comes from a server."""

    app: pathlib.Path
    out: pathlib.Path
    machine: machines.Machine = machines.Machine()
    config: str = ""
    config_bytes: bytes | None = None
    config_path: str | None = esp.CONFIG_PATH
    inject: pathlib.Path | None = None
    medium: pathlib.Path | None = None
    files: dict = dataclasses.field(default_factory=dict)
    timeout: float | None = None
    leave_seconds: float = LEAVE_SECONDS  # from the end record to the end of QEMU
    prompt: tuple[str, ...] = ()  # U-Boot's commands before it boots

    def config_file(self):
        if self.config_path is None:
            return b""
        return esp.config_text(self.config) if self.config_bytes is None else self.config_bytes

    def then(self):
        """The way out that the configuration asks for, or None."""
        tokens = self.config_file().decode(errors="replace").split()
        ways = [token[len("then=") :] for token in tokens if token.startswith("then=")]
        return ways[-1] if ways else None

    def volume(self):
        """Files of the boot volume. An injector boots in place of the probe, and starts it."""
        if self.machine.boot == machines.PVH:
            return {machines.PVH_CONFIG: self.config_file(), machines.PVH_FILE: self.app}
        files = {self.config_path: self.config_file()} if self.config_path else {}
        if self.medium and self.machine.boot in machines.SERVED:
            return {**files, self.machine.boot_file: self.medium, **self.files}
        if self.medium:
            return esp.Medium(self.medium, {**files, **self.files})
        if self.machine.boot in machines.SERVED:
            files[self.machine.boot_file] = self.app
        elif self.inject:
            files[self.machine.boot_path] = self.inject
            files["noisefloor.efi"] = self.app
        else:
            files[self.machine.boot_path] = self.app
        return {**files, **self.files}

    def time_limit(self):
        return self.timeout or limits.whole(self.machine, self.config_file().decode("latin-1"))


@dataclasses.dataclass
class Result:
    """How it ended. `problem` is None when `code` is the probe's own."""

    code: int
    problem: str | None
    status: int | None  # QEMU's; None where it had to be killed
    out: pathlib.Path

    @functools.cached_property
    def serial(self):
        return (self.out / "serial.log").read_bytes()

    @functools.cached_property
    def records(self):
        return records.join(records.find(self.serial))

    @property
    def text(self):
        """The serial output, with Unix line ends."""
        return self.serial.decode(errors="replace").replace("\r\n", "\n")

    def of_type(self, name):
        return [record for record in self.records if record["type"] == name]

    def logs(self):
        return [record["text"] for record in self.of_type("log")]

    def config(self):
        """The configuration in force, by key."""
        return dict(word.split("=", 1) for word in self.of_type("begin")[0]["config"].split())


class EndWatch:
    """Looks for records in what comes, each byte once."""

    def __init__(self):
        self.seen = 0  # bytes looked at, whole lines
        self.any = False
        self.verdict = None

    def look(self, guest):
        data = guest.serial(self.seen)
        lines = data[: data.rfind(b"\n") + 1]
        self.seen += len(lines)
        self.any = self.any or b'{"nf":' in lines
        if b'"type":"end"' in lines:
            self.verdict = records.verdict(records.find(lines)) or self.verdict


def run(options, ticks=(), at_end=None):
    """Run to the end. Each of `ticks` is called with the guest some ten times a second;
    `at_end` once, when the end record is there and the guest may still be on."""
    if FIRMWARE[options.machine.firmware].prompt:
        ticks = [*ticks, uboot.Typist(first=options.prompt)]
    with Guest(options.machine, options.out, options.volume()) as guest:
        watch = EndWatch()
        problem = _watch(guest, options, watch, ticks, at_end)
        status = guest.status()
        if problem and status is None:
            problem += guest.where()
        guest.stop()
        watch.look(guest)
        for tick in ticks:
            tick(guest)
        code, why = judge(status, watch.verdict, options.then())
        if problem or why:
            why = problem or _explain(why, guest)
            code = BROKEN
    return Result(code, why, status, guest.out)


def _watch(guest, options, watch, ticks, at_end):
    """Until QEMU ends or has to be ended; returns what went wrong, if anything."""
    deadline = options.time_limit()
    boot_deadline = min(deadline, limits.boot(options.machine))
    leave_deadline = None
    size = 0
    while guest.status() is None:
        size = guest.wait_change(size, TICK_SECONDS)
        watch.look(guest)
        for tick in ticks:
            tick(guest)
        now = guest.seconds()
        if watch.verdict and leave_deadline is None:
            leave_deadline = min(deadline, now + options.leave_seconds)
            if at_end:
                at_end(guest)
            if options.then() in STAYS_ON:
                _settle(guest, leave_deadline)
                return None
        if leave_deadline and now > leave_deadline:
            return (
                f"the verdict in the end record is {watch.verdict}, but the machine was still on "
                f"{options.leave_seconds} s later (then={options.then()})"
            )
        if now > deadline:
            return f"time limit of {options.time_limit():.0f} s exceeded without an end record"
        if not watch.any and now > boot_deadline:
            return f"not one record within {boot_deadline:.0f} s of power on"
    return None


def _settle(guest, deadline):
    """Let the guest finish its last lines: until all its cores are halted, or it is quiet."""
    size = len(guest.serial())
    quiet = guest.seconds() + QUIET_SECONDS
    while guest.seconds() < min(deadline, quiet) and not _is_halted(guest):
        guest.rest(TICK_SECONDS)
        if size != len(guest.serial()):
            size = len(guest.serial())
            quiet = guest.seconds() + QUIET_SECONDS


def _is_halted(guest):
    try:
        cores = guest.halted()
    except qmp.QmpError:
        return guest.status() is not None
    return bool(cores) and all(cores)


def judge(status, verdict, then):
    """(exit code, what is wrong or None) of a run that ended by itself or was let go after its
    end record. The two witnesses, debug-exit value and end record, must agree."""
    if verdict is None:
        return BROKEN, "no end record on the serial line"
    if verdict not in EXIT_CODES:
        return BROKEN, f"unknown verdict {verdict!r} in the end record"
    code = EXIT_CODES[verdict]
    if status in (None, 0):
        # Killed after its end record, or left by reset or power off: no debug-exit value.
        if then == "qemu-exit":
            return BROKEN, f"verdict {verdict}, but the guest left without a debug-exit value"
        return code, None
    if status < 0:
        return BROKEN, f"QEMU died of signal {-status}"
    value = status >> 1  # isa-debug-exit: (value << 1) | 1
    if value != code:
        return BROKEN, f"the end record has {verdict} ({code}), the debug-exit value is {value}"
    return code, None


def _explain(problem, guest):
    """The sentence, with QEMU's own output."""
    output = guest.complaints()
    status = guest.status()
    ended = f"; QEMU's exit status is {status}" if status and status > 0 else ""
    return f"{problem}{ended}" + (f"; QEMU reports: {output}" if output else "")


def write_report(result, tool):
    """report.jsonl from serial.log with the host tool. What is wrong, or None."""
    report = result.out / "report.jsonl"
    if not pathlib.Path(tool).exists():
        return f"{report} not written: there is no {tool}; build it with `make`"
    command = [tool, "show", "--jsonl", result.out / "serial.log"]
    with open(report, "wb") as out:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE
        )
    if report.stat().st_size:
        return None
    errors = done.stderr.decode(errors="replace").strip()
    return f"{report} is empty: {tool} ended with {done.returncode}: {errors}"
