# SPDX-License-Identifier: BSD-2-Clause
"""The media that `make image` makes: sound, the same each time, and what boots them."""
import os
import pathlib
import shutil
import struct
import time

import pytest

import esp
import limits
import machine as machines
from environment import without_make
from guest import Guest
from signing import command
from tiers import full_but

ROOT = pathlib.Path(__file__).resolve().parents[2]

SHORT = "duration=300ms window=100ms live=no"
EPOCH = "1700000000"
KINDS = ("img", "iso")


# Contents of the media


@pytest.mark.parametrize("kind", KINDS)
def test_partitions(medium, kind):
    assert "No problems found" in command("sgdisk", "-v", medium(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_file_system(medium, kind, tmp_path):
    first, size = esp.partition(medium(kind))
    with open(medium(kind), "rb") as disk:
        disk.seek(first)
        (tmp_path / "fat").write_bytes(disk.read(size))
    printed = command("fsck.fat", "-n", "-v", tmp_path / "fat")
    assert "Dirty bit" not in printed and "differences" not in printed


@pytest.mark.parametrize("kind", KINDS)
def test_files(medium, kind, app):
    volume = esp.volume(medium(kind))
    assert esp.read(volume, esp.BOOT_PATH) == app.read_bytes()
    with_aarch64 = "BOOTAA64.EFI" in esp.names(volume, "EFI/BOOT")
    conf = esp.read(volume, esp.CONFIG_PATH)
    source = ROOT / "mk" / "image" / "noisefloor.conf"
    assert conf == source.read_bytes().replace(b"\n", b"\r\n")
    readme = esp.read(volume, "README.txt").decode("ascii")
    assert readme.startswith("noisefloor ") and "@" not in readme
    assert ("64-bit Arm" in readme) == with_aarch64
    assert all(len(line) < 80 for line in readme.split("\r\n"))
    assert "\n" not in readme.replace("\r\n", "")


@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_for_32_bits(medium, kind):
    """A PE32 image for the i386, of a KiB."""
    image = esp.read(esp.volume(medium(kind)), "EFI/BOOT/BOOTIA32.EFI")
    (pe,) = struct.unpack_from("<I", image, 0x3C)
    assert image[:2] == b"MZ" and image[pe : pe + 4] == b"PE\0\0"
    assert struct.unpack_from("<H", image, pe + 4) == (0x14C,)
    assert struct.unpack_from("<H", image, pe + 24) == (0x10B,)
    assert len(image) <= 1024


@pytest.mark.full
def test_32_bit_uefi_prints_why_not(medium, out):
    machine = machines.Machine(firmware="ia32", smp=1)
    if not machines.FIRMWARE["ia32"].find():
        pytest.skip("ovmf-ia32 was not fetched")
    with Guest(machine, out, esp.Medium(medium("img"), {})) as guest:
        guest.wait_for(rb"noisefloor needs 64-bit UEFI\.", limits.boot(machine))
        assert b'{"nf":' not in guest.serial()


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_another_processor(medium, kind, aarch64):
    assert esp.read(esp.volume(medium(kind)), esp.BOOT_PATH_AARCH64) == aarch64.read_bytes()


@pytest.mark.parametrize("words", [["AARCH64=no"], ["AARCH64_TOOLS=none-"]])
def test_a_processor_left_out_is_named(words):
    """AArch64 is left out on request, and without a compiler for it."""
    printed = command("make", "image-processors", *words, cwd=ROOT, env=without_make())
    assert "for 64-bit x86 only, without EFI/BOOT/BOOTAA64.EFI: AARCH64=no" in printed
    printed = command("make", "-n", "image", *words, cwd=ROOT, env=without_make())
    assert "BOOTAA64" not in printed.replace("EFI/BOOT/BOOTAA64.EFI", "")


def test_a_cd_shows_the_same_files(medium, tmp_path):
    """To whoever mounts it, and to tools that copy its files to a stick."""
    tree = tmp_path / "tree"
    command(
        "xorriso", "-osirrox", "on", "-indev", medium("iso"), "-extract", "/", tree
    )
    for path in (esp.BOOT_PATH, esp.CONFIG_PATH, "README.txt"):
        assert (tree / path).read_bytes() == esp.read(esp.volume(medium("iso")), path)


# How they are made


def make_medium(target, app, folder, code=0, **env):
    """With the sources copied to `folder`, so that they have other times and names."""
    folder.mkdir(exist_ok=True)
    sources = [folder / name for name in ("conf", "readme", "app")]
    for source, copy in zip(
        (ROOT / "mk/image/noisefloor.conf", ROOT / "mk/image/README.txt", app), sources
    ):
        if os.path.exists(source):
            shutil.copyfile(source, copy)
    sources[2:] = [f"BOOTX64.EFI={sources[2]}", f"BOOTAA64.EFI={sources[2]}"]
    env = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH, **env}
    script = ROOT / "host" / "boot" / "medium.sh"
    return command(script, target, *sources, env=env, cwd=folder, code=code)


@pytest.mark.full
@pytest.mark.parametrize("kind", full_but(["img"], KINDS))
def test_the_same_bytes_each_time(app, tmp_path, kind):
    one, two = tmp_path / f"one.{kind}", tmp_path / f"two.{kind}"
    make_medium(one, app, tmp_path / "a", TZ="Asia/Tokyo", LC_ALL="C.UTF-8")
    time.sleep(2.1)  # FAT counts in steps of 2 s
    make_medium(two, app, tmp_path / "b")
    assert one.read_bytes() == two.read_bytes()
    make_medium(two, app, tmp_path / "b", SOURCE_DATE_EPOCH="1600000000")
    assert one.read_bytes() != two.read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_no_half_made_medium(tmp_path, kind):
    target = tmp_path / f"medium.{kind}"
    make_medium(target, tmp_path / "absent", tmp_path / "a", code=1)
    huge = tmp_path / "huge"
    huge.write_bytes(bytes(64 << 20))
    assert "full" in make_medium(target, huge, tmp_path / "b", code=1)
    assert [path for path in tmp_path.iterdir() if path.name.startswith("medium")] == []


@pytest.mark.full
def test_two_builds_are_the_same(tmp_path):
    """From clean, in a folder with a blank in its name, and without debug information, which is a
    quarter of the compilers' time and nothing of an image."""
    tree = tmp_path / "a tree"
    names = command("git", "ls-files", cwd=ROOT).split("\n")
    for name in filter(None, names):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tree / name)
        shutil.copymode(ROOT / name, tree / name)
    build = tree / "build"
    for fetched in ("device-tree-compiler", "lwip", "qr-code-generator", "zlib", "fonts-spleen",
                    "aarch64/gnu-efi"):
        shutil.copytree(machines.BUILD / fetched, build / fetched, symlinks=True)
    env = without_make()
    command("make", "image", f"BUILD={build}", "DEBUG_INFO=-g0", cwd=tree, env=env)
    for name in ("noisefloor.efi", "aarch64/noisefloor.efi", "noisefloor.img", "noisefloor.iso"):
        assert (build / name).read_bytes() == (machines.BUILD / name).read_bytes()


# Firmware that boots the media

BOOTS = [  # test_stick.py boots a disk
    ("plain", "iso", "usb-cd"),
    ("smm", "iso", "cd"),
]


@pytest.mark.parametrize(
    "firmware,kind,disk",
    full_but([], BOOTS),
    ids=map("-".join, BOOTS),
)
def test_boots(run, medium, firmware, kind, disk):
    """The configuration on the medium is in force: its limit fails the run."""
    config = f"{SHORT} threshold=2us max=2us gaps=7"
    result = run(medium=medium(kind), firmware=firmware, disk=disk, smp=1, config=config)
    assert result.code == 1
    found = result.config()
    assert (found["duration"], found["gaps"], found["max"]) == ("300ms", "7", "2us")


@pytest.mark.full
def test_boots_as_it_is(run, medium):
    """With all keys at their defaults; a key ends the minute."""
    pressed = []

    def press(guest):
        if not pressed and b'"type":"begin"' in guest.serial():
            pressed.append(guest.send(b"q"))

    result = run(medium=medium("img"), disk="usb", smp=1, config_path=None, ticks=(press,))
    assert result.of_type("end")[0]["verdict"] == "incomplete"
    assert result.config()["duration"] == "1m"


# U-Boot is the other implementation of UEFI. It has no MP Services, keeps interrupts masked with
# nothing behind its IDT, leaves selectors in place that its GDT has no segment for, and its load
# options are Linux's. It cannot read CDs, and has no driver for xHCI.

LADDER = "stages=firmware,bare,acpi,handoff"
UBOOT_BOOTS = [("img", "virtio"), ("iso", "usb2")]


@pytest.mark.full
@pytest.mark.parametrize(
    "kind,disk", UBOOT_BOOTS, ids=map("-".join, UBOOT_BOOTS)
)
def test_uboot(run, medium, kind, disk):
    """The whole ladder, with the configuration on the medium in force."""
    config = f"{SHORT} {LADDER} gaps=7"
    result = run(medium=medium(kind), firmware="uboot", disk=disk, smp=1, config=config)
    assert result.code == 0
    assert result.of_type("begin")[0]["machine"]["bios_vendor"] == "U-Boot"
    assert result.config()["gaps"] == "7"
    assert [record["stage"] for record in result.of_type("stage")] == LADDER[7:].split(",")


@pytest.mark.full
def test_uboot_lends_no_cores(run, medium):
    """The boot core alone is measured until the firmware is gone, and that is logged."""
    config = f"{SHORT} stages=firmware,bare"
    result = run(medium=medium("img"), firmware="uboot", smp=2, config=config)
    assert result.code == 0
    logs = result.logs()
    assert any(text.startswith("stage firmware: MP Services give only 1 of 2") for text in logs)
    cores = [(record["stage"], record["cpu"]) for record in result.of_type("cpu")]
    assert cores == [("firmware", 0), ("bare", 0), ("bare", 1)]


@pytest.mark.full
def test_uboot_goes_on_after_exit(run, medium):
    """The firmware gets back its state after the stage: U-Boot tries its next device."""
    config = f"{SHORT} stages=firmware then=exit"
    result = run(
        medium=medium("img"), firmware="uboot", smp=1, config=config, leave_seconds=5
    )
    assert result.code == 0
    left = result.serial[result.serial.rindex(b'"type":"end"') :]
    assert b"continuing..." in left


@pytest.mark.full
def test_load_options_of_linux_are_refused(medium, out):
    """Load options from U-Boot, if nobody has cleared them."""
    machine = machines.Machine(firmware="uboot", smp=1)
    with Guest(machine, out, esp.Medium(medium("img"), {})) as guest:
        guest.wait_for('"type":"end","verdict":"error"', limits.boot(machine))
        assert b'"text":"load options: unknown key `root`' in guest.serial()
