# SPDX-License-Identifier: BSD-2-Clause
"""The bad network of the tests: as bad as configured, and the same each time."""
import contextlib
import socket
import threading

import node
import pytest
import relay
from collecting import SECONDS, wait_for
from test_collect_fleet import Fleet

UUID = "11111111-2222-3333-4444-555555555555"
COUNT = 4000


def listen(listener, came, over):
    """Into `came`, until it is over."""
    while not over.is_set():
        with contextlib.suppress(socket.timeout):
            came.append(int(listener.recv(100)))


def pass_through(seed=1, **how):
    """(what came of COUNT numbered datagrams, in order, the relay)"""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(0.05)
        came, over = [], threading.Event()
        reader = threading.Thread(target=listen, args=(listener, came, over))
        with relay.Relay(listener.getsockname()[1], seed=seed, **how) as network:
            reader.start()
            for number in range(COUNT):
                sender.sendto(b"%d" % number, network.address)
                # So many the system holds for relay and listener at the least.
                if number % 50 == 49:
                    counts = network.to_port
                    wait_for(lambda number=number: counts.came == number + 1
                             and counts.passed - len(came) < 100, 0.0005)
            wanted = COUNT - counts.lost + counts.doubled
            wait_for(lambda: counts.passed == wanted == len(came))
            over.set()
            reader.join()
        return came, network


def test_nothing_happens():
    came, network = pass_through()
    assert came == list(range(COUNT))
    assert (network.to_port.lost, network.to_port.doubled, network.to_port.late) == (0, 0, 0)
    assert network.to_port.passed == COUNT


def test_as_bad_as_configured():
    came, network = pass_through(loss=0.3, duplicate=0.1, reorder=0.2)
    counts = network.to_port
    # Four standard deviations of so many throws.
    assert 0.27 < counts.lost / COUNT < 0.33
    assert len(set(came)) == COUNT - counts.lost
    assert len(came) == COUNT - counts.lost + counts.doubled
    assert 0.07 < counts.doubled / (COUNT - counts.lost) < 0.13
    assert came != sorted(came)
    again, _ = pass_through(loss=0.3, duplicate=0.1, reorder=0.2)
    other, _ = pass_through(seed=2, loss=0.3, duplicate=0.1, reorder=0.2)
    assert set(again) == set(came) != set(other)


@pytest.mark.full
@pytest.mark.parametrize("who", ["stranger", "sender"])
def test_through_loss(collect, who):
    """30 % lost, doubled and overtaken in both directions: complete."""
    collector = collect()
    with relay.Relay(collector.port, loss=0.3, duplicate=0.1, reorder=0.2, seed=7) as network:
        if who == "sender":
            Fleet(network.port, 20, 30).assert_complete(collector.folder)
        else:
            lines = node.run_lines(5, UUID, 1500)
            sender = node.Node(network.address, 5, lines, loss=1e-9)
            assert sender.run(SECONDS)
            sender.close()
            assert collector.lines(5) == b"".join(lines)
        for counts in (network.to_port, network.to_node):
            assert counts.lost > 20 and counts.doubled > 5 and counts.late > 10, counts
    assert collector.end() == 0
