/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A screen as a grid of cells, each one character of 8 by 16 pixels in two of 16 colours, all
 * magnified by a whole number. Large letters spread over several cells. The wanted and the shown
 * contents are stored separately, so that only changed cells are painted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The font: printable ASCII. mk/font.py makes it from Debian's Spleen. */
#define FONT_WIDTH  8
#define FONT_HEIGHT 16
#define FONT_FIRST  ' '
#define FONT_LAST   '~'
#define FONT_GLYPHS (FONT_LAST - FONT_FIRST + 1)

/* A byte per row from the top; the highest bit is on the left. */
extern const uint8_t cells_font[FONT_GLYPHS][FONT_HEIGHT];

#define CELL_PIXELS (FONT_WIDTH * FONT_HEIGHT)

/* Range of a screen's width and height in pixels; others are refused. */
#define CELLS_SIDE_MIN 64u
#define CELLS_SIDE_MAX 16384u

/* Glyphs beside printable ASCII. */
#define GLYPH_LEFT(n) ((uint8_t)(n)) /* 1 to 8: a bar of n eighths from the left edge */
#define GLYPH_MODULES ((uint8_t)9)   /* modules of a code, in place of inks */

/*
 * Modules of a code in a cell: squares of 4 by 4 pixels, black where bit CELL_MODULES_X * y + x is
 * set, else white.
 */
#define CELL_MODULES_X 2u
#define CELL_MODULES_Y 4u

enum cells_ink {
	INK_PAPER, /* the background */
	INK_PANEL,
	INK_FAINT,
	INK_TEXT,
	INK_BRIGHT,
	INK_BAR,
	INK_GOOD,
	INK_BAD,
	INK_WARN,
	INK_BLACK, /* modules: this one and the next */
	INK_WHITE,
	INKS /* at most 16 */
};

/* Red, green and blue of each ink as 0xRRGGBB. */
extern const uint32_t cells_palette[INKS];

#define ON_PANEL(ink) ((uint8_t)((ink) | INK_PANEL << 4))

struct cell {
	uint8_t glyph;
	uint8_t inks;  /* the glyph's, and its background's from bit 4 on; or modules */
	uint8_t scale; /* the letter's scale: 1, or this cell is a part of a large one */
	uint8_t part;  /* position in the large letter: column in bits 3:0, row from bit 4 on */
};

#define CELLS_SCALE_MAX 16u

struct cells {
	unsigned columns, rows;
	struct cell *wanted, *shown;
	size_t next; /* where painting continues */
};

/* Division of a screen into cells, by its size in pixels. */
struct cells_layout {
	unsigned zoom; /* pixels per pixel of the font */
	unsigned columns, rows;
	unsigned left, top; /* pixels of margin; left is even */
};

/* False when a side is out of range. */
bool cells_divide(struct cells_layout *layout, uint32_t width, uint32_t height);

/* Bytes of memory for cells of this layout. */
size_t cells_bytes(const struct cells_layout *layout);

/*
 * Initialize the cells in `memory`, which has cells_bytes() and is aligned to 4. Nothing is shown
 * yet.
 */
void cells_init(struct cells *c, const struct cells_layout *layout, void *memory);

/* Clear: only the background is wanted. */
void cells_clear(struct cells *c);

/* Put a glyph; cells outside the screen are ignored, here and below. */
void cells_put(struct cells *c, unsigned column, unsigned row, uint8_t glyph, uint8_t inks);

/*
 * Put a line of text, cut at `width` columns. Bytes other than printable ASCII become '?'. Returns
 * the number of columns.
 */
unsigned cells_text(struct cells *c, unsigned column, unsigned row, unsigned width, uint8_t inks,
		    const char *text);

/* cells_text() in large letters, each `scale` columns wide and rows high. */
void cells_large(struct cells *c, unsigned column, unsigned row, unsigned scale, uint8_t inks,
		 const char *text);

/* A painter of cells. */
struct cells_painter {
	const uint8_t (*font)[FONT_HEIGHT]; /* FONT_GLYPHS of them: cells_font */
	unsigned zoom;
	const uint32_t *palette; /* the inks, as put() wants pixels */
	uint32_t *pixels;        /* scratch: CELL_PIXELS * zoom * zoom */
	/* Shows a cell's pixels, FONT_WIDTH * zoom per row. */
	void (*put)(void *ctx, unsigned column, unsigned row, const uint32_t *pixels);
	bool (*may_go_on)(void *ctx); /* asked before each cell; NULL: always */
	void *ctx;
};

/*
 * Paint changed cells. True: everything wanted is shown; false: the next call continues from there.
 */
bool cells_paint(struct cells *c, const struct cells_painter *painter);

/* Render the pixels of one cell into painter->pixels. */
void cells_render(const struct cells_painter *painter, const struct cell *cell);
