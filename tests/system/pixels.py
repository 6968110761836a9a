# SPDX-License-Identifier: BSD-2-Clause
"""Writes to the framebuffer during windows, watched from outside, through QEMU's GDB stub.

While a window runs on any core, each write to the framebuffer's memory stops the
machine. A window begins here when the first core enters probe_window() and ends when the boot
core enters report_window(): a little earlier and a little later than it really does.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "bench"))

import display  # noqa: E402
import gdbstub  # noqa: E402
import machine as machines  # noqa: E402
import pe  # noqa: E402
import runner  # noqa: E402
from guest import Guest  # noqa: E402

MEMORY = 256 << 20
BOOT_SECONDS = 300
STOP_SECONDS = 600  # for a busy host
CODE_BYTES = 64
BEGIN, END = "probe_window", "report_window"


def symbols(app, names):
    """Addresses in the image as linked."""
    table = subprocess.run(
        ["nm", app.with_suffix(".so")], capture_output=True, text=True, check=True
    )
    found = {line.split()[-1]: line.split()[0] for line in table.stdout.splitlines()}
    return {name: int(found[name], 16) for name in names}


def loaded_at(guest, app, address):
    """Where the image is in memory, by its code at `address`."""
    image = pe.Image(app.read_bytes())
    text = next(s for s in image.sections if s.flags & pe.EXECUTE)
    code = text.content[address - text.address :][:CODE_BYTES]
    memory = guest.pmemsave(0, MEMORY)
    at = memory.find(code)
    while at >= 0:
        # Not in the file that was read, whose sections are elsewhere.
        base = at - address
        if base % 4096 == 0 and memory[base : base + 2] == b"MZ":
            return base
        at = memory.find(code, at + 1)
    raise AssertionError("the image is not in memory")


class Watch:
    """Runs a probe for some windows. `inside`: addresses written to in windows; `between`:
    after the first window."""

    def __init__(self, app, out, windows, smp, config):
        self.inside, self.between, self.windows = [], [], 0
        with tempfile.TemporaryDirectory() as folder:  # a socket's name has room for 107 bytes
            socket = pathlib.Path(folder) / "gdb"
            extra = ("-gdb", f"unix:{socket},server=on,wait=off")
            machine = machines.Machine(smp=smp, memory="256M", extra=extra)
            options = runner.Options(app=app, out=out, machine=machine, config=config)
            with Guest(machine, out, options.volume()) as guest:
                guest.wait_for(r'"type":"stage"[^\n]*\n', BOOT_SECONDS)
                guest.qmp.execute("stop")
                at = symbols(app, (BEGIN, END))
                base = loaded_at(guest, app, at[BEGIN])
                self.screen = display.framebuffer(guest)
                self._gdb = gdbstub.Gdb(socket)
                self._watch(windows, base + at[BEGIN], base + at[END])
                self._gdb.close()

    def _watch(self, windows, begin, end):
        while self.windows < windows and not self.inside:
            self._stop_at(begin)
            self._gdb.watch_writes(self.screen.start, len(self.screen))
            self.inside += self._stop_at(end)
            self._gdb.unwatch_writes(self.screen.start, len(self.screen))
            self.windows += 1
            if not self.between:
                self.between.append(self._next_write())

    def _stop_at(self, address):
        """Go on to there; returns the writes seen on the way, at most one more than can be."""
        writes = []
        self._gdb.set_break(address)
        while not writes:
            write = self._gdb.wait_stop(STOP_SECONDS)
            if write is not None:
                writes.append(write)
            elif self._gdb.read("rip") == address:
                break
        self._gdb.clear_break(address)
        return writes

    def _next_write(self):
        """See that the watch works: the page is painted after a window."""
        self._gdb.watch_writes(self.screen.start, len(self.screen))
        write = self._gdb.wait_stop(STOP_SECONDS)
        self._gdb.unwatch_writes(self.screen.start, len(self.screen))
        return write
