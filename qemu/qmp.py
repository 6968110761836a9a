# SPDX-License-Identifier: BSD-2-Clause
"""A client of QEMU's machine protocol. Every call has a time limit, which no busy host reaches."""
import collections
import json
import socket
import time

LINE_MAX = 16 << 20


class QmpError(Exception):
    """QEMU refused a command, or is not there to answer."""


class Qmp:
    def __init__(self, sock, timeout=600):
        self._sock = sock
        self._pending = b""
        self.timeout = timeout
        self.events = collections.deque(maxlen=1000)
        greeting = self._receive(time.monotonic() + timeout)
        if "QMP" not in greeting:
            raise QmpError(f"no QMP greeting but {greeting}")
        self.execute("qmp_capabilities")

    def execute(self, command, timeout=None, **arguments):
        """Run a command and return what it returns. Underscores in names become dashes."""
        message = {"execute": command}
        if arguments:
            message["arguments"] = {k.replace("_", "-"): v for k, v in arguments.items()}
        deadline = time.monotonic() + (timeout or self.timeout)
        self._send(message)
        while True:
            reply = self._receive(deadline)
            if "event" in reply:
                self.events.append(reply)
            elif "error" in reply:
                raise QmpError(f"{command}: {reply['error'].get('desc', reply['error'])}")
            elif "return" in reply:
                return reply["return"]

    def hmp(self, line):
        """A command of the human monitor; its answer as text."""
        return self.execute("human-monitor-command", command_line=line)

    def wait_event(self, name, timeout):
        """The next event of this name, those that came earlier included."""
        deadline = time.monotonic() + timeout
        while True:
            for event in list(self.events):
                if event["event"] == name:
                    self.events.remove(event)
                    return event
            reply = self._receive(deadline)
            if "event" in reply:
                self.events.append(reply)

    def close(self):
        self._sock.close()

    def _send(self, message):
        try:
            self._sock.settimeout(self.timeout)
            self._sock.sendall(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise QmpError(f"{message['execute']}: QEMU is gone: {error}") from error

    def _receive(self, deadline):
        while b"\n" not in self._pending:
            left = deadline - time.monotonic()
            if left <= 0:
                raise QmpError("QEMU did not answer in time")
            try:
                self._sock.settimeout(left)
                data = self._sock.recv(65536)
            except socket.timeout as error:
                raise QmpError("QEMU did not answer in time") from error
            except OSError as error:
                raise QmpError(f"QEMU is gone: {error}") from error
            if not data:
                raise QmpError("QEMU closed its QMP socket")
            self._pending += data
            if len(self._pending) > LINE_MAX:
                raise QmpError(f"a QMP line of more than {LINE_MAX} bytes")
        line, self._pending = self._pending.split(b"\n", 1)
        try:
            return json.loads(line)
        except ValueError as error:
            raise QmpError(f"not JSON from QEMU: {line[:200]!r}") from error
