#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A collector that wants keys, among a fleet, a flood of hostile datagrams, and an attacker
between it and the fleet.

The flood comes from as many senders as there are processors, each with many hosts' addresses, as
the fleet has (hosts.py): rubbish, datagrams of true runs with a
bit changed, cut, without a key, signed with another one, signed with a node's own key for another
node's run, and sent again; and what the fleet has just sent, as it was and altered. On the wire
(wire.py) what the fleet sends and what it is answered is altered, cut, sent again, and overtaken by
others. The fleet sends meanwhile, and what the flood crowds out it sends again. Afterwards every
file is compared with what its node sent, and no other may be there. Exit status: 0, 1 if a line was
lost or taken, 2 where there is nothing to judge.
"""
import argparse
import collections
import contextlib
import multiprocessing
import os
import pathlib
import random
import resource
import socket
import subprocess
import sys
import time

import fleet
import hosts
import node
import wire

KINDS = 400  # datagrams per kind, signed beforehand: SipHash in Python is slow
TAKEN = 4000  # datagrams of the fleet that a sender of the flood remembers
HOSTS = 131068  # hosts of hosts.py
SOCKETS = 200  # sockets per sender of the flood
STRANGER = bytes(16)
FLEET = bytes.fromhex(fleet.KEY)


def uuid_of(n):
    return f"{n:08x}-6666-7777-8888-999999999999"


def hostile(seed):
    """Datagrams to begin with. None is of a node that the fleet has."""
    dice = random.Random(seed)
    made = []
    for n in range(KINDS):
        sid, uuid, other = dice.getrandbits(64), uuid_of(n), uuid_of(n + 1)
        lines = node.run_lines(sid, uuid, 1)
        own = node.own_key(FLEET, uuid)
        made += [
            dice.randbytes(dice.randrange(1400)),
            b"nfd2" + dice.randbytes(dice.randrange(1400)),
            node.datagram(sid, 0, 0, lines, uuid=uuid),
            node.datagram(sid, 0, 0, lines, key=STRANGER, uuid=uuid),
            node.datagram(sid, 0, 0, node.run_lines(sid, other, 1), key=own, uuid=other),
            node.datagram(sid, 0, 0, lines, key=node.own_key(STRANGER, uuid), uuid=uuid),
        ]
    return made


class Tap:
    """Datagrams that the fleet has sent, the latest ones."""

    def __init__(self, sock):
        self.sock, self.taken = sock, collections.deque(maxlen=TAKEN)
        sock.setblocking(False)

    def any(self, dice):
        try:
            self.taken.append(self.sock.recv(wire.BYTES_MAX))
        except OSError:
            pass
        return dice.choice(self.taken) if self.taken else None


def of_others(dice, made, n):
    data = made[n % len(made)]
    if n % 3 and data:
        data = bytearray(data)
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        data = data[: dice.randrange(len(data))] if n % 7 == 0 else data
    return data


def of_fleet(dice, tap, n):
    data = tap.any(dice)
    return wire.alter(dice, data) if data and n % 4 else data


def flood(port, count, seed, tap, stolen, ended):
    """Every second one is of the fleet, once it sends: how many is added up in `stolen`."""
    dice, tap = random.Random(seed), Tap(tap)
    made = hostile(seed)
    with contextlib.ExitStack() as stack:
        socks = [stack.enter_context(hosts.connected(dice.randrange(HOSTS), port))
                 for _ in range(SOCKETS)]
        for n in range(count):
            data = of_fleet(dice, tap, n // 2) if n % 2 else None
            if data is not None:
                with stolen:
                    stolen.value += 1
            try:
                dice.choice(socks).send(of_others(dice, made, n) if data is None else data)
            except OSError:
                time.sleep(0.001)
    ended.value = time.monotonic()


def datagram_socket():
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("127.0.0.1", 0))
    return sock


class Attack:
    """The flood and the wire, as processes of their own, from start() to end()."""

    def __init__(self, port, each, seed):
        many = os.cpu_count()
        self.wire_socket, taps = datagram_socket(), [datagram_socket() for _ in range(many)]
        self.port = self.wire_socket.getsockname()[1]
        self.counts = multiprocessing.Array("Q", len(wire.COUNTS))
        self.stolen, self.ended = multiprocessing.Value("Q"), multiprocessing.Value("d")
        self.stop = multiprocessing.Event()
        self.floods = [
            multiprocessing.Process(target=flood, args=(port, each, seed + n, tap, self.stolen,
                                                        self.ended))
            for n, tap in enumerate(taps)]
        self.wire = multiprocessing.Process(target=wire.run, args=(
            self.wire_socket, port, seed + many, [tap.getsockname()[1] for tap in taps],
            self.counts, self.stop))

    def start(self):
        for one in (self.wire, *self.floods):
            one.start()

    def end(self):
        """Are all of them well?"""
        for one in self.floods:
            one.join()
        self.stop.set()
        self.wire.join()
        return all(one.exitcode == 0 for one in (self.wire, *self.floods))


def bench(args):
    folder = fleet.empty(args.out)
    (folder / "key").touch(0o600)
    (folder / "key").write_text(fleet.KEY)
    size = ["--nodes", args.nodes, "--gaps", args.gaps]
    collector = fleet.Collector(args.collector, folder / "runs", "--quiet", "--key",
                                folder / "key", listen=":0")
    each = args.datagrams // os.cpu_count()
    attack = Attack(collector.port, each, args.seed)
    started = time.monotonic()
    attack.start()
    sent, code = fleet.answer_of([args.nodes_program, "send", "--port", attack.port, *size, "--key",
                                  fleet.KEY, "--own-keys"])
    delivered = time.monotonic() - started
    well = attack.end()
    memory, ended = collector.resident(), collector.end()
    kept, wrong, files = fleet.checked(args, folder / "runs", folder / "exported", size)
    lost = sent["acknowledged_lines"] - kept["lines"]
    on_wire = ", ".join(f"{n} {what}" for what, n in zip(wire.COUNTS, attack.counts))
    print(f"{each * len(attack.floods)} hostile datagrams in {attack.ended.value - started:.0f} s, "
          f"seed {args.seed}, of them {attack.stolen.value} of the fleet's; "
          f"on the wire: {on_wire}\n"
          f"{sent['delivered']} of {sent['nodes']} nodes delivered {sent['lines']} lines in "
          f"{delivered:.0f} s, {sent['again']} datagrams sent again; "
          f"acknowledged and lost: {lost}; files: {files}, "
          f"wrong: {kept['wrong']}; {memory:.0f} MB")
    return (ended == 0 and not code and not wrong and not lost and well
            and files == sent["nodes"] and attack.stolen.value and all(attack.counts))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("collector", type=pathlib.Path)
    parser.add_argument("nodes_program", type=pathlib.Path)
    parser.add_argument("--datagrams", type=int, default=1000000)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--gaps", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    try:
        hosts.enter()
        return 0 if bench(args) else 1
    except (fleet.BenchError, OSError, subprocess.SubprocessError) as error:
        print(f"bench-hostile: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
