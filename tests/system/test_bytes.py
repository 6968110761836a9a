# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor-collect`: how many runs of a host and of a node it takes, and how many bytes of a
run, of a node and of the disk."""
import os
import subprocess
import time

import node
import pytest
from collecting import SECONDS, change, put
from ran import ran

UUID = "11111111-2222-3333-4444-555555555555"
DAY = 86400
BATCH = node.WINDOW * 1472  # bytes at most; one that does not fit is refused whole


def uuid_of(sid):
    return f"{sid:08}{UUID[8:]}"


def lines_of(sid, gaps, uuid=None):
    return node.run_lines(sid, uuid or uuid_of(sid), gaps)


def deliver(collector, sid, gaps, **how):
    collector.deliver(sid, lines_of(sid, gaps, how.get("uuid")), **how)


def refuse(collector, sid, gaps, **how):
    """Send until it is refused, and then for a while; the sender."""
    sender = collector.sender(sid, lines_of(sid, gaps, how.get("uuid")), **how)
    for seconds in (0, 0.5):
        # A smaller batch may fit when sent again.
        assert not sender.run(seconds)
        assert sender.run(SECONDS, lambda: sender.state == node.NO_SPACE or sender.delivered())
        assert sender.state == node.NO_SPACE and not sender.delivered(), collector.text()
    return sender


def test_run_that_does_not_end(collect):
    """The run is stored up to the limit, except for the batch that does not fit; other runs are
    whole, and so is this one with a higher limit."""
    collector = collect("--bytes-per-run", "200K")
    sender = refuse(collector, 1, 1500)
    lines = b"".join(lines_of(1, 1500))
    kept = collector.lines(1)
    assert (200 << 10) - BATCH < len(kept) <= 200 << 10 and kept == lines[:len(kept)]
    assert kept.count(b"\n") == sender.next
    deliver(collector, 2, 300)
    assert "refused, and not acknowledged: --bytes-per-run" in collector.text()
    collector = collect("--bytes-per-run", "1M", listen=f"127.0.0.1:{collector.port}")
    assert sender.run(SECONDS)
    sender.close()
    assert collector.lines(1) == lines
    assert collector.end() == 0 and "not acknowledged" not in collector.text()


def test_node_that_sends_from_everywhere(collect, tmp_path):
    """With a key it is known, also after a restart, whatever its address and the case of its UUID;
    others are not held to what it has sent."""
    key, uuid = bytes(range(16)), UUID.replace("1", "a")
    (tmp_path / "key").write_text(key.hex())
    options = ("--key", tmp_path / "key", "--bytes-per-node", "300K")
    collector = collect(*options)
    deliver(collector, 1, 400, key=key, uuid=uuid)
    deliver(collector, 2, 400, key=key, uuid=uuid.upper(), host="127.0.0.2")
    refuse(collector, 3, 800, key=key, uuid=uuid, host="127.0.0.3").close()
    deliver(collector, 4, 800, key=key)
    collector = collect(*options)
    refuse(collector, 5, 800, key=key, uuid=uuid, host="127.0.0.4").close()
    deliver(collector, 6, 800, key=key)
    assert collector.end() == 0
    # Without a key nobody is held to what others send in its name.
    collector = collect("--bytes-per-node", "300K")
    deliver(collector, 7, 800, uuid=uuid)


def test_removed_runs_make_room(tool, collect, tmp_path):
    folder, limit = tmp_path / "runs", ("--bytes-per-host", "300K")
    put(tool, folder, {sid: node.run_lines(sid, UUID, 300) for sid in (1, 2)}, time.time() - DAY)
    change(folder, "UPDATE run SET host='127.0.0.1'")
    collector = collect(*limit)
    sender = refuse(collector, 3, 800)
    collector = collect(*limit, "--keep", "1K", listen=f"127.0.0.1:{collector.port}")
    assert sender.run(SECONDS)
    sender.close()
    assert not collector.lines(1)


def test_share_of_the_runs(tool, collect, tmp_path):
    """By default a tenth of all runs, but 1000 at least, is one host's, and as many one node's with
    a key of its own; stored ones count."""
    key, other = bytes(range(16)), uuid_of(2)
    (tmp_path / "key").write_text(key.hex())
    put(tool, tmp_path / "runs", {sid: lines_of(sid, 0, UUID) for sid in range(1, 1001)})
    change(tmp_path / "runs", f"UPDATE run SET host='127.0.0.1', owner='{UUID}'")
    collector = collect("--runs", "2000", "--key", tmp_path / "key")

    def own(uuid):
        return {"key": node.own_key(key, uuid), "uuid": uuid}

    for how in ({**own(UUID), "host": "127.0.0.2"}, own(other), {"key": key}):
        collector.refuse(2001, lines_of(2001, 1, how.get("uuid")), node.NO_RUNS, **how)
    collector.deliver(2001, lines_of(2001, 1, other), host="127.0.0.2", **own(other))
    change(tmp_path / "runs", "UPDATE run SET host='127.0.0.3', owner='' WHERE id=1")
    collector = collect("--runs", "2000", "--key", tmp_path / "key")
    collector.deliver(2002, lines_of(2002, 1, UUID), **own(UUID))


def free_of(folder):
    disk = os.statvfs(folder)
    return disk.f_bavail / disk.f_blocks


@pytest.mark.parametrize("small_disk", ["3m"], indirect=True)
def test_share_of_the_disk_stays_free(tool, small_disk, collect):
    """A run that fills the disk is stored correctly up to there, and so is all before it."""
    collector = collect("--disk-free", "40")
    deliver(collector, 1, 100)
    sender = refuse(collector, 2, 8000)
    assert 0.35 < free_of(small_disk) < 0.45 + BATCH / (3 << 20)
    assert "No space left on device" in collector.text()
    done = ran(tool, "fleet", "status", uuid_of(2), "--dir", small_disk)
    assert (done.returncode, f" {sender.next} lines" in done.stdout) == (3, True)
    subprocess.run(["mount", "-o", "remount,size=24m", small_disk], check=True)
    assert sender.run(SECONDS)
    sender.close()
