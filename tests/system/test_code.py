# SPDX-License-Identifier: BSD-2-Clause
"""The code on the screen, from the painted page through a reader of codes back to the run."""
import re
import shutil
import subprocess

import machine as machines
import pytest

PREVIEW, TOOL = machines.BUILD / "preview", machines.BUILD / "noisefloor"
FIELDS = ("NF1;sid=0123456789abcdef;verdict={verdict};version=0.1.0;machine.vendor=Acme;"
          ".product=Quiet 9000;found=4;measured=4;stages=handoff;threshold_ns=1000;"
          "sampled_ns=60000000000;exposure_ns=240000000000;gaps=2;noise_ns=300000;"
          "longest_ns=150000;longest_cpu=3;longest_stage=handoff;longest_cause=smi;"
          "cause=smi:2:300000;longest.smi=150000")
CODES = {"pass": 0, "none": 0, "fail": 1, "error": 2, "incomplete": 3}


def crc32c(data):
    """RFC 3720, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def line(verdict):
    text = FIELDS.format(verdict=verdict)
    return f"{text};crc={crc32c(text.encode()):08x}"


def scan(tmp_path, text, width, height):
    """What zbarimg reads from the page."""
    if not shutil.which("zbarimg"):
        pytest.skip("no zbarimg")
    picture = tmp_path / "page.ppm"
    with picture.open("wb") as to:
        subprocess.run([PREVIEW, "code", str(width), str(height), text], stdout=to, check=True)
    return subprocess.run(["zbarimg", "-q", picture], capture_output=True, text=True,
                          check=True).stdout


def show(*options, text):
    return subprocess.run([TOOL, "show", *options], input=text, capture_output=True, text=True)


@pytest.mark.parametrize("bytes", [1, 100, 858])
@pytest.mark.parametrize("width,height", [(640, 480), (1920, 1080), (3840, 2160), (1080, 1920)])
def test_read_from_the_page(tmp_path, width, height, bytes):
    text = "".join(chr(ord("!") + i * 7 % 90) for i in range(bytes))
    assert scan(tmp_path, text, width, height) == f"QR-Code:{text}\n"


@pytest.mark.parametrize("verdict,code", CODES.items())
def test_from_the_page_to_the_verdict(tmp_path, verdict, code):
    done = show("--qr", "-", text=scan(tmp_path, line(verdict), 800, 600))
    assert (done.returncode, done.stderr) == (code, "")
    assert "Acme Quiet 9000" in done.stdout
    assert "longest gap: 150 us, smi, cpu 3, stage handoff\n" in done.stdout
    assert f"verdict: {verdict}" in done.stdout.splitlines()[-1]


def test_lines_of_the_code_are_records():
    records = show("--qr", line("fail"), "--jsonl", text="")
    assert records.returncode == 1
    again = show("-", text=records.stdout)
    assert again.returncode == 1 and "verdict: fail" in again.stdout


@pytest.mark.parametrize("text,reason", [
    (line("fail")[:-3], "cut off after byte"),
    (line("fail").replace("gaps=2", "gaps=3"), "damaged: the checksum"),
    ("https://example.org/", "does not begin with NF1;sid="),
    ("", "does not begin with NF1;sid="),
    ("a" * 100000, "more than the 2953 of any code"),
    (line("fail") + "\0", "0x00 is no printable ASCII"),
])
def test_damaged(text, reason):
    done = show("--qr", "-", text=text)
    assert done.returncode == 2 and done.stdout == ""
    assert reason in done.stderr


@pytest.mark.parametrize("options", [
    ("--format", "hwlatdetect"), ("--format", "influx"), ("--share", "absent/file"),
])
def test_forms_without_a_summary(options):
    done = show("--qr", line("pass"), *options, text="")
    assert done.returncode == 2 and done.stdout == ""
    assert "accepted with it: --format text json jsonl junit tap" in done.stderr


@pytest.mark.parametrize("arguments", [(), ("--qr", line("pass"), "file")])
def test_files_or_a_code(arguments):
    done = show(*arguments, text="")
    assert done.returncode == 2 and re.search(r"--qr TEXT( takes no FILE)?\n", done.stderr)
