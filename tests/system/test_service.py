# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor-collect` as a service: its unit, and what systemd passes to it and awaits of it."""
import contextlib
import fcntl
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time

import node
import pytest
import test_docs
from collecting import SECONDS, change, policy_text, program, put, rows, wait_for
from ran import ran

UNIT = test_docs.ROOT / "mk/deb/noisefloor-collect.service"
EXPOSURE = 2.0  # at most, of 10
UUID = "11111111-2222-3333-4444-555555555555"
RUNS = 50
MB = 1 << 20
COLLECTOR_MB = 250  # at most, by docs/network.md
MANY_POINTS = test_docs.ROOT / "tests/data/runs/smis.log"
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


def test_exposure():
    done = ran("systemd-analyze", "security", "--offline=true", "--no-pager", UNIT)
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
        ("one.socket, which was passed as descriptor 3, is of another kind", [open(os.devnull)]),
        ("descriptor 3, is of another kind; accepted, of IPv4 or IPv6: a datagram", [unix]),
        ("descriptor 3, is of another kind", [idle]),
        ("two.socket, which was passed as descriptor 4, is the second", [datagrams(), datagrams()]),
        ("no datagram socket", [socket.create_server(("127.0.0.1", 0))]),
    ):
        assert wanted in refused(tool, folder, *files)
    for count in ("0", "x", "65", "-1", ""):
        assert f"LISTEN_FDS={count}: " in refused(tool, folder, count=count)
    assert "--listen :0: the service manager has passed" in refused(
        tool, folder, datagrams(), options=("--listen", ":0"))
    assert "--metrics :0: the service manager has passed" in refused(
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


def test_watchdog_while_it_judges(tool, collect, tmp_path):
    """By a new policy, at the start and on SIGHUP: however long that takes, it is known to work."""
    folder, file, name = tmp_path / "runs", tmp_path / "policy.conf", str(tmp_path / "notify")
    put(tool, folder, {sid: node.run_lines(sid, UUID, 1) for sid in range(RUNS)})
    seen = []

    def write_policy(digit):
        file.write_text(policy_text(attest_key=digit * 64, attest_image=digit * 64))

    def assert_alive(states):
        assert states.count("WATCHDOG=1") >= RUNS
        assert [state for state in states if re.fullmatch(r"EXTEND_TIMEOUT_USEC=\d+", state)]

    with bound(socket.AF_UNIX, socket.SOCK_DGRAM, name) as manager:
        def keep():
            while (text := manager.recv(4096).decode()) != "STOPPING=1":
                seen.append(text)

        reader = threading.Thread(target=keep, daemon=True)
        reader.start()
        write_policy("0")
        collector = collect("--policy", file, env={
            **os.environ, "NOTIFY_SOCKET": name, "WATCHDOG_USEC": "1"})
        wait_for(lambda: "READY=1" in seen)
        assert_alive(seen[:seen.index("READY=1")])
        write_policy("1")
        collector.process.send_signal(signal.SIGHUP)
        wait_for(lambda: seen.count("READY=1") == 2)
        assert collector.end() == 0
        reader.join()
    begun, = (n for n, state in enumerate(seen) if state.startswith("RELOADING=1"))
    assert_alive(seen[begun:seen.index("READY=1", begun)])


def test_start_reads_no_lines(tool, collect, tmp_path):
    """However much is stored of runs that have no end."""
    put(tool, tmp_path / "runs", {sid: node.run_lines(sid, UUID, 1)[:-1] for sid in range(4)})
    change(tmp_path / "runs", f"UPDATE chunk SET zstd=zeroblob({16 * MB})")
    collector = collect()
    done = pathlib.Path(f"/proc/{collector.process.pid}/io").read_text(encoding="ascii")
    assert int(re.search(r"rchar: (\d+)", done)[1]) < 8 * MB


def test_memory_of_the_child_that_makes_points(tool, tmp_path):
    """The child's memory is bounded, it goes first when memory runs out, and its end does not end
    the unit."""
    unit = UNIT.read_text(encoding="ascii")
    subprocess.run([tool, "fleet", "import", "--dir", tmp_path, MANY_POINTS], check=False,
                   stdout=subprocess.DEVNULL)
    sid = rows(tmp_path)[0]["sid"]
    with subprocess.Popen([program(tool), "points", tmp_path, sid],
                          stdout=subprocess.PIPE, pipesize=4096) as child:
        assert child.stdout.read(1) == b"n"  # the child fills the pipe, and waits
        proc = pathlib.Path(f"/proc/{child.pid}")
        bound_bytes = int(re.search(r"Max data size +(\d+)", (proc / "limits").read_text())[1])
        assert int((proc / "oom_score_adj").read_text()) == 1000
        child.stdout.read()
    assert "\nOOMPolicy=continue\n" in unit and "\nMemoryMax=1G\n" in unit
    assert bound_bytes + COLLECTOR_MB * MB < 1024 * MB


def test_hangup_reads_the_key(collect, tmp_path):
    """A node signs with the key it has from the fleet's, and that changes."""
    key = tmp_path / "key"
    own = [node.own_key(k, UUID) for k in KEYS]

    def half_of(sid, secret):
        sender = collector.sender(sid, node.run_lines(sid, UUID, 3000), key=secret, uuid=UUID)
        assert sender.run(SECONDS, lambda: sender.next > 50)
        return sender

    key.write_text(KEYS[0].hex())
    collector = collect("--key", key)
    sender = half_of(1, own[0])
    key.write_text("rubbish")
    collector.hang_up()
    assert "32 hex digits" in collector.text()
    assert "SIGHUP: all files stay as they were" in collector.text()
    assert sender.run(SECONDS)
    sender.close()
    key.unlink()
    os.mkfifo(key)
    collector.hang_up()
    assert collector.text().count("stay as they were") == 2
    key.unlink()
    sender = half_of(2, own[0])
    key.write_text(KEYS[1].hex())
    collector.hang_up()
    assert sender.run(SECONDS, lambda: sender.state == node.WRONG_KEY)
    sender.close()
    collector.refuse(3, node.run_lines(3, UUID, 3), key=KEYS[0])
    for sid, secret in ((4, own[1]), (5, KEYS[1])):
        collector.deliver(sid, node.run_lines(sid, UUID, 3), key=secret, uuid=UUID)
    assert not any(k.hex() in collector.text() for k in KEYS)
