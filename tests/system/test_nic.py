# SPDX-License-Identifier: BSD-2-Clause
"""The drivers of network cards against QEMU's, after ExitBootServices, by nic.efi."""
import re
import struct

import pytest

import esp
import machine as machines
from guest import Guest
from tiers import full_but, long

PATIENCE = 120  # seconds until a guest that sends nothing is given up
REQUESTS = 2000
BLIND = 600
RING = 255  # frames that wait at least, by each driver
ASKED = REQUESTS + BLIND + 3
SIZES = range(14, 1519)
BROADCAST = b"\xff" * 6
THEIR_MAC = bytes.fromhex("52550a000202")
OUR_MAC = bytes.fromhex("525400123456")
ARP = b"\x08\x06"
LOCAL = b"\x88\xb5"
MASTER = 4

# QEMU's device, and what it is to the drivers.
CARDS = {
    "virtio": ("virtio-net-pci", "1af4:1000 virtio-net"),
    "virtio-modern": ("virtio-net-pci,disable-legacy=on", "1af4:1041 virtio-net"),
    "virtio-platform": (
        "virtio-net-pci,disable-legacy=on,iommu_platform=on,ats=on",
        "1af4:1041 virtio-net",
    ),
    "virtio-plain": ("virtio-net-pci,status=off,page-per-vq=on", "1af4:1000 virtio-net"),
    "82574": ("e1000e", "8086:10d3 e1000e"),
    "82574-port": ("e1000e,bus=port0", "8086:10d3 e1000e"),
    "82540": ("e1000", "8086:100e e1000e"),
}
OF_ALL = ("virtio", "virtio-modern", "82574", "82540")


class Seen:
    """What nic.efi printed, and what was on the wire."""

    def __init__(self, text, dump):
        self.text = text
        self.frames = list(frames(dump))

    def one(self, pattern):
        found = re.findall(pattern, self.text, re.M)
        assert len(found) == 1, f"{pattern!r} {len(found)} times in:\n{self.text}"
        return found[0]

    def ours(self, kind):
        return [f for f in self.frames if f[6:12] == OUR_MAC and f[12:14] == kind]


def frames(dump):
    """The frames of a pcap file in the byte order of this machine."""
    magic, *_, snap, link = struct.unpack_from("<IHHiIII", dump)
    assert (magic, link) == (0xA1B2C3D4, 1)
    at = 24
    while at < len(dump):
        _, _, kept, whole = struct.unpack_from("<IIII", dump, at)
        assert kept == whole
        yield dump[at + 16 : at + 16 + kept]
        at += 16 + kept


def go(image, out, *devices, emulator="system", early=None):
    """Run nic.efi on a machine with these cards, the first one on a user network."""
    dump = out.parent / "wire.pcap"
    extra = ["-device", "pcie-root-port,id=port0,chassis=1"]
    extra += ["-device", "pcie-root-port,id=port1,chassis=2"]
    extra += ["-netdev", "user,id=net0,ipv6=off"]
    extra += ["-object", f"filter-dump,id=dump,netdev=net0,file={dump}"]
    for number, device in enumerate(devices):
        peer = "" if number else f",netdev=net0,mac={OUR_MAC.hex(':')}"
        extra += ["-device", f"{device},id=card{number}{peer}"]
    machine = machines.Machine(smp=1, extra=tuple(extra), emulator=emulator)
    with Guest(machine, out, {esp.BOOT_PATH: image}) as guest:
        if early:
            early(guest)
        guest.wait_for(r"nic: end \d", PATIENCE)
        status = guest.wait_exit(PATIENCE)
        text = guest.serial().decode(errors="replace").replace("\r\n", "\n")
    assert status == 1, text  # isa-debug-exit: 0
    return Seen(text, dump.read_bytes())


def check_answers(seen):
    """Every request was answered, but for those that nobody looked for: what a full ring has no
    room for is QEMU's to keep or to lose, by the card."""
    asked = re.findall(r"^nic: asked (\d+) answered (\d+)$", seen.text, re.M)
    times, answered = zip(*(map(int, pair) for pair in asked))
    assert times == (1, REQUESTS, BLIND, 1, 1), seen.text
    assert RING <= answered[2] <= BLIND, seen.text
    assert answered[:2] + answered[3:] == times[:2] + times[3:], seen.text
    assert seen.one(r"^nic: answer from (.*)$") == THEIR_MAC.hex(":")
    counted = seen.one(r"^nic: sent (\d+) received (\d+) dropped (\d+) problem \"\"$")
    sent, received, dropped = map(int, counted)
    assert sent == ASKED + len(SIZES)
    assert received >= sum(answered)
    assert dropped == 0
    return BLIND - answered[2]


def check_wire(seen):
    """All that was sent came out, whole and padded, and in order."""
    requests = seen.ours(ARP)
    assert len(requests) == ASKED
    assert {len(frame) for frame in requests} == {60}
    assert {frame[:6] for frame in requests} == {BROADCAST}
    assert {frame[42:] for frame in requests} == {bytes(18)}
    sizes = seen.ours(LOCAL)
    assert len(sizes) == len(SIZES)
    for size, frame in zip(SIZES, sizes):
        payload = bytes((size + i) & 0xFF for i in range(14, size))
        assert frame[14:] == payload + bytes(max(0, 60 - size)), size


def check_all(seen, name):
    assert name in seen.text
    assert seen.one(r"^nic: address (.*)$") == OUR_MAC.hex(":")
    assert "nic: link up\n" in seen.text
    lost = check_answers(seen)
    check_wire(seen)
    check_closed(seen)
    return f"{name}: {ASKED} requests, {lost} answers lost while nobody looked for {BLIND}"


def check_closed(seen):
    assert not int(seen.one(r"^nic: closed command 0x(.*)$"), 16) & MASTER


@pytest.mark.parametrize(
    "device, name",
    full_but([], CARDS.values(), [CARDS[name] for name in OF_ALL]),
    ids=CARDS,
)
def test_card(nic, out, figure, device, name):
    figure(check_all(go(nic, out, device), name))


@pytest.mark.full
def test_82576(nic, out, figure, qemu10):
    figure(check_all(go(nic, out, "igb", emulator=qemu10), "8086:10c9 e1000e"))


@pytest.mark.full
@pytest.mark.parametrize("device", ["virtio-net-pci", long("e1000e")])
def test_link_down(nic, out, device):
    """A cable that is not there: reported, and nothing is sent."""
    unplug = {"name": "card0", "up": False}
    seen = go(nic, out, device, early=lambda guest: guest.qmp.execute("set_link", **unplug))
    assert "nic: link down\n" in seen.text
    assert seen.one(r"^nic: sent (.*)$") == '0 received 0 dropped 0 problem ""'
    check_closed(seen)


@pytest.mark.full
def test_unused_cards_are_made_quiet(nic, out):
    """Firmware has set up all of them; one is used, and one has no driver of ours."""
    seen = go(nic, out, "e1000e", "virtio-net-pci", "rtl8139", "e1000")
    check_all(seen, "8086:10d3 e1000e")
    assert "10ec:8139 none\n" in seen.text
    assert seen.one(r"^nic: quiet: (.*)$") == "off 3, stuck 0"
