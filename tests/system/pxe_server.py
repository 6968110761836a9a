# SPDX-License-Identifier: BSD-2-Clause
"""A DHCP and TFTP server for one machine, on the other end of QEMU's network cable, that
serves as a server should, or in a wrong way that is chosen."""
import os

from scapy.layers.inet import UDP
from scapy.layers.tftp import (
    TFTP, TFTP_ACK, TFTP_DATA, TFTP_ERROR, TFTP_OACK, TFTP_Option, TFTP_Options,
    TFTP_RRQ)

import ether

TFTP_PORT = 69

# Actions of the server instead of sending the file.
SILENT = "silent"  # never answers
STUCK = "stuck"  # sends one block, and then nothing
ENDLESS = "endless"  # sends blocks for ever


class PxeServer(ether.Host):
    """`files` maps names to bytes or to one of the lies; the first is the boot file. Used as a
    context; `netdev` is QEMU's end. `asked` lists the names that were asked for."""

    def __init__(self, files):
        super().__init__("10.0.0")
        self.files, self.boot_file = files, next(iter(files))
        self.asked = []
        self._transfers = {}  # by the node's port: file, block size

    def take(self, mac, datagram):
        port, own = datagram[UDP].sport, datagram[UDP].dport
        message = TFTP(bytes(datagram[UDP].payload)[:datagram[UDP].len - 8])

        def answer(own, payload):
            self.send_udp(mac, self.node_address, own, port, TFTP() / payload)

        if own == TFTP_PORT and TFTP_RRQ in message:
            self.asked.append(message[TFTP_RRQ].filename.decode(errors="replace"))
            self._take_request(port, 1024 + len(self.asked), message, answer)
        elif port in self._transfers and TFTP_ACK in message:
            self._send_block(port, own, message[TFTP_ACK].block + 1, answer)

    def _take_request(self, port, own, message, answer):
        file = self.files.get(self.asked[-1])
        if file is None:
            answer(own, TFTP_ERROR(errorcode=1, errormsg=b"no such file"))
        elif file != SILENT:
            asked = message[TFTP_Options].options if TFTP_Options in message else ()
            options = {option.oname: option.value for option in asked}
            self._transfers = {port: (file, int(options.get(b"blksize", b"512")))}
            accepted = [TFTP_Option(oname=name, value=value) for name, value in (
                ("blksize", options.get(b"blksize")),
                ("tsize", b"tsize" in options and isinstance(file, bytes) and f"{len(file)}"))
                if value]
            if accepted:
                answer(own, TFTP_OACK() / TFTP_Options(options=accepted))
            else:
                self._send_block(port, own, 1, answer)

    def _send_block(self, port, own, block, answer):
        file, size = self._transfers[port]
        if isinstance(file, bytes):
            # A file of n * size bytes ends with an empty block.
            if (block - 1) * size > len(file):
                return
            data = file[(block - 1) * size : block * size]
        elif file == STUCK and block > 1:
            return
        else:
            data = b"#".ljust(size)
        answer(own, TFTP_DATA(block=block & 0xFFFF) / data)


def noise(count):
    """Bytes that are no text."""
    return os.urandom(count - 1) + b"\0"
