# SPDX-License-Identifier: BSD-2-Clause
"""The machine's own screen: its contents, read back from pictures."""
import re

import pytest

import patience
import picture

STILL_SECONDS, STILL_TRIES = 0.3, 60
# Text that each end page has, and no other.
OVER = "The run is over."
SIZE, ZOOM = (3840, 2160), 4


def adapter(width, height):
    """A display that asks for this resolution, in its EDID. There 75 Hz, QEMU's own choice, is
    out of range for the largest; OVMF then falls back to its own."""
    size = f"xres={width},yres={height}"
    return ("-vga", "none", "-device", f"VGA,{size},refresh_rate=50000,vgamem_mb=64")


def shot(guest, name, zoom=1):
    path = guest.out / f"{name}.ppm"
    guest.qmp.execute("screendump", filename=str(path))
    return picture.Picture(path, zoom)


def page_with(guest, name, text, zoom=1):
    """The picture once this is on it: a guest comes to it when it comes to it."""
    pages = []

    def is_there():
        pages.append(shot(guest, name, zoom))
        return text in pages[-1].words()

    patience.wait_for(is_there, f"`{text}` on the screen", STILL_SECONDS)
    return pages[-1]


def still(guest, name, text, zoom=1):
    """The picture once this is on it and nothing is painted any more."""
    before = page_with(guest, name, text, zoom)
    for _ in range(STILL_TRIES):
        guest.rest(STILL_SECONDS)
        page = shot(guest, name, zoom)
        if before.pixels == page.pixels:
            break
        before = page
    return page


def press(guest, *names):
    for name in names:
        guest.qmp.execute("send-key", keys=[{"type": "qcode", "data": name}])


class Once:
    """A tick that acts once, when a pattern has come on the serial line."""

    def __init__(self, pattern, act):
        self._pattern, self._act, self.done = re.compile(pattern.encode()), act, None

    def __call__(self, guest):
        if self.done is None and self._pattern.search(guest.serial()):
            self.done = True
            self.done = self._act(guest) or True


def end_of(result):
    return result.of_type("end")[-1]


# Contents of the pages


@pytest.mark.full
def test_end_page(run):
    seen = []
    result = run(
        smp=2,
        config="duration=200ms max=1us then=halt",
        extra=adapter(*SIZE),
        at_end=lambda guest: seen.append(still(guest, "end", OVER, ZOOM)),
    )
    page = seen[0]
    assert (page.width, page.height) == SIZE
    text = "\n".join(page.lines())
    assert page.large("FAIL") * 100 // page.rows >= 19
    for reason in end_of(result)["reasons"]:
        assert reason in " ".join(text.split())
    assert "2 of 2 cores measured" in text
    assert "QEMU Standard PC" in text and "EFI Development Kit II / OVMF" in text
    for cpu in result.of_type("cpu"):
        # Core, noise, longest gap, gaps.
        rows = [line.split() for line in page.lines() if line.split()[:1] == [str(cpu["cpu"])]]
        assert str(cpu["gaps"]) in [row[3] for row in rows if len(row) > 3]


def test_live_page(run):
    seen = []
    look = Once("  2/60 ", lambda guest: seen.append(
        page_with(guest, "live", "ends the run.")) or guest.send(b"q"))
    run(smp=2, config="duration=60s", extra=adapter(1024, 768), ticks=[look])
    text = "\n".join(seen[0].lines())
    assert "stage handoff" in text
    assert re.search(r"window \d+ of 60, \d+ s left", text)
    assert "LONGEST GAP" in text
    assert re.search(r"^ *[01] +[\d.]+ +[\d.]+ +\d+ ", text, re.M)
    assert "Esc, q or Ctrl-C on the serial port ends the run." in text


# The countdown


def at_countdown(act):
    return Once("starts in", act)


@pytest.mark.full
def test_countdown_runs_out(run):
    seen = []

    def look(guest):
        printed = guest.serial()
        if b"starts in" in printed and b'"type":"begin"' not in printed and guest.status() is None:
            seen.append(shot(guest, f"start{len(seen)}"))

    def whole(page):
        text = page.words()
        return "duration=300ms" in text and "Enter starts now. Esc leaves." in text and any(
            page.large(f"starts in {n} s") for n in range(1, 4)
        )

    config = "duration=300ms countdown=3s then=halt"
    result = run(smp=1, config=config, extra=adapter(1024, 768), ticks=[look])
    assert result.code == 0 and result.of_type("window")
    # The countdown goes on meanwhile: some pictures are of a partly painted page.
    assert any(map(whole, seen))


@pytest.mark.full
def test_what_is_typed_comes_into_force(run):
    """A mistake is reported and changes nothing; corrected, it is accepted."""
    seen = []

    def type_in(guest):
        press(guest, *"duration", "equal", "4", "ret")
        seen.append(page_with(guest, "mistake", "duration=4 needs a unit"))
        press(guest, *"00ms", "ret", *"key", "equal", *"0011", "ret")
        page_with(guest, "secret", "> key=****_")
        press(guest, *"0011" * 7, "ret", "ret")

    result = run(
        smp=1,
        config="duration=1h countdown=30m then=halt window=100ms",
        extra=adapter(1024, 768),
        ticks=[at_countdown(type_in)],
        timeout=300,
    )
    text = seen[0].words()
    assert "> duration=4_" in text
    assert "duration=1h" in text
    assert len(result.of_type("window")) == 4
    assert b"0011" * 8 not in result.serial and b"changed: key=" + 32 * b"*" in result.serial
    assert "key=<set>" in result.of_type("begin")[0]["config"].split()
    assert "duration=400ms" in result.of_type("begin")[0]["config"].split()


@pytest.mark.full
def test_a_mistake_in_the_file_is_on_the_screen(run):
    seen = []
    result = run(
        smp=1,
        config="duration=10 countdown=5s then=halt",
        extra=adapter(1024, 768),
        at_end=lambda guest: seen.append(still(guest, "error", "noisefloor.conf:1")),
    )
    assert result.code == 2
    text = seen[0].words()
    assert seen[0].large("ERROR")
    assert "noisefloor.conf:1: duration=10 needs a unit" in text


def test_escape_on_the_keyboard_ends_the_run(run):
    """After ExitBootServices the keyboard controller is asked."""
    stop = Once("  1/60 ", lambda guest: press(guest, "esc"))
    go = at_countdown(lambda guest: press(guest, "ret"))
    result = run(smp=1, config="duration=60s countdown=30m then=halt", ticks=[go, stop])
    assert end_of(result)["reasons"] == ["Esc ended the run"]
    assert 1 <= len(result.of_type("window")) < 60
