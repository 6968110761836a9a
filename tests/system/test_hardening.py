# SPDX-License-Identifier: BSD-2-Clause
"""The host programs are hardened as Debian's are, and take the environment's flags."""
import platform
import re
import subprocess

import hardening
import pytest
import test_docs
from environment import without_make

BUILD, ROOT = test_docs.BUILD, test_docs.ROOT


@pytest.mark.parametrize("name", ["noisefloor", "noisefloor-collect"])
def test_programs_are_hardened(name):
    assert hardening.lacks(BUILD / name) == set()


@pytest.mark.full
@pytest.mark.parametrize("name", ["noisefloor-static", "aarch64/noisefloor-static"])
def test_static_programs_are_position_independent(name):
    """Static programs have the same objects; their libraries were compiled by others."""
    if not (BUILD / name).exists():
        pytest.skip(f"no {name}")
    assert hardening.lacks_of_linker(BUILD / name) == set()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="CET is x86-64's")
def test_every_object_is_marked_for_cet():
    """One that is not takes the mark from the whole program, and so do Debian 12's own."""
    archive = BUILD / "host-obj" / "tool.a"  # linked objects; others beside it may be old
    done = subprocess.run(["readelf", "-n", archive], check=True, capture_output=True, text=True)
    parts = done.stdout.split("\nFile: ")[1:]
    assert len(parts) > 100
    assert not [part.split("\n", 1)[0] for part in parts
                if not re.search(r"x86 feature:.*IBT.*SHSTK", part)]


def test_environment_has_the_last_word():
    """dpkg-buildpackage passes its flags so; the EFI application keeps its own."""
    build = str(BUILD.relative_to(ROOT) if BUILD.is_relative_to(ROOT) else BUILD)  # make's name
    programs = [f"{build}/{name}" for name in ("noisefloor", "noisefloor-collect",
                                               "noisefloor-static")]
    own = f"{build}/efi-obj/efi/main.o"
    done = subprocess.run(
        ["make", "-nB", "V=1", f"BUILD={build}", *programs, own], cwd=ROOT,
        env=without_make("BUILD", CFLAGS="-O1 -DOF_C", CPPFLAGS="-DOF_CPP", LDFLAGS="-Wl,-O1"),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    commands = {words[words.index("-o") + 1]: words
                for words in map(str.split, done.stdout.splitlines()) if "-o" in words}
    assert {name for name, words in commands.items() if "-Wl,-O1" in words} == set(programs)
    objects = [name for name in commands if name.startswith(f"{build}/host-obj/")]
    assert len(objects) > 100
    for name in objects:
        words = commands[name]
        assert {"-DOF_C", "-DOF_CPP"} <= set(words) and words.index("-O1") > words.index("-O2")
    assert not {"-DOF_C", "-DOF_CPP", "-fPIE", "-fstack-protector-strong"} & set(commands[own])
