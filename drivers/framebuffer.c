/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes pixels. The memory may be uncached: writes are as wide as possible, and nothing is read.
 */
#include "framebuffer.h"

#define PIXEL_BYTES_MAX 4u

static unsigned lowest(uint32_t mask)
{
	return (unsigned)__builtin_ctz(mask);
}

/* Bits of a mask without holes. */
static unsigned bits(uint32_t mask)
{
	return 32u - (unsigned)__builtin_clz(mask) - lowest(mask);
}

static bool is_whole(uint32_t mask)
{
	uint32_t from_zero = mask ? mask >> lowest(mask) : 0;

	return mask && !(from_zero & (from_zero + 1));
}

static bool masks_fit(const struct framebuffer_mask *m)
{
	return is_whole(m->red) && is_whole(m->green) && is_whole(m->blue) &&
	       !(m->red & m->green) && !(m->green & m->blue) && !(m->blue & m->red);
}

bool framebuffer_check(struct framebuffer *f)
{
	const struct framebuffer_mask *m = &f->mask;
	uint32_t all = m->red | m->green | m->blue | m->reserved;
	uint64_t pixels;

	if (!f->address || !f->width || !f->height || f->stride < f->width || !masks_fit(m))
		return false;
	/* A pixel ends with its highest bit: UEFI 2.10, 12.9, EFI_PIXEL_BITMASK. */
	f->pixel_bytes = (39u - (unsigned)__builtin_clz(all)) / 8;
	pixels = (uint64_t)f->stride * (f->height - 1) + f->width;
	return pixels <= f->bytes / f->pixel_bytes && f->address + f->bytes > f->address;
}

static uint32_t framebuffer_place(uint32_t mask, uint32_t value)
{
	unsigned width = bits(mask);

	return (width <= 8 ? value >> (8 - width) : value << (width - 8)) << lowest(mask);
}

uint32_t framebuffer_pixel(const struct framebuffer *f, uint32_t rgb)
{
	return framebuffer_place(f->mask.red, rgb >> 16 & 255) |
	       framebuffer_place(f->mask.green, rgb >> 8 & 255) |
	       framebuffer_place(f->mask.blue, rgb & 255);
}

static void put_word(uint64_t at, uint32_t pixel)
{
	*(volatile uint32_t *)(uintptr_t)at = pixel;
}

/* Write two pixels at a time, which halves the number of writes. */
static void put_words(uint64_t at, uint32_t count, const uint32_t *pixels, bool same)
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

static void put_bytes(uint64_t at, uint32_t count, const uint32_t *pixels, bool same,
		      uint32_t pixel_bytes)
{
	for (; count; count--, pixels += !same)
		for (uint32_t i = 0; i < pixel_bytes; i++)
			*(volatile uint8_t *)(uintptr_t)at++ = (uint8_t)(*pixels >> 8 * i);
}

static uint64_t address_of(const struct framebuffer *f, uint32_t x, uint32_t y)
{
	return f->address + ((uint64_t)y * f->stride + x) * f->pixel_bytes;
}

/* Write `count` pixels, or one pixel `count` times. */
static void put_line(const struct framebuffer *f, uint64_t at, uint32_t count,
		     const uint32_t *pixels, bool same)
{
	if (f->pixel_bytes == PIXEL_BYTES_MAX)
		put_words(at, count, pixels, same);
	else
		put_bytes(at, count, pixels, same, f->pixel_bytes);
}

void framebuffer_put(const struct framebuffer *f, const struct framebuffer_area *a,
		     const uint32_t *pixels)
{
	uint32_t room = a->x < f->width ? f->width - a->x : 0;

	for (uint32_t n = 0; room && n < a->height && a->y + n < f->height; n++)
		put_line(f, address_of(f, a->x, a->y + n), a->width < room ? a->width : room,
			 pixels + (uint64_t)n * a->width, false);
}

void framebuffer_fill(const struct framebuffer *f, uint32_t pixel)
{
	for (uint32_t y = 0; y < f->height; y++)
		put_line(f, address_of(f, 0, y), f->width, &pixel, true);
}
