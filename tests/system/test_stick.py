# SPDX-License-Identifier: BSD-2-Clause
"""`noisefloor boot stick` writes a valid disk, and the probe uses its configuration. tests/unit has
what it refuses."""
import os
import pathlib
import shutil
import subprocess

import pytest

import esp
from ran import ran

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONF = ROOT / "mk" / "image" / "noisefloor.conf"
KEYS = ["duration=300ms", "window=100ms", "live=no", "threshold=2us", "max=2us", "gaps=7",
        "countdown=0", "then=qemu-exit"]


@pytest.fixture
def stick(tool, app, tmp_path):
    """stick("duration=10s"): the medium, of the x86-64 application alone."""

    def make(*words, code=0, target=tmp_path / "stick.img", **environment):
        done = ran(tool, "boot", "stick", "--image", app, target, *words, stdin=subprocess.DEVNULL,
                   env={**os.environ, **environment})
        assert done.returncode == code, done.stderr
        return target if not code else done.stderr

    return make


def checked(*argv):
    done = ran(*argv)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copy_part(source, target, first, size, before):
    """Copy everything but holes to a file, which may be empty or hold old data."""
    with open(source, "rb") as data, open(target, "wb") as part:
        part.write(before * size)
        part.truncate(size)
        at = first
        while at < first + size:
            try:
                at = os.lseek(data.fileno(), at, os.SEEK_DATA)
            except OSError:
                break  # nothing but a hole
            end = min(os.lseek(data.fileno(), at, os.SEEK_HOLE), first + size)
            if at < end:
                data.seek(at)
                part.seek(at - first)
                part.write(data.read(end - at))
            at = end


@pytest.mark.parametrize("mib,before", [(64, b"\xff"), (261, b""), (9000, b"")])
def test_sound_at_each_size(stick, tmp_path, mib, before):
    """Clusters have 1, 8 and 16 sectors; the second partition table is at the end. A disk keeps its
    old data where the image has holes."""
    medium = stick("--size", str(mib))
    assert medium.stat().st_size == mib << 20
    assert "No problems found" in checked("sgdisk", "-v", medium)
    first, size = esp.partition(medium)
    assert (first, size) == (1 << 20, (mib - 2) << 20)
    fat = tmp_path / "fat"
    copy_part(medium, fat, first, size, before)
    printed = checked("fsck.fat", "-n", "-v", fat)
    assert "Dirty bit" not in printed and "differences" not in printed
    assert "free cluster" not in printed.replace("Checking free cluster summary", "").lower()


def test_files(stick, app):
    volume = esp.volume(stick("max=20us", "duration=10m"))
    assert esp.read(volume, esp.BOOT_PATH) == app.read_bytes()
    assert sorted(esp.names(volume, "")) == ["README.txt", "noisefloor.conf"]
    assert esp.names(volume, "EFI/BOOT") == ["BOOTX64.EFI"]
    conf = esp.read(volume, esp.CONFIG_PATH).decode("ascii")
    lines = conf.split("\r\n")
    assert "\n".join(lines).startswith(CONF.read_text()) and "\n" not in "".join(lines)
    assert lines[-3:] == ["max=20us", "duration=10m", ""]
    readme = esp.read(volume, "README.txt")
    assert readme.startswith(b"noisefloor ") and b"\r\n" in readme


def test_a_configuration_of_ones_own(stick, tmp_path):
    own = tmp_path / "own.conf"
    own.write_bytes(b"# rack 7\r\nduration=10m\nmax=5us")
    conf = esp.read(esp.volume(stick("--conf", own)), esp.CONFIG_PATH)
    assert conf == b"# rack 7\r\nduration=10m\r\nmax=5us\r\n"


def test_the_same_bytes_each_time(stick, tmp_path):
    one = stick("duration=10s", SOURCE_DATE_EPOCH="1700000000")
    two = stick("duration=10s", SOURCE_DATE_EPOCH="1700000000", target=tmp_path / "two.img")
    assert one.read_bytes() == two.read_bytes()


def test_a_secret_is_its_owner_s(stick):
    medium = stick("key=00112233445566778899aabbccddeeff")
    assert medium.stat().st_mode & 0o777 == 0o600


def test_a_tool_that_is_missing_is_named(stick, tmp_path):
    """The missing program is named with its package, and nothing is written."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "mktemp", "rm"):
        (folder / name).symlink_to(shutil.which(name))
    printed = stick(code=2, PATH=str(folder))
    assert "medium: not installed: mcopy (Debian's package mtools)\n" in printed
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


def test_boots_and_obeys(stick, run):
    """The image as a USB stick: its limit fails the run."""
    result = run(medium=stick(*KEYS), disk="usb", smp=1, config_path=None)
    assert result.code == 1
    found = result.config()
    assert [found[name] for name in ("duration", "gaps", "max")] == ["300ms", "7", "2us"]
