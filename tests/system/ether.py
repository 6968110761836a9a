# SPDX-License-Identifier: BSD-2-Clause
"""The other end of a QEMU network card's wire: one host on an Ethernet of its own.

QEMU's `-netdev socket,udp=` carries a frame per datagram. The host answers ARP, gives
addresses by DHCP, and passes what is sent to its UDP port on to a real socket and the
answers back. It can speak with a VLAN tag, and send forged frames beside the true ones.
"""
import random
import selectors
import socket
import struct
import threading

HOST_MAC = bytes.fromhex("525500000001")
BROADCAST = b"\xff" * 6
HOST_IP = bytes((10, 1, 1, 1))
NODE_IP = bytes((10, 1, 1, 9))
IPV4, ARP, VLAN, IPV6 = 0x0800, 0x0806, 0x8100, 0x86DD
DHCP_COOKIE = bytes.fromhex("63825363")
ARP_TARGET_IP = slice(24, 28)


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ipv4(source, to, protocol, payload):
    size = 20 + len(payload)
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, size, 0, 0, 64, protocol, 0, source, to)
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + payload


def udp(source, to, source_port, port, payload):
    head = struct.pack(">HHHH", source_port, port, 8 + len(payload), 0)
    return ipv4(source, to, 17, head + payload)


class Host:
    """`port` of the host is `to` on this machine; frames are tagged with `vlan`, if any."""

    def __init__(self, port, to, vlan=None, dhcp=True, lies=None):
        self.port, self.to, self.vlan, self.dhcp = port, to, vlan, dhcp
        self.lies = random.Random(lies) if lies is not None else None
        self.false_frames = 0
        self.seen = {"tagged": 0, "untagged": 0, "dhcp": 0, "pong": 0, "short": 0}
        self.wire = self._socket()
        self.node_wire = self._socket()
        self.node_port = self.node_wire.getsockname()[1]
        self.node_wire.close()
        self.out = self._socket()
        self.node = None  # (MAC, address, port) that spoke last
        self.stop = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    @staticmethod
    def _socket():
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        made.bind(("127.0.0.1", 0))
        return made

    @property
    def netdev(self):
        mine = self.wire.getsockname()[1]
        return f"socket,udp=127.0.0.1:{mine},localaddr=127.0.0.1:{self.node_port}"

    def close(self):
        self.stop = True
        self.thread.join()
        self.wire.close()
        self.out.close()

    def _run(self):
        with selectors.DefaultSelector() as ready:
            ready.register(self.wire, selectors.EVENT_READ, self._from_node)
            ready.register(self.out, selectors.EVENT_READ, self._from_port)
            while not self.stop:
                for key, _ in ready.select(0.05):
                    key.data(key.fileobj.recv(65536))
                if self.lies:
                    self._lie()

    def _frame(self, to, kind, payload, vlan=None):
        tag = self.vlan if vlan is None else vlan
        head = to + HOST_MAC + (struct.pack(">HH", VLAN, tag) if tag else b"")
        self._put((head + struct.pack(">H", kind) + payload).ljust(60, b"\0"))

    def _put(self, frame):
        self.wire.sendto(frame, ("127.0.0.1", self.node_port))

    def ping(self):
        """An echo request to the node; seen["pong"] counts the answers."""
        body = struct.pack(">BBHHH", 8, 0, 0, 7, 1) + b"noisefloor"
        body = body[:2] + struct.pack(">H", checksum(body)) + body[4:]
        self._frame(self.node[0], IPV4, ipv4(HOST_IP, self.node[1], 1, body))

    def _from_node(self, frame):
        self.seen["short"] += len(frame) < 60
        kind, payload = struct.unpack_from(">H", frame, 12)[0], frame[14:]
        self.seen["tagged" if kind == VLAN else "untagged"] += 1
        tag = None
        if kind == VLAN:
            tag, kind = struct.unpack_from(">HH", payload)
            payload = payload[4:]
        if tag != self.vlan:
            return
        if kind == ARP:
            self._arp(frame[6:12], payload)
        elif kind == IPV4:
            self._ipv4(frame[6:12], payload)

    def _arp(self, mac, payload):
        if payload[6:8] == b"\0\1" and payload[ARP_TARGET_IP] == HOST_IP:
            answer = payload[:6] + b"\0\2" + HOST_MAC + HOST_IP + payload[8:18]
            self._frame(mac, ARP, answer)

    def _ipv4(self, mac, packet):
        length = struct.unpack_from(">H", packet, 2)[0]
        source, body = packet[12:16], packet[20:length]
        if packet[9] == 1 and body[0] == 0:
            self.seen["pong"] += 1
        if packet[9] != 17:
            return
        source_port, port = struct.unpack_from(">HH", body)
        if port == 67 and self.dhcp:
            self._dhcp(mac, body[8:])
        elif port == self.port and packet[16:20] == HOST_IP:
            self.node = (mac, source, source_port)
            self.out.sendto(body[8:], self.to)

    def _dhcp(self, mac, message):
        self.seen["dhcp"] += 1
        kind = message[message.index(DHCP_COOKIE) + 6]
        answer = {1: 2, 3: 5}.get(kind)
        if answer:
            self._frame(mac, IPV4, self._dhcp_answer(message, answer))

    @staticmethod
    def _dhcp_answer(message, kind, options=None):
        options = options if options is not None else (
            bytes((53, 1, kind, 54, 4)) + HOST_IP + bytes((51, 4)) + struct.pack(">I", 3600)
            + bytes((1, 4, 255, 255, 255, 0, 3, 4)) + HOST_IP + b"\xff"
        )
        body = (
            b"\2\1\6\0" + message[4:8] + bytes(8) + NODE_IP + HOST_IP + bytes(4)
            + message[28:44] + bytes(192) + DHCP_COOKIE + options
        )
        return udp(HOST_IP, b"\xff" * 4, 67, 68, body)

    def _from_port(self, data):
        if self.node:
            mac, address, port = self.node
            self._frame(mac, IPV4, udp(HOST_IP, address, self.port, port, data))

    def _lie(self):
        """Some frames that nobody should send."""
        dice = self.lies
        mac = self.node[0] if self.node else BROADCAST
        noise = dice.randbytes(dice.randrange(1, 1400))
        other = bytes((10, 1, 1, dice.randrange(10, 255)))
        for _ in range(8):
            self.false_frames += 1
            lie = dice.randrange(10)
            if lie == 0:
                self._put(noise[: dice.randrange(1, 60)])
            elif lie == 1:
                self._put(mac + noise)
            elif lie == 2:
                # ARP replies for addresses that nobody has. (Replies for the node's own address
                # must be believed.)
                sender = dice.choice((other, bytes(4)))
                lied = b"\0\1\x08\0\6\4\0\2" + dice.randbytes(6) + sender + mac + NODE_IP
                self._frame(mac, ARP, lied[: dice.randrange(10, 29)])
            elif lie == 3:
                self._frame(mac, IPV4, noise)
            elif lie == 4:
                self._frame(mac, IPV6, b"\x60" + noise)
            elif lie == 5:
                self._frame(mac, IPV4, udp(other, NODE_IP, 67, 68, noise))
            elif lie == 6:
                message = b"\1\1\6\0" + dice.randbytes(4) + bytes(20) + mac + bytes(10)
                options = dice.randbytes(dice.randrange(0, 300))
                self._frame(mac, IPV4, self._dhcp_answer(message, dice.choice((2, 5, 6)), options))
            elif lie == 7:
                # The noise seems to come from the collector.
                to = dice.randrange(65536)
                self._frame(mac, IPV4, udp(HOST_IP, NODE_IP, self.port, to, noise))
                if self.node:
                    port = self.node[2]
                    forged = b"nfa1" + noise[:64]
                    self._frame(mac, IPV4, udp(HOST_IP, NODE_IP, self.port, port, forged))
            elif lie == 8:
                # Lengths beyond what there is.
                packet = bytearray(udp(HOST_IP, NODE_IP, self.port, 1, noise[:100]))
                packet[2:4] = dice.randbytes(2)
                packet[10:12] = b"\0\0"
                packet[10:12] = struct.pack(">H", checksum(bytes(packet[:20])))
                self._frame(mac, IPV4, bytes(packet))
            else:
                # An IPv6 message about neighbours or routers, cut or with options of any length.
                body = bytes((dice.randrange(128, 140), 0, 0, 0)) + noise[: dice.randrange(0, 200)]
                head = struct.pack(">IHBB", 0x60000000, len(body), 58, 255)
                source = b"\xfe\x80" + bytes(6) + dice.randbytes(8)
                to = b"\xff\x02" + bytes(13) + b"\1"
                pseudo = source + to + struct.pack(">II", len(body), 58) + body
                body = body[:2] + struct.pack(">H", checksum(pseudo)) + body[4:]
                self._frame(b"\x33\x33\0\0\0\1", IPV6, head + source + to + body)
