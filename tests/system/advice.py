# SPDX-License-Identifier: BSD-2-Clause
"""The advice of `noisefloor advise` on a run that was measured."""
import json
import subprocess


def of(tool, serial, out):
    """Its exit code and, of a run's serial output, the kinds of evidence and the settings."""
    path = out / "advised.log"
    path.write_bytes(serial)
    done = subprocess.run([tool, "advise", "--json", path], capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    (run,) = json.loads(done.stdout)["runs"]
    kinds = [evidence["kind"] for evidence in run["evidence"]]
    return done.returncode, kinds, [proposal["menu"] for proposal in run["proposals"]]
