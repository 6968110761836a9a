#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The rooms of core/ by who includes whom: rooms.py prints them, floor by floor.

A room is a folder, and stands one floor above the highest of those that it includes. A circle has
no floor, and is an error. The folders of record types are drawn as one room.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.M)
KINDS = "kinds/<type>"


def room_of(path):
    room = "/".join(path.parts[:-1])
    return KINDS if room.startswith("kinds/") else room


def arrows(core):
    """Includes between the rooms below `core`: {room: rooms that it includes}."""
    found = {}
    for path in sorted(core.glob("**/*.[ch]")):
        own = room_of(path.relative_to(core))
        to = found.setdefault(own, set())
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            target = core.parent / name
            if target.is_file() and target.is_relative_to(core):
                to.add(room_of(target.relative_to(core)))
        to.discard(own)
    return found


def floors(found):
    """The floor of each room, from 1."""
    done = {}

    def floor(room, below):
        if room in below:
            raise ValueError("a circle: " + " -> ".join([*below[below.index(room):], room]))
        if room not in done:
            done[room] = 1 + max((floor(r, [*below, room]) for r in found[room]), default=0)
        return done[room]

    for room in found:
        floor(room, [])
    return done


def figure(core=ROOT / "core"):
    """A line for each room, the highest first: its floor, its name, what it includes."""
    found = arrows(core)
    floor = floors(found)
    high = sorted(found, key=lambda room: (-floor[room], room))
    width = max(map(len, found))
    lines, last = [], None
    for room in high:
        number = str(floor[room]) if floor[room] != last else ""
        last = floor[room]
        below = " ".join(sorted(found[room], key=lambda r: (-floor[r], r)))
        lines.append(f"{number:2} {room:{width}}  {below and '-> ' + below}".rstrip())
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(figure())
