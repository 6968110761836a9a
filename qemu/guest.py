# SPDX-License-Identifier: BSD-2-Clause
"""One QEMU with a disk to boot from: start it, read its serial line, talk to it, end it.

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
import threading
import time

import esp
import qmp

KILL_SECONDS = 10


class GuestError(Exception):
    """The guest did not do what was waited for; the text says what it did."""


class Guest:
    """A running machine. Files of the run are in `out`:

    serial.log  all the guest sent, raw      esp.img  the disk it booted from
    qemu.log    QEMU's own complaints        vars.fd  the firmware's variables
    """

    def __init__(self, machine, out, files):
        self.machine = machine
        self.out = pathlib.Path(out).resolve()
        self._files = files
        self._process = None
        self._lock = None
        self._serial_socket = None
        self._qmp_socket = None
        self._qmp = None
        self._reader = None
        self._received = bytearray()
        self._changed = threading.Condition()
        self._line_closed = False

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
        esp.create(self.out / "esp.img", self._files)
        shutil.copyfile(self.machine.variables, self.out / "vars.fd")
        self._serial_socket, serial_end = socket.socketpair()
        self._qmp_socket, qmp_end = socket.socketpair()
        with serial_end, qmp_end:
            self._spawn(serial_end.fileno(), qmp_end.fileno())
        self._reader = threading.Thread(target=self._read_serial, daemon=True)
        self._reader.start()

    def _take_folder(self):
        """Two runs in one folder would mix their files."""
        self._lock = open(self.out / ".lock", "w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise GuestError(f"{self.out} is in use by another run") from error
        for name in ("serial.log", "report.jsonl"):
            (self.out / name).unlink(missing_ok=True)

    def _spawn(self, serial_fd, qmp_fd):
        argv = ["setpriv", "--pdeathsig", "KILL", "--"]
        argv += self.machine.argv(self.out / "vars.fd", self.out / "esp.img")
        argv += ["-chardev", f"socket,id=serial,fd={serial_fd}", "-serial", "chardev:serial"]
        argv += ["-chardev", f"socket,id=qmp,fd={qmp_fd}", "-mon", "chardev=qmp,mode=control"]
        with open(self.out / "qemu.log", "wb") as log:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(serial_fd, qmp_fd),
                start_new_session=True,
            )

    def stop(self):
        """End QEMU, whatever it is doing. Safe to call again."""
        if self._process and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(KILL_SECONDS)
        self._join_reader()
        for thing in (self._qmp_socket, self._serial_socket, self._lock):
            if thing:
                thing.close()

    # The serial line

    def _read_serial(self):
        with open(self.out / "serial.log", "wb", buffering=0) as log:
            while True:
                try:
                    data = self._serial_socket.recv(65536)
                except OSError:
                    data = b""
                if data:
                    log.write(data)
                with self._changed:
                    self._received += data
                    self._line_closed = not data
                    self._changed.notify_all()
                if not data:
                    return

    def _join_reader(self):
        if self._reader:
            self._reader.join(KILL_SECONDS)

    def serial(self, start=0):
        """What the guest has sent, from byte `start` on."""
        with self._changed:
            return bytes(self._received[start:])

    def wait_change(self, start, timeout):
        """Wait until more than `start` bytes came, or the line closed, or `timeout` s went by."""
        with self._changed:
            self._changed.wait_for(
                lambda: len(self._received) > start or self._line_closed, timeout
            )
            return len(self._received)

    def wait_for(self, pattern, timeout, start=0):
        """The first match of the regular expression in what the guest sends."""
        expression = re.compile(pattern.encode() if isinstance(pattern, str) else pattern)
        deadline = time.monotonic() + timeout
        while True:
            data = self.serial(start)
            match = expression.search(data)
            if match:
                return match
            left = deadline - time.monotonic()
            if left <= 0:
                raise GuestError(f"no {pattern!r} within {timeout} s; the last was {data[-300:]!r}")
            if self._line_closed:
                raise GuestError(f"QEMU ended without {pattern!r}; the last was {data[-300:]!r}")
            self.wait_change(start + len(data), left)

    def send(self, data):
        """Type on the serial line."""
        try:
            self._serial_socket.sendall(data)
        except OSError as error:
            raise GuestError(f"the serial line is closed: {error}") from error

    # QEMU itself

    @property
    def pid(self):
        return self._process.pid

    def status(self):
        """QEMU's exit status (negative: a signal), or None while it runs."""
        status = self._process.poll()
        if status is not None:
            self._join_reader()
        return status

    def wait_exit(self, timeout):
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise GuestError(f"QEMU still runs after {timeout} s") from error
        return self.status()

    @property
    def qmp(self):
        """The QMP client, connected on first use."""
        if not self._qmp:
            self._qmp = qmp.Qmp(self._qmp_socket)
        return self._qmp

    def complaints(self):
        """What QEMU wrote to its own stderr."""
        return (self.out / "qemu.log").read_text(errors="replace").strip()

    def pmemsave(self, address, size):
        """Physical memory, as bytes."""
        path = self.out / "pmem.bin"
        self.qmp.execute("pmemsave", timeout=60, val=address, size=size, filename=str(path))
        data = path.read_bytes()
        path.unlink()
        return data
