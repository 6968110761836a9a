/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The head of the encoding: org.HdrHistogram.AbstractHistogram, encodeIntoCompressedByteBuffer().
 * A cookie, the length, and a stream of zlib's that begins with another cookie; all big-endian.
 */
#include "hdr_histogram.h"

#include "host/lib/base64_bytes.h"

#include "core/lib/arith.h"
#include "core/lib/bytes.h"

#include <string.h>
#include <zlib.h>

#define LETTERS_MAX  400 /* more than its head takes */
#define PACKED_BYTES (LETTERS_MAX / 4 * 3)
#define OUTER_BYTES  8
#define HEAD_BYTES   24

/* The size of its words is in a cookie, too. */
#define COOKIE_MASK UINT32_C(0xffffff0f)
#define DIGITS_MAX  5 /* decimal, that a bucket keeps of a value */

static const struct {
	uint32_t cookie;
	unsigned digits, lowest; /* where they are: 4 bytes, 8 bytes */
} encodings[] = {
	{ 0x1c849308, 4, 8 },   /* V0 */
	{ 0x1c849301, 12, 16 }, /* V1 */
	{ 0x1c849303, 12, 16 }, /* V2 */
};

#define ENCODINGS (sizeof(encodings) / sizeof(encodings[0]))

static bool inflate_head(uint8_t *packed, size_t bytes, uint8_t head[HEAD_BYTES])
{
	z_stream z = { .next_in = packed,
		       .avail_in = (uInt)bytes,
		       .next_out = head,
		       .avail_out = HEAD_BYTES };

	if (inflateInit(&z) != Z_OK)
		return false;
	inflate(&z, Z_SYNC_FLUSH);
	inflateEnd(&z);
	return !z.avail_out;
}

static uint64_t be64(const uint8_t *b)
{
	return (uint64_t)bytes_be32(b) << 32 | bytes_be32(b + 4);
}

/* Values up to 2 * 10^digits are exact to one unit. */
static uint64_t sub_buckets_of(uint32_t digits)
{
	uint64_t count = 1, values = 2;

	for (; digits; digits--)
		values *= 10;
	while (count < values)
		count *= 2;
	return count;
}

static void take_head(const uint8_t *head, struct hdr_histogram *h)
{
	for (size_t i = 0; i < ENCODINGS; i++) {
		uint32_t digits = bytes_be32(head + encodings[i].digits);
		uint64_t lowest = be64(head + encodings[i].lowest);

		if ((bytes_be32(head) & COOKIE_MASK) != encodings[i].cookie ||
		    digits > DIGITS_MAX || !lowest)
			continue;
		h->sub_buckets = sub_buckets_of(digits);
		h->unit = UINT64_C(1) << (63 - __builtin_clzll(lowest));
	}
}

bool hdr_histogram_read(const char *base64, struct hdr_histogram *h)
{
	size_t letters = arith_min(strlen(base64), LETTERS_MAX), bytes = 0;
	uint8_t packed[PACKED_BYTES], head[HEAD_BYTES];

	*h = (struct hdr_histogram){ 0 };
	if (base64_bytes(packed, &bytes, base64, letters - letters % 4) && bytes > OUTER_BYTES &&
	    inflate_head(packed + OUTER_BYTES, bytes - OUTER_BYTES, head))
		take_head(head, h);
	return h->sub_buckets;
}

uint64_t hdr_histogram_width(const struct hdr_histogram *h, uint64_t value)
{
	return arith_max(h->unit, value / (h->sub_buckets >= 4 ? h->sub_buckets / 2 : 2) + 1);
}
