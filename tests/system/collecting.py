# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor-collect` as a process."""
import re
import signal
import subprocess
import threading

import patience

SECONDS = patience.HANG_SECONDS


def program(tool):
    """The collector, which is built beside the host tool."""
    return tool.with_name("noisefloor-collect")


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
