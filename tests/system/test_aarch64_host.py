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
CACHE = pathlib.Path("/sys/devices/system/cpu/cpu0/cache/index2/size")
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


def test_measure_stretch(foreign, tmp_path):
    """mode=stretch, whose larger rings need what Linux reports of the caches."""
    kernels = ["adds", "fma"] + (["l2"] if CACHE.exists() else [])
    foreign("measure", "mode=stretch", f"kernel={','.join(kernels)}", "duration=200ms", "cpus=0",
            "threshold=20us", "live=no", "-o", tmp_path / "run")
    found = records.join(records.find((tmp_path / "run").read_bytes()))
    assert {r["kernel"] for r in found if r["type"] == "stretch"} == set(kernels)
    assert all(r["quanta"] >= 80 for r in found if r["type"] == "stretch")


def test_reads_records_as_others_do(foreign, tool):
    for form in ("text", "json", "influx"):
        own = subprocess.run([tool, "show", "--format", form, RUN], capture_output=True, check=True)
        assert own.stdout and foreign("show", "--format", form, RUN) == own.stdout
