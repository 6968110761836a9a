# SPDX-License-Identifier: BSD-2-Clause
"""At U-Boot's prompt: boot as it would by itself, but without its load options, Linux's."""
import contextlib

from guest import GuestError

AUTOBOOT = b"Hit any key to stop autoboot"
PROMPT = b"=> "
# Newer ones, as Debian 13's 2025.01, have no script, but a command.
BOOT = "if env exists distro_bootcmd; then run distro_bootcmd; else bootflow scan -b; fi"
COMMAND = f"setenv bootargs; {{}}{BOOT}\r"


class Typist:
    """Called with the guest some ten times a second; what it waits for is not there twice from
    byte `start` on. `first`: what else to do before it boots."""

    def __init__(self, start=0, first=()):
        command = COMMAND.format("".join(f"{one}; " for one in first))
        self._steps = [(AUTOBOOT, b" "), (PROMPT, command.encode())]
        self._seen = start

    def __call__(self, guest):
        if not self._steps or guest.status() is not None:
            return
        wanted, keys = self._steps[0]
        at = guest.serial(self._seen).find(wanted)
        if at >= 0:
            self._seen += at + len(wanted)
            del self._steps[0]
            with contextlib.suppress(GuestError):
                guest.send(keys)
