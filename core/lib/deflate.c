/* SPDX-License-Identifier: BSD-2-Clause */
/* Greedy: the latest place that had the same three bytes, or none. Sections are of RFC 1951. */
#include "deflate.h"

#include "mem.h"

#define DISTANCE_MAX 32768u
#define LENGTH_MIN   3u
#define LENGTH_MAX   258u

#define BLOCK_FIXED  3u /* 3.2.3: the last block, of type 01 */
#define BLOCK_BITS   3
#define SYMBOL_END   256u
#define SYMBOL_FIRST 257u /* of lengths */
#define SYMBOL_LAST  285u
#define DISTANCE_LEN 5

struct bits {
	uint8_t *out;
	size_t used;
	uint32_t held; /* the lowest first */
	unsigned count;
};

static void put(struct bits *b, uint32_t value, unsigned count)
{
	b->held |= value << b->count;
	for (b->count += count; b->count >= 8; b->count -= 8) {
		b->out[b->used++] = (uint8_t)b->held;
		b->held >>= 8;
	}
}

/* Codes stand the other way round: 3.1.1. */
static void put_code(struct bits *b, uint32_t code, unsigned count)
{
	uint32_t turned = 0;

	for (unsigned i = 0; i < count; i++)
		turned |= (code >> i & 1) << (count - 1 - i);
	put(b, turned, count);
}

/* 3.2.6 */
static void put_symbol(struct bits *b, uint32_t symbol)
{
	if (symbol < 144)
		put_code(b, 0x30 + symbol, 8);
	else if (symbol < 256)
		put_code(b, 0x190 + symbol - 144, 9);
	else if (symbol < 280)
		put_code(b, symbol - 256, 7);
	else
		put_code(b, 0xc0 + symbol - 280, 8);
}

static unsigned log2_of(uint32_t n)
{
	return 31u - (unsigned)__builtin_clz(n);
}

/* 3.2.5: from 8 on each power of two has four codes, and the longest one of its own. */
static void put_length(struct bits *b, uint32_t length)
{
	uint32_t n = length - LENGTH_MIN;
	unsigned power, extra;

	if (n < 4 || length == LENGTH_MAX) {
		put_symbol(b, length == LENGTH_MAX ? SYMBOL_LAST : SYMBOL_FIRST + n);
		return;
	}
	power = log2_of(n);
	extra = power - 2;
	put_symbol(b, SYMBOL_FIRST + 4 * (power - 1) + (n >> extra & 3));
	put(b, n & ((1u << extra) - 1), extra);
}

/* The same with two codes. */
static void put_distance(struct bits *b, uint32_t distance)
{
	uint32_t n = distance - 1;
	unsigned power, extra;

	if (n < 2) {
		put_code(b, n, DISTANCE_LEN);
		return;
	}
	power = log2_of(n);
	extra = power - 1;
	put_code(b, 2 * power + (n >> extra & 1), DISTANCE_LEN);
	put(b, n & ((1u << extra) - 1), extra);
}

static uint32_t hash(const uint8_t *at)
{
	uint32_t three = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];

	return (three * 2654435761u) >> 20;
}

_Static_assert(DEFLATE_HASHES == 1u << 12, "hash() gives 12 bits");

static uint32_t same(const uint8_t *a, const uint8_t *b, size_t most)
{
	uint32_t n = 0;

	while (n < most && n < LENGTH_MAX && a[n] == b[n])
		n++;
	return n;
}

/* How long what stands at `at` is that stood before, at *from; places are counted from 1. */
static uint32_t find(const uint8_t *in, size_t at, size_t bytes, uint32_t *last, uint32_t *from)
{
	uint32_t *place;

	if (bytes - at < LENGTH_MIN)
		return 0;
	place = &last[hash(in + at)];
	*from = *place;
	*place = (uint32_t)at + 1;
	if (!*from || at + 1 - *from > DISTANCE_MAX)
		return 0;
	return same(in + *from - 1, in + at, bytes - at);
}

size_t deflate_pack(uint8_t *out, const uint8_t *in, size_t bytes, uint32_t last[DEFLATE_HASHES])
{
	struct bits b = { .out = out };
	uint32_t length, from;

	memset(last, 0, DEFLATE_HASHES * sizeof(*last));
	put(&b, BLOCK_FIXED, BLOCK_BITS);
	for (size_t at = 0; at < bytes; at += length) {
		length = find(in, at, bytes, last, &from);
		if (length < LENGTH_MIN) {
			put_symbol(&b, in[at]);
			length = 1;
			continue;
		}
		put_length(&b, length);
		put_distance(&b, (uint32_t)at + 1 - from);
	}
	put_symbol(&b, SYMBOL_END);
	put(&b, 0, 7);
	return b.used;
}
