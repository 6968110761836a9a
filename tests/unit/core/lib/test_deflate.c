/* SPDX-License-Identifier: BSD-2-Clause */
/* The system's zlib, with memory of its own, reads back what was compressed; so do we. */
#include "core/lib/deflate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/unit/common/test.h"

#define BYTES_MAX 70000u

static uint8_t work[DEFLATE_WORK_BYTES] __attribute__((aligned(16)));

/* Returns the compressed size. */
static size_t check(const uint8_t *in, size_t bytes)
{
	uint8_t *out = malloc(DEFLATE_BYTES_MAX(bytes)), *back = malloc(bytes + 1);
	z_stream z = { 0 };
	size_t used;

	assert_non_null(out);
	assert_non_null(back);
	/* Earlier data have no effect on the output. */
	memset(work, 0xa5, sizeof(work));
	used = deflate_pack(out, DEFLATE_BYTES_MAX(bytes), in, bytes, work);
	assert_in_range(used, 1, DEFLATE_BYTES_MAX(bytes));
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
	memset(back, 0, bytes + 1);
	memset(work, 0x5a, sizeof(work));
	assert_int_equal(deflate_unpack(back, bytes, out, used, work), bytes);
	if (bytes)
		assert_memory_equal(back, in, bytes);
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
	static const char *const texts[] = { "a", "ab", "abc", "abcabc", "aaaa", "aaaaaaaaaaa" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check((const uint8_t *)texts[i], strlen(texts[i]));
}

/* Data that do not compress never cost more than announced. */
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

/* Neither direction writes past its buffer, and damaged data is refused. */
TEST(test_refused)
{
	static const char line[] = "{\"nf\":1}{\"nf\":1}{\"nf\":1}{\"nf\":1}";
	uint8_t out[100], back[100];
	size_t used = deflate_pack(out, sizeof(out), line, sizeof(line), work);

	assert_in_range(used, 1, sizeof(line) - 1);
	for (size_t cap = 0; cap < used; cap++)
		assert_int_equal(deflate_pack(back, cap, line, sizeof(line), work), 0);
	for (size_t cap = 0; cap < sizeof(line); cap++)
		assert_int_equal(deflate_unpack(back, cap, out, used, work), 0);
	for (size_t bytes = 0; bytes < used; bytes++)
		assert_int_equal(deflate_unpack(back, sizeof(back), out, bytes, work), 0);
	assert_int_equal(deflate_unpack(back, sizeof(back), out, used + 1, work), 0);
	out[0] |= 6;
	assert_int_equal(deflate_unpack(back, sizeof(back), out, used, work), 0);
}
