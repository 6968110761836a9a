# SPDX-License-Identifier: BSD-2-Clause
"""Hundreds of nodes into one collector, which is killed, slowed down, filled up and lied to."""
import json
import os
import random
import socket
import struct
import subprocess
import tempfile
import threading
import time

import machine as machines
import node
import pytest
import relay
import test_docs
from collecting import SECONDS, program as collector_of, rows, wait_for
from ran import ran

KEY = bytes(range(16))
UUID = "11111111-2222-3333-4444-555555555555"
RESIDENT_MB = 150  # at most, whatever comes: mailbox, what waits, runs


def program():
    path = machines.BUILD / "bench" / "fleet_nodes"
    assert path.is_file(), f"{path} is not built; run the tests with make"
    return path


def bad_disk(**settings):
    """The environment of a collector whose disk is so."""
    library = machines.BUILD / "bad_disk.so"
    assert library.is_file(), f"{library} is not built; run the tests with make"
    texts = {key: str(value) for key, value in settings.items()}
    return {**os.environ, "LD_PRELOAD": str(library), **texts}


class Fleet:
    """Nodes that send in the background."""

    def __init__(self, port, nodes, gaps, *options):
        self.size = ["--nodes", str(nodes), "--gaps", str(gaps), *options]
        self.lines = nodes * (gaps + 6)
        self.nodes = nodes
        self.process = subprocess.Popen(
            [program(), "send", "--port", str(port), *self.size],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        )

    def end(self):
        """The fleet's outcome."""
        printed = json.loads(self.process.communicate(timeout=2 * SECONDS)[0])
        printed["code"] = self.process.returncode
        return printed

    def check(self, folder):
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([machines.BUILD / "noisefloor", "fleet", "export", folder, "-o", out],
                           stderr=subprocess.DEVNULL, check=False)
            done = subprocess.run([program(), "check", "--dir", out, *self.size],
                                  stdout=subprocess.PIPE, text=True, check=False)
        return json.loads(done.stdout)

    def assert_complete(self, folder):
        printed = self.end()
        assert (printed["code"], printed["delivered"]) == (0, self.nodes)
        assert printed["undelivered_lines"] == 0
        self.assert_whole(folder)

    def assert_whole(self, folder):
        """Every line of every node, once, and no other file."""
        assert self.check(folder) == {
            "files": self.nodes, "whole": self.nodes, "part": 0, "wrong": 0, "lines": self.lines,
        }


def key_options(tmp_path):
    """The collector's, and the nodes'."""
    (tmp_path / "key").write_text(KEY.hex())
    return ["--key", tmp_path / "key"], ["--key", KEY.hex()]


def test_many_nodes(collect, tmp_path):
    ours, theirs = key_options(tmp_path)
    collector = collect(*ours)
    fleet = Fleet(collector.port, 300, 60, *theirs)
    fleet.assert_complete(collector.folder)
    assert collector.resident() < RESIDENT_MB
    assert collector.end() == 0
    assert f"{fleet.lines} lines stored" in collector.text()


@pytest.mark.parametrize("small_disk", ["3m"], indirect=True)
def test_disk_full_and_freed(small_disk, collect):
    """The nodes wait, and then all is stored."""
    collector = collect()
    fleet = Fleet(collector.port, 100, 900)
    wait_for(lambda: "No space left on device" in collector.text())
    time.sleep(1)
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    fleet.assert_complete(small_disk)
    assert collector.end() == 0
    assert sum(run["ended"] for run in rows(small_disk)) == fleet.nodes


def test_slow_disk(collect):
    """A third of a second for each commit: what comes meanwhile is kept or comes again."""
    collector = collect(env=bad_disk(BAD_DISK_MS=330))
    fleet = Fleet(collector.port, 300, 60)
    fleet.assert_complete(collector.folder)
    assert collector.resident() < RESIDENT_MB


@pytest.mark.full
def test_failing_disk(collect):
    """Lines that could not be written or made durable are not acknowledged, and come again."""
    collector = collect(env=bad_disk(BAD_DISK_EIO=11, BAD_DISK_SHORT=290))
    fleet = Fleet(collector.port, 60, 300)
    fleet.assert_complete(collector.folder)
    assert collector.end() == 0
    assert "refused, and not acknowledged" in collector.text()


@pytest.mark.full
def test_struck_down(tool, tmp_path, figure):
    """`make bench-crash`, short: kill -9, power cuts, failing syncs."""
    done = ran(test_docs.ROOT / "tests/bench/crash.py", collector_of(tool), program(),
               machines.BUILD / "bad_disk.so", "--kills", "3", "--cuts", "2", "--fails", "2",
               "--nodes", "200", "--gaps", "194", "--out", tmp_path / "crash")
    if "'mount'" in done.stderr:
        pytest.skip(f"no loop device may be mounted: {done.stderr.strip()}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" of them lost") == done.stdout.count(", 0 of them lost") == 3
    figure(done.stdout.strip().replace("\n", "; "))


class Liar(threading.Thread):
    """Sends, until it is stopped, what a true node has sent, or something close to it."""

    def __init__(self, address, heard, seed):
        super().__init__()
        self.address, self.heard, self.dice = address, heard, random.Random(seed)
        self.over = threading.Event()
        self.sent = 0

    def damage(self, data):
        data = bytearray(data)
        for _ in range(self.dice.randrange(1, 4)):
            data[self.dice.randrange(len(data))] = self.dice.randrange(256)
        return bytes(data)

    def change(self, data):
        """Another header with a right CRC: other numbers, the same lines."""
        header = list(node.HEADER.unpack_from(data))
        field = self.dice.randrange(3, 9)
        old = header[field]
        header[field] = self.dice.choice([0, 1, old + 1, old ^ 1 << 7, (1 << 15) - 1])
        bits = {3: 16, len(header) - 1: 32}.get(field, 64)
        header[field] &= (1 << bits) - 1
        body = node.HEADER.pack(*header) + data[node.HEADER.size:-4]
        return body + struct.pack("<I", node.crc32c(body))

    def next(self):
        data = self.dice.choice(self.heard)
        return self.dice.choice([
            lambda: data,  # replayed, and out of order
            lambda: self.damage(data),
            lambda: data[:self.dice.randrange(len(data))],
            lambda: data + self.dice.randbytes(self.dice.choice([1, 300, 30000])),
            lambda: self.dice.randbytes(self.dice.randrange(1400)),
            lambda: self.change(data),
        ])()

    def run(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.connect(self.address)
            while not self.over.is_set():
                if self.heard:
                    sock.send(self.next())
                    self.sent += 1
                time.sleep(0.0002)


def test_lies(collect, tmp_path):
    """Beside true nodes on a bad network somebody sends all that he hears, changed or not."""
    ours, _ = key_options(tmp_path)
    collector = collect(*ours)
    heard, nodes = [], []
    with relay.Relay(collector.port, loss=0.1, duplicate=0.1, reorder=0.2, seed=3) as network:
        for sid in (31, 32, 33):
            lines = node.run_lines(sid, UUID[:-2] + str(sid), 400)
            nodes.append((sid, lines, node.Node(network.address, sid, lines, key=KEY,
                                                overtaken=True)))
            nodes[-1][2].sent = heard
        liar = Liar(("127.0.0.1", collector.port), heard, seed=4)
        liar.start()
        try:
            wait_for(lambda: all([true.step() or true.delivered() for _, _, true in nodes]), 0.002)
            wait_for(lambda: liar.sent > 3000)
        finally:
            liar.over.set()
            liar.join()
            for _, _, true in nodes:
                true.close()
    for sid, lines, _ in nodes:
        assert collector.lines(sid) == b"".join(lines)
    # A changed sid has another run's lines behind it, which is refused.
    assert len(rows(collector.folder)) == len(nodes)
    counts = collector.refused()
    assert counts["malformed"] > 100 and counts["damaged"] > 100 and counts["forged"] > 10
