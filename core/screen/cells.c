/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells, and their pixels. */
#include "cells.h"

#include "core/lib/mem.h"

/* Least number of cells of a screen in landscape; one in portrait has others. */
#define COLUMNS_MIN          80u
#define ROWS_MIN             30u
#define PORTRAIT_COLUMNS_MIN 60u
#define PORTRAIT_ROWS_MIN    50u

/* No cell has this scale: nothing equals it. */
#define SCALE_NONE 0

const uint32_t cells_palette[INKS] = {
	[INK_PAPER] = 0x0d1117, [INK_PANEL] = 0x1c2735,  [INK_FAINT] = 0x8b98a8,
	[INK_TEXT] = 0xd5dce4,  [INK_BRIGHT] = 0xffffff, [INK_BAR] = 0x4f9cf0,
	[INK_GOOD] = 0x3fc05a,  [INK_BAD] = 0xff5f56,    [INK_WARN] = 0xf0b429,
	[INK_BLACK] = 0x000000, [INK_WHITE] = 0xffffff,
};

static bool is_enough(uint32_t columns, uint32_t rows)
{
	return (columns >= COLUMNS_MIN && rows >= ROWS_MIN) ||
	       (columns >= PORTRAIT_COLUMNS_MIN && rows >= PORTRAIT_ROWS_MIN);
}

bool cells_divide(struct cells_layout *l, uint32_t width, uint32_t height)
{
	unsigned zoom = 1;

	if (width < CELLS_SIDE_MIN || width > CELLS_SIDE_MAX || height < CELLS_SIDE_MIN ||
	    height > CELLS_SIDE_MAX)
		return false;
	while (is_enough(width / FONT_WIDTH / (zoom + 1), height / FONT_HEIGHT / (zoom + 1)))
		zoom++;
	l->zoom = zoom;
	l->columns = width / (FONT_WIDTH * zoom);
	l->rows = height / (FONT_HEIGHT * zoom);
	l->left = (width - l->columns * FONT_WIDTH * zoom) / 2 & ~1u;
	l->top = (height - l->rows * FONT_HEIGHT * zoom) / 2;
	return true;
}

size_t cells_bytes(const struct cells_layout *l)
{
	return (size_t)2 * l->columns * l->rows * sizeof(struct cell);
}

void cells_init(struct cells *c, const struct cells_layout *l, void *memory)
{
	size_t count = (size_t)l->columns * l->rows;

	c->columns = l->columns;
	c->rows = l->rows;
	c->wanted = memory;
	c->shown = c->wanted + count;
	c->next = 0;
	memset(c->shown, SCALE_NONE, count * sizeof(*c->shown));
	cells_clear(c);
}

static void cells_set(struct cells *c, unsigned column, unsigned row, struct cell cell)
{
	if (column < c->columns && row < c->rows)
		c->wanted[(size_t)row * c->columns + column] = cell;
}

void cells_put(struct cells *c, unsigned column, unsigned row, uint8_t glyph, uint8_t inks)
{
	cells_set(c, column, row, (struct cell){ glyph, inks, 1, 0 });
}

void cells_clear(struct cells *c)
{
	for (unsigned row = 0; row < c->rows; row++)
		for (unsigned column = 0; column < c->columns; column++)
			cells_put(c, column, row, ' ', INK_TEXT);
}

static uint8_t printable(char ch)
{
	return ch >= FONT_FIRST && ch <= FONT_LAST ? (uint8_t)ch : '?';
}

unsigned cells_text(struct cells *c, unsigned column, unsigned row, unsigned width, uint8_t inks,
		    const char *text)
{
	unsigned n;

	for (n = 0; n < width && text[n]; n++)
		cells_put(c, column + n, row, printable(text[n]), inks);
	return n;
}

void cells_large(struct cells *c, unsigned column, unsigned row, unsigned scale, uint8_t inks,
		 const char *text)
{
	if (scale > CELLS_SCALE_MAX)
		scale = CELLS_SCALE_MAX;
	for (; *text; text++, column += scale)
		for (unsigned part = 0; part < scale * scale; part++) {
			unsigned x = part % scale, y = part / scale;

			cells_set(c, column + x, row + y,
				  (struct cell){ printable(*text), inks, (uint8_t)scale,
						 (uint8_t)(x | y << 4) });
		}
}

/* True if this pixel of the glyph is ink. */
static bool has_ink(const struct cells_painter *p, uint8_t glyph, unsigned x, unsigned y)
{
	if (glyph >= GLYPH_LEFT(1) && glyph <= GLYPH_LEFT(8))
		return x < glyph - GLYPH_LEFT(0);
	if (glyph < FONT_FIRST || glyph > FONT_LAST)
		return false;
	return p->font[glyph - FONT_FIRST][y] >> (FONT_WIDTH - 1 - x) & 1;
}

static void render_modules(const struct cells_painter *p, uint8_t modules)
{
	unsigned width = FONT_WIDTH * p->zoom, height = FONT_HEIGHT * p->zoom;
	uint32_t *pixel = p->pixels;

	for (unsigned y = 0; y < height; y++)
		for (unsigned x = 0; x < width; x++) {
			unsigned bit = y * CELL_MODULES_Y / height * CELL_MODULES_X +
				       x * CELL_MODULES_X / width;

			*pixel++ = p->palette[modules >> bit & 1 ? INK_BLACK : INK_WHITE];
		}
}

void cells_render(const struct cells_painter *p, const struct cell *cell)
{
	unsigned zoom = p->zoom, size = zoom * cell->scale;
	unsigned left = (cell->part & 15u) * FONT_WIDTH * zoom;
	unsigned top = (cell->part >> 4) * FONT_HEIGHT * zoom;
	uint32_t *pixel = p->pixels, ink, paper;

	if (cell->glyph == GLYPH_MODULES) {
		render_modules(p, cell->inks);
		return;
	}
	ink = p->palette[cell->inks & 15];
	paper = p->palette[cell->inks >> 4];
	/* Most cells are blank. */
	for (unsigned y = 0; y < FONT_HEIGHT * zoom; y++)
		for (unsigned x = 0; x < FONT_WIDTH * zoom; x++)
			*pixel++ = cell->glyph != ' ' && has_ink(p, cell->glyph, (left + x) / size,
								 (top + y) / size)
					   ? ink
					   : paper;
}

bool cells_paint(struct cells *c, const struct cells_painter *p)
{
	size_t count = (size_t)c->columns * c->rows;

	for (size_t n = 0; n < count; n++, c->next = (c->next + 1) % count) {
		const struct cell *wanted = &c->wanted[c->next];

		if (!memcmp(wanted, &c->shown[c->next], sizeof(*wanted)))
			continue;
		if (p->may_go_on && !p->may_go_on(p->ctx))
			return false;
		cells_render(p, wanted);
		p->put(p->ctx, (unsigned)(c->next % c->columns), (unsigned)(c->next / c->columns),
		       p->pixels);
		c->shown[c->next] = *wanted;
	}
	return true;
}
