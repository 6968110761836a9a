# SPDX-License-Identifier: BSD-2-Clause
"""The code on the screen, from the painted page through a reader of codes back to the run."""
import json
import shutil
import subprocess
import zlib

import machine as machines
import pytest
from ran import ran
from tiers import full_but

PREVIEW, TOOL = machines.BUILD / "preview", machines.BUILD / "noisefloor"
SUMMARY = {
    "version": "0.1.0", "machine": {"vendor": "Acme", "product": "Quiet 9000"}, "found": 4,
    "measured": 4, "stages": "handoff", "threshold_ns": 1000, "sampled_ns": 60000000000,
    "exposure_ns": 240000000000, "gaps": 2, "noise_ns": 300000, "longest_ns": 150000,
    "longest_cpu": 3, "longest_stage": "handoff", "longest_cause": "smi",
    "cause": {"smi": {"gaps": 2, "ns": 300000}},
}
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
CODES = {"pass": 0, "none": 0, "fail": 1, "error": 2, "incomplete": 3}


def crc32c(data):
    """RFC 3720, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def base45(data):
    """RFC 9285."""
    text = ""
    for i in range(0, len(data), 2):
        value = int.from_bytes(data[i:i + 2], "big")
        for _ in range(1 + len(data[i:i + 2])):
            text += DIGITS[value % 45]
            value //= 45
    return text


def code_of(lines):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return f"NF:{base45(packer.compress(lines) + packer.flush())}/"


def record(**fields):
    """A line with its checksum."""
    head = {"nf": 1, "sid": "0123456789abcdef", "seq": 0, **fields}
    text = json.dumps(head, separators=(",", ":"))[:-1].encode()
    return text + b',"crc":"%08x"}\n' % crc32c(text)


def line(verdict):
    return code_of(record(type="summary", verdict=verdict, **SUMMARY))


def scan(tmp_path, text, width, height):
    """Text that zbarimg reads from the page."""
    if not shutil.which("zbarimg"):
        pytest.skip("no zbarimg")
    picture = tmp_path / "page.ppm"
    with picture.open("wb") as to:
        subprocess.run([PREVIEW, str(width), str(height), text], stdout=to, check=True)
    return subprocess.run(["zbarimg", "-q", picture], capture_output=True, text=True,
                          check=True).stdout


def show(*options, text):
    return ran(TOOL, "show", *options, input=text)


@pytest.mark.parametrize("text", [
    *("".join(chr(ord("!") + i * 7 % 90) for i in range(count)) for count in (1, 100, 858)),
    "".join(DIGITS[1 + i * 7 % 44] for i in range(1249)),
], ids=len)
@pytest.mark.parametrize("width,height", full_but(
    [(1080, 1920)], [(640, 480), (1920, 1080), (3840, 2160), (1080, 1920)]))
def test_read_from_the_page(tmp_path, width, height, text):
    assert scan(tmp_path, text, width, height) == f"QR-Code:{text}\n"


@pytest.mark.parametrize("verdict,code", CODES.items())
def test_from_the_page_to_the_verdict(tmp_path, verdict, code):
    done = show("--qr", "-", text=scan(tmp_path, line(verdict), 800, 600))
    assert (done.returncode, done.stderr) == (code, "")
    assert "Acme Quiet 9000" in done.stdout
    assert "longest gap: 150 us, smi, cpu 3, stage handoff\n" in done.stdout
    assert f"verdict: {verdict}" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("text,reason", [
    (line("fail")[:-3], 'cut off: it does not end with "/"'),
    (line("fail")[:-4] + "/", "damaged"),
    (line("fail")[:9] + "a" + line("fail")[10:], "damaged at character 10: base45"),
    (code_of(record(type="summary", verdict="pass").replace(b"pass", b"fail")), "no summary"),
    (code_of(record(type="log", level="info", text="x")), "no summary"),
    (code_of(b"x" * 100000), "not deflated lines"),
    ("NF:/", "not deflated lines"),
    ("https://example.org/", 'does not begin with "NF:"'),
    ("", 'does not begin with "NF:"'),
    ("A" * 100000, "more than the 4296 characters of any QR code"),
    (line("fail") + "\0", 'does not end with "/"'),
])
def test_damaged(text, reason):
    done = show("--qr", "-", text=text)
    assert done.returncode == 2 and done.stdout == ""
    assert reason in done.stderr
