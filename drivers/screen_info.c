/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads struct screen_info. */
#include "screen_info.h"

#include "core/firmware/linux_boot.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"

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

struct framebuffer screen_info_read(const uint8_t *params)
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
