# SPDX-License-Identifier: BSD-2-Clause
"""A DHCP and TFTP server for one machine, on the other end of QEMU's network cable, that
serves as a server should, or in a wrong way that is chosen."""
import os
import socket
import struct
import threading

OWN_IP = bytes((10, 0, 0, 1))
NODE_IP = bytes((10, 0, 0, 15))
OWN_MAC = bytes.fromhex("525400000001")
OPTIONS_AT = 240
RRQ, DATA, ACK, ERROR, OACK = 1, 3, 4, 5, 6

# Actions of the server instead of sending the file.
SILENT = "silent"  # never answers
STUCK = "stuck"  # sends one block, and then nothing
ENDLESS = "endless"  # sends blocks for ever


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


class PxeServer:
    """`files` maps names to bytes or to one of the lies; the first is the boot file. Used as a
    context; `network` is QEMU's end. `asked` lists the names that were asked for."""

    def __init__(self, files):
        self.files = files
        self.boot_file = next(iter(files))
        self.asked = []
        self._transfers = {}  # by the node's port: file, block size
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.settimeout(0.1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as spare:
            spare.bind(("127.0.0.1", 0))
            self._node = spare.getsockname()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._serve)

    @property
    def network(self):
        ours, theirs = self._socket.getsockname()[1], self._node[1]
        return f"socket,udp=127.0.0.1:{ours},localaddr=127.0.0.1:{theirs}"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()
        self._socket.close()

    def _serve(self):
        while not self._ended.is_set():
            try:
                frame = self._socket.recv(65536)
            except (TimeoutError, ConnectionRefusedError):
                continue
            kind = frame[12:14]
            if kind == b"\x08\x06":
                self._take_arp(frame)
            elif kind == b"\x08\x00" and frame[23] == socket.IPPROTO_UDP:
                self._take_udp(frame)

    def _send(self, mac, kind, payload):
        frame = mac + OWN_MAC + kind + payload
        try:
            self._socket.sendto(frame.ljust(60, b"\0"), self._node)
        except ConnectionRefusedError:
            pass  # QEMU has gone, or is not there yet

    def _take_arp(self, frame):
        operation, sender_mac, sender_ip = frame[20:22], frame[22:28], frame[28:32]
        if operation == b"\0\1" and frame[38:42] == OWN_IP:
            answer = frame[14:20] + b"\0\2" + OWN_MAC + OWN_IP + sender_mac + sender_ip
            self._send(sender_mac, b"\x08\x06", answer)

    def _take_udp(self, frame):
        source, target = struct.unpack(">HH", frame[34:38])
        length = struct.unpack(">H", frame[38:40])[0]
        payload = frame[42 : 34 + length]
        if target == 67:
            self._take_dhcp(frame[6:12], payload)
        elif target == 69:
            self._take_request(frame[6:12], source, payload)
        elif source in self._transfers and payload[:2] == struct.pack(">H", ACK):
            block = struct.unpack(">H", payload[2:4])[0]
            self._send_block(frame[6:12], source, target, block + 1)

    def _send_udp(self, mac, ip, source, target, payload):
        udp = struct.pack(">HHHH", source, target, 8 + len(payload), 0) + payload
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, socket.IPPROTO_UDP, 0)
        sum_ = struct.pack(">H", checksum(head + OWN_IP + ip))
        self._send(mac, b"\x08\x00", head[:10] + sum_ + OWN_IP + ip + udp)

    # DHCP

    def _take_dhcp(self, mac, packet):
        options = packet[OPTIONS_AT:]
        asked = options[options.find(b"\x35\x01") + 2]
        kind = {1: 2, 3: 5}.get(asked)  # discover: offer; request: ack
        if not kind:
            return
        answer = bytes((2, 1, 6, 0)) + packet[4:12] + bytes(4) + NODE_IP + OWN_IP + packet[24:44]
        answer += bytes(64) + self.boot_file.encode().ljust(128, b"\0") + packet[236:240]
        answer += bytes((53, 1, kind, 54, 4)) + OWN_IP + bytes((1, 4, 255, 255, 255, 0))
        answer += bytes((51, 4, 0, 0, 14, 16, 3, 4)) + OWN_IP + b"\xff"
        self._send_udp(mac, b"\xff" * 4, 67, 68, answer)

    # TFTP

    def _take_request(self, mac, port, payload):
        words = payload[2:].split(b"\0")
        name = words[0].decode(errors="replace")
        options = dict(zip(words[2::2], words[3::2]))
        if payload[:2] != struct.pack(">H", RRQ):
            return
        self.asked.append(name)
        own = 1024 + len(self.asked)
        file = self.files.get(name)
        if file is None:
            error = struct.pack(">HH", ERROR, 1) + b"no such file\0"
            self._send_udp(mac, NODE_IP, own, port, error)
        elif file != SILENT:
            size = int(options.get(b"blksize", b"512"))
            self._transfers = {port: (file, size)}
            accepted = {}
            if b"blksize" in options:
                accepted[b"blksize"] = options[b"blksize"]
            if b"tsize" in options and isinstance(file, bytes):
                accepted[b"tsize"] = str(len(file)).encode()
            if accepted:
                words = b"".join(key + b"\0" + value + b"\0" for key, value in accepted.items())
                self._send_udp(mac, NODE_IP, own, port, struct.pack(">H", OACK) + words)
            else:
                self._send_block(mac, port, own, 1)

    def _send_block(self, mac, port, own, block):
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
        header = struct.pack(">HH", DATA, block & 0xFFFF)
        self._send_udp(mac, NODE_IP, own, port, header + data)


def noise(count):
    """Bytes that are no text."""
    return os.urandom(count - 1) + b"\0"
