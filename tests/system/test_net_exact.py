# SPDX-License-Identifier: BSD-2-Clause
"""No window is disturbed by the network: the same SMIs with `report` and without it, to the
tick, while frames keep coming from outside.

Under icount shift 0, as in test_exact.py; the machine has a network card.
"""
import socket
import threading
import time

import pytest

import injection
import match
import schedule
from machine import BUILD
from schedule import MS
from test_exact import AFTER, RUN_SECONDS, check, options

pytestmark = pytest.mark.exact

START = 400 * MS  # from the probe's start; with the network its first window begins later
SMIS = 200
NODE = "10.0.2.15"


class Crowd:
    """Sends the node datagrams that it did not ask for."""

    def __init__(self, port):
        self.port, self.sent, self.over = port, 0, False
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            while not self.over:
                out.sendto(b"x" * (self.sent % 1000), ("127.0.0.1", self.port))
                self.sent += 1
                time.sleep(0.005)

    def end(self):
        self.over = True
        self.thread.join()


@pytest.fixture(name="machine_with_card", scope="module")
def fixture_machine_with_card(tmp_path_factory):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    net = f"user,id=net,hostfwd=udp:127.0.0.1:{port}-{NODE}:9"
    extra = ("-netdev", net, "-device", "virtio-net-pci,netdev=net,romfile=")
    app, injector = (BUILD / name for name in ("noisefloor.efi", "inject.efi"))
    return injection.Saved(app, injector, tmp_path_factory.mktemp("card"), extra), port


def gaps_by_smi(run, spans):
    """The gap that each SMI made, by the SMI's number, where no window's edge cut it short."""
    found = {}
    for number, (first, last) in enumerate(spans):
        over = [gap for gap in run.gaps if gap.start <= first and gap.end >= last]
        if len(over) == 1:
            found[number] = over[0]
    return found


@pytest.mark.full
def test_the_same_gaps_with_and_without(
    machine_with_card, tmp_path, collect, exact_figure, figure
):
    saved, port = machine_with_card
    collector = collect()
    smis = schedule.generate("uniform", 7, SMIS)
    length = START + sum(pause + length for pause, length in smis) + AFTER
    quiet = options("window=20ms threshold=500ns", length)
    report = f"report=udp://10.0.2.2:{collector.port} ip={NODE}/24"
    gaps, sent = {}, {}
    for name, config in {"off": quiet, "on": f"{quiet} {report}"}.items():
        crowd = Crowd(port)
        plan = schedule.Plan(smis, START, options=config)
        last_words = "delivered: " if name == "on" else None
        try:
            done = saved.run(tmp_path / name, plan, RUN_SECONDS, last_words)
        finally:
            crowd.end()
        assert done.result.problem is None, done.result.problem
        assert done.truth.complete() is None, done.truth.complete()
        run, spans = match.run_of(done.result.records), done.spans()
        found = match.match(spans, run, match.Rules.of(run.interval))
        exact_figure(f"network-{name}", found)
        check(run, found)
        gaps[name] = gaps_by_smi(run, spans)
        sent[name] = crowd.sent
    assert b"undelivered" not in done.result.serial
    both = gaps["off"].keys() & gaps["on"].keys()
    assert len(both) > 0.9 * SMIS
    apart = max(abs(gaps["off"][n].ticks - gaps["on"][n].ticks) for n in both)
    figure(f"{len(both)} SMIs seen with and without report=: lengths at most {apart} ticks apart; "
           f"{sent['on']} datagrams came meanwhile")
    assert apart <= 2 * run.interval
