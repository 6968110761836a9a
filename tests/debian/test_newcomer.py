# SPDX-License-Identifier: BSD-2-Clause
"""A newcomer's steps on a fresh Debian, in this order: `make test-debian SUITE=trixie`.

The sources are a clone of HEAD: uncommitted changes are left out. `.ci/run` itself builds and
tests on a clean machine; `make test-all` checks the packages without installing them.
"""
import os
import re
import shutil

import minimal
import pytest
from machine import BUILD

ROOT = minimal.ROOT

pytestmark = [pytest.mark.full, pytest.mark.long]

SUITE = os.environ.get("SUITE", "trixie")
COUNTED = re.compile(r"^(\d+) passed, (\d+) failed", re.M)


@pytest.fixture(scope="module")
def system():
    """Where it was asked for, it must be possible."""
    system = minimal.Minimal(SUITE, BUILD / "debian")
    obstacle = system.obstacle()
    assert not obstacle, obstacle
    system.create()
    yield system
    minimal.remove(system.root)


@pytest.fixture
def took(figure):
    """took(what, time) prints a line, now and after the tests."""

    def line(what, time):
        figure(f"{SUITE}: {what}: {time}")
        print(f"{SUITE}: {what}: {time}", flush=True)

    return line


def test_user_without_packages(system, took):
    """Neither root nor sudo: what is missing is named, and that is all."""
    took("debootstrap, make and git, two clones", system.took)
    status, text, time = system.run("make run", minimal.USER)
    took("make run, as a user, packages missing", time)
    assert status == 2, text
    for name in ("gcc", "gnu-efi", "qemu-system-x86", "ovmf"):
        assert f"(package {name})" in text, text
    assert "neither root nor sudo" in text
    assert "Traceback" not in text


def runs_to_its_verdict(system, took, user, what, command="make run"):
    text, time = system.must(command, user)
    took(f"{command}, {what}", time)
    assert re.search(r"^verdict: none\s*$", text, re.M), text[-2000:]


def counted_well(system, took, command):
    text, time = system.must(command)
    passed, failed = map(int, COUNTED.findall(text)[-1])
    took(f"{command}: {passed} passed", time)
    assert passed and not failed


def test_package(system, took):
    """The packages of `make deb`: installed, they work; purged, they leave nothing."""
    packages = sorted(BUILD.glob("noisefloor*.deb"))
    for path in (*packages, ROOT / "tests/data/runs/smis.log"):
        shutil.copy(path, system.root / "srv")
    names = [path.name for path in packages]
    text, time = system.must(f"apt-get install -y -q /srv/{' /srv/'.join(names)}")
    took(f"apt install {' '.join(names)}", time)
    text, _ = system.must("noisefloor show /srv/smis.log && noisefloor --version && "
                          "noisefloor-collect --version && "
                          "dpkg -V noisefloor noisefloor-collect && "
                          "zcat /usr/share/man/man1/noisefloor.1.gz")
    assert "verdict: none" in text
    listed, _ = system.must("noisefloor boot stick /srv/stick.img duration=10m && "
                            "noisefloor boot stick /srv/stick.img --conf "
                            "/usr/share/noisefloor/noisefloor.conf && dpkg -L noisefloor")
    assert "/usr/share/doc/noisefloor/keys.md\n" in listed
    system.must("install -d /var/lib/private/noisefloor && apt-get purge -y -q noisefloor "
                "noisefloor-collect && "
                "rm /srv/*")
    left, _ = system.must("find / -xdev -name '*noisefloor*' -not -path '/proc/*' "
                          "-not -path '/root/noisefloor*' -not -path '/home/*'")
    assert not left


def test_root_runs(system, took):
    runs_to_its_verdict(system, took, "root", "as root, packages missing")


def test_root_runs_the_other_processor(system, took):
    """Packages that it needs beyond the last test's are installed before the first compilation."""
    runs_to_its_verdict(system, took, "root", "as root, its packages missing",
                        "make run ARCH=aarch64 CONFIG=duration=1s")


def test_root_runs_under_uboot(system, took):
    """U-Boot starts the program on a disk by a script, or by a command, depending on the
    release."""
    runs_to_its_verdict(system, took, "root", "under U-Boot, as root",
                        "make packages-firmware run FIRMWARE=uboot CONFIG=duration=1s")


def test_root_unit(system, took):
    counted_well(system, took, "make -j$(nproc) test-unit")
