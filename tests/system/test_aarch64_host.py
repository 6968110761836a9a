# SPDX-License-Identifier: BSD-2-Clause
"""The host tool built for AArch64, as a program there runs it: without privilege. QEMU executes its
instructions and passes its calls to this machine's Linux, so nothing is asserted of times."""
import pathlib
import shutil
import subprocess

import machine as machines
import pytest
import records

pytestmark = pytest.mark.full

TOOL = machines.BUILD / "aarch64" / "noisefloor-static"
UNPACKED = machines.BUILD / "qemu-user" / "root" / "usr" / "bin"
RUN = pathlib.Path(__file__).resolve().parents[1] / "data" / "runs" / "smis.log"
SECONDS = 300


@pytest.fixture(scope="module")
def foreign():
    """foreign("show", ...): what the tool prints."""
    path = f"{UNPACKED}:/usr/bin"
    names = ("qemu-aarch64-static", "qemu-aarch64")
    emulator = next(filter(None, (shutil.which(name, path=path) for name in names)), None)
    if not emulator:
        pytest.skip("qemu-user-static was not fetched")

    def run(*argv):
        done = subprocess.run([emulator, TOOL, *argv], capture_output=True, timeout=SECONDS)
        assert done.returncode == 0, (done.returncode, done.stderr)
        return done.stdout

    return run


def test_measure_gaps(foreign, tmp_path):
    foreign("measure", "duration=200ms", "threshold=20us", "cpus=0", "live=no", "-o",
            tmp_path / "run")
    found = records.join(records.find((tmp_path / "run").read_bytes()))
    assert (found[0]["type"], found[0]["arch"], found[-1]["type"]) == ("begin", "aarch64", "end")
    assert found[0]["clock"]["source"] == "cntfrq"
    (cpu,) = (record for record in found if record["type"] == "cpu")
    assert cpu["exposure_ns"] > 0


def test_reads_records_as_others_do(foreign, tool):
    for form in ("text", "json", "influx"):
        own = subprocess.run([tool, "show", "--format", form, RUN], capture_output=True, check=True)
        assert own.stdout and foreign("show", "--format", form, RUN) == own.stdout
