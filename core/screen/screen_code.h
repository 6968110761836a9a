/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A QR code on the screen, for a phone: the report of a machine that has no other output. Two by
 * four modules to a cell, black on white, with the quiet zone that readers require. Source: ISO/IEC
 * 18004.
 */
#pragma once

#include "screen_draw.h"

#include <stdbool.h>
#include <stdint.h>

/* Larger versions are refused: phones read no more from a screen. 117 modules to a side. */
#define SCREEN_CODE_VERSION_MAX 25
#define SCREEN_CODE_BYTES       1713 /* qrcodegen_BUFFER_LEN_FOR_VERSION() of it */
#define SCREEN_CODE_QUIET       4    /* modules around the code */

struct screen_code {
	uint8_t modules[SCREEN_CODE_BYTES];
	uint8_t scratch[SCREEN_CODE_BYTES];
};

/*
 * Make the code of a text, in the smallest version that fits, with as much error correction as that
 * allows. At most 1,273 bytes, or 1,853 of only digits, capitals, blanks and $%*+-./: characters.
 * False: the text is empty or too long.
 */
bool screen_code_make(struct screen_code *code, const char *text);

/* Cells that the code takes, with its quiet zone: at most 63 by 32. */
unsigned screen_code_columns(const struct screen_code *code);
unsigned screen_code_rows(const struct screen_code *code);

/*
 * Draw the code in the upper left of the area. False: there is not enough room, and nothing is
 * drawn.
 */
bool screen_draw_code(struct screen *s, const struct screen_area *a,
		      const struct screen_code *code);
