/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A linear framebuffer, in the mode that the firmware left. Sources: UEFI 2.10, 12.9 (Graphics
 * Output Protocol).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A pixel has 32 bits, eight for each colour: blue, green and red from the lowest on. */
struct framebuffer {
	uint64_t address, bytes;
	uint32_t width, height; /* pixels */
	uint32_t stride;        /* pixels from one line to the next */
	bool red_first;         /* red is the lowest, and blue above green */
};

/*
 * True if pixels can be written. False, and nothing may be written, if the mode contradicts itself:
 * lines that overlap or leave the memory.
 */
bool framebuffer_check(const struct framebuffer *f);

/*
 * The screen that Linux's boot_params describe, which begin with a struct screen_info.
 * framebuffer_check() refuses what cannot be used; without a linear screen whose pixels are as
 * above, all is 0.
 */
struct framebuffer framebuffer_of_linux(const uint8_t *params);

/* A colour, 0xRRGGBB, as a pixel. */
uint32_t framebuffer_pixel(const struct framebuffer *f, uint32_t rgb);

/* A rectangle, in pixels from the top left corner. */
struct framebuffer_area {
	uint32_t x, y, width, height;
};

/* Draw the area's pixels, line by line, without those outside the screen. */
void framebuffer_put(const struct framebuffer *f, const struct framebuffer_area *a,
		     const uint32_t *pixels);

/* Fill all of it with one colour. */
void framebuffer_fill(const struct framebuffer *f, uint32_t pixel);
