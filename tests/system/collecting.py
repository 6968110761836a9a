# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor-collect` as a process."""
import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import threading

import patience

SECONDS = patience.HANG_SECONDS


def program(tool):
    """The collector, which is built beside the host tool."""
    return tool.with_name("noisefloor-collect")


def index(folder):
    """What the index has of each run, in their order."""
    path = f"file:{folder}/index.sqlite?mode=ro"
    with contextlib.closing(sqlite3.connect(path, uri=True)) as database:
        rows = database.execute("SELECT entry FROM runs ORDER BY place")
        return [json.loads(entry) for entry, in rows]


def indexed(folder, sid):
    """Its entry; None while there is none: it is written after the acknowledgement."""
    found = [entry for entry in index(folder) if int(entry["sid"], 16) == sid]
    return found[0] if found else None


def lose_index(folder):
    for path in folder.glob("index.sqlite*"):
        path.unlink()


def spoil_index(path):
    """Random bytes in its place. What is in its log and in memory would hide them."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    path.write_bytes(os.urandom(path.stat().st_size))


def old_index(folder, entries):
    """As a collector of old left it."""
    lose_index(folder)
    (folder / "index.jsonl").write_text("".join(
        json.dumps({name: value for name, value in entry.items() if name not in ("place", "began")})
        + "\n" for entry in entries))


class Collector:
    """`before` is a command that executes it; `passed` are descriptors for that."""

    def __init__(self, tool, folder, *options, listen="127.0.0.1:0", limit=None, env=None,
                 before=(), passed=()):
        self.folder = folder
        self.printed = []
        where = ("--listen", listen) if listen else ()
        self.process = subprocess.Popen(
            [*before, program(tool), *where, "--dir", folder, *options],
            pass_fds=passed,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limit,
            env=env,
        )
        self.ready = threading.Event()
        self.port = None
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        assert self.ready.wait(SECONDS), self.text()
        assert self.port, self.text()

    def _read(self):
        for line in self.process.stderr:
            self.printed.append(line)
            found = re.search(r"listening on port (\d+)", line)
            if found:
                self.port = int(found[1])
                self.ready.set()
        self.ready.set()

    def text(self):
        return "".join(self.printed)

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.ended()

    def ended(self):
        """Its exit status, once it has ended by itself."""
        code = self.process.wait(SECONDS)
        self.reader.join()
        self.process.stderr.close()
        return code

    def kill(self):
        return self.end(signal.SIGKILL)

    def resident(self):
        """MB at most resident so far."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmHWM:\s*(\d+) kB", status.read())[1]) * 1024 / 1e6

    def refused(self):
        """{result: datagrams} that it reports at its end, which this is."""
        assert self.end() == 0
        return {result: int(n) for n, result in re.findall(r"refused: (\d+) (\w+)", self.text())}


def wait_for(condition, step=0.02):
    patience.wait_for(condition, "what the test waits for", step)
