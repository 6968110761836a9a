/* SPDX-License-Identifier: BSD-2-Clause */
/* QR codes on the screen: each module, each cell, against the generator's own answer. */
#include "core/screen/screen_code.h"

#include <qrcodegen.h>

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define COLUMNS 90
#define ROWS    40
#define BLACK   0x000000u
#define WHITE   0xffffffu

static struct screen screen;
static struct cell memory[2 * COLUMNS * ROWS];
static struct screen_code code;
static uint32_t pixels[CELL_PIXELS * 9];

static void set_up(void)
{
	const struct cells_layout layout = { .zoom = 1, .columns = COLUMNS, .rows = ROWS };

	memset(&code, 0, sizeof(code));
	cells_init(&screen.cells, &layout, memory);
}

/* `bytes` of text that looks like nothing else. */
static const char *text_of(size_t bytes)
{
	static char text[1283];

	for (size_t i = 0; i < bytes; i++)
		text[i] = (char)('!' + i * 7 % 90);
	text[bytes] = '\0';
	return text;
}

/* Capacities of byte mode at level L: ISO/IEC 18004:2015, table 7. */
TEST_F(set_up, NULL, test_versions)
{
	static const struct {
		size_t bytes;
		int version;
	} sizes[] = { { 1, 1 },    { 17, 1 },   { 18, 2 },    { 271, 10 },  { 272, 11 },
		      { 858, 20 }, { 859, 21 }, { 1171, 24 }, { 1172, 25 }, { 1273, 25 } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_true(screen_code_make(&code, text_of(sizes[i].bytes)));
		assert_int_equal(qrcodegen_getSize(code.modules), 17 + 4 * sizes[i].version);
	}
}

/* Four modules of quiet on each side: 29 of version 1, 125 of version 25. */
TEST_F(set_up, NULL, test_cells)
{
	assert_true(screen_code_make(&code, text_of(1)));
	assert_int_equal(screen_code_columns(&code), 15);
	assert_int_equal(screen_code_rows(&code), 8);
	assert_true(screen_code_make(&code, text_of(1273)));
	assert_int_equal(screen_code_columns(&code), 63);
	assert_int_equal(screen_code_rows(&code), 32);
}

/* A short text has room for more: 17 bytes are all that version 1 holds at L, 7 are at H. */
TEST_F(set_up, NULL, test_error_correction)
{
	static struct screen_code high;
	uint8_t scratch[SCREEN_CODE_BYTES] = "abcdefg";

	assert_true(qrcodegen_encodeBinary(scratch, 7, high.modules, qrcodegen_Ecc_HIGH, 1, 1,
					   qrcodegen_Mask_AUTO, false));
	assert_true(screen_code_make(&code, "abcdefg"));
	for (int i = 0; i < 21 * 21; i++)
		assert_int_equal(qrcodegen_getModule(code.modules, i % 21, i / 21),
				 qrcodegen_getModule(high.modules, i % 21, i / 21));
}

/* Capitals, digits and some signs take five and a half bits: table 7, alphanumeric. */
TEST_F(set_up, NULL, test_alphanumeric)
{
	static char text[1260];

	memset(text, 'A', sizeof(text) - 1);
	text[1249] = '\0';
	assert_true(screen_code_make(&code, text));
	assert_int_equal(qrcodegen_getSize(code.modules), 17 + 4 * 20);
	text[1249] = '/';
	text[1250] = '\0';
	assert_true(screen_code_make(&code, text));
	assert_int_equal(qrcodegen_getSize(code.modules), 17 + 4 * 21);
}

TEST_F(set_up, NULL, test_refused)
{
	assert_false(screen_code_make(&code, ""));
	assert_false(screen_code_make(&code, text_of(1274)));
}

static const struct cell *cell_at(unsigned column, unsigned row)
{
	return &screen.cells.wanted[(size_t)row * COLUMNS + column];
}

/* A pixel of the page, in a palette whose inks are all of other colours. */
static uint32_t pixel_at(unsigned zoom, unsigned x, unsigned y)
{
	uint32_t palette[INKS];
	const struct cells_painter painter = {
		.font = cells_font, .zoom = zoom, .palette = palette, .pixels = pixels
	};
	unsigned width = FONT_WIDTH * zoom, height = FONT_HEIGHT * zoom;

	memcpy(palette, cells_palette, sizeof(palette));
	for (unsigned i = 0; i < INK_BLACK; i++)
		palette[i] = 0x123456;
	cells_render(&painter, cell_at(x / width, y / height));
	return pixels[y % height * width + x % width];
}

static void check_modules(const struct screen_area *a, unsigned zoom)
{
	int size = qrcodegen_getSize(code.modules);
	unsigned side = 4 * zoom;

	for (int y = -4; y < size + 4; y++)
		for (int x = -4; x < size + 4; x++) {
			bool black = x >= 0 && y >= 0 && x < size && y < size &&
				     qrcodegen_getModule(code.modules, x, y);
			unsigned left = a->x * FONT_WIDTH * zoom + (unsigned)(x + 4) * side;
			unsigned top = a->y * FONT_HEIGHT * zoom + (unsigned)(y + 4) * side;

			/* The corners of the module. */
			for (unsigned corner = 0; corner < 4; corner++)
				assert_int_equal(pixel_at(zoom, left + corner % 2 * (side - 1),
							  top + corner / 2 * (side - 1)),
						 black ? BLACK : WHITE);
		}
}

TEST_F(set_up, NULL, test_modules)
{
	const struct screen_area a = { 5, 3, 70, 33 };

	for (unsigned zoom = 1; zoom <= 3; zoom++) {
		assert_true(screen_code_make(&code, text_of(50 * zoom)));
		assert_true(screen_draw_code(&screen, &a, &code));
		check_modules(&a, zoom);
	}
}

TEST_F(set_up, NULL, test_nothing_outside)
{
	static struct cell before[COLUMNS * ROWS];
	struct screen_area a = { 5, 3, 15, 8 };

	memcpy(before, screen.cells.wanted, sizeof(before));
	assert_true(screen_code_make(&code, text_of(17)));
	a.width = 14;
	assert_false(screen_draw_code(&screen, &a, &code));
	a.width = 15;
	a.height = 7;
	assert_false(screen_draw_code(&screen, &a, &code));
	assert_memory_equal(before, screen.cells.wanted, sizeof(before));
	a.height = 8;
	assert_true(screen_draw_code(&screen, &a, &code));
	for (unsigned i = 0; i < COLUMNS * ROWS; i++) {
		unsigned x = i % COLUMNS, y = i / COLUMNS;
		bool inside = x >= 5 && x < 20 && y >= 3 && y < 11;

		assert_int_equal(!memcmp(cell_at(x, y), &before[i], sizeof(before[i])), !inside);
	}
}
