# SPDX-License-Identifier: BSD-2-Clause
"""A node as a stranger would write it, from the comment in core/wire/datagram.h alone.

It shares no code with the collector, so that the comment and what the collector
does are compared.
"""
import contextlib
import socket
import struct
import time
import uuid as uuids

from records import crc32c

MASK = (1 << 64) - 1
HEADER = struct.Struct("<4sBBHQQQQI16s")
ACK = struct.Struct("<4sBBHQQQQQ")
LINES_MAX = 1136
WINDOW = 64
TAKEN, CHALLENGE, NO_SPACE, NO_RUNS, WANTS_KEY, WITHOUT_KEY, WRONG_KEY = range(7)


def siphash128(key, data):
    """SipHash-2-4 with 128 bits of tag."""
    k0, k1 = struct.unpack("<QQ", key)
    v = [
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D ^ 0xEE,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    ]

    def rotate(x, bits):
        return (x << bits | x >> 64 - bits) & MASK

    def rounds(count):
        a, b, c, d = v
        for _ in range(count):
            a = a + b & MASK
            b = rotate(b, 13) ^ a
            a = rotate(a, 32)
            c = c + d & MASK
            d = rotate(d, 16) ^ c
            a = a + d & MASK
            d = rotate(d, 21) ^ a
            c = c + b & MASK
            b = rotate(b, 17) ^ c
            c = rotate(c, 32)
        v[:] = a, b, c, d

    padded = data + bytes(-(len(data) + 1) % 8) + bytes([len(data) & 0xFF])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xEE
    rounds(4)
    low = v[0] ^ v[1] ^ v[2] ^ v[3]
    v[1] ^= 0xDD
    rounds(4)
    return struct.pack("<QQ", low, v[0] ^ v[1] ^ v[2] ^ v[3])


def record(sid, seq, kind, rest=""):
    """A record's line, with its newline."""
    line = f'{{"nf":1,"sid":"{sid:016x}","seq":{seq},"type":"{kind}"{rest}'.encode()
    return line + b',"crc":"%08x"}\n' % crc32c(line)


# Members of every `begin`, besides the machine.
BEGIN = (
    ',"cpu":{"family":6,"model":1,"stepping":1}'
    ',"cpus":{"found":1,"started":1,"measured":1}'
    ',"clock":{"hz":1000000000,"invariant":true,"quantum":1},"evidence":[],"begin_tsc":0'
)


def machine(uuid):
    return f',"machine":{{"uuid":"{uuid}","product":"Box","bios_version":"1.2"}}'


def run_lines(sid, uuid, gaps, verdict="pass", config=None, remark=None):
    """A short run: begin, gaps, end."""
    rest = machine(uuid) + BEGIN + (f',"config":"{config}"' if config else "")
    lines = [record(sid, 0, "begin", rest)]
    for seq in range(1, gaps + 1):
        pad = "x" * (seq * 37 % 300)
        lines.append(record(sid, seq, "gap", f',"stage":"bare","cpu":0,"why":"{pad}"'))
    why = f'[],"remark":"{remark}"' if remark else '["because"]'
    lines.append(record(sid, gaps + 1, "end", f',"verdict":"{verdict}","reasons":{why}'))
    return lines


def own_key(fleet, uuid):
    """The own key of the node with this UUID."""
    return siphash128(fleet, b"noisefloor node key " + uuid.lower().encode())


def datagram(sid, seq, number, lines, key=None, token=0, lost=0, uuid=None):
    """`uuid` is the node's, as text."""
    machine = uuids.UUID(uuid).bytes if uuid else bytes(16)
    body = HEADER.pack(b"nfd2", bool(key), 0, len(lines), sid, token, seq, number, lost, machine)
    body += b"".join(lines)
    if key:
        body += siphash128(key, body)
    return body + struct.pack("<I", crc32c(body))


def read_ack(data, key=None):
    """(state, sid, token, next, base, held), or None for what is to be ignored."""
    if len(data) not in (52, 68) or struct.unpack("<I", data[-4:])[0] != crc32c(data[:-4]):
        return None
    magic, flags, state, zero, *rest = ACK.unpack_from(data)
    if magic != b"nfa1" or zero or (flags == 1) != (len(data) == 68):
        return None
    if key and flags and siphash128(key, data[:48]) != data[48:64]:
        return None
    if bool(key) != bool(flags) and state < NO_SPACE:
        return None
    return (state, *rest)


def pack(lines):
    """[(seq of the first, lines)], as many lines in each as fit."""
    packed = []
    for number, line in enumerate(lines):
        if not packed or sum(map(len, packed[-1][1])) + len(line) > LINES_MAX:
            packed.append((number, []))
        packed[-1][1].append(line)
    return packed


class Node:
    def __init__(self, address, sid, lines, key=None, host=None, uuid=None, overtaken=False):
        """`host` is an address of its own, `uuid` what its datagrams have; `overtaken`: what it is
        sent comes in any order."""
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        if host:
            self.socket.bind((host, 0))
        self.socket.connect(address)
        self.socket.setblocking(False)
        self.sid, self.key, self.token, self.uuid = sid, key, 0, uuid
        self.datagrams = pack(lines)
        self.lines = len(lines)
        self.next = 0  # all lines below are kept
        self.state = None  # the state that the collector sent last
        self.due = [0.0] * len(self.datagrams)
        self.wait = [0.2] * len(self.datagrams)
        self.overtaken = overtaken
        self.sent = []  # everything, for whoever listens

    def close(self):
        self.socket.close()

    def send(self, data):
        self.sent.append(data)
        with contextlib.suppress(OSError):  # nobody listens at the moment
            self.socket.send(data)

    def _take(self, data):
        ack = read_ack(data, self.key)
        if not ack or ack[1] != self.sid:
            return
        self.state, _, token, passed, base, held = ack
        if self.key and token and token != self.token:
            self.token = token
            self.due = [0.0] * len(self.due)
        if self.state in (TAKEN, NO_SPACE):
            kept = passed >= self.next or not passed
            assert kept or self.overtaken, "what was acknowledged is taken back"
            self.next = max(self.next, passed)
            for number in range(base, min(base + WINDOW, len(self.due))):
                if held >> number - base & 1:
                    self.due[number] = time.monotonic() + 5

    def step(self):
        """Send what is due, take what has come."""
        now = time.monotonic()
        first = next(
            (n for n, (seq, lines) in enumerate(self.datagrams) if seq + len(lines) > self.next),
            None,
        )
        if first is not None:
            for number in range(first, min(first + WINDOW, len(self.datagrams))):
                if self.due[number] <= now:
                    seq, lines = self.datagrams[number]
                    self.send(datagram(self.sid, seq, number, lines, self.key, self.token,
                                       uuid=self.uuid))
                    self.due[number] = now + self.wait[number]
                    self.wait[number] = min(2 * self.wait[number], 1.0)
        while True:
            try:
                data = self.socket.recv(2048)
            except OSError:
                return
            self._take(data)

    def delivered(self):
        return self.next == self.lines

    def run(self, seconds, until=None):
        """Until all is delivered, or until() is true. False: the time is over."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.step()
            if until() if until else self.delivered():
                return True
            time.sleep(0.002)
        return False
