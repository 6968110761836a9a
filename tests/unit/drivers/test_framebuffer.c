/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels in each format a firmware may have left, and modes that must not be written to. */
#include "drivers/framebuffer.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define UNTOUCHED 0xa5

/* Allocate exactly as much memory as the mode needs: the sanitizer sees accesses beyond it. */
static struct framebuffer make(uint32_t width, uint32_t height, uint32_t stride, bool red_first)
{
	struct framebuffer f = {
		.width = width, .height = height, .stride = stride, .red_first = red_first
	};

	f.bytes = ((uint64_t)stride * (height - 1) + width) * 4;
	f.address = (uintptr_t)malloc((size_t)f.bytes);
	memset((void *)(uintptr_t)f.address, UNTOUCHED, (size_t)f.bytes);
	assert_true(framebuffer_check(&f));
	return f;
}

static void drop(struct framebuffer *f)
{
	free((void *)(uintptr_t)f->address);
}

static const uint8_t *at(const struct framebuffer *f, uint32_t x, uint32_t y)
{
	return (const uint8_t *)(uintptr_t)f->address + ((size_t)y * f->stride + x) * 4;
}

/* Bytes of 0x123456 in memory, first byte first: UEFI 2.10, 12.9. */
TEST(test_formats)
{
	static const uint8_t memory[2][4] = { { 0x56, 0x34, 0x12, 0 }, { 0x12, 0x34, 0x56, 0 } };

	for (unsigned i = 0; i < 2; i++) {
		struct framebuffer f = make(4, 2, 4, i);
		uint32_t pixel = framebuffer_pixel(&f, 0x123456);

		framebuffer_put(&f, &(struct framebuffer_area){ 1, 1, 1, 1 }, &pixel);
		assert_memory_equal(at(&f, 1, 1), memory[i], 4);
		assert_int_equal(*at(&f, 0, 1), UNTOUCHED);
		assert_int_equal(*at(&f, 2, 1), UNTOUCHED);
		drop(&f);
	}
}

TEST(test_rectangle)
{
	/* Odd and even places and widths: pixels go out in pairs. */
	for (uint32_t x = 0; x < 8; x++)
		for (uint32_t width = 1; width < 6; width++) {
			struct framebuffer f = make(11, 5, 13, false);
			uint32_t pixels[15], read;

			for (uint32_t i = 0; i < 15; i++)
				pixels[i] = 0x10000 + i;
			framebuffer_put(&f, &(struct framebuffer_area){ x, 1, width, 3 }, pixels);
			for (uint32_t v = 0; v < 5; v++)
				for (uint32_t u = 0; u < (v < 4 ? 13u : 11u); u++) {
					memcpy(&read, at(&f, u, v), 4);
					if (v >= 1 && v < 4 && u >= x && u < x + width && u < 11)
						assert_int_equal(read,
								 pixels[(v - 1) * width + u - x]);
					else
						assert_int_equal(read, 0xa5a5a5a5);
				}
			drop(&f);
		}
}

TEST(test_edges)
{
	const uint32_t pixels[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	struct framebuffer f = make(4, 4, 4, true);
	uint32_t read;

	framebuffer_put(&f, &(struct framebuffer_area){ 3, 3, 3, 3 }, pixels);
	memcpy(&read, at(&f, 3, 3), 4);
	assert_int_equal(read, 1);
	framebuffer_put(&f, &(struct framebuffer_area){ 4, 0, 3, 3 }, pixels);
	framebuffer_put(&f, &(struct framebuffer_area){ 0, 4, 3, 3 }, pixels);
	framebuffer_put(&f, &(struct framebuffer_area){ UINT32_MAX, UINT32_MAX, 3, 3 }, pixels);
	assert_int_equal(*at(&f, 0, 0), UNTOUCHED);
	drop(&f);
}

TEST(test_fill)
{
	struct framebuffer f = make(5, 3, 7, false);

	framebuffer_fill(&f, framebuffer_pixel(&f, 0x0d0d0d));
	for (uint32_t y = 0; y < 3; y++) {
		for (uint32_t x = 0; x < 5; x++)
			assert_int_equal(*at(&f, x, y), 0x0d);
		/* Between the lines' ends and the next lines' begins there is no screen. */
		if (y < 2)
			assert_int_equal(*at(&f, 5, y), UNTOUCHED);
	}
	drop(&f);
}

/* Each is a good mode with one thing wrong. */
TEST(test_refused)
{
	const struct framebuffer good = { .address = 0x80000000,
					  .bytes = 1024 * 768 * 4,
					  .width = 1024,
					  .height = 768,
					  .stride = 1024 };
	struct framebuffer f;

	f = good;
	assert_true(framebuffer_check(&f));
#define WRONG(field, value)                          \
	do {                                         \
		f = good;                            \
		f.field = value;                     \
		assert_false(framebuffer_check(&f)); \
	} while (0)
	WRONG(address, 0);
	WRONG(address, UINT64_MAX - 100);
	WRONG(bytes, 0);
	WRONG(bytes, good.bytes - 1);
	WRONG(width, 0);
	WRONG(height, 0);
	WRONG(height, UINT32_MAX);
	WRONG(stride, 1023);
	WRONG(stride, 0);
	WRONG(stride, UINT32_MAX);
#undef WRONG
	/* A last line needs no more than its pixels. */
	f = good;
	f.stride = 2048;
	f.bytes = (767 * 2048 + 1024) * 4;
	assert_true(framebuffer_check(&f));
}
