/* SPDX-License-Identifier: BSD-2-Clause */
/* What zlib makes of it must be what it was made of. */
#include "core/lib/deflate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/unit/common/test.h"

#define BYTES_MAX 70000u

static uint32_t last[DEFLATE_HASHES];

/* Returns the compressed size. */
static size_t check(const uint8_t *in, size_t bytes)
{
	uint8_t *out = malloc(DEFLATE_BYTES_MAX(bytes)), *back = malloc(bytes + 1);
	z_stream z = { 0 };
	size_t used;

	assert_non_null(out);
	assert_non_null(back);
	/* Of whatever was compressed before. */
	memset(last, 0xa5, sizeof(last));
	used = deflate_pack(out, in, bytes, last);
	assert_true(used <= DEFLATE_BYTES_MAX(bytes));
	assert_int_equal(inflateInit2(&z, -15), Z_OK);
	z.next_in = out;
	z.avail_in = (uInt)used;
	z.next_out = back;
	z.avail_out = (uInt)bytes + 1;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.total_out, bytes);
	assert_int_equal(z.avail_in, 0);
	if (bytes)
		assert_memory_equal(back, in, bytes);
	inflateEnd(&z);
	free(out);
	free(back);
	return used;
}

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1103515245u + 12345;
	return *seed >> 16;
}

TEST(test_small)
{
	static const char *const texts[] = {
		"", "a", "ab", "abc", "abcabc", "aaaa", "aaaaaaaaaaa"
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check((const uint8_t *)texts[i], strlen(texts[i]));
}

/* Each length of a match, and each distance about a power of two. */
TEST(test_matches)
{
	static uint8_t in[BYTES_MAX];
	static const uint32_t distances[] = { 1,     2,     3,     4,     5,     6,    8,    9,
					      16,    17,    255,   256,   257,   4096, 4097, 16384,
					      16385, 24577, 32767, 32768, 32769, 33000 };
	uint32_t seed = 1;

	for (size_t d = 0; d < sizeof(distances) / sizeof(distances[0]); d++)
		for (uint32_t length = 1; length < 270; length += length < 20 ? 1 : 13) {
			for (uint32_t i = 0; i < distances[d]; i++)
				in[i] = (uint8_t)next(&seed);
			for (uint32_t i = 0; i < length; i++)
				in[distances[d] + i] = in[i];
			check(in, distances[d] + length);
		}
}

/* It is worth it, and never costs more than announced. */
TEST(test_ratio)
{
	static uint8_t in[BYTES_MAX];
	uint32_t seed = 7;

	memset(in, 0, sizeof(in));
	assert_true(check(in, sizeof(in)) < sizeof(in) / 100);
	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)next(&seed);
	check(in, sizeof(in));
	memset(in, 0xff, sizeof(in));
	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(0x90 | next(&seed));
	check(in, sizeof(in));
}
