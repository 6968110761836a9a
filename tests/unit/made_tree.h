/* SPDX-License-Identifier: BSD-2-Clause */
/* A device tree that a test builds token by token. Source: Devicetree Specification 0.4, 5. */
#pragma once

#include "tests/unit/common/test.h"

#include <stdint.h>
#include <string.h>

/* The tree under construction: header, reserved ranges, structure, strings. */
#define RESERVED 0x28
#define STRUCTS  0x1000
#define STRINGS  0x8000
#define TOTAL    0x10000

static uint8_t tree[TOTAL];
static uint32_t structs, strings, reserved;

static inline void put32(uint32_t at, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		tree[at + i] = (uint8_t)(value >> (24 - 8 * i));
}

static inline void token(uint32_t value)
{
	put32(STRUCTS + structs, value);
	structs += 4;
}

static inline void put_bytes(const void *bytes, size_t count)
{
	assert_true(structs + count < STRINGS - STRUCTS - 16);
	memcpy(tree + STRUCTS + structs, bytes, count);
	structs += (uint32_t)(count + 3) & ~3u;
}

static inline void begin(const char *name)
{
	token(1);
	put_bytes(name, strlen(name) + 1);
}

static inline void leave(void)
{
	token(2);
}

static inline void prop(const char *name, const void *bytes, size_t count)
{
	token(3);
	token((uint32_t)count);
	token(strings);
	put_bytes(bytes, count);
	memcpy(tree + STRINGS + strings, name, strlen(name) + 1);
	strings += (uint32_t)strlen(name) + 1;
}

static inline void text(const char *name, const char *value)
{
	prop(name, value, strlen(value) + 1);
}

static inline void cells(const char *name, size_t count, const uint32_t *value)
{
	uint8_t b[64];

	assert_true(count <= 16);
	for (size_t i = 0; i < 4 * count; i++)
		b[i] = (uint8_t)(value[i / 4] >> (24 - 8 * (i % 4)));
	prop(name, b, 4 * count);
}

#define CELLS(name, ...)                                                    \
	cells(name, sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), \
	      (uint32_t[]){ __VA_ARGS__ })

static inline void begin_tree(void)
{
	memset(tree, 0, sizeof(tree));
	structs = strings = reserved = 0;
	begin("");
}

static inline void close_tree(void)
{
	static const uint32_t header[] = {
		0xd00dfeed, TOTAL, STRUCTS, STRINGS, RESERVED, 17, 16, 0
	};

	leave();
	token(9);
	for (unsigned i = 0; i < 8; i++)
		put32(4 * i, header[i]);
	put32(32, strings);
	put32(36, structs);
}
