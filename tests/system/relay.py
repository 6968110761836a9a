# SPDX-License-Identifier: BSD-2-Clause
"""A bad network between a node and whoever listens: loses, doubles and delays datagrams.

    with Relay(collector.port, loss=0.3, duplicate=0.1, reorder=0.1, seed=1) as relay:
        ... a node sends to relay.address ...
    assert relay.to_port.lost and relay.to_node.lost

Both directions are as bad as each other. What happens to a datagram follows from the seed, the
direction, and how many came before it in that direction from or to the same node.
"""
import heapq
import itertools
import random
import select
import socket
import threading
import time

BYTES_MAX = 65536
NODES_MAX = 1024  # sockets towards the listener; of nodes beyond, nothing gets through
LATE_SECONDS = (0.005, 0.05)  # delay of datagrams that others overtake


class Counts:
    def __init__(self):
        self.came = self.lost = self.doubled = self.late = self.passed = 0

    def __repr__(self):
        return f"{self.came} came, {self.lost} lost, {self.doubled} doubled, {self.late} late"


class Way:
    """One direction of one node's traffic."""

    def __init__(self, relay, seed, counts, send):
        self.relay, self.counts, self.send = relay, counts, send
        self.random = random.Random(seed)

    def take(self, data):
        dice = self.random
        self.counts.came += 1
        if dice.random() < self.relay.loss:
            self.counts.lost += 1
            return
        copies = 1
        if dice.random() < self.relay.duplicate:
            self.counts.doubled += 1
            copies = 2
        for _ in range(copies):
            wait = 0
            if dice.random() < self.relay.reorder:
                self.counts.late += 1
                wait = dice.uniform(*LATE_SECONDS)
            self.relay.send_in(wait, self, data)


class Relay:
    """`port_to` listens on `host`; nodes send to `self.address`, on the same address."""

    def __init__(self, port_to, loss=0.0, duplicate=0.0, reorder=0.0, seed=0, host="127.0.0.1"):
        self.loss, self.duplicate, self.reorder = loss, duplicate, reorder
        self.seed, self.to = seed, (host, port_to)
        self.to_port, self.to_node = Counts(), Counts()
        self._family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._front = socket.socket(self._family, socket.SOCK_DGRAM)
        self._front.bind((host, 0))
        self._front.setblocking(False)
        self.address = (host, self._front.getsockname()[1])
        self._ways = {}  # node's address: (socket towards the listener, way to it)
        self._backs = {}  # socket towards the listener: way to the node
        self._late, self._order = [], itertools.count()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def close(self):
        self._stop.set()
        self._thread.join()
        for sock in (self._front, *self._backs):
            sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send_in(self, seconds, way, data):
        heapq.heappush(self._late, (time.monotonic() + seconds, next(self._order), way, data))

    def _way_of(self, node):
        if node not in self._ways:
            if len(self._ways) == NODES_MAX:
                return None
            back = socket.socket(self._family, socket.SOCK_DGRAM)
            back.connect(self.to)
            back.setblocking(False)
            number = 2 * len(self._ways)
            self._ways[node] = Way(self, self.seed * 4096 + number, self.to_port, back.send)
            self._backs[back] = Way(self, self.seed * 4096 + number + 1, self.to_node,
                                    lambda data: self._front.sendto(data, node))
        return self._ways[node]

    def _send_due(self):
        """Send what is due; the seconds until more is."""
        while self._late:
            due, _, way, data = self._late[0]
            wait = due - time.monotonic()
            if wait > 0:
                return min(wait, 0.1)
            heapq.heappop(self._late)
            try:
                way.send(data)
                way.counts.passed += 1
            except OSError:
                pass  # nobody listens at the moment, or there is no room: lost
        return 0.1

    def _take(self, sock):
        while True:
            try:
                data, node = sock.recvfrom(BYTES_MAX)
            except ConnectionRefusedError:
                continue  # an error of a datagram sent before
            except OSError:
                return
            way = self._way_of(node) if sock is self._front else self._backs[sock]
            if way:
                way.take(data)

    def _work(self):
        while not self._stop.is_set():
            wait = self._send_due()
            for sock in select.select([self._front, *self._backs], [], [], wait)[0]:
                self._take(sock)
