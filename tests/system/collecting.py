# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor-collect` as a process."""
import contextlib
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import tempfile
import threading

import patience
from ran import ran

SECONDS = patience.HANG_SECONDS


def program(tool):
    """The collector, which is built beside the host tool."""
    return tool.with_name("noisefloor-collect")


def rows(folder):
    """What the store knows of each run, in their order."""
    path = f"file:{folder}/runs.sqlite?mode=ro"
    with contextlib.closing(sqlite3.connect(path, uri=True)) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute("SELECT * FROM runs ORDER BY id")]


def row(folder, sid):
    """That of a run; None: it is not stored."""
    found = [one for one in rows(folder) if one["sid"] == f"{sid:016x}"]
    return found[0] if found else None


def ask(folder, query):
    """The one value that it results in."""
    path = f"file:{folder}/runs.sqlite?mode=ro"
    with contextlib.closing(sqlite3.connect(path, uri=True)) as database:
        return database.execute(query).fetchone()[0]


def change(folder, *statements):
    """What no collector does."""
    with contextlib.closing(sqlite3.connect(folder / "runs.sqlite")) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


def export(tool, folder, *options):
    """The lines of all runs, or of those that are asked for."""
    return subprocess.run([tool, "fleet", "export", folder, *options], capture_output=True,
                          check=False).stdout


def put(tool, folder, runs, when=None):
    """Store {sid: lines} as if a collector had received them in this order, at that time."""
    with tempfile.TemporaryDirectory() as made:
        path = pathlib.Path(made, "runs.jsonl")
        path.write_bytes(b"".join(map(b"".join, runs.values())))
        if when is not None:
            os.utime(path, (when, when))
        done = ran(tool, "fleet", "import", "--dir", folder, path)
    assert done.returncode in (0, 3), done.stderr


def policy_text(**keys):
    """A policy that asks this of every machine."""
    return json.dumps({"default": keys})


class Collector:
    """`before` is a command that executes it; `passed` are descriptors for that."""

    def __init__(self, tool, folder, *options, listen="127.0.0.1:0", limit=None, env=None,
                 before=(), passed=()):
        self.tool, self.folder = tool, folder
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

    def lines(self, sid):
        """The stored lines of a run; none: it is not stored."""
        return export(self.tool, self.folder, "--run", f"{sid:016x}")

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
