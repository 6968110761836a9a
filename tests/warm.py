#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""warm.py FIRMWARE STORE: boot once, and keep what firmware writes into its variables at first.

It costs it more than half a second, and is the same for each test.
"""
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "qemu"))

import limits  # noqa: E402
import machine as machines  # noqa: E402
from guest import Guest  # noqa: E402


def main(firmware, store):
    machine = machines.Machine(firmware=firmware, smp=1)
    app = machines.BUILD / "noisefloor.efi"
    with tempfile.TemporaryDirectory() as folder:
        with Guest(machine, folder, {machine.boot_path: app}) as guest:
            guest.wait_for("noisefloor", limits.boot(machine))
        shutil.move(pathlib.Path(folder) / "vars.fd", store)


if __name__ == "__main__":
    main(*sys.argv[1:])
