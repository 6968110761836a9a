# SPDX-License-Identifier: BSD-2-Clause
"""Records over UDP from the probe in QEMU to the collector on the host, by slirp."""
import dataclasses
import itertools
import json

import pytest

import machine as machines
import records
import runner
from test_collect import Collector

CARDS = ("virtio-net-pci", "e1000e")
STAGES = {"before": "firmware", "after": "handoff"}  # ExitBootServices
# How a machine finds its address, and how slirp calls the host it runs on.
ADDRESSES = {
    "dhcp": ("ip=dhcp", "10.0.2.2"),
    "static": ("ip=10.0.2.77/24,10.0.2.2", "10.0.2.2"),
    "ipv6": ("", "[fec0::2]"),
    "ipv6-static": ("ip=fec0::77/64,fec0::2", "[fec0::2]"),
}
LEAVE_SECONDS = 120  # what is left to deliver after the last record


def card(name, *more):
    return ("-netdev", "user,id=net", "-device", ",".join((f"{name},netdev=net", *more)))


@pytest.fixture(name="collect")
def fixture_collect(tool, tmp_path):
    started = []

    def start(*options, **more):
        more.setdefault("listen", ":0")
        started.append(Collector(tool, tmp_path / "runs", *options, **more))
        return started[-1]

    yield start
    for collector in started:
        if collector.process.poll() is None:
            collector.kill()


@dataclasses.dataclass
class Delivery:
    """What one run said on the serial line, and what of it the collector has."""

    result: runner.Result
    kept: list

    def assert_complete(self):
        """Every record that serial shows exactly once, equal in all but `seq` and `crc`."""
        said = [without_link(record) for record in records.find(self.result.serial)]
        kept = [without_link(record) for record in self.kept]
        assert said and said[-1]["type"] == "end"
        assert [r["seq"] for r in self.kept] == list(range(len(self.kept)))
        assert len(kept) == len(said)
        for mine, theirs in zip(said, kept):
            assert mine == theirs

    def said(self, text):
        return text in self.result.serial.decode(errors="replace")


def without_link(record):
    return {name: value for name, value in record.items() if name not in ("seq", "crc")}


def kept_by(folder):
    files = [path for path in folder.glob("*.jsonl") if path.name != "index.jsonl"]
    assert len(files) <= 1
    lines = files[0].read_bytes().splitlines() if files else []
    return [json.loads(line) for line in lines]


def deliver(app, out, collector, host, extra, config, port=None, **how):
    options = runner.Options(
        app=app,
        out=out,
        machine=machines.Machine(smp=how.pop("smp", 2), extra=extra, icount=how.pop("icount", None)),
        config=f"report=udp://{host}:{port or collector.port} gaps=all then=qemu-exit {config}",
        leave_seconds=LEAVE_SECONDS,
    )
    result = runner.run(options, **how)
    assert result.problem is None, result.problem
    return Delivery(result, kept_by(collector.folder))


@pytest.mark.parametrize("card_name,when,address", itertools.product(CARDS, STAGES, ADDRESSES))
def test_every_record_arrives(app, out, collect, card_name, when, address):
    ip, host = ADDRESSES[address]
    config = f"stages={STAGES[when]} threshold=100us duration=2s {ip}"
    run = deliver(app, out, collect(), host, card(card_name), config)
    run.assert_complete()
    assert run.said("delivered: ")
    driver = {"before": "snp", "after": card_name.removesuffix("-pci")}[when]
    assert run.said(f", {driver}: ")


def test_both_grounds_in_one_run(app, out, collect):
    """The firmware's driver and then our own: one run, one file, the same address."""
    config = "stages=firmware,bare,handoff threshold=100us duration=2s"
    run = deliver(app, out, collect(), "10.0.2.2", card("virtio-net-pci"), config)
    run.assert_complete()
    assert run.said(", snp: ") and run.said(", virtio-net: ")


def test_more_than_the_ring_holds(app, out, collect):
    config = "threshold=1us duration=4s"
    run = deliver(app, out, collect(), "10.0.2.2", card("virtio-net-pci"), config)
    run.assert_complete()
    assert len(run.kept) > 20000
