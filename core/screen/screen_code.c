/* SPDX-License-Identifier: BSD-2-Clause */
/* QR codes in cells. */
#include "screen_code.h"

#include <qrcodegen.h>

_Static_assert(SCREEN_CODE_BYTES == qrcodegen_BUFFER_LEN_FOR_VERSION(SCREEN_CODE_VERSION_MAX),
	       "room for the largest version");

bool screen_code_make(struct screen_code *code, const char *text)
{
	return *text && qrcodegen_encodeText(text, code->scratch, code->modules, qrcodegen_Ecc_LOW,
					     qrcodegen_VERSION_MIN, SCREEN_CODE_VERSION_MAX,
					     qrcodegen_Mask_AUTO, true);
}

static unsigned side(const struct screen_code *code)
{
	return (unsigned)qrcodegen_getSize(code->modules) + 2 * SCREEN_CODE_QUIET;
}

unsigned screen_code_columns(const struct screen_code *code)
{
	return (side(code) + CELL_MODULES_X - 1) / CELL_MODULES_X;
}

unsigned screen_code_rows(const struct screen_code *code)
{
	return (side(code) + CELL_MODULES_Y - 1) / CELL_MODULES_Y;
}

/* Outside the code, which is where the quiet zone is, modules are white. */
static uint8_t cell_modules(const struct screen_code *code, unsigned column, unsigned row)
{
	unsigned modules = 0;

	for (unsigned bit = 0; bit < CELL_MODULES_X * CELL_MODULES_Y; bit++) {
		unsigned x = column * CELL_MODULES_X + bit % CELL_MODULES_X;
		unsigned y = row * CELL_MODULES_Y + bit / CELL_MODULES_X;

		if (qrcodegen_getModule(code->modules, (int)x - SCREEN_CODE_QUIET,
					(int)y - SCREEN_CODE_QUIET))
			modules |= 1u << bit;
	}
	return (uint8_t)modules;
}

bool screen_draw_code(struct screen *s, const struct screen_area *a, const struct screen_code *code)
{
	unsigned columns = screen_code_columns(code), rows = screen_code_rows(code);

	if (columns > a->width || rows > a->height)
		return false;
	for (unsigned row = 0; row < rows; row++)
		for (unsigned column = 0; column < columns; column++)
			cells_put(&s->cells, a->x + column, a->y + row, GLYPH_MODULES,
				  cell_modules(code, column, row));
	return true;
}
