/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells: how screens are divided, what is painted, and what the pixels are. */
#include "core/screen/cells.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define COLUMNS 20
#define ROWS    6

static struct cells cells;
static struct cell memory[2 * COLUMNS * ROWS];
static uint32_t pixels[CELL_PIXELS * 16];
static unsigned painted, allowed;
static unsigned last_column, last_row;

static void count_put(void *ctx, unsigned column, unsigned row, const uint32_t *from)
{
	(void)ctx;
	assert_ptr_equal(from, pixels);
	assert_true(column < COLUMNS && row < ROWS);
	last_column = column;
	last_row = row;
	painted++;
}

static bool is_allowed(void *ctx)
{
	(void)ctx;
	return painted < allowed;
}

static struct cells_painter painter = {
	.font = cells_font,
	.zoom = 1,
	.palette = cells_palette,
	.pixels = pixels,
	.put = count_put,
	.may_go_on = is_allowed,
};

static void set_up(void)
{
	const struct cells_layout layout = { .zoom = 1, .columns = COLUMNS, .rows = ROWS };

	cells_init(&cells, &layout, memory);
	painted = 0;
	allowed = UINT32_MAX;
	painter.zoom = 1;
}

TEST(test_divide)
{
	static const struct {
		uint32_t width, height;
		unsigned zoom, columns, rows;
	} screens[] = {
		{ 640, 480, 1, 80, 30 },    { 800, 600, 1, 100, 37 },   { 1024, 768, 1, 128, 48 },
		{ 1280, 1024, 2, 80, 32 },  { 1920, 1080, 2, 120, 33 }, { 2560, 1440, 3, 106, 30 },
		{ 3840, 2160, 4, 120, 33 }, { 1080, 1920, 2, 67, 60 },  { 320, 200, 1, 40, 12 },
		{ 64, 64, 1, 8, 4 },
	};
	struct cells_layout l;

	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
		assert_true(cells_divide(&l, screens[i].width, screens[i].height));
		assert_int_equal(l.zoom, screens[i].zoom);
		assert_int_equal(l.columns, screens[i].columns);
		assert_int_equal(l.rows, screens[i].rows);
	}
	assert_false(cells_divide(&l, 63, 480));
	assert_false(cells_divide(&l, 640, 63));
	assert_false(cells_divide(&l, 0, 0));
	assert_false(cells_divide(&l, 16385, 480));
	assert_false(cells_divide(&l, UINT32_MAX, UINT32_MAX));
}

/* All cells lie on the screen, whatever its size. */
TEST(test_inside)
{
	struct cells_layout l;

	for (uint32_t width = 64; width < 5000; width += 37)
		for (uint32_t height = 64; height < 5000; height += 41) {
			assert_true(cells_divide(&l, width, height));
			assert_true(l.columns && l.rows && l.left % 2 == 0);
			assert_true(l.left + l.columns * FONT_WIDTH * l.zoom <= width);
			assert_true(l.top + l.rows * FONT_HEIGHT * l.zoom <= height);
		}
}

TEST_F(set_up, NULL, test_only_changes_are_painted)
{
	assert_true(cells_paint(&cells, &painter));
	assert_int_equal(painted, COLUMNS * ROWS);
	painted = 0;
	assert_true(cells_paint(&cells, &painter));
	assert_int_equal(painted, 0);

	cells_text(&cells, 3, 2, 10, INK_TEXT, "a");
	assert_true(cells_paint(&cells, &painter));
	assert_int_equal(painted, 1);
	assert_int_equal(last_column, 3);
	assert_int_equal(last_row, 2);

	/* If the same is drawn anew, there is nothing to paint. Another colour is a change. */
	cells_clear(&cells);
	cells_text(&cells, 3, 2, 10, INK_TEXT, "a");
	assert_true(cells_paint(&cells, &painter));
	assert_int_equal(painted, 1);
	cells_text(&cells, 3, 2, 10, INK_BAD, "a");
	assert_true(cells_paint(&cells, &painter));
	assert_int_equal(painted, 2);
}

/* After an interruption, painting goes on where it stopped, and all is painted once. */
TEST_F(set_up, NULL, test_time)
{
	unsigned rounds = 0;

	allowed = 7;
	while (!cells_paint(&cells, &painter)) {
		assert_int_equal(painted, allowed);
		/* Constant changes at the top must not starve the rest. */
		cells_put(&cells, 0, 0, (uint8_t)('a' + rounds % 2), INK_TEXT);
		allowed += 7;
		assert_true(++rounds < 100);
	}
	assert_true(painted >= COLUMNS * ROWS && painted < COLUMNS * ROWS + 7);
	assert_memory_equal(cells.wanted, cells.shown, COLUMNS * ROWS * sizeof(struct cell));
}

TEST_F(set_up, NULL, test_text_is_cut)
{
	static struct cell before[COLUMNS * ROWS];

	memcpy(before, cells.wanted, sizeof(before));
	assert_int_equal(cells_text(&cells, 2, 1, 4, INK_TEXT, "abcdefgh"), 4);
	assert_int_equal(cells.wanted[COLUMNS + 5].glyph, 'd');
	assert_int_equal(cells.wanted[COLUMNS + 6].glyph, ' ');
	/* Text past the right edge or below the last row is not drawn. */
	cells_clear(&cells);
	cells_text(&cells, COLUMNS - 1, ROWS, 100, INK_TEXT, "zzzz");
	cells_large(&cells, COLUMNS, 0, 3, INK_TEXT, "zz");
	cells_put(&cells, UINT32_MAX, UINT32_MAX, 'z', INK_TEXT);
	assert_memory_equal(before, cells.wanted, sizeof(before));
	cells_text(&cells, COLUMNS - 1, 0, 100, INK_TEXT, "zzzz");
	assert_int_equal(cells.wanted[COLUMNS - 1].glyph, 'z');
	assert_int_equal(cells.wanted[COLUMNS].glyph, ' ');
}

TEST_F(set_up, NULL, test_unprintable)
{
	cells_text(&cells, 0, 0, 10, INK_TEXT, "\x1b\x01\xc3\x7f~");
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(cells.wanted[i].glyph, '?');
	assert_int_equal(cells.wanted[4].glyph, '~');
}

static bool is_ink(const struct cell *cell, unsigned zoom, unsigned x, unsigned y)
{
	painter.zoom = zoom;
	cells_render(&painter, cell);
	return pixels[y * FONT_WIDTH * zoom + x] == cells_palette[cell->inks & 15];
}

static unsigned inked(const struct cell *cell)
{
	unsigned n = 0;

	cells_render(&painter, cell);
	for (unsigned i = 0; i < CELL_PIXELS; i++)
		n += pixels[i] == cells_palette[cell->inks & 15];
	return n;
}

TEST_F(set_up, NULL, test_pixels)
{
	const struct cell dash = { .glyph = '-', .inks = INK_BAD | INK_PANEL << 4, .scale = 1 };

	/* At the font's own size, the pixels are the font's bits. */
	cells_render(&painter, &dash);
	for (unsigned i = 0; i < CELL_PIXELS; i++) {
		bool set = cells_font['-' - FONT_FIRST][i / 8] >> (7 - i % 8) & 1;

		assert_int_equal(pixels[i], cells_palette[set ? INK_BAD : INK_PANEL]);
	}
}

TEST_F(set_up, NULL, test_bars)
{
	for (unsigned n = 1; n <= 8; n++) {
		const struct cell left = { .glyph = GLYPH_LEFT(n), .inks = INK_BAR, .scale = 1 };

		assert_int_equal(inked(&left), CELL_PIXELS * n / 8);
		assert_true(is_ink(&left, 1, 0, 0));
		assert_int_equal(is_ink(&left, 1, 7, 15), n == 8);
	}
}

/* Each pixel of the font is magnified. */
TEST_F(set_up, NULL, test_large)
{
	cells_large(&cells, 1, 1, 3, INK_TEXT, "AK");
	for (unsigned letter = 0; letter < 2; letter++) {
		const uint8_t *rows = cells_font["AK"[letter] - FONT_FIRST];

		for (unsigned y = 0; y < 48; y++)
			for (unsigned x = 0; x < 24; x++) {
				const struct cell *c = &cells.wanted[(1 + y / 16) * COLUMNS + 1 +
								     letter * 3 + x / 8];
				bool font = rows[y / 3] >> (7 - x / 3) & 1;

				assert_int_equal(is_ink(c, 1, x % 8, y % 16), font);
			}
	}
}

TEST_F(set_up, NULL, test_zoom)
{
	const struct cell bar = { .glyph = '|', .inks = INK_TEXT, .scale = 1 };

	for (unsigned y = 0; y < 64; y++)
		for (unsigned x = 0; x < 32; x++) {
			bool font = cells_font['|' - FONT_FIRST][y / 4] >> (7 - x / 4) & 1;

			assert_int_equal(is_ink(&bar, 4, x, y), font);
		}
}
