# SPDX-License-Identifier: BSD-2-Clause
"""One QEMU with something to boot from: start it, read its serial line, talk to it, end it.

QEMU gets a session of its own, is killed as a group, and dies with the thread that
started it (PR_SET_PDEATHSIG), so nothing that happens here leaves one behind.
"""
import contextlib
import fcntl
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

import absent
import esp
import http_boot
import machine as machines
import patience
import qmp
import tftp
import tpm

KILL_SECONDS = 600  # 255 busy threads take a while to go
POLL_SECONDS = 0.02
HALT = re.compile(r"\bHLT=(\d)")
WHERE = re.compile(r"\b(?:RIP|EIP|PC)=([0-9a-f]+)")  # x86 and AArch64
WHERE_LOOKS, WHERE_PAUSE_SECONDS, WHERE_PATIENCE = 3, 0.5, 60


class GuestError(Exception):
    """The guest did not do what was waited for; the text is what it did instead."""


class Guest:
    """A running machine. Files of the run are in `out`:

    serial.log  all the guest sent, raw      esp.img  the disk it booted from
    qemu.log    QEMU's own complaints        vars.fd  the firmware's variables

    A machine that boots over PXE has its files in tftp/ instead of the disk, one that boots by HTTP
    in http/, which `server` serves for as long as the machine runs, and one that boots by PVH in
    pvh/. `files` maps paths to bytes or host files, or is an esp.Medium. Without it the machine
    goes on with the disk and the variables that the run before left in `out`.
    """

    def __init__(self, machine, out, files):
        self.machine = machine
        self.out = pathlib.Path(out).resolve()
        self._files = files
        self.server = None
        self._process = None
        self._clock = None
        self._lock = None
        self._qmp_socket = None
        self._qmp = None
        self._tpm = machine.tpm and tpm.Tpm(
            tpm.device(machine.tpm, machine.processor), machine.tpm_state or self.out / "tpm",
            self.out / "tpm.log"
        )

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    # Starting and ending

    def start(self):
        self.out.mkdir(parents=True, exist_ok=True)
        self._take_folder()
        if self._files is not None:
            self._lay_out()
        self._qmp_socket, qmp_end = socket.socketpair()
        with qmp_end:
            self._spawn(qmp_end.fileno())
        absent.place(self.machine, self)

    def _lay_out(self):
        if self.machine.boot in machines.FOLDERS:
            tftp.create(self._source, self._files)
        elif isinstance(self._files, esp.Medium):
            self._files.copy(self._source)
        else:
            esp.create(self._source, self._files)
        if self.machine.variables:
            shutil.copyfile(self.machine.variables, self.out / "vars.fd")
        if self.machine.boot == "http":
            http_boot.add_entry(self.out / "vars.fd", self._uri())

    def _uri(self):
        """Where it boots from: a server of its own, unless another is named."""
        if self.machine.boot_uri:
            return self.machine.boot_uri
        self.server = http_boot.Server(self._source)
        return self.server.uri(self.machine.boot_file)

    @property
    def _source(self):
        return self.out / machines.FOLDERS.get(self.machine.boot, "esp.img")

    def _take_folder(self):
        """Two runs in one folder would mix their files."""
        self._lock = open(self.out / ".lock", "w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise GuestError(f"{self.out} is in use by another run") from error
        for name in ("serial.log", "report.jsonl"):
            (self.out / name).unlink(missing_ok=True)

    def _spawn(self, qmp_fd):
        """The serial line goes to a file, which takes every byte at once. A socket holds some
        280 single bytes; on a busy host its reader is late, and the guest's UART stalls.
        """
        argv = ["setpriv", "--pdeathsig", "KILL", "--"]
        argv += self.machine.argv(self.out / "vars.fd", self._source)
        argv += absent.argv(self.machine, self.out)
        argv += self.machine.serial_argv("stdio,signal=off")
        argv += ["-chardev", f"socket,id=qmp,fd={qmp_fd}", "-mon", "chardev=qmp,mode=control"]
        fds = [qmp_fd]
        if self._tpm:
            self._tpm.start()
            argv += self._tpm.argv()
            fds.append(self._tpm.fd)
        with open(self._serial_log, "wb") as serial, open(self.out / "qemu.log", "wb") as log:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=serial,
                stderr=log,
                pass_fds=fds,
                start_new_session=True,
            )
        if self._tpm:
            self._tpm.release()
        self._clock = patience.Clock(self._process.pid)

    def stop(self):
        """End QEMU, whatever it is doing. Safe to call again."""
        if self._process and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(KILL_SECONDS)
        if self._tpm:
            self._tpm.stop()
        if self.server:
            self.server.stop()
            self.server = None
        keys = self._process and self._process.stdin
        for thing in (keys, self._qmp_socket, self._lock):
            if thing:
                thing.close()

    # The serial line

    @property
    def _serial_log(self):
        return self.out / "serial.log"

    def serial(self, start=0):
        """Bytes that the guest has sent, from byte `start` on."""
        with open(self._serial_log, "rb") as log:
            log.seek(start)
            return log.read()

    def wait_change(self, start, timeout):
        """Wait until more than `start` bytes came, or QEMU ended, or `timeout` s went by.
        Returns how many came."""
        deadline = time.monotonic() + timeout
        while True:
            ended = self.status() is not None
            size = self._serial_log.stat().st_size
            if size > start or ended or time.monotonic() >= deadline:
                return size
            time.sleep(POLL_SECONDS)

    def wait_for(self, pattern, timeout, start=0):
        """The first match of the regular expression in what the guest sends. The seconds are the
        guest's own."""
        expression = re.compile(pattern.encode() if isinstance(pattern, str) else pattern)
        deadline = self.seconds() + timeout
        while True:
            ended = self.status() is not None
            data = self.serial(start)
            match = expression.search(data)
            if match:
                return match
            left = deadline - self.seconds()
            if left <= 0:
                raise GuestError(f"no {pattern!r} within {timeout} s; the last was {data[-300:]!r}")
            if ended:
                raise GuestError(f"QEMU ended without {pattern!r}; the last was {data[-300:]!r}")
            self.wait_change(start + len(data), left)

    def send(self, data):
        """Type on the serial line."""
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise GuestError(f"the serial line is closed: {error}") from error

    # QEMU itself

    @property
    def pid(self):
        return self._process.pid

    def status(self):
        """QEMU's exit status (negative: a signal), or None while it runs."""
        return self._process.poll()

    def seconds(self):
        """Since it was started, without those in which it waited for a processor."""
        return self._clock.seconds()

    def halted(self):
        """True for each core that is halted; QEMU shows it only on x86."""
        return [halt == "1" for halt in HALT.findall(self.qmp.hmp("info registers -a"))]

    def where(self):
        """For the report of a hang: where each core is, several times, or that QEMU's own loop
        does not answer either."""
        looks = []
        try:
            self.qmp.timeout = WHERE_PATIENCE
            for _ in range(WHERE_LOOKS):
                looks.append("/".join(WHERE.findall(self.qmp.hmp("info registers -a"))))
                time.sleep(WHERE_PAUSE_SECONDS)
        except qmp.QmpError as error:
            looks.append(str(error))
        return f"; the cores' program counters: {', '.join(looks)}"

    def rest(self, seconds):
        """Let it run for so many seconds of its own, or to its end."""
        deadline = self.seconds() + seconds
        while self.seconds() < deadline and self.status() is None:
            time.sleep(POLL_SECONDS)

    def wait_exit(self, timeout):
        """Its exit status, within so many seconds of its own."""
        self.rest(timeout)
        if self.status() is None:
            raise GuestError(f"QEMU still runs after {timeout} s")
        return self.status()

    @property
    def qmp(self):
        """The QMP client, connected on first use."""
        if not self._qmp:
            self._qmp = qmp.Qmp(self._qmp_socket)
        return self._qmp

    def complaints(self):
        """QEMU's own stderr."""
        return (self.out / "qemu.log").read_text(errors="replace").strip()

    def pmemsave(self, address, size):
        """Physical memory, as bytes."""
        path = self.out / "pmem.bin"
        self.qmp.execute("pmemsave", val=address, size=size, filename=str(path))
        data = path.read_bytes()
        path.unlink()
        return data
