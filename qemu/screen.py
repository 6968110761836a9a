# SPDX-License-Identifier: BSD-2-Clause
"""The serial line as a person sees it: no terminal escapes, no records."""
import re

# CSI sequences, two-byte escapes, and control characters other than \t \n \r.
ESCAPES = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[^\[]|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]"
)
UNFINISHED = re.compile(rb"\x1b(\[[0-?]*[ -/]*)?\Z")
RECORD_START = b'{"nf":'


class Screen:
    """Fed raw bytes in any portions; gives text back as soon as it is certain."""

    def __init__(self, show_records=False):
        self._show_records = show_records
        self._escape = b""
        self._line = b""  # the current line, as far as it is undecided
        self._mode = "undecided"  # state of the current line: undecided, shown, hidden

    def feed(self, data):
        data = self._escape + data
        self._escape = b""
        tail = UNFINISHED.search(data)
        if tail:
            data, self._escape = data[: tail.start()], data[tail.start() :]
        text = ESCAPES.sub(b"", data).replace(b"\r", b"")
        return b"".join(self._line_part(part) for part in text.splitlines(keepends=True))

    def _line_part(self, part):
        if self._mode == "undecided":
            part = self._line + part
            self._line = b""
            self._mode = self._decide(part)
            if self._mode == "undecided":
                self._line = part
                return b""
        mode = self._mode
        if part.endswith(b"\n"):
            self._mode = "undecided"
        return part if mode == "shown" else b""

    def _decide(self, start):
        if self._show_records:
            return "shown"
        if start.startswith(RECORD_START):
            return "hidden"
        return "undecided" if RECORD_START.startswith(start) else "shown"
