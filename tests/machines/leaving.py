# SPDX-License-Identifier: BSD-2-Clause
"""How a machine of QEMU's leaves, once its end record is there."""
import contextlib

import patience
import qmp
from guest import GuestError

SECONDS = 60  # seconds of the guest's clock
REASONS = {"guest-reset": "reset", "guest-shutdown": "power off"}
# Output of OVMF when an image has returned to it.
FIRMWARE_GOES_ON = rb"BdsDxe: |\x1b\[\d+;\d+H"


class Leaving:
    """`connect` is a tick: QEMU sends its events only to those who are connected. The object itself
    is what runner.run() calls at the end record."""

    def __init__(self, then):
        self._then = then
        self._seen = None

    @staticmethod
    def connect(guest):
        if guest.status() is None:
            with contextlib.suppress(qmp.QmpError):  # the guest has just left
                guest.qmp.execute("query-status")

    def __call__(self, guest):
        stays = {"halt": self._halted, "exit": self._in_firmware}.get(self._then)
        self._seen = (stays or self._event)(guest)

    def _event(self, guest):
        try:
            event = guest.qmp.wait_event("SHUTDOWN", patience.HANG_SECONDS)
        except qmp.QmpError:
            return None  # the debug-exit device's end has no event
        return REASONS.get(event["data"]["reason"], event["data"]["reason"])

    @staticmethod
    def _halted(guest):
        deadline = guest.seconds() + SECONDS
        while True:
            cores = guest.halted()
            if cores and all(cores):
                return "halted"
            if guest.seconds() > deadline:
                return f"{cores.count(False)} of {len(cores)} cores run"
            guest.rest(1)

    @staticmethod
    def _in_firmware(guest):
        end = guest.serial().rindex(b'"type":"end"')
        try:
            guest.wait_for(FIRMWARE_GOES_ON, SECONDS, end)
        except GuestError as error:
            return str(error)
        return "to the firmware"

    def seen(self, status):
        """`status` is QEMU's; only the debug-exit device makes one. From QEMU 9 on that is a power
        off as well."""
        if status and status > 0:
            return f"qemu-exit {status >> 1}"
        return self._seen or f"QEMU's status {status}"
