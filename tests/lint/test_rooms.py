# SPDX-License-Identifier: BSD-2-Clause
"""Floors and arrows of rooms, from their includes."""
import sys

import pytest

import sources

sys.path.insert(0, str(sources.ROOT / "mk"))
import rooms


def lay(root, files):
    for name, included in files.items():
        path = root / "core" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f'#include "{i}"\n' for i in included), encoding="utf-8")
    return root / "core"


def test_floors(tmp_path):
    core = lay(tmp_path, {
        "lib/text.h": ["stddef.h"],
        "lib/text.c": ["text.h"],
        "gaps/gap.h": ["core/lib/text.h"],
        "run/run.c": ["core/gaps/gap.h", "core/lib/text.h", "arch/arch.h"],
        "kinds/gap/gap_record.c": ["core/lib/text.h"],
        "kinds/event/event_record.c": ["core/gaps/gap.h", "core/kinds/gap/gap_rows.h"],
    })
    assert rooms.figure(core) == (
        "3  kinds/<type>  -> gaps lib\n"
        "   run           -> gaps lib\n"
        "2  gaps          -> lib\n"
        "1  lib\n"
    )


def test_a_circle_has_no_floor(tmp_path):
    core = lay(tmp_path, {
        "a/a.h": ["core/b/b.h"],
        "b/b.h": ["core/c/c.h"],
        "c/c.h": ["core/b/b2.h"],
        "b/b2.h": [],
    })
    with pytest.raises(ValueError, match="a circle: b -> c -> b"):
        rooms.figure(core)


def test_the_trees_own_has_none():
    assert rooms.floors(rooms.arrows(sources.ROOT / "core"))["lib"] == 1
