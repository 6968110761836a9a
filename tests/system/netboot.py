# SPDX-License-Identifier: BSD-2-Clause
"""Helpers for runs whose image and configuration came from a server."""
import contextlib

from guest import GuestError

MAC_FILE = "noisefloor/01-52-54-00-12-34-56.conf"  # QEMU's first card
UUID = "4c4c4544-0042-3510-8052-b4c04f4e3132"
UUID_FILE = f"noisefloor/{UUID}.conf"
SHORT = "duration=300ms window=100ms"


class Impatient:
    """A key starts a run that nobody has configured, and another ends it."""

    def __init__(self):
        self.keys = [(b"Enter starts now", b"\r"), (b'"type":"begin"', b"q")]

    def __call__(self, guest):
        if self.keys and guest.status() is None and self.keys[0][0] in guest.serial():
            with contextlib.suppress(GuestError):
                guest.send(self.keys.pop(0)[1])
