# SPDX-License-Identifier: BSD-2-Clause
"""No object is compiled before the packages of its compiler are there: by make's own rules.

`make -pn` prints the rules after it has resolved them for a folder in which nothing is built.
"""
import platform
import re
import subprocess

import pytest
from minimal import ROOT

HERE = platform.machine()
pytestmark = pytest.mark.full
FOLDER = "unbuilt"  # there is none: nothing is made
RULE = re.compile(r"^([^\s#:=]+): ?([^=]*)$")
# What an object needs beyond the group `build`, by its folder, below that of the build.
NEEDS = (
    ("efi-obj/aarch64/", {"cross"} if HERE != "aarch64" else set()),
    ("host-obj-aarch64/", {"cross"}),
    ("fuzz-obj/", {"fuzz"}),
    ("clang/", {"fuzz"}),
    ("unit-obj/tests/unit/", {"test"}),
    ("host-obj/tests/unit/", {"test"}),
)
GOALS = {
    "x86_64": ("all", "unit-obj/host.a", "unit-obj/common.a", "fuzz-obj/host.a",
               "clang/core/lib/text.o", "coverage-obj/tested.a", "inject.efi", "puppet.efi",
               "unit/core/lib/tests", "statistics/host/hunt/tests", "aarch64/noisefloor-static"),
    "aarch64": ("all", "aarch64/inject.efi", "aarch64/monitor.bin", "aarch64/quirks.efi",
                "aarch64/noisefloor-faults.efi"),
}


def goals_of(arch):
    return [goal if goal == "all" else f"{FOLDER}/{goal}" for goal in GOALS[arch]]


def rules(arch):
    """Each target's prerequisites, those of an order alone among them."""
    done = subprocess.run(
        ["make", "-pn", f"BUILD={FOLDER}", f"ARCH={arch}", *goals_of(arch)], cwd=ROOT,
        capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )
    assert "Finished Make data base" in done.stdout, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        match = RULE.match(line)
        if match and "%" not in line:
            words = match[2].replace("|", " ").split()
            found.setdefault(match[1], set()).update(words)
    return found


def everything_before(target, found, known):
    """What is made before a target."""
    if target not in known:
        known[target] = set()
        for one in found.get(target, ()):
            known[target] |= {one} | everything_before(one, found, known)
    return known[target]


def group_needs(name):
    needs = {"build"} | ({"collect"} if "/host/collect/" in name else set())
    return needs.union(*(more for folder, more in NEEDS if name.startswith(folder)))


@pytest.mark.parametrize("arch", GOALS)
def test_every_object_comes_after_its_packages(arch):
    found, known = rules(arch), {}
    made = set().union(*(everything_before(goal, found, known) for goal in goals_of(arch)))
    objects = sorted(one for one in made if one.startswith(f"{FOLDER}/") and one.endswith(".o"))
    early = []
    for one in objects:
        lacks = group_needs(one.removeprefix(f"{FOLDER}/")) - {
            before.removeprefix(f"{FOLDER}/packages/")
            for before in everything_before(one, found, known)}
        if lacks:
            early.append(f"{one}: {', '.join(sorted(lacks))}")
    assert len(objects) > 200
    assert not early, f"{len(early)} of {len(objects)}, such as {early[:3]}"
