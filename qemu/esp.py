# SPDX-License-Identifier: BSD-2-Clause
"""FAT volumes to boot from, made, changed and read with mtools."""
import dataclasses
import os
import pathlib
import struct
import subprocess
import tempfile
import uuid

BOOT_PATH = "EFI/BOOT/BOOTX64.EFI"
BOOT_PATH_AARCH64 = "EFI/BOOT/BOOTAA64.EFI"
CONFIG_PATH = "noisefloor.conf"
SPARE_BYTES = 4 << 20  # for FAT's own tables and for what the guest writes
SECTOR = 512
ESP_TYPE = uuid.UUID("c12a7328-f81f-11d2-ba4b-00a0c93ec93b")
# mtools neither reads the user's settings nor frets about odd geometry.
MTOOLS_ENV = {**os.environ, "MTOOLSRC": "/dev/null", "MTOOLS_SKIP_CHECK": "1"}


class EspError(Exception):
    """mtools failed; the text is its output."""


def _mtools(*argv):
    done = subprocess.run(argv, env=MTOOLS_ENV, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        output = (done.stderr + done.stdout).decode(errors="replace").strip()
        raise EspError(f"{' '.join(map(str, argv))}: {output}")
    return done.stdout


def config_text(config):
    """The configuration file of a run: one token per line; unless given, the way out, and that
    nobody is asked before it starts."""
    tokens = config.split()
    for key, value in (("then", "qemu-exit"), ("countdown", "0")):
        if not any(token.startswith(f"{key}=") for token in tokens):
            tokens.append(f"{key}={value}")
    return "".join(f"{token}\n" for token in tokens).encode()


def create(image, files):
    """Make a volume at `image`; `files` maps paths on it to bytes or to host files."""
    sizes = [len(s) if isinstance(s, bytes) else os.path.getsize(s) for s in files.values()]
    sectors = (sum(sizes) + SPARE_BYTES) // 512 // 2048 * 2048 + 2048
    image = pathlib.Path(image)
    image.unlink(missing_ok=True)
    _mtools("mformat", "-C", "-i", image, "-h", "16", "-s", "63", "-T", str(sectors), "::")
    folders = {str(p) for path in files for p in pathlib.PurePosixPath(path).parents}
    for folder in sorted(folders - {"."}):
        _mtools("mmd", "-i", image, f"::{folder}")
    for path, source in files.items():
        put(image, path, source)


def put(image, path, source):
    if not isinstance(source, bytes):
        _mtools("mcopy", "-o", "-i", image, source, f"::{path}")
        return
    with tempfile.NamedTemporaryFile() as file:
        file.write(source)
        file.flush()
        _mtools("mcopy", "-o", "-i", image, file.name, f"::{path}")


def partition(image):
    """Where the EFI system partition of a disk is: its first byte, and how many it has. Source:
    UEFI 2.10, 5.3 (GPT)."""
    with open(image, "rb") as disk:
        disk.seek(SECTOR)
        header = disk.read(92)
        if header[:8] != b"EFI PART":
            raise EspError(f"{image} has no GPT")
        table, count, size = struct.unpack_from("<QII", header, 72)
        disk.seek(table * SECTOR)
        entries = disk.read(count * size)
    for at in range(0, len(entries), size):
        first, last = struct.unpack_from("<QQ", entries, at + 32)
        if uuid.UUID(bytes_le=entries[at : at + 16]) == ESP_TYPE:
            return first * SECTOR, (last + 1 - first) * SECTOR
    raise EspError(f"{image} has no EFI system partition")


def volume(image):
    """The EFI system partition of a disk as mtools names it."""
    return f"{image}@@{partition(image)[0]}"


@dataclasses.dataclass
class Medium:
    """A disk or CD that is there already; `files` replace those on a copy of it."""

    image: pathlib.Path
    files: dict

    def copy(self, target):
        subprocess.run(["cp", "--sparse=always", self.image, target], check=True)
        for path, source in self.files.items():
            put(volume(target), path, source)


def names(image, folder):
    """The names in one folder of the volume."""
    lines = _mtools("mdir", "-b", "-i", image, f"::{folder}/").decode().splitlines()
    return [line.rsplit("/", 1)[-1] for line in lines if not line.endswith("/")]


def read(image, path):
    """The bytes of one file on the volume."""
    return _mtools("mtype", "-i", image, f"::{path}")
