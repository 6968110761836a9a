# SPDX-License-Identifier: BSD-2-Clause
"""docs/ci: the commands of its files, run as a server does, judge the run and show the tests."""
import shutil
import subprocess
import xml.etree.ElementTree

import pytest
import test_docs
import yaml
from environment import without_make
from ran import ran

pytestmark = pytest.mark.full

FOLDER = test_docs.ROOT / "docs/ci"
# A firmware with SMIs: that of `make demo`.
INJECTED = ("--inject build/inject.efi --file inject.bin=build/demo.bin "
            "--qemu=-global --qemu=hpet.msi=on")
# Commands that only a server's machine needs, or has.
NOT_HERE = ("apt-get ",)


def github(text):
    """(variables, [(command, always)], path of the tests) of its only job."""
    job, = text["jobs"].values()
    steps = [(step["run"], step.get("if") == "always()") for step in job["steps"] if "run" in step]
    path, = [step["with"]["report_paths"] for step in job["steps"]
             if "report_paths" in step.get("with", {})]
    return job["env"], steps, path


def gitlab(text):
    """Commands of a job for GitLab; the folder that it clones into is the tree."""
    job = text["noisefloor"]
    away = ("apt-get ", "git clone ", "cd ")
    steps = [(command, key == "after_script")
             for key in ("before_script", "script", "after_script") for command in job[key]
             if not command.startswith(away)]
    assert job["artifacts"]["when"] == "always"
    return job["variables"], steps, job["artifacts"]["reports"]["junit"]


@pytest.fixture(scope="module", name="tree")
def fixture_tree(tmp_path_factory):
    tree = tmp_path_factory.mktemp("ci") / "tree"
    test_docs.copy_sources(tree)
    test_docs.copy_build(tree / "build")
    subprocess.run(["make", "-s", "build/inject.efi", "build/demo.bin"], cwd=tree, check=True,
                   env=without_make("BUILD"), stdin=subprocess.DEVNULL)
    yield tree
    shutil.rmtree(tree)


@pytest.mark.parametrize("file,read,firmware,failures", [
    ("github.yml", github, "", 0), ("gitlab.yml", gitlab, INJECTED, 1)], ids=["good", "bad"])
def test_commands(tree, file, read, firmware, failures):
    variables, steps, path = read(yaml.safe_load((FOLDER / file).read_text()))
    assert variables["FIRMWARE"] == ""
    variables["FIRMWARE"] = firmware
    shutil.rmtree(tree / "build/ci", ignore_errors=True)
    good = True
    for command, always in steps:
        if command.startswith(NOT_HERE) or not (good or always):
            continue
        done = ran("sh", "-ec", command, cwd=tree, env=without_make("BUILD", **variables),
                   stdin=subprocess.DEVNULL)
        assert done.returncode in ((0,) if always or not failures else (0, 1)), done
        good = good and done.returncode == 0
    assert good is not bool(failures)
    suites = xml.etree.ElementTree.parse(tree / path.removeprefix("noisefloor/")).getroot()
    cases = list(suites.iter("testcase"))
    assert len(cases) == 2
    assert len(list(suites.iter("failure"))) == failures
    assert not list(suites.iter("skipped")) and not list(suites.iter("error"))
