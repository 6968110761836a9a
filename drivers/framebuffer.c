/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes pixels. The memory may be uncached: writes are as wide as possible, and nothing is read.
 */
#include "framebuffer.h"

#include "core/firmware/linux_boot.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define PIXEL_BYTES 4u

bool framebuffer_check(const struct framebuffer *f)
{
	uint64_t pixels = (uint64_t)f->stride * (f->height - 1) + f->width;

	return f->address && f->width && f->height && f->stride >= f->width &&
	       pixels <= f->bytes / PIXEL_BYTES && f->address + f->bytes > f->address;
}

uint32_t framebuffer_pixel(const struct framebuffer *f, uint32_t rgb)
{
	return f->red_first ? __builtin_bswap32(rgb) >> 8 : rgb;
}

static void put_word(uint64_t at, uint32_t pixel)
{
	*(volatile uint32_t *)(uintptr_t)at = pixel;
}

/*
 * Write `count` pixels, or one pixel `count` times: two at a time, which halves the number of
 * writes.
 */
static void put_line(uint64_t at, uint32_t count, const uint32_t *pixels, bool same)
{
	if (count && at % 8) {
		put_word(at, pixels[0]);
		count--;
		at += 4;
		pixels += !same;
	}
	for (; count >= 2; count -= 2, at += 8, pixels += same ? 0 : 2)
		*(volatile uint64_t *)(uintptr_t)at = pixels[0] | (uint64_t)pixels[!same] << 32;
	if (count)
		put_word(at, pixels[0]);
}

static uint64_t address_of(const struct framebuffer *f, uint32_t x, uint32_t y)
{
	return f->address + ((uint64_t)y * f->stride + x) * PIXEL_BYTES;
}

void framebuffer_put(const struct framebuffer *f, const struct framebuffer_area *a,
		     const uint32_t *pixels)
{
	uint32_t room = a->x < f->width ? f->width - a->x : 0;

	for (uint32_t n = 0; room && n < a->height && a->y + n < f->height; n++)
		put_line(address_of(f, a->x, a->y + n), a->width < room ? a->width : room,
			 pixels + (uint64_t)n * a->width, false);
}

void framebuffer_fill(const struct framebuffer *f, uint32_t pixel)
{
	for (uint32_t y = 0; y < f->height; y++)
		put_line(address_of(f, 0, y), f->width, &pixel, true);
}

/* Offsets in struct screen_info. Source: Linux, include/uapi/linux/screen_info.h. */
enum {
	SCREEN_KIND = 0x0f,
	SCREEN_WIDTH = 0x12,
	SCREEN_HEIGHT = 0x14,
	SCREEN_DEPTH = 0x16,
	SCREEN_BASE = 0x18,
	SCREEN_LINE = 0x24,    /* bytes from one line to the next */
	SCREEN_COLOURS = 0x26, /* bits and position of red, green and blue */
	SCREEN_EXT_BASE = 0x3a,
};

#define SCREEN_VESA 0x23
#define SCREEN_EFI  0x70

struct framebuffer framebuffer_of_linux(const uint8_t *params)
{
	static const uint8_t bgr[] = { 8, 16, 8, 8, 8, 0 }, rgb[] = { 8, 0, 8, 8, 8, 16 };
	const uint8_t *p = params, *colours = p + SCREEN_COLOURS;
	bool red_first = !memcmp(colours, rgb, sizeof(rgb));
	uint32_t line = bytes_le16(p + SCREEN_LINE), height = bytes_le16(p + SCREEN_HEIGHT);

	if ((p[SCREEN_KIND] != SCREEN_VESA && p[SCREEN_KIND] != SCREEN_EFI) ||
	    bytes_le16(p + SCREEN_DEPTH) != 32 ||
	    (!red_first && memcmp(colours, bgr, sizeof(bgr)) != 0))
		return (struct framebuffer){ 0 };
	return (struct framebuffer){
		.address = linux_params_split(p, SCREEN_BASE, SCREEN_EXT_BASE),
		.bytes = (uint64_t)line * height,
		.width = bytes_le16(p + SCREEN_WIDTH),
		.height = height,
		.stride = line / 4,
		.red_first = red_first,
	};
}
