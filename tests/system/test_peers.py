# SPDX-License-Identifier: BSD-2-Clause
"""The reading of what `make peers` measures; the measuring itself takes minutes."""
import pathlib
import shutil
import struct
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "peers"))

import bench  # noqa: E402
import initramfs  # noqa: E402
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


def test_times_are_ns_of_any_clock():
    assert peers.parts_of(SERIAL, 16)["hwlat"].end == 300 * 16


@pytest.mark.parametrize("processor, is_read, code", [
    ("x86_64", True, b"\x0f\x31\x48\xc1"),
    ("x86_64", True, b"\x0f\x01\xf9\x90"),
    ("x86_64", False, b"\x0f\x01\xf8\x90"),  # SWAPGS
    ("aarch64", True, struct.pack("<I", 0xd53be043)),  # MRS X3, CNTVCT_EL0
    ("aarch64", True, struct.pack("<I", 0xd53be020)),  # MRS X0, CNTPCT_EL0
    ("aarch64", True, struct.pack("<I", 0xd53be0df)),  # MRS XZR, CNTVCTSS_EL0
    ("aarch64", False, struct.pack("<I", 0xd53be003)),  # MRS X3, CNTFRQ_EL0
    ("aarch64", False, struct.pack("<I", 0xd51be043)),  # MSR CNTVCT_EL0, X3
    ("aarch64", False, struct.pack("<I", 0xd53bd043)),  # MRS X3, TPIDR_EL0
])
def test_reads_of_the_clock(processor, is_read, code):
    assert bool(bench.READS[processor].match(code)) == is_read


def test_libraries_of_an_unpacked_tool(tmp_path):
    """What this machine's loader finds for a program here, found below a root without it."""
    program = shutil.which("ls")
    expected = initramfs._libraries(program)
    for library in expected:
        to = tmp_path / library.lstrip("/")
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, to)
    found = initramfs._libraries_below(tmp_path, program, [])
    assert sorted(found) == sorted(f"{tmp_path}{library}" for library in expected)
    pathlib.Path(found[-1]).unlink()
    with pytest.raises(initramfs.InitramfsError):
        initramfs._libraries_below(tmp_path, program, [])


def test_counts_of_captures():
    def text(name):
        return (PEERS / name).read_text(errors="replace")

    hwlat = text("hwlat-none.trace")
    assert peers.count_hwlat(hwlat) >= hwlat.count("inner/outer") > 0
    osnoise = text("osnoise.trace")
    rows = [line.split() for line in osnoise.splitlines() if line and "#" not in line]
    hardware = sum(int(row[row.index("1000000") + 4]) for row in rows if "1000000" in row)
    assert peers.count_osnoise(osnoise) == hardware > 0


@pytest.mark.parametrize("count", [peers.count_hwlat, peers.count_osnoise, peers.count_oslat,
                                   peers.count_cyclictest, peers.count_records])
def test_nothing_is_counted_in_nothing(count):
    assert count("# tracer: hwlat\n\n") == 0


def test_the_table_replaces_the_one_before(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("a\n" + "old\n".join(peers.marks("make x")) + "z\n")
    row = peers.Row("osnoise", 2.0, 4, 400.0, 3, 0.5, (100.0, 300.0))
    assert row.encloses and row.recall == 0.75
    peers.put(readme, peers.table([row]), "make x")
    text = readme.read_text()
    assert text.startswith("a\n" + peers.marks("make x")[0]) and text.endswith("z\n")
    assert "old" not in text
    assert "| osnoise | 2.00 s | 50.0 % | 4 | 3 | 75.0 % | 200 in 100 to 300 |" in text


def test_what_must_hold_is_asked():
    def rows(found, bounds):
        return [
            peers.Row("noisefloor", 1.0, 4, 400.0, found, 1.0),
            peers.Row("osnoise", 1.0, 4, 400.0, 3, 1.0, bounds),
        ]

    assert list(peers.wrong(rows(4, (300.0, 500.0)))) == []
    assert len(list(peers.wrong(rows(3, (300.0, 500.0))))) == 1
    assert len(list(peers.wrong(rows(5, (401.0, 500.0))))) == 2
