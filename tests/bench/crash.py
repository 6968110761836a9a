#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A collector that is struck down, again and again, while a fleet of nodes sends: is a line ever
lost that was acknowledged?

Nodes keep what is not acknowledged, and nothing else: a line that is acknowledged and lost never
comes again, and what is stored is not what its node sent. So fleets send, one after the other,
until there have been so many blows of each kind; then every run is compared with its node, byte by
byte.

  kills  kill -9, at any moment or in the midst of a write
  cuts   a power cut: the filesystem, on a loop device, is shut down without its journal, as
         FS_IOC_SHUTDOWN of Linux does, and mounted again
  fails  fsync and its kin fail at times, after having done it or not; then a power cut

Only what strikes a fleet that is still sending counts. Exit status: 0, 1 if a line was lost, 2
where there is nothing to judge: cuts and fails take root and a loop device.
"""
import argparse
import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time

import fleet

GROWTH = 0.2  # largest share of all that a fleet sends, from one blow to the next
GROWTH_SECONDS = 600  # at most, for the first byte of it: nodes wait after each blow
POLL_SECONDS = 0.005
WRITES = (60, 3000)  # before it is killed in the midst of one
FAILS = (2, 9)  # one of so many syncs fails
DISK_BYTES = 4 << 30  # sparse
TRIES = 100
LINE_BYTES = 300  # about
SHUTDOWN = 0x8004587D  # FS_IOC_SHUTDOWN: include/uapi/linux/fs.h of Linux
NO_LOG_FLUSH = struct.pack("I", 2)
CLONE_NEWNS = 0x20000  # include/uapi/linux/sched.h


def stored(folder):
    """Bytes of all runs; 0 while there is no store."""
    with contextlib.suppress(sqlite3.OperationalError):
        path = f"file:{folder}/runs.sqlite?mode=ro"
        with contextlib.closing(sqlite3.connect(path, uri=True)) as database:
            return database.execute("SELECT total(bytes) FROM progress").fetchone()[0]
    return 0


class Lost(Exception):
    """An acknowledged line is lost."""


class Disk:
    """A filesystem of its own, which loses its power."""

    def __init__(self, folder):
        # A namespace that somebody makes meanwhile must not keep it mounted, and so cut off.
        if ctypes.CDLL(None).unshare(CLONE_NEWNS):
            raise fleet.BenchError("no mount namespace can be made")
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        self.image, self.path = folder / "disk", folder / "mounted"
        with self.image.open("wb") as image:
            image.truncate(DISK_BYTES)
        subprocess.run(["mkfs.ext4", "-q", self.image], check=True)
        self.path.mkdir()
        self.mount()

    def mount(self):
        subprocess.run(["mount", "-o", "loop", self.image, self.path], check=True)

    def unmount(self):
        for _ in range(TRIES):
            if not subprocess.run(["umount", self.path], stderr=subprocess.DEVNULL).returncode:
                return
            time.sleep(0.05)
        raise fleet.BenchError(f"{self.path} stays mounted")

    def cut(self):
        folder = os.open(self.path, os.O_RDONLY)
        fcntl.ioctl(folder, SHUTDOWN, NO_LOG_FLUSH)
        os.close(folder)


class Bench:
    def __init__(self, args, dice):
        self.args, self.dice = args, dice
        self.size = ["--nodes", str(args.nodes), "--gaps", str(args.gaps)]
        self.started = []

    @contextlib.contextmanager
    def ended(self):
        """All started processes are killed at the end, in any case."""
        try:
            yield
        finally:
            self.kill_all()

    def kill_all(self):
        for process in self.started:
            process.kill()
            process.wait()

    def collector(self, folder, port, **disk):
        """A collector whose disk is so."""
        env = {**os.environ, "LD_PRELOAD": str(self.args.bad_disk),
               **{name: str(n) for name, n in disk.items()}}
        collector = fleet.Collector(self.args.collector, folder, "--quiet", env=env,
                                    listen=f"127.0.0.1:{port}")
        self.started.append(collector.process)
        return collector

    def nodes(self, port):
        process = subprocess.Popen(
            [self.args.nodes_program, "send", "--port", str(port), *self.size],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.started.append(process)
        return process

    def wait_growth(self, folder, process, nodes):
        """Until there is more of the runs, by chance; or there is nothing more to come."""
        before = stored(folder)
        wanted = 1 + self.dice.uniform(0, GROWTH) * self.args.nodes * self.args.gaps * LINE_BYTES
        end = time.monotonic() + GROWTH_SECONDS
        while nodes.poll() is None and process.poll() is None:
            grown = stored(folder) - before
            if grown >= wanted:
                break
            if not grown and time.monotonic() > end:
                raise Lost("nothing arrives any more: the nodes do not have what is missing")
            time.sleep(POLL_SECONDS)

    def kill(self, folder, port, nodes):
        writes = self.dice.choice([0, self.dice.randrange(*WRITES)])
        collector = self.collector(folder, port, BAD_DISK_KILL=writes)
        self.wait_growth(folder, collector.process, nodes)
        collector.kill()

    def cut(self, folder, port, nodes, disk, **bad):
        collector = self.collector(folder, port, **bad)
        self.wait_growth(folder, collector.process, nodes)
        # Killed first: Linux 6.18's fdatasync() that runs while the filesystem is shut down
        # sometimes returns 0 without having written, also in a program of ten lines.
        collector.process.kill()
        disk.cut()
        collector.ended()
        disk.unmount()
        disk.mount()

    def fail(self, folder, port, nodes, disk):
        self.cut(folder, port, nodes, disk, BAD_DISK_EIO=self.dice.randrange(*FAILS))

    def fleet(self, folder, strike, left):
        """A fleet until it has delivered: how many blows, lines acknowledged, lines lost."""
        collector = self.collector(folder, 0)
        port = collector.port
        nodes, blows = self.nodes(port), 0
        collector.kill()
        while blows < left and nodes.poll() is None:
            strike(folder, port, nodes)
            blows += nodes.poll() is None
        collector = self.collector(folder, port)
        sent = json.loads(nodes.communicate()[0])
        if code := collector.end():
            raise fleet.BenchError(f"the collector: exit status {code}")
        out = self.args.out / "exported"
        checked, wrong, _ = fleet.checked(self.args, folder, out, self.size)
        shutil.rmtree(out)
        if (sent["delivered"] != sent["nodes"]
                and checked["lines"] >= sent["acknowledged_lines"]):
            raise fleet.BenchError(f"nodes gave up: sent: {sent}, stored: {checked}")
        if wrong or sent["delivered"] != sent["nodes"]:
            raise Lost(f"sent: {sent}, stored: {checked}")
        return blows, sent["acknowledged_lines"], sent["acknowledged_lines"] - checked["lines"]

    def series(self, name, count, folder, strike):
        """Blows of one kind. The lines that were lost."""
        print(f"{name}:", end=" ", flush=True)
        blows = fleets = lines = lost = 0
        while blows < count:
            runs = folder / f"runs-{fleets}"
            more = self.fleet(runs, strike, count - blows)
            blows, lines, lost = blows + more[0], lines + more[1], lost + more[2]
            fleets += 1
            shutil.rmtree(runs)
        print(f"{blows} while {self.args.nodes} nodes sent, {fleets} fleets: "
              f"{lines} lines acknowledged, {lost} of them lost", flush=True)
        return lost

    def run(self):
        args = self.args
        lost = self.series("kill -9", args.kills, args.out, self.kill)
        if not args.cuts + args.fails:
            return lost
        disk = Disk(args.out)
        try:
            lost += self.series("power cut", args.cuts, disk.path,
                                lambda *where: self.cut(*where, disk))
            lost += self.series("failing fsync, then a power cut", args.fails, disk.path,
                                lambda *where: self.fail(*where, disk))
        finally:
            self.kill_all()
            disk.unmount()
        return lost


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collector", type=pathlib.Path)
    parser.add_argument("nodes_program", type=pathlib.Path, help="the program that plays the nodes")
    parser.add_argument("bad_disk", type=pathlib.Path, help="the library of a bad disk")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--cuts", type=int, default=30)
    parser.add_argument("--fails", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--gaps", type=int, default=594, help="gap, event, window records a node")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="a folder for the files")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))  # end started processes first
    for name in ("collector", "nodes_program", "bad_disk"):
        setattr(args, name, getattr(args, name).resolve())
    seed = args.seed if args.seed is not None else random.randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    try:
        args.out = fleet.empty(args.out.resolve())
        bench = Bench(args, random.Random(seed))
        with bench.ended():
            return 1 if bench.run() else 0
    except Lost as error:
        print(f"LINES ARE LOST: {error}")
        return 1
    except (fleet.BenchError, OSError, subprocess.CalledProcessError) as error:
        print(f"bench-crash: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
