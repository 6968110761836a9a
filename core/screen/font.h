/* SPDX-License-Identifier: BSD-2-Clause */
/* The screen's font: printable ASCII, 8 by 16. mk/font.py makes it from Debian's Spleen. */
#pragma once

#include <stdint.h>

#define FONT_WIDTH  8
#define FONT_HEIGHT 16
#define FONT_FIRST  ' '
#define FONT_LAST   '~'
#define FONT_GLYPHS (FONT_LAST - FONT_FIRST + 1)

/* A byte per row from the top; the highest bit is on the left. */
extern const uint8_t font_glyph[FONT_GLYPHS][FONT_HEIGHT];
