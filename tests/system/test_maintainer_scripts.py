# SPDX-License-Identifier: BSD-2-Clause
"""Commands of the collector's package that dpkg runs, by Debian's helpers over a systemctl that
notes what it is asked, in a mount namespace with folders of its own."""
import os
import shutil
import subprocess

import pytest
import test_docs
from ran import ran

UNIT, SOCKET = "noisefloor-collect.service", "noisefloor-collect.socket"
SCRIPTS = test_docs.ROOT / "mk/deb"
# SHARED SYSTEMD SCRIPTS COMMANDS; the stub answers for a unit that $SHARED/active or enabled names.
ENTER = """
set -e
mount --make-rprivate /
for folder in /run /var/lib /etc/systemd/system; do mount -t tmpfs tmpfs $folder; done
mkdir -p /var/lib/private
# A container's forbids what these are to do.
[ ! -e /usr/sbin/policy-rc.d ] || mount --bind /bin/true /usr/sbin/policy-rc.d
[ "$2" = no ] || mkdir -p /run/systemd/system
PATH=$1/bin:$PATH SHARED=$1
export PATH SHARED
cd "$3"
eval "$4"
find /var/lib /etc/systemd/system -name '*noisefloor*' | sort >$1/left
"""
SYSTEMCTL = """#!/bin/sh
case " $* " in
*' is-active '*) grep -q . $SHARED/active; exit ;;
*' is-enabled '*) cat $SHARED/enabled; exit ;;
esac
echo "$*" >>$SHARED/asked
"""


class Package:
    def __init__(self, shared):
        self.shared = shared
        stub = shared / "bin/systemctl"
        stub.parent.mkdir()
        stub.write_text(SYSTEMCTL)
        stub.chmod(0o755)

    def run(self, commands, systemd=True, active=False, enabled=False):
        """([what systemctl was asked], [what is left])."""
        for name, text in (("asked", ""), ("active", UNIT if active else ""),
                           ("enabled", "enabled" if enabled else "disabled")):
            (self.shared / name).write_text(text)
        done = ran("unshare", "--mount", "sh", "-c", ENTER, "sh", self.shared,
                   "yes" if systemd else "no", SCRIPTS, commands, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr
        asked = [line.replace("--quiet ", "").removeprefix("--system ")
                 for line in (self.shared / "asked").read_text().splitlines()]
        return asked, (self.shared / "left").read_text().splitlines()


@pytest.fixture(name="package")
def fixture_package(tmp_path):
    if os.geteuid() or not shutil.which("deb-systemd-invoke"):
        pytest.skip("this takes root and Debian's init-system-helpers")
    return Package(tmp_path)


def script(name, *arguments):
    return f"sh -e noisefloor-collect.{name} {' '.join(arguments)};"


RUNS = """
mkdir -p /var/lib/private/noisefloor /var/lib/elsewhere
echo x >/var/lib/private/noisefloor/run.jsonl
echo x >/var/lib/elsewhere/noisefloor.jsonl
ln -s private/noisefloor /var/lib/noisefloor
mkdir /etc/systemd/system/noisefloor-collect.service.d
echo '[Service]' >/etc/systemd/system/noisefloor-collect.service.d/noisefloor.conf
"""
OWN = ["/etc/systemd/system/noisefloor-collect.service.d",
       "/etc/systemd/system/noisefloor-collect.service.d/noisefloor.conf",
       "/var/lib/elsewhere/noisefloor.jsonl"]
STATE = ["/var/lib/noisefloor", "/var/lib/private/noisefloor"]


def test_installed_it_is_not_started(package):
    asked, _ = package.run(script("postinst", "configure", "''"))
    assert asked == ["daemon-reload"]


@pytest.mark.parametrize("active, enabled", [(True, True), (True, False), (False, True)])
def test_upgrade_restarts_what_runs(package, active, enabled):
    """The unit is restarted only once the new program is installed; the socket queues what
    arrives."""
    commands = script("prerm", "upgrade", "2") + script("postrm", "upgrade", "2")
    assert package.run(commands, active=active, enabled=enabled)[0] == []
    asked, _ = package.run(script("postinst", "configure", "1"), active=active, enabled=enabled)
    assert asked == ["daemon-reload", f"restart {UNIT}"]


def test_removed_it_leaves_data(package):
    asked, left = package.run(RUNS + script("prerm", "remove") + script("postrm", "remove"),
                              active=True)
    assert asked == [f"stop {UNIT} {SOCKET}", "daemon-reload"]
    assert [path for path in left if "deb-systemd-helper" not in path] == sorted(OWN + STATE)


def test_purged_it_leaves_what_is_the_administrators(package):
    """A folder elsewhere, also behind a link in the place of its own, and drop-ins."""
    assert package.run(RUNS + script("postrm", "purge"))[1] == OWN
    moved = RUNS + """
        mv /var/lib/private/noisefloor /var/lib/elsewhere/noisefloor
        ln -s /var/lib/elsewhere/noisefloor /var/lib/private/noisefloor
    """
    _, left = package.run(moved + script("postinst", "configure", "''") + script("postrm", "purge"))
    assert left == sorted(OWN + ["/var/lib/elsewhere/noisefloor"])


def test_without_systemd(package):
    for commands in (script("postinst", "configure", "1"), script("prerm", "remove"),
                     script("postrm", "remove"), script("postrm", "purge")):
        assert package.run(commands, systemd=False, active=True)[0] == []
