# SPDX-License-Identifier: BSD-2-Clause
"""The other end of a QEMU network card's wire: one host on an Ethernet of its own.

QEMU's `-netdev socket,udp=` carries a frame per datagram. The host answers ARP, gives
addresses by DHCP, and passes what is sent to its UDP port on to a real socket and the
answers back. It can speak with a VLAN tag, and send forged frames beside the true ones.
"""
import concurrent.futures
import random
import selectors
import socket
import threading
import time

from scapy.layers.dhcp import BOOTP, DHCP
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import ICMPv6Unknown, IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw

MAC = "52:55:00:00:00:01"
DISCOVER, REQUEST = 1, 3
ANSWERS = {DISCOVER: "offer", REQUEST: "ack"}
EVERYONE = "255.255.255.255"
TICK_SECONDS = 0.05


class Host:
    """The first address of `net` is the host's; the node gets number 9."""

    boot_file = ""

    def __init__(self, net="10.1.1", vlan=None):
        self.address, self.node_address, self.vlan = f"{net}.1", f"{net}.9", vlan
        self.seen = {"tagged": 0, "untagged": 0, "dhcp": 0, "pong": 0, "short": 0}
        self.wire = self._socket()
        spare = self._socket()
        self.node_port = spare.getsockname()[1]
        spare.close()
        self.ready = selectors.DefaultSelector()
        self.ready.register(self.wire, selectors.EVENT_READ, self._from_node)
        self.stop = threading.Event()
        self.worker = concurrent.futures.ThreadPoolExecutor(1)
        self.work = None

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

    def __enter__(self):
        self.work = self.worker.submit(self._run)
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.worker.shutdown()
        for key in list(self.ready.get_map().values()):
            key.fileobj.close()
        self.ready.close()
        self.work.result()  # raises what ended it

    def _run(self):
        due = time.monotonic()
        while not self.stop.is_set():
            for key, _ in self.ready.select(TICK_SECONDS):
                try:
                    key.data(key.fileobj.recv(65536))
                except ConnectionRefusedError:
                    pass  # QEMU had gone, or was not there yet, when a frame was sent
            if time.monotonic() >= due:
                due = time.monotonic() + TICK_SECONDS
                self.tick()

    def tick(self):
        """Called twenty times a second at most, however many frames come."""

    def take(self, mac, datagram):
        """Take an IPv4 packet to one of the host's UDP ports."""

    def send(self, mac, *layers):
        tag = (Dot1Q(vlan=self.vlan),) if self.vlan else ()
        frame = Ether(src=MAC, dst=mac)
        for layer in (*tag, *layers):
            frame = frame / layer
        self.put(bytes(frame).ljust(60, b"\0"))

    def put(self, frame):
        self.wire.sendto(frame, ("127.0.0.1", self.node_port))

    def send_udp(self, mac, to, source_port, port, payload):
        self.send(mac, IP(src=self.address, dst=to), UDP(sport=source_port, dport=port),
                  payload)

    def _from_node(self, data):
        self.seen["short"] += len(data) < 60
        frame = Ether(data)
        self.seen["tagged" if Dot1Q in frame else "untagged"] += 1
        if (frame[Dot1Q].vlan if Dot1Q in frame else None) != self.vlan:
            return
        if ARP in frame and frame[ARP].op == 1 and frame[ARP].pdst == self.address:
            self.send(frame.src, ARP(op=2, hwsrc=MAC, psrc=self.address, hwdst=frame.src,
                                     pdst=frame[ARP].psrc))
        elif DHCP in frame:
            self._dhcp(frame)
        elif ICMP in frame and frame[ICMP].type == 0:
            self.seen["pong"] += 1
        elif IP in frame and UDP in frame and frame[IP].dst == self.address:
            self.take(frame.src, frame[IP])

    def _dhcp(self, frame):
        self.seen["dhcp"] += 1
        kind = dict(o[:2] for o in frame[DHCP].options if len(o) > 1).get("message-type")
        if kind in ANSWERS:
            self.send_dhcp(frame.src, frame[BOOTP], [
                ("message-type", ANSWERS[kind]), ("server_id", self.address),
                ("lease_time", 3600), ("subnet_mask", "255.255.255.0"),
                ("router", self.address), "end"])

    def send_dhcp(self, mac, asked, options):
        self.send(mac, IP(src=self.address, dst=EVERYONE), UDP(sport=67, dport=68),
                  BOOTP(op=2, xid=asked.xid, flags=asked.flags, yiaddr=self.node_address,
                        siaddr=self.address, chaddr=asked.chaddr,
                        file=self.boot_file.encode()),
                  DHCP(options=options) if isinstance(options, list) else Raw(options))


class Forwarder(Host):
    """Datagrams to `port` of the host go to `to` on this machine."""

    def __init__(self, port, to, **wanted):
        super().__init__(**wanted)
        self.port, self.to = port, to
        self.node = None  # (MAC, address, port) that spoke last
        self.out = self._socket()
        self.ready.register(self.out, selectors.EVENT_READ, self._from_port)

    def ping(self):
        """An echo request to the node; seen["pong"] counts the answers."""
        self.send(self.node[0], IP(src=self.address, dst=self.node[1]), ICMP(), b"noisefloor")

    def take(self, mac, datagram):
        if datagram[UDP].dport == self.port:
            self.node = (mac, datagram.src, datagram[UDP].sport)
            self.out.sendto(bytes(datagram[UDP].payload)[:datagram[UDP].len - 8], self.to)

    def _from_port(self, data):
        if self.node:
            mac, address, port = self.node
            self.send_udp(mac, address, self.port, port, data)


class Liar(Forwarder):
    """Sends some frames that nobody should send, beside those of an honest host."""

    def __init__(self, *arguments, seed, **wanted):
        super().__init__(*arguments, **wanted)
        self.dice, self.false_frames = random.Random(seed), 0

    def tick(self):
        lies = (self._noise, self._arp, self._dhcp_lie, self._datagram, self._lengths,
                self._neighbour)
        for _ in range(8):
            self.false_frames += 1
            noise = self.dice.randbytes(self.dice.randrange(1, 1400))
            other = f"10.1.1.{self.dice.randrange(10, 255)}"
            self.dice.choice(lies)(self.node[0] if self.node else "ff:ff:ff:ff:ff:ff", noise, other)

    def _noise(self, mac, noise, _):
        frame = bytes(Ether(src=MAC, dst=mac, type=self.dice.choice((0x0800, 0x86DD))))
        self.put(self.dice.choice((noise[:59], frame[:6] + noise, frame + noise,
                                   frame + b"\x60" + noise)))

    def _arp(self, mac, _, other):
        """An ARP reply for addresses that nobody has, cut. (A reply for the node's own address
        must be believed.)"""
        liar = f"52:55:00:00:00:{self.dice.randrange(2, 256):02x}"
        lie = ARP(op=2, hwsrc=liar, psrc=self.dice.choice((other, "0.0.0.0")), hwdst=mac,
                  pdst=self.node_address)
        frame = bytes(Ether(src=MAC, dst=mac) / lie)
        self.put(frame[:14 + self.dice.randrange(10, 29)].ljust(60, b"\0"))

    def _dhcp_lie(self, mac, noise, other):
        if self.dice.random() < 0.5:
            self.send(mac, IP(src=other, dst=self.node_address), UDP(sport=67, dport=68), noise)
            return
        asked = BOOTP(xid=self.dice.randrange(1 << 32), chaddr=noise[:6])
        kind = self.dice.choice((2, 5, 6))
        self.send_dhcp(mac, asked, b"\x63\x82\x53\x63" + bytes((53, 1, kind)) + noise[:300])

    def _datagram(self, mac, noise, _):
        """Noise that seems to come from the collector, and a forged acknowledgement."""
        self.send_udp(mac, self.node_address, self.port, self.dice.randrange(65536), noise)
        if self.node:
            self.send_udp(mac, self.node_address, self.port, self.node[2], b"nfa1" + noise[:64])

    def _lengths(self, mac, noise, _):
        """A packet with a length beyond what there is, and a right checksum."""
        self.send(mac, IP(src=self.address, dst=self.node_address,
                          len=self.dice.randrange(65536)), UDP(sport=self.port, dport=1), noise)

    def _neighbour(self, _, noise, __):
        """An IPv6 message about neighbours or routers, cut or with options of any length."""
        source = f"fe80::{self.dice.randrange(1, 65536):x}"
        message = ICMPv6Unknown(type=self.dice.randrange(128, 140),
                                msgbody=noise[:self.dice.randrange(200)])
        self.send("33:33:00:00:00:01", IPv6(src=source, dst="ff02::1", hlim=255), message)
