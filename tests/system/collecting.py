# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor-collect` as a process."""
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading

import node
import patience
from ran import ran

SECONDS = patience.HANG_SECONDS


def program(tool):
    """The collector, which is built beside the host tool."""
    return tool.with_name("noisefloor-collect")


def rows(folder):
    """The store's rows of runs, in their order."""
    path = f"file:{folder}/runs.sqlite?mode=ro"
    with contextlib.closing(sqlite3.connect(path, uri=True)) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute("SELECT * FROM runs ORDER BY id")]


def ask(folder, query):
    """The one value that it results in."""
    path = f"file:{folder}/runs.sqlite?mode=ro"
    with contextlib.closing(sqlite3.connect(path, uri=True)) as database:
        return database.execute(query).fetchone()[0]


def change(folder, *statements):
    """Change the database as no collector does."""
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


def status(tool, folder, uuid, *options):
    """The exit code of `fleet status`, and what it printed."""
    done = ran(tool, "fleet", "status", uuid, "--dir", folder, *options)
    return done.returncode, done.stdout + done.stderr


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def resident(process):
    """MB at most resident so far."""
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s*(\d+) kB", text)[1]) * 1024 / 1e6


def policy_text(**keys):
    """A policy that asks this of every machine."""
    return json.dumps({"default": keys})


class Collector:
    def __init__(self, tool, folder, *options, listen="127.0.0.1:0", env=None):
        self.tool, self.folder = tool, folder
        self.printed = []
        self.process = subprocess.Popen(
            [program(tool), "--listen", listen, "--dir", folder, *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
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

    def hang_up(self):
        """Have it read its files anew, or refuse to."""
        count = self.text().count("SIGHUP: ")
        self.process.send_signal(signal.SIGHUP)
        wait_for(lambda: self.text().count("SIGHUP: ") > count)

    def sender(self, sid, lines, **how):
        return node.Node(("127.0.0.1", self.port), sid, lines, **how)

    def deliver(self, sid, lines, **how):
        with contextlib.closing(self.sender(sid, lines, **how)) as sender:
            assert sender.run(SECONDS), (sender.next, sender.state, self.text())

    def refuse(self, sid, lines, state=node.WRONG_KEY, **how):
        """Send a run until that is its answer, and not all of it is taken."""
        with contextlib.closing(self.sender(sid, lines, **how)) as sender:
            sender.run(SECONDS, lambda: sender.state == state or sender.delivered())
            assert (sender.state, sender.delivered()) == (state, False), self.text()

    def resident(self):
        return resident(self.process)

    def refused(self):
        """{result: datagrams} that it reports at its end, which this is."""
        assert self.end() == 0
        return {result: int(n) for n, result in re.findall(r"refused: (\d+) (\w+)", self.text())}


def wait_for(condition, step=0.02):
    patience.wait_for(condition, "what the test waits for", step)
