# SPDX-License-Identifier: BSD-2-Clause
"""Results left by runs: in files, in the firmware's variables, and after a power cut."""
import os
import random
import re
import signal
import subprocess
import time

import esp
import flashvars
import records

FOLDER = "noisefloor"
FRAME = {"seq", "crc", "part", "more"}
BEGIN = re.compile(rb'"type":"begin",(?!"part":[1-9])')


def files_on(image):
    """Names in \\noisefloor, without what FAT has besides."""
    try:
        listed = esp.names(image, FOLDER)
    except esp.EspError:
        return []
    return sorted(listed)


def one_file(image, ending=".jsonl"):
    (name,) = [name for name in files_on(image) if name.endswith(ending)]
    return esp.read(image, f"{FOLDER}/{name}")


def bare(record, *without):
    return {key: value for key, value in record.items() if key not in FRAME | set(without)}


def of_type(found, name, *without):
    return [bare(record, *without) for record in found if record["type"] == name]


def whole(data):
    """The records of a file, in which every line must be one."""
    found = records.find(data)
    assert len(found) == data.count(b"\n") and data.endswith(b"\n")
    assert [record["seq"] for record in found] == list(range(len(found)))
    return records.join(found)


def check_totals(saved):
    end = saved[-1]
    assert end["type"] == "end"
    for name, count in end["records"].items():
        assert count == len([r for r in saved if r["type"] == name]), name


def shown(tool, path):
    done = subprocess.run([tool, "show", path], capture_output=True, check=False)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode()


def check_clean(image):
    """Nothing waits in the variables, and nothing starts at the next boot but what always does."""
    left = [v.name for v in flashvars.ours(image) if v.is_there]
    assert left == []


class Cuts:
    """Contents of flash and disk after power cuts: copies of both, a folder for each content that
    they have in a run. A machine that starts again knows nothing else."""

    def __init__(self, guest):
        self.guest, self.folders, self.steps = guest, {}, {}
        files = [guest.out / name for name in ("vars.fd", "esp.img")]
        self._files = [file for file in files if file.exists()]
        self._changed = self._last = None

    def take(self):
        """The folder of what is there now."""
        changed = [file.stat().st_mtime_ns for file in self._files]
        if changed != self._changed:
            os.kill(self.guest.pid, signal.SIGSTOP)
            content = tuple(file.read_bytes() for file in self._files)
            os.kill(self.guest.pid, signal.SIGCONT)
            self._changed, self._last = changed, self._folder_of(content)
        return self._last

    def _folder_of(self, content):
        if content not in self.folders:
            folder = self.folders[content] = self.guest.out.with_name(f"cut{len(self.folders)}")
            folder.mkdir()
            for file, data in zip(self._files, content):
                (folder / file.name).write_bytes(data)
        return self.folders[content]

    def take_all(self, steps):
        """Run until the machine is off; `steps` then has a folder with the state after each."""
        left = list(steps)
        while self.guest.status() is None:
            reached = left and left[0] in self.guest.serial()
            folder = self.take()
            if reached:
                self.steps[left.pop(0)] = folder
            time.sleep(random.uniform(0, 0.02))
