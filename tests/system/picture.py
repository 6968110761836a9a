# SPDX-License-Identifier: BSD-2-Clause
"""A picture of the screen, read back as text: letter by letter, by the font's own bitmaps."""
import functools
import gzip
import pathlib
import sys

import machine as machines

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "mk"))

import font  # noqa: E402

FONT = machines.BUILD / "fonts-spleen/src/usr/share/consolefonts/spleen-8x16.psfu.gz"
WIDTH, HEIGHT = 8, 16
LARGE = range(2, 17)


@functools.lru_cache(maxsize=None)
def _bitmaps():
    """Returns {letter: its rows, a byte each}."""
    with gzip.open(FONT) as file:
        found = font.glyphs(file.read())
    return {chr(code): found[code] for code in range(font.FIRST, font.LAST + 1)}


@functools.lru_cache(maxsize=None)
def _letters():
    return {rows: letter for letter, rows in _bitmaps().items()}


@functools.lru_cache(maxsize=None)
def _pixels(letter):
    """Returns [(x, y, whether there is ink)] of its bitmap, ink first: most cells have none."""
    rows = _bitmaps()[letter]
    found = [(x, y, bool(rows[y] >> WIDTH - 1 - x & 1))
             for y in range(HEIGHT) for x in range(WIDTH)]
    return sorted(found, key=lambda pixel: not pixel[2])


class Picture:
    """A PPM file. `zoom` as the screen's cells have it; they are in the middle."""

    def __init__(self, path, zoom):
        data = pathlib.Path(path).read_bytes()
        magic, size, depth, self.pixels = data.split(b"\n", 3)
        assert (magic, depth) == (b"P6", b"255"), (magic, depth)
        self.width, self.height = map(int, size.split())
        self._zoom = zoom
        self.columns = self.width // (WIDTH * zoom)
        self.rows = self.height // (HEIGHT * zoom)
        self._left = (self.width - self.columns * WIDTH * zoom) // 2 & ~1
        self._top = (self.height - self.rows * HEIGHT * zoom) // 2

    def colour(self, x, y):
        at = 3 * (y * self.width + x)
        return self.pixels[at : at + 3]

    def _place(self, column, row, scale):
        """The upper left corner of a letter there, and its pixels' size; None: it does not fit."""
        size = self._zoom * scale
        left = self._left + column * WIDTH * self._zoom
        top = self._top + row * HEIGHT * self._zoom
        if left + WIDTH * size > self.width or top + HEIGHT * size > self.height:
            return None
        return left, top, size

    def _is_ink(self, left, top, size, paper):
        """Compares the middle of a pixel, since its edges may be blurred."""
        middle = {(size - 1) // 2, size // 2}
        return all(self.colour(left + u, top + v) != paper for v in middle for u in middle)

    def _letter(self, column, row):
        """The letter in this cell, or None."""
        left, top, size = self._place(column, row, 1)
        paper = self.colour(left, top)
        at, blank = 3 * (top * self.width + left), paper * (WIDTH * size)
        starts = range(at, at + 3 * HEIGHT * size * self.width, 3 * self.width)
        if all(self.pixels.startswith(blank, start) for start in starts):
            return " "
        return _letters().get(bytes(
            sum(self._is_ink(left + x * size, top + y * size, size, paper) << WIDTH - 1 - x
                for x in range(WIDTH))
            for y in range(HEIGHT)
        ))

    def _has(self, column, row, scale, letter):
        """Whether this letter's upper left cell is there."""
        place = self._place(column, row, scale)
        if not place:
            return False
        left, top, size = place
        paper = self.colour(left, top)
        return all(self._is_ink(left + x * size, top + y * size, size, paper) == ink
                   for x, y, ink in _pixels(letter))

    @functools.lru_cache(maxsize=None)
    def _text(self):
        return tuple(
            "".join(self._letter(x, y) or " " for x in range(self.columns)).rstrip()
            for y in range(self.rows)
        )

    def lines(self):
        """All text of the common size; what is no letter is a blank."""
        return list(self._text())

    def words(self):
        """All text as one line, with one blank between words."""
        return " ".join(" ".join(self.lines()).split())

    def large(self, words):
        """The scale at which these words stand somewhere in large letters; 0: nowhere."""
        for scale in reversed(LARGE):
            for y in range(self.rows):
                for x in range(self.columns - scale * len(words) + 1):
                    if all(self._has(x + n * scale, y, scale, c) for n, c in enumerate(words)):
                        return scale
        return 0
