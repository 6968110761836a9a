# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor-collect` as a service: its unit, and what systemd passes to it and awaits of it."""
import contextlib
import fcntl
import os
import re
import signal
import socket
import subprocess
import time

import node
import pytest
import test_docs
from collecting import SECONDS, program, wait_for

UNIT = test_docs.ROOT / "mk/deb/noisefloor-collect.service"
EXPOSURE = 2.0  # at most, of 10
UUID = "11111111-2222-3333-4444-555555555555"
KEYS = [bytes(range(16)), bytes(range(1, 17))]
# The descriptors from 3 on, as a service manager passes them: ENTER LISTEN_FDS DESCRIPTOR ...
ENTER = """
export LISTEN_FDS=$1 LISTEN_FDNAMES=one.socket n=3; shift
[ "$LISTEN_FDS" != 2 ] || LISTEN_FDNAMES+=:two.socket
while [ "$1" != -- ]; do eval "exec $n<&$1"; n=$((n+1)); shift; done; shift
LISTEN_PID=$$ exec "$@"
"""


def by_bash(script, *arguments):
    return ("bash", "-c", script, "bash", *map(str, arguments))


class Passed:
    """How to start a process with these sockets; `count` is the value of LISTEN_FDS."""

    def __init__(self, *files, count=None):
        # Where they are in nobody's way.
        self.passed = [fcntl.fcntl(file, fcntl.F_DUPFD, 20) for file in files]
        count = len(files) if count is None else count
        self.before = by_bash(ENTER, count, *self.passed, "--")

    def close(self):
        for number in self.passed:
            os.close(number)


def bound(family, kind, where):
    sock = socket.socket(family, kind)
    sock.bind(where)
    return sock


def datagrams():
    return bound(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))


def deliver(port, sid, lines, key=None):
    sender = node.Node(("127.0.0.1", port), sid, lines, key=key, uuid=UUID)
    assert sender.run(SECONDS), (sender.next, sender.state)
    sender.close()


def test_exposure():
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", UNIT],
        capture_output=True, text=True, check=False,
    )
    if "unrecognized option" in done.stderr:
        pytest.skip("this systemd-analyze judges no unit's file")
    figure, = re.findall(r"exposure level for noisefloor-collect.service: ([0-9.]+)", done.stdout)
    assert 0 < float(figure) <= EXPOSURE, done.stdout


def refused(tool, folder, *files, count=None, options=()):
    with contextlib.closing(Passed(*files, count=count)) as how:
        done = subprocess.run(
            [*how.before, program(tool), "--dir", folder, *options], pass_fds=how.passed,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False,
        )
    for file in files:
        file.close()
    error, *help_line = done.stderr.splitlines()
    assert done.returncode == 2 and all("--help" in line for line in help_line), done.stderr
    return error


def test_refused_sockets(tool, tmp_path):
    folder = tmp_path / "runs"
    unix = bound(socket.AF_UNIX, socket.SOCK_DGRAM, str(tmp_path / "unix"))
    idle = bound(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
    for wanted, files in (
        ("one.socket, which was passed as descriptor 3, is not a socket", [open(os.devnull)]),
        ("descriptor 3, is neither IPv4 nor IPv6", [unix]),
        ("descriptor 3, is a stream that does not listen", [idle]),
        ("two.socket, which was passed as descriptor 4, is the second", [datagrams(), datagrams()]),
        ("no datagram socket", [socket.create_server(("127.0.0.1", 0))]),
    ):
        assert wanted in refused(tool, folder, *files)
    for count in ("0", "x", "65", "-1", ""):
        assert f"LISTEN_FDS={count}: " in refused(tool, folder, count=count)
    assert "--listen: the service manager has passed" in refused(
        tool, folder, datagrams(), options=("--listen", ":0"))
    assert "--metrics: the service manager has passed" in refused(
        tool, folder, datagrams(), socket.create_server(("127.0.0.1", 0)),
        options=("--metrics", ":0"))
    assert not folder.exists()


@pytest.mark.parametrize("abstract", [False, True])
def test_notifications(collect, tmp_path, abstract):
    name = f"noisefloor-{os.getpid()}" if abstract else str(tmp_path / "notify")
    with bound(socket.AF_UNIX, socket.SOCK_DGRAM, "\0" * abstract + name) as manager:
        manager.settimeout(SECONDS)

        def next_but(*ignored):
            while (text := manager.recv(4096).decode()) in ignored:
                pass
            return text

        collector = collect(env={**os.environ, "NOTIFY_SOCKET": "@" * abstract + name,
                                 "WATCHDOG_USEC": "400000"})
        assert next_but() == "READY=1"
        assert [next_but(), next_but()] == ["WATCHDOG=1"] * 2
        before = time.monotonic()
        collector.process.send_signal(signal.SIGHUP)
        state, usec = next_but("WATCHDOG=1").split("\n")
        assert state == "RELOADING=1" and re.fullmatch(r"MONOTONIC_USEC=\d+", usec)
        assert before - 1e-6 < int(usec.split("=")[1]) / 1e6 < time.monotonic()
        assert next_but("WATCHDOG=1") == "READY=1"
        assert collector.end() == 0
        assert next_but("WATCHDOG=1") == "STOPPING=1"


def test_hangup_reads_the_key(collect, tmp_path):
    """A node signs with the key it has from the fleet's, and that changes."""
    key = tmp_path / "key"
    own = [node.own_key(k, UUID) for k in KEYS]

    def change(text):
        key.write_text(text)
        hang_up()

    def hang_up():
        count = collector.text().count("opened anew")
        collector.process.send_signal(signal.SIGHUP)
        wait_for(lambda: collector.text().count("opened anew") > count)

    def half_of(sid, secret):
        sender = node.Node(("127.0.0.1", collector.port), sid, node.run_lines(sid, UUID, 3000),
                           key=secret, uuid=UUID)
        assert sender.run(SECONDS, lambda: sender.next > 50)
        return sender

    key.write_text(KEYS[0].hex())
    collector = collect("--key", key)
    sender = half_of(1, own[0])
    change("rubbish")
    assert "32 hex digits" in collector.text() and "the key stays as it was" in collector.text()
    assert sender.run(SECONDS)
    sender.close()
    key.unlink()
    os.mkfifo(key)
    hang_up()
    assert collector.text().count("the key stays as it was") == 2
    key.unlink()
    sender = half_of(2, own[0])
    change(KEYS[1].hex())
    for begun in (sender, node.Node(("127.0.0.1", collector.port), 3, node.run_lines(3, UUID, 3),
                                    key=KEYS[0])):
        assert begun.run(SECONDS, lambda begun=begun: begun.state == node.WRONG_KEY)
        begun.close()
    deliver(collector.port, 4, node.run_lines(4, UUID, 3), key=own[1])
    deliver(collector.port, 5, node.run_lines(5, UUID, 3), key=KEYS[1])
    assert not any(k.hex() in collector.text() for k in KEYS)
    assert collector.end() == 0
