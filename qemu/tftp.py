# SPDX-License-Identifier: BSD-2-Clause
"""The folder of files for a machine that boots without a disk: by PXE, HTTP or PVH."""
import pathlib
import shutil


def create(folder, files):
    """Make it anew; `files` maps paths in it to bytes or to host files."""
    folder = pathlib.Path(folder)
    if folder.exists():
        shutil.rmtree(folder)
    for path, source in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(source, bytes):
            target.write_bytes(source)
        else:
            shutil.copyfile(source, target)
