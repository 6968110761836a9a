# SPDX-License-Identifier: BSD-2-Clause
"""Small FAT volumes to boot from, made and read with mtools."""
import os
import pathlib
import subprocess
import tempfile

BOOT_PATH = "EFI/BOOT/BOOTX64.EFI"
CONFIG_PATH = "noisefloor.conf"
SPARE_BYTES = 4 << 20  # for FAT's own tables and for what the guest writes
# mtools neither reads the user's settings nor frets about odd geometry.
MTOOLS_ENV = {**os.environ, "MTOOLSRC": "/dev/null", "MTOOLS_SKIP_CHECK": "1"}


class EspError(Exception):
    """mtools failed; the text is what it said."""


def _mtools(*argv):
    done = subprocess.run(argv, env=MTOOLS_ENV, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        said = (done.stderr + done.stdout).decode(errors="replace").strip()
        raise EspError(f"{' '.join(map(str, argv))}: {said}")
    return done.stdout


def config_text(config):
    """The configuration file of a run: one token per line, the way out unless given."""
    tokens = config.split()
    if not any(token.startswith("then=") for token in tokens):
        tokens.append("then=qemu-exit")
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
        _put(image, path, source)


def _put(image, path, source):
    if not isinstance(source, bytes):
        _mtools("mcopy", "-i", image, source, f"::{path}")
        return
    with tempfile.NamedTemporaryFile() as file:
        file.write(source)
        file.flush()
        _mtools("mcopy", "-i", image, file.name, f"::{path}")


def names(image, folder):
    """The names in one folder of the volume."""
    lines = _mtools("mdir", "-b", "-i", image, f"::{folder}/").decode().splitlines()
    return [line.rsplit("/", 1)[-1] for line in lines if not line.endswith("/")]


def read(image, path):
    """The bytes of one file on the volume."""
    return _mtools("mtype", "-i", image, f"::{path}")
