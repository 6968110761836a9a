# SPDX-License-Identifier: BSD-2-Clause
"""A client of QEMU's GDB stub: step, read and write registers, read memory.

The protocol is in the GDB manual, appendix E ("GDB Remote Serial Protocol"). Connecting
stops the machine; single steps take no interrupt and, under icount, no time passes but
the instruction's own.
"""
import contextlib
import socket
import struct
import time

CONNECT_SECONDS = 600
REPLY_SECONDS = 600
# In the order of QEMU's descriptions: the general ones, then the program counter.
REGISTERS = {
    "x86_64": "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split(),
    "aarch64": [f"x{n}" for n in range(31)] + ["sp", "pc"],
}
WORD = struct.Struct("<Q")
MEMORY_MAX = 1024  # bytes per request


class GdbError(Exception):
    """The stub refused, or is not there to answer."""


class Gdb:
    """A stopped machine, from the connection until close(). Registers are those of the CPU that
    stopped it."""

    def __init__(self, path, processor="x86_64"):
        self._registers = REGISTERS[processor]
        self.counter = self._registers[-1]  # its name
        self._pending = b""
        self._sock = self._connect(str(path))
        # Single registers are served only after the description of them was asked for.
        self.ask("qXfer:features:read:target.xml:0,1000")
        self._expect("?", "T05", "S05")

    @staticmethod
    def _connect(path):
        deadline = time.monotonic() + CONNECT_SECONDS
        while True:
            sock = socket.socket(socket.AF_UNIX)
            sock.settimeout(REPLY_SECONDS)
            try:
                sock.connect(path)
                return sock
            except OSError as error:
                sock.close()
                if time.monotonic() > deadline:
                    raise GdbError(f"no GDB stub at {path}: {error}") from error
            time.sleep(0.05)

    def close(self):
        with contextlib.suppress(OSError):
            self._sock.close()

    # Requests to the machine

    def step(self):
        """Execute one instruction."""
        self._expect("s", "T05", "S05")

    def run(self, seconds):
        """Let the machine go, for some time of the wall clock."""
        self._send("c")
        time.sleep(seconds)
        self._sock.sendall(b"\x03")
        reply = self._receive()
        if not reply.startswith(("T02", "S02")):
            raise GdbError(f"the machine stopped by itself: {reply}")

    def read(self, name):
        return self._word(self.ask(f"p{self._registers.index(name):x}"))

    def write(self, name, value):
        packed = WORD.pack(value & (1 << 64) - 1).hex()
        self._expect(f"P{self._registers.index(name):x}={packed}", "OK")

    def memory(self, address, size):
        data = b""
        while len(data) < size:
            part = min(MEMORY_MAX, size - len(data))
            data += self._bytes(self.ask(f"m{address + len(data):x},{part:x}"), part)
        return data

    # Packets

    def ask(self, request):
        self._send(request)
        return self._receive()

    def _expect(self, request, *starts):
        reply = self.ask(request)
        if not reply.startswith(starts):
            raise GdbError(f"{request}: {reply or 'not supported'}")

    def _send(self, text):
        body = text.encode()
        try:
            self._sock.sendall(b"$%s#%02x" % (body, sum(body) & 0xFF))
            acknowledged = self._take(1)
        except OSError as error:
            raise GdbError(f"{text}: the stub is gone: {error}") from error
        if acknowledged != b"+":
            raise GdbError(f"{text}: not acknowledged but {acknowledged!r}")

    def _receive(self):
        try:
            packet = self._take_packet()
            self._sock.sendall(b"+")
        except OSError as error:
            raise GdbError(f"no answer: {error}") from error
        return packet

    def _take_packet(self):
        while (start := self._take(1)) != b"$":
            if start != b"+":
                raise GdbError(f"not a packet: {start!r}")
        body = b""
        while (byte := self._take(1)) != b"#":
            body += byte
        if int(self._take(2), 16) != sum(body) & 0xFF:
            raise GdbError(f"wrong checksum of {body!r}")
        return body.decode("latin-1")

    def _take(self, count):
        while len(self._pending) < count:
            data = self._sock.recv(4096)
            if not data:
                raise OSError("connection closed")
            self._pending += data
        taken, self._pending = self._pending[:count], self._pending[count:]
        return taken

    @staticmethod
    def _bytes(reply, size):
        try:
            data = bytes.fromhex(reply)
        except ValueError as error:
            raise GdbError(f"not hexadecimal: {reply!r}") from error
        if len(data) != size:
            raise GdbError(f"{size} bytes wanted, answer {reply!r}")
        return data

    @classmethod
    def _word(cls, reply):
        return WORD.unpack(cls._bytes(reply, WORD.size))[0]
