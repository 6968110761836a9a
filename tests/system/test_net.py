# SPDX-License-Identifier: BSD-2-Clause
"""Records over UDP from the probe in QEMU to the collector on the host, by slirp. A collector that
dies, pauses or has a full disk is that of tests/unit/core/wire/test_sender.c."""
import dataclasses
import json
import re
import subprocess
import time

import pytest

import ether
import flashvars
import machine as machines
import node
import records
import runner
from collecting import export, rows
from relay import Relay
from saving import of_type
from tiers import full, full_but, long

STAGES = {"before": "firmware", "after": "handoff"}  # ExitBootServices
# How a machine finds its address, and how slirp calls the host it runs on.
ADDRESSES = {
    "dhcp": ("ip=dhcp", "10.0.2.2"),
    "static": ("ip=10.0.2.77/24,10.0.2.2", "10.0.2.2"),
    "ipv6": ("", "[fec0::2]"),
    "ipv6-static": ("ip=fec0::77/64,fec0::2", "[fec0::2]"),
}
OTHER_CARD = ("-netdev", "user,id=net", "-device", "rtl8139,netdev=net")
RING_BYTES = 128 * 1136  # lines that the probe stores until they are acknowledged
# Variants of QEMU's cards, and our drivers for them.
CARDS = {
    "virtio-modern": ("virtio-net-pci,disable-legacy=on", "virtio-net"),
    "virtio-platform": ("virtio-net-pci,disable-legacy=on,iommu_platform=on,ats=on", "virtio-net"),
    "virtio-plain": ("virtio-net-pci,status=off,page-per-vq=on", "virtio-net"),
    "82574-port": ("e1000e,bus=port0", "e1000e"),
    "82540": ("e1000", "e1000e"),
}
OF_ALL = ("virtio-modern", "82540")
GAPS = 1500  # at most, where a busy host would make a hundred thousand
LEAVE_SECONDS = 120  # time for delivery after the last record


@dataclasses.dataclass
class Delivery:
    """Records that one run sent on the serial line, and those that the collector has."""

    result: runner.Result
    kept: list

    def assert_complete(self):
        """Every record that serial shows exactly once, equal in all but `seq` and `crc`."""
        printed = [without_link(record) for record in records.find(self.result.serial)]
        kept = [without_link(record) for record in self.kept]
        assert printed and printed[-1]["type"] == "end"
        assert [r["seq"] for r in self.kept] == list(range(len(self.kept)))
        assert len(kept) == len(printed)
        for mine, theirs in zip(printed, kept):
            assert mine == theirs

    def printed(self, text):
        return text in self.result.serial.decode(errors="replace")


@pytest.fixture(name="collect")
def fixture_collect(collect):
    """Collectors that listen on both families."""
    return lambda *options, **more: collect(*options, **{"listen": ":0", **more})


def without_link(record):
    return {name: value for name, value in record.items() if name not in ("seq", "crc")}


def lines_of(folder):
    return export(machines.BUILD / "noisefloor", folder).splitlines()


def kept_by(folder):
    assert len(rows(folder)) <= 1
    return [json.loads(line) for line in lines_of(folder)]


@pytest.fixture
def deliver(run, collect):
    """deliver(config, ...): a run whose records go to a collector, of its own if none is given."""

    def deliver(config, collector=None, host="10.0.2.2", port=None, **wanted):
        collector = collector or collect()
        result = run(
            config=f"report=udp://{host}:{port or collector.port} gaps=all then=qemu-exit {config}",
            leave_seconds=LEAVE_SECONDS, **{"nic": "virtio-net-pci", "smp": 1, **wanted})
        return Delivery(result, kept_by(collector.folder))

    return deliver


@pytest.mark.parametrize("card_name,when,address", [
    full("virtio-net-pci", "before", "dhcp"), full("virtio-net-pci", "after", "static"),
    long("e1000e", "before", "ipv6-static"),
])
def test_every_record_arrives(deliver, card_name, when, address):
    ip, host = ADDRESSES[address]
    config = f"stages={STAGES[when]} threshold=100us duration=500ms window=100ms {ip}"
    run = deliver(config, host=host, nic=card_name)
    run.assert_complete()
    assert run.printed("delivered: ")
    driver = {"before": "snp", "after": card_name.removesuffix("-pci")}[when]
    assert run.printed(f", {driver}: ")


def with_card(card):
    return (
        "-device", "pcie-root-port,id=port0,chassis=1",
        "-netdev", "user,id=net", "-device", f"{card},netdev=net",
    )


@pytest.fixture
def check_card(deliver):
    def check_card(card, driver, **machine):
        config = "stages=bare threshold=100us duration=500ms window=100ms"
        run = deliver(config, nic=None, extra=with_card(card), **machine)
        run.assert_complete()
        assert run.printed(f", {driver}: ")

    return check_card


@pytest.mark.parametrize(
    "card,driver",
    full_but([], CARDS.values(), [CARDS[name] for name in OF_ALL]),
    ids=CARDS,
)
def test_each_card(check_card, card, driver):
    check_card(card, driver)


@pytest.mark.full
def test_82576(check_card, qemu10):
    check_card("igb", "e1000e", emulator=qemu10)


@pytest.mark.full
def test_unused_cards_are_made_quiet(deliver):
    """The firmware has set up all of them; one is used, and one has no driver of ours."""
    unused = ("-device", "virtio-net-pci", "-device", "rtl8139", "-device", "e1000")
    run = deliver("stages=firmware,bare threshold=1ms duration=300ms",
                  nic=None, extra=with_card("e1000e") + unused)
    run.assert_complete()
    assert run.printed("unused network cards whose bus mastering is off: 3")


@pytest.mark.full
def test_both_platforms_in_one_run(deliver):
    """The firmware's driver and then our own: one run, one file, the same address."""
    config = "stages=firmware,bare,handoff threshold=1ms duration=300ms window=100ms"
    run = deliver(config)
    run.assert_complete()
    assert run.printed(", snp: ") and run.printed(", virtio-net: ")


@pytest.mark.full
def test_more_than_the_ring_holds(deliver, variant):
    # Each sample is a gap, so that there are as many records as gaps are kept.
    config = "stages=bare threshold=1ns records=1500 duration=1s"
    run = deliver(config, app=variant("any-threshold"), smp=2)
    run.assert_complete()
    assert sum(len(json.dumps(record)) for record in run.kept) > 2 * RING_BYTES


@pytest.mark.full
def test_through_a_bad_network(deliver, out, collect, figure):
    """A third lost, others doubled and out of order, both ways: complete, and how long it took."""
    config = f"stages=bare threshold=1us duration=2s linger=10m gaps={GAPS}"
    collector, watch = collect(), Delivering()
    with Relay(collector.port, seed=1, loss=0.3, duplicate=0.1, reorder=0.2) as relay:
        run = deliver(config, collector, port=relay.address[1], ticks=(watch,))
        counts = (relay.to_port, relay.to_node)
    run.assert_complete()
    assert all(c.lost > 0.2 * c.came and c.doubled and c.late for c in counts), counts
    figure(f"delivery after the end: {watch.seconds():.1f} s for {len(run.kept)} records with 30 % "
           "loss each way, 10 % doubled, 20 % late")


class Delivering:
    """How long it takes from the end of measuring to the last acknowledgement."""

    def __init__(self):
        self.begin = self.end = None

    def __call__(self, guest):
        printed = guest.serial()
        if self.begin is None and b'"type":"end"' in printed:
            self.begin = time.monotonic()
        if self.end is None and b"delivered: " in printed:
            self.end = time.monotonic()

    def seconds(self):
        return self.end - self.begin


@pytest.mark.full
def test_a_run_that_does_not_start(deliver):
    """Its complaints are delivered, too."""
    run = deliver("duration=5")
    run.assert_complete()
    assert run.result.code == 2 and run.kept[-1]["verdict"] == "error"
    assert any("needs a unit" in record.get("text", "") for record in run.kept)


@pytest.mark.full
def test_nobody_listens(deliver):
    config = "threshold=1ms duration=200ms linger=1s"
    run = deliver(config, port=9)
    assert run.printed("undelivered: ") and run.printed("no answer")
    assert not run.kept


@pytest.mark.full
def test_a_card_without_a_driver(deliver):
    """Reported before the take-over; what the firmware can still deliver, it does."""
    config = "stages=firmware,handoff threshold=1ms duration=200ms linger=1s"
    run = deliver(config, nic=None, extra=OTHER_CARD)
    serial = run.result.serial.decode(errors="replace")
    reported = serial.index("this program can drive once the firmware is gone")
    assert reported < serial.index("stage handoff")
    assert run.printed("undelivered: ")


def two_cards(first):
    """The first one's network has nobody where it is not a user network."""
    return (
        "-netdev", f"{first},id=net0", "-device", "e1000e,netdev=net0,id=card0",
        "-netdev", "user,id=net1", "-device", "e1000e,netdev=net1,id=card1",
    )


class Cables:
    """Out from the start; the second one is in once the machine has printed `when`."""

    def __init__(self, when):
        self.when, self.out, self.late = when, False, False

    def __call__(self, guest):
        if not self.out:
            for name in ("card0", "card1"):
                guest.qmp.execute("set_link", name=name, up=False)
            self.out = True
        if not self.late and self.when in guest.serial():
            guest.qmp.execute("set_link", name="card1", up=True)
            self.late = True


@pytest.mark.full
def test_a_link_that_comes_late(deliver):
    """With the second card, while the machine is measured."""
    cables = Cables(b": no address, and no link")
    config = "threshold=1ms duration=2s window=500ms"
    run = deliver(config, nic=None, extra=two_cards("user"), ticks=(cables,))
    run.assert_complete()
    assert cables.late


@pytest.mark.full
def test_the_first_card_has_a_link_to_nowhere(deliver):
    config = "threshold=1ms duration=300ms"
    extra = two_cards("hubport,hubid=0")
    run = deliver(config, nic=None, extra=extra)
    run.assert_complete()


@pytest.mark.full
def test_booted_over_pxe_by_a_card_without_a_driver(deliver, out):
    """Records after ExitBootServices are sent by the firmware's driver, after a restart."""
    run = deliver(
        "duration=300ms window=100ms save=file", boot="pxe", nic="rtl8139", resets=True,
        config_path="noisefloor/01-52-54-00-12-34-56.conf",
    )
    assert run.kept[-1]["type"] == "end"
    kept = records.join(run.kept)
    for name in ("begin", "stage", "window", "cpu"):
        ours = of_type(kept, name, "sid")
        assert ours == of_type(run.result.records, name, "sid") != [], name
    assert run.printed("restarting to") and run.printed("harvest: the variable is removed")
    assert [v.name for v in flashvars.ours((out / "vars.fd").read_bytes()) if v.is_there] == []


@pytest.mark.full
def test_no_card_at_all(deliver):
    run = deliver("duration=200ms linger=1s threshold=1ms", nic=None)
    assert run.printed("there is no network card that this program can drive")
    assert run.printed("undelivered: ") and not run.kept


KEY = "000102030405060708090a0b0c0d0e0f"
UUID = "4c4c4544-0042-3510-8052-b4c04f4e3732"


@pytest.fixture(name="key_file")
def fixture_key_file(tmp_path):
    path = tmp_path / "key"
    path.write_text(KEY + "\n")
    return path


def test_signed(deliver, collect, key_file):
    """By our own driver and IPv6. Somebody sends records of this very run without the key, all the
    while."""
    collector = collect("--key", key_file)
    forger = Forger(collector.port)
    config = f"stages=handoff threshold=100us duration=1s key={KEY}"
    run = deliver(config, collector, ADDRESSES["ipv6"][1], ticks=(forger,), nic="e1000e")
    run.assert_complete()
    assert run.printed("delivered: ") and run.printed(", e1000e: ")
    assert forger.sent > 20
    assert KEY.encode() not in run.result.serial
    assert not any("forged" in record.get("text", "") for record in run.kept)


@pytest.mark.full
def test_signed_with_its_own_key(deliver, collect, key_file, tool):
    """A real node, which logs before it begins: its UUID is not in its first line."""
    key = subprocess.run([tool, "fleet", "key", "--fleet", key_file, "--node", UUID],
                         capture_output=True, text=True, check=True).stdout.strip()
    config = f"threshold=100us duration=300ms key={key}"
    run = deliver(config, collect("--key", key_file), extra=("-uuid", UUID))
    assert run.result.of_type("begin")[0]["machine"]["uuid"] == UUID
    run.assert_complete()


class Forger:
    """Sends records of the run, unsigned and signed with another key, as soon as it is known."""

    def __init__(self, port):
        self.port, self.sid, self.nodes = port, None, []

    @property
    def sent(self):
        return sum(len(one.sent) for one in self.nodes)

    def __call__(self, guest):
        found = re.search(rb'"sid":"([0-9a-f]{16})"', guest.serial())
        if found and not self.sid:
            self.sid = int(found[1], 16)
            rest = ',"level":"info","text":"forged"'
            lines = [node.record(self.sid, seq, "log", rest) for seq in range(400)]
            for key in (None, bytes(16)):
                self.nodes.append(node.Node(("127.0.0.1", self.port), self.sid, lines, key=key))
        for one in self.nodes:
            one.run(0.05)


@pytest.mark.full
def test_unsigned(deliver, collect, key_file):
    config = "threshold=1ms duration=200ms linger=1s"
    run = deliver(config, collect("--key", key_file))
    printed = re.search(rb"undelivered: .*", run.result.serial)[0].decode()
    assert "only signed records" in printed, printed
    assert not run.kept


@pytest.mark.full
def test_vlan(deliver, collect):
    """Every frame has the tag, none without it is heard; and the node answers a ping."""
    collector = collect()
    config = "threshold=100us duration=1s vlan=42"

    def ping(guest):
        if host.node and guest.status() is None:
            host.ping()

    with ether.Forwarder(5514, ("127.0.0.1", collector.port), vlan=42) as host:
        run = deliver(config, collector, "10.1.1.1", 5514, ticks=(ping,), network=host.netdev)
    run.assert_complete()
    assert host.seen["dhcp"] >= 2 and host.seen["pong"] and not host.seen["short"]
    assert host.seen["tagged"]
    # Before us the firmware may have sent something of its own.
    assert host.seen["untagged"] < host.seen["tagged"]


@pytest.mark.parametrize("card_name,when", [("e1000e", "after"), long("virtio-net-pci", "before")])
@pytest.mark.full
def test_lies_on_the_wire(deliver, collect, card_name, when):
    """ARP, DHCP, IPv4, IPv6 and acknowledgements that lie, beside those that are true."""
    collector = collect()
    config = f"stages={STAGES[when]} threshold=100us duration=1s linger=2m"
    with ether.Liar(5514, ("127.0.0.1", collector.port), seed=1) as host:
        run = deliver(config, collector, "10.1.1.1", 5514, nic=card_name, network=host.netdev)
    run.assert_complete()
    assert host.false_frames > 500
