# SPDX-License-Identifier: BSD-2-Clause
"""The wire between nodes and a collector, with an attacker on it.

Whatever passes, either way, is altered, cut, sent again and held back until others have passed; of
some datagrams only an altered one arrives. What a node has sent is replayed as if from another one,
too. A change is made with or without a CRC that is right again. Copies of all that nodes send go to
`taps`, whose owners do with them what they like.
"""
import collections
import random
import selectors
import socket
import struct

import hosts
import node

BYTES_MAX = 65536
SEEN = 32  # datagrams that are remembered of a node, and of those to it
LATE = 8  # at most so many others pass one that is held back
IDLE_SECONDS = 0.005
LOST = 0.02  # largest share of lost datagrams: only altered ones do not arrive
HELD = 0.3
CRC = struct.Struct("<I")
ROOM_BYTES = 16 << 20  # receive buffer, as a collector's: a fleet begins all at once
SO_RCVBUFFORCE = 33  # socket(7)
COUNTS = ("passed", "altered", "replayed", "late")


def alter(dice, data):
    """A bit changed, or cut; half of them with a CRC that fits."""
    data = bytearray(data)
    if dice.random() < 0.3:
        del data[dice.randrange(len(data)):]
    else:
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    if len(data) > CRC.size and dice.random() < 0.5:
        data[-CRC.size:] = CRC.pack(node.crc32c(data[:-CRC.size]))
    return bytes(data)


def make_room(sock):
    try:
        sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM_BYTES)
    except OSError:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM_BYTES)


def send(sock, data, to=None):
    """Send a datagram. Without room or a listener it is lost, as on a network."""
    try:
        sock.sendto(data, to) if to else sock.send(data)
    except OSError:
        pass


class Way:
    """One direction of one node's traffic."""

    def __init__(self, wire, pass_on):
        self.wire, self.pass_on = wire, pass_on
        self.seen = collections.deque(maxlen=SEEN)

    def replay(self, through):
        self.wire.count("replayed")
        through.pass_on(self.wire.dice.choice(self.seen))

    def take(self, data, other):
        """`other` is the same direction of some node."""
        dice, wire = self.wire.dice, self.wire
        self.seen.append(data)
        wire.count("altered")
        self.pass_on(alter(dice, data))
        self.replay(self)
        self.replay(other)
        if dice.random() < LOST:
            return
        if dice.random() < HELD:
            wire.count("late")
            wire.held.append([dice.randrange(1, LATE), self, data])
        else:
            wire.count("passed")
            self.pass_on(data)


class Node:
    def __init__(self, wire, address):
        self.sock = hosts.connected(len(wire.all), wire.port)
        self.sock.setblocking(False)
        self.to_port = Way(wire, lambda data: send(self.sock, data))
        self.to_node = Way(wire, lambda data: send(wire.sock, data, address))


class Wire:
    def __init__(self, sock, port, seed, taps, counts):
        self.sock, self.port, self.counts = sock, port, counts
        self.taps = [("127.0.0.1", tap) for tap in taps]
        self.dice = random.Random(seed)
        self.held = []
        self.nodes, self.all = {}, []
        self.selector = selectors.DefaultSelector()
        self.sock.setblocking(False)
        make_room(self.sock)
        self.selector.register(self.sock, selectors.EVENT_READ)

    def count(self, what):
        self.counts[COUNTS.index(what)] += 1

    def from_nodes(self):
        data, address = self.sock.recvfrom(BYTES_MAX)
        if address not in self.nodes:
            one = self.nodes[address] = Node(self, address)
            self.all.append(one)
            self.selector.register(one.sock, selectors.EVENT_READ, one)
        for tap in self.taps:
            send(self.sock, data, tap)
        self.nodes[address].to_port.take(data, self.dice.choice(self.all).to_port)

    def let_go(self, all_of_them):
        for one in self.held:
            one[0] -= 1
        due = [one for one in self.held if all_of_them or one[0] <= 0]
        self.held = [one for one in self.held if not all_of_them and one[0] > 0]
        self.dice.shuffle(due)
        for _, way, data in due:
            way.pass_on(data)

    def work(self):
        events = self.selector.select(IDLE_SECONDS)
        for key, _ in events:
            try:
                if key.data:
                    answer = key.data.sock.recv(BYTES_MAX)
                    key.data.to_node.take(answer, self.dice.choice(self.all).to_node)
                else:
                    self.from_nodes()
            except OSError:
                continue
            self.let_go(False)
        if not events:
            self.let_go(True)


def run(sock, port, seed, taps, counts, stop):
    """Until `stop` is set; counts is an array of as many as COUNTS."""
    wire = Wire(sock, port, seed, taps, counts)
    while not stop.is_set():
        wire.work()
