# SPDX-License-Identifier: BSD-2-Clause
"""What a machine lacks for a root of its own is named, so that a test can be skipped for it."""
import os

import minimal
import pytest


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """machine(uid=0, wget=0): has all programs, which do nothing but exit with this status."""

    def make(uid=0, **status):
        for name in minimal.PROGRAMS:
            (tmp_path / name).write_text(f"#!/bin/sh\nexit {status.get(name, 0)}\n")
            (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/nowhere")
        monkeypatch.setattr(os, "geteuid", lambda: uid)
        monkeypatch.setattr(minimal, "_mirror", lambda: "http://mirror/debian")
        return minimal.Minimal("trixie", tmp_path / "out")

    return make


def test_none(machine):
    assert machine().obstacle() is None


def test_each_program(machine, tmp_path):
    system = machine()
    for name in minimal.PROGRAMS:
        (tmp_path / name).rename(tmp_path / "away")
        assert system.obstacle() == f"there is no {name}"
        (tmp_path / "away").rename(tmp_path / name)


@pytest.mark.parametrize("has,named", [
    ({"uid": 1000}, "takes root"),
    ({"git": 128}, "no clone"),
    ({"setpriv": 1}, "namespaces"),
    ({"wget": 4}, "http://mirror/debian/dists/trixie/InRelease cannot be fetched"),
])
def test_one(machine, has, named):
    assert named in machine(**has).obstacle()
