# SPDX-License-Identifier: BSD-2-Clause
"""The collector's units by a systemd of their own: process 1 of a namespace, on an overlay of this
system's files, which it leaves as they are."""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import threading

import machine as machines
import pytest
import test_docs

pytestmark = pytest.mark.full

SECONDS = 600  # a guard against hangs
NODES = ["--nodes", "50", "--gaps", "100"]
KEY = bytes(range(16)).hex()
UNITS = test_docs.ROOT / "mk/deb"
NAMESPACES = ("unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "--uts", "--net",
              "--ipc", "--cgroup")
# SHARED COLLECTOR NODES UNITS CONSOLE: what SHARED has is seen below /mnt in there.
ENTER = """
set -e
mount --make-rprivate /
r=$1/root
mkdir $r
mount -t tmpfs tmpfs $r
mkdir $r/upper $r/work $r/merged
mount -t overlay overlay -o lowerdir=/,upperdir=$r/upper,workdir=$r/work $r/merged
r=$r/merged
mount -t proc proc $r/proc
mount -t sysfs -o ro sysfs $r/sys
mount -t cgroup2 cgroup2 $r/sys/fs/cgroup
for d in run tmp dev; do mount -t tmpfs -o mode=755 tmpfs $r/$d; done
for d in null zero full random urandom tty; do
	touch $r/dev/$d
	mount --bind /dev/$d $r/dev/$d
done
touch $r/dev/console
mount --bind "$5" $r/dev/console
mkdir $r/dev/shm $r/dev/pts
mount -t devpts -o newinstance,ptmxmode=0666 pts $r/dev/pts
ln -s pts/ptmx $r/dev/ptmx
rm -rf $r/etc/systemd/system $r/var/log/journal $r/var/lib/noisefloor $r/var/lib/private/noisefloor
mkdir -p $r/etc/systemd/system $r/run/systemd/system $r/run/log/journal
cp "$4"/noisefloor-collect.service "$4"/noisefloor-collect.socket $r/run/systemd/system/
cp "$2" $r/usr/bin/noisefloor-collect
cp "${2%-collect}" $r/usr/bin/noisefloor
cp "$3" $r/usr/bin/fleet_nodes
printf '%s\\n' '[Unit]' Requires=systemd-journald.service DefaultDependencies=no \\
	>$r/run/systemd/system/only.target
echo 0123456789abcdef0123456789abcdef >$r/etc/machine-id
mount --bind "$1" $r/mnt
mount --bind /proc/sys $r/proc/sys
mount -o remount,bind,ro $r/proc/sys
cd $r
mkdir -p old
pivot_root . old
umount -l /old
# As a container's manager does: systemd mounts a service's credentials from another namespace.
mount --make-rshared /
container=noisefloor sh /mnt/inside >/mnt/log 2>&1 &
container=noisefloor exec /lib/systemd/systemd --system --unit=only.target
"""
# Each result in a file of its name.
INSIDE = """
export SYSTEMD_PAGER=cat
collect=noisefloor-collect
read_journal() {
	journalctl --no-pager -D /run/log/journal -u $collect -o $1 \
		--output-fields=MESSAGE,PRIORITY
}
until systemctl is-active only.target 2>&1; do sleep 0.1; done
cd /mnt
systemd-analyze verify --man=no $collect.service $collect.socket >verify 2>&1
systemctl start $collect.socket
systemctl is-active $collect.service >before
fleet_nodes send --port 5514 NODES >sent
systemctl show -p ActiveState,Result,StatusText,NRestarts $collect.service >during
cat /proc/$(systemctl show -P MainPID $collect.service)/status >process
systemctl reload $collect.service; echo $? >reload
systemctl stop $collect.service; echo $? >stop
systemctl show -p ActiveState,Result $collect.service >after
noisefloor fleet export /var/lib/noisefloor -o exported
fleet_nodes check --dir exported NODES >checked
rm -rf /var/lib/private/noisefloor/*
echo KEY >/etc/noisefloor.key
chgrp adm /etc/noisefloor.key
chmod 640 /etc/noisefloor.key
mkdir /run/systemd/system/$collect.service.d
printf '%s\\n' '[Service]' SupplementaryGroups=adm OPTIONS \
	>/run/systemd/system/$collect.service.d/key.conf
systemctl daemon-reload
systemctl start $collect.service; echo $? >start
fleet_nodes send --port 5514 NODES --key KEY >signed
fleet_nodes send --port 5514 --nodes 1 --gaps 1 --give-up 1 >unsigned
systemctl reload $collect.service
until read_journal cat | grep -q SIGHUP; do sleep 0.2; done
systemctl stop $collect.service
rm -rf /var/lib/private/noisefloor/*
chown root: /etc/noisefloor.key
chmod 600 /etc/noisefloor.key
printf '%s\\n' '[Service]' CREDENTIAL >/run/systemd/system/$collect.service.d/key.conf
systemctl daemon-reload
systemctl start $collect.service; echo $? >credential-start
fleet_nodes send --port 5514 NODES --key KEY --own-keys >credential
fleet_nodes send --port 5514 --nodes 1 --gaps 1 --give-up 1 >credential-unsigned
systemctl stop $collect.service
read_journal json >journal
echo >end
kill -s RTMIN+14 1
"""


@pytest.fixture(name="shared", scope="module")
def fixture_shared(tmp_path_factory):
    """Output of systemd and the commands inside."""
    if os.geteuid() or not pathlib.Path("/lib/systemd/systemd").exists():
        pytest.skip("this takes root and systemd")
    shared = tmp_path_factory.mktemp("systemd")
    text = INSIDE.replace("NODES", " ".join(NODES)).replace("KEY", KEY)
    howto = (test_docs.ROOT / "docs/howto.md").read_text()
    option, = re.findall(r"^Environment=OPTIONS=--key=/.*$", howto, re.M)
    credential, = re.findall(r"^LoadCredential=.*\nEnvironment=.*$", howto, re.M)
    (shared / "inside").write_text(
        text.replace("OPTIONS", f"'{option}'", 1).replace("CREDENTIAL", f"'{credential}'", 1))
    run(shared)
    if not (shared / "end").exists():
        printed = (shared / "console").read_bytes().decode(errors="replace")
        if not (shared / "before").exists():
            pytest.skip(f"systemd does not start in a namespace: {printed[-500:]}")
        pytest.fail(printed[-3000:])
    return shared


def run(shared):
    leader, terminal = pty.openpty()
    console = (shared / "console").open("wb")

    def keep():
        try:
            while piece := os.read(leader, 65536):
                console.write(piece)
                console.flush()
        except OSError:
            pass  # closed by all others

    reader = threading.Thread(target=keep, daemon=True)
    reader.start()
    subprocess.run(
        ["timeout", "-s", "KILL", str(SECONDS), *NAMESPACES, shutil.which("sh"), "-c", ENTER, "sh",
         shared, machines.BUILD / "noisefloor-collect", machines.BUILD / "bench" / "fleet_nodes",
         UNITS, os.ttyname(terminal)],
        stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, check=False)
    os.close(terminal)
    reader.join(1)


def has_credential_specifier():
    first = subprocess.run(["/lib/systemd/systemd", "--version"], capture_output=True, text=True,
                           check=True).stdout.split()
    return int(first[1]) >= 250


def test_socket_starts_it_and_it_stops(shared):
    nodes, lines = int(NODES[1]), int(NODES[1]) * (int(NODES[3]) + 6)
    assert (shared / "before").read_text() == "inactive\n"
    assert json.loads((shared / "sent").read_text())["delivered"] == nodes
    assert set((shared / "during").read_text().split()) >= {"ActiveState=active", "NRestarts=0"}
    assert [(shared / name).read_text() for name in ("reload", "stop", "start")] == ["0\n"] * 3
    assert set((shared / "after").read_text().split()) == {"ActiveState=inactive", "Result=success"}
    checked = json.loads((shared / "checked").read_text())
    assert checked["whole"] == checked["files"] == nodes and checked["lines"] == lines


def test_it_has_no_privileges(shared):
    fields = dict(line.split(":\t", 1) for line in (shared / "process").read_text().splitlines())
    assert "0" not in fields["Uid"].split()
    assert [int(fields[name], 16) for name in fields if name.startswith("Cap")] == [0] * 5
    assert fields["NoNewPrivs"] == "1" and fields["Seccomp"] == "2"


def test_key_in_a_file_of_a_group(shared):
    """The service reads a key that its group may read, by docs/howto.md."""
    assert json.loads((shared / "signed").read_text())["delivered"] == int(NODES[1])
    assert json.loads((shared / "unsigned").read_text())["delivered"] == 0


def test_key_as_a_credential(shared):
    """Only root may read the file, by docs/howto.md."""
    if (shared / "credential-start").read_text() != "0\n" and not has_credential_specifier():
        pytest.skip("this systemd has no %d")
    assert json.loads((shared / "credential").read_text())["delivered"] == int(NODES[1])
    assert json.loads((shared / "credential-unsigned").read_text())["delivered"] == 0


def test_units_are_understood(shared):
    """A key that systemd does not know is ignored, and verify's exit status is 0 all the same."""
    verify = (shared / "verify").read_text()
    assert not [line for line in verify.splitlines() if "noisefloor" in line], verify


def test_journal(shared):
    entries = [json.loads(line) for line in (shared / "journal").read_text().splitlines()]
    ours = {entry["MESSAGE"]: entry["PRIORITY"] for entry in entries
            if entry["MESSAGE"].startswith("noisefloor-collect: ")}
    assert {f"noisefloor-collect: {text}" for text in (
        "SIGHUP: files opened anew", "listening on port 5514, 0 runs in /var/lib/noisefloor",
    )} <= ours.keys()
    assert set(ours.values()) == {"6"}
