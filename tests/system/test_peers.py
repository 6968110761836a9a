# SPDX-License-Identifier: BSD-2-Clause
"""The reading of what `make peers` measures; the measuring itself takes minutes."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "peers"))

import peers  # noqa: E402

PEERS = ROOT / "tests" / "data" / "peers"

SERIAL = b"""noise before\r
@@ begin hwlat 100\r
@@ end hwlat 300\r
# tracer: hwlat\r
   <...>-98  [000] d......  5.03: #1  inner/outer(us):  182/194   ts:17.743 count:25\r
@@ over hwlat\r
between\r
@@ begin oslat 400\r
@@ end oslat 500\r
    015 (us):\t 3\r
    016 (us):\t 4\r
    512 (us):\t 2 (including overflows)\r
@@ over oslat\r
"""


def test_parts_are_distinguished():
    parts = peers.parts_of(SERIAL)
    assert list(parts) == ["hwlat", "oslat"]
    assert (parts["hwlat"].begin, parts["hwlat"].end) == (100, 300)
    assert b"between" not in parts["hwlat"].text + parts["oslat"].text
    assert peers.count_hwlat(parts["hwlat"].text.decode()) == 25
    # A bucket holds what is shorter than its number.
    assert peers.count_oslat(parts["oslat"].text.decode()) == 6
    assert peers.count_oslat("oslat V 2.40\n" + parts["oslat"].text.decode()) == 6
    assert peers.count_oslat("oslat V 2.60\n" + parts["oslat"].text.decode()) == 2


def test_counts_of_captures():
    def text(name):
        return (PEERS / name).read_text(errors="replace")

    hwlat = text("hwlat-none.trace")
    assert peers.count_hwlat(hwlat) >= hwlat.count("inner/outer") > 0
    osnoise = text("osnoise.trace")
    rows = [line.split() for line in osnoise.splitlines() if line and "#" not in line]
    hardware = sum(int(row[row.index("1000000") + 4]) for row in rows if "1000000" in row)
    assert peers.count_osnoise(osnoise) == hardware > 0


def test_what_must_hold_is_asked():
    def rows(found, bounds):
        return [
            peers.Row("noisefloor", 1.0, 4, 400.0, found, 1.0),
            peers.Row("osnoise", 1.0, 4, 400.0, 3, 1.0, bounds),
        ]

    assert list(peers.wrong(rows(4, (300.0, 500.0)))) == []
    assert len(list(peers.wrong(rows(3, (300.0, 500.0))))) == 1
    assert len(list(peers.wrong(rows(5, (401.0, 500.0))))) == 2
