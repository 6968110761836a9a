# SPDX-License-Identifier: BSD-2-Clause
"""A picture of the screen, read back as text: letter by letter, by the font's own bitmaps."""
import gzip
import pathlib
import sys

import machine as machines

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "mk"))

import font  # noqa: E402

FONT = machines.BUILD / "fonts-spleen/src/usr/share/consolefonts/spleen-8x16.psfu.gz"
WIDTH, HEIGHT = 8, 16
LARGE = range(2, 17)


def _bitmaps():
    with gzip.open(FONT) as file:
        found = font.glyphs(file.read())
    return {found[code]: chr(code) for code in range(font.FIRST, font.LAST + 1)}


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
        self._letters = _bitmaps()

    def colour(self, x, y):
        at = 3 * (y * self.width + x)
        return self.pixels[at : at + 3]

    def _letter(self, column, row, scale):
        """The letter whose upper left cell this is, or None. Each of its pixels is looked at in
        the middle: between them there may be slopes."""
        size = self._zoom * scale
        left = self._left + column * WIDTH * self._zoom
        top = self._top + row * HEIGHT * self._zoom
        if left + WIDTH * size > self.width or top + HEIGHT * size > self.height:
            return None
        paper = self.colour(left, top)
        middle = {(size - 1) // 2, size // 2}
        rows = bytes(
            sum(
                all(
                    self.colour(left + x * size + u, top + y * size + v) != paper
                    for u in middle
                    for v in middle
                )
                << WIDTH - 1 - x
                for x in range(WIDTH)
            )
            for y in range(HEIGHT)
        )
        return self._letters.get(rows)

    def lines(self):
        """All text of the common size; what is no letter is a blank."""
        return [
            "".join(self._letter(x, y, 1) or " " for x in range(self.columns)).rstrip()
            for y in range(self.rows)
        ]

    def words(self):
        """The same as one line, with one blank between any two."""
        return " ".join(" ".join(self.lines()).split())

    def large(self, words):
        """The scale at which these words stand somewhere in large letters; 0: nowhere."""
        for scale in reversed(LARGE):
            for y in range(self.rows):
                for x in range(self.columns - scale * len(words) + 1):
                    if all(
                        self._letter(x + n * scale, y, scale) == c for n, c in enumerate(words)
                    ):
                        return scale
        return 0
