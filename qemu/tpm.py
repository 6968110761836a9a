# SPDX-License-Identifier: BSD-2-Clause
"""A TPM 2.0 for QEMU: swtpm, behind a pair of sockets, ended with the guest."""
import os
import pathlib
import signal
import socket
import subprocess

# By the names of QEMU's devices: a command response buffer, a FIFO.
KINDS = ("crb", "tis")
# Processors whose boards have other devices: there a TPM is on the bus of the platform.
DEVICES = {"aarch64": {"tis": "tpm-tis-device"}}
STOP_SECONDS = 20


def device(kind, processor):
    """QEMU's name for it; None: the board has none of this kind."""
    return DEVICES.get(processor, {own: f"tpm-{own}" for own in KINDS}).get(kind)


class Tpm:
    """`state` is the folder of what makes it this TPM; a new one where that is empty."""

    def __init__(self, device, state, log):
        self._device = device
        self._state = pathlib.Path(state).resolve()
        self._log = log
        self._process = None
        self._socket = None

    def start(self):
        self._state.mkdir(parents=True, exist_ok=True)
        self._socket, end = socket.socketpair()
        argv = ["setpriv", "--pdeathsig", "KILL", "--", "swtpm", "socket", "--tpm2"]
        argv += ["--tpmstate", f"dir={self._state},mode=0600"]
        argv += ["--ctrl", f"type=unixio,clientfd={end.fileno()}", "--terminate"]
        with end, open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(end.fileno(),),
                start_new_session=True,
            )

    @property
    def fd(self):
        """The file descriptor that QEMU inherits."""
        return self._socket.fileno()

    def argv(self):
        return ["-chardev", f"socket,id=tpm,fd={self.fd}",
                "-tpmdev", "emulator,id=tpm0,chardev=tpm",
                "-device", f"{self._device},tpmdev=tpm0"]

    def release(self):
        """QEMU has it: swtpm ends with QEMU."""
        self._socket.close()

    def stop(self):
        if self._process and self._process.poll() is None:
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait(STOP_SECONDS)
        if self._socket:
            self._socket.close()
