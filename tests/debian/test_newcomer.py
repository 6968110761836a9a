# SPDX-License-Identifier: BSD-2-Clause
"""What a newcomer to a fresh Debian does, in this order: `make test-debian SUITE=trixie`.

The sources are a clone of HEAD: what is not committed is left out.
"""
import os
import re

import minimal
import pytest
from machine import BUILD

SUITE = os.environ.get("SUITE", "trixie")
SYSTEM = "tests/system/test_runner.py tests/system/test_packages.py"
COUNTED = re.compile(r"^(\d+) passed, (\d+) failed", re.M)


@pytest.fixture(scope="module")
def system():
    if os.geteuid():
        pytest.fail("a root of its own takes root: debootstrap, chroot and namespaces")
    system = minimal.Minimal(SUITE, BUILD / "debian")
    system.create()
    yield system
    minimal.remove(system.root)


@pytest.fixture
def took(figure):
    """took(what, seconds) prints a line, now and after the tests."""

    def line(what, seconds):
        figure(f"{SUITE}: {what}: {seconds:.0f} s")
        print(f"{SUITE}: {what}: {seconds:.0f} s", flush=True)

    return line


def verdict(text):
    return re.search(r"^verdict: none\s*$", text, re.M)


def test_user_without_packages(system, took):
    """Neither root nor sudo: what is missing is named, and that is all."""
    status, text, seconds = system.run("make run", minimal.USER)
    took("make run, as a user, packages missing", seconds)
    assert status == 2, text
    for name in ("gcc", "gnu-efi", "fonts-spleen", "qemu-system-x86", "ovmf"):
        assert f"(package {name})" in text, text
    assert "neither root nor sudo" in text
    assert "Traceback" not in text


def test_root_runs(system, took):
    text, seconds = system.must("make run")
    took("make run, as root, to its verdict", seconds)
    assert verdict(text), text[-2000:]


def test_root_unit(system, took):
    text, seconds = system.must("make -j$(nproc) test-unit")
    passed, failed = map(int, COUNTED.findall(text)[-1])
    took(f"make test-unit, as root, {passed} passed", seconds)
    assert passed and not failed


def test_root_system(system, took):
    """A few: the runner's, with all ways a run can end, and those of packages."""
    text, seconds = system.must(
        f"make -j$(nproc) build/puppet.efi packages-run && "
        f"tests/run --build build --workers $(nproc) --pytest {SYSTEM}"
    )
    passed, failed = map(int, COUNTED.findall(text)[-1])
    took(f"system tests, as root, {passed} passed", seconds)
    assert passed and not failed


def test_user_with_packages(system, took):
    """Packages are there: nothing else takes root."""
    text, seconds = system.must("make run", minimal.USER)
    took("make run, as a user, packages there", seconds)
    assert verdict(text), text[-2000:]
