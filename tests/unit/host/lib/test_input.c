/* SPDX-License-Identifier: BSD-2-Clause */
/* Files as they are, packed, packed in parts, truncated, and packed to do harm. */

#include "host/lib/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/unit/common/test.h"

#define TEXT_BYTES (1 << 20)

static char path[] = "/tmp/noisefloor-input-XXXXXX";
static char text[TEXT_BYTES], got[2 * TEXT_BYTES + 1];
static struct input in;

static void setup(void)
{
	uint32_t random = 1;

	for (size_t i = 0; i < TEXT_BYTES; i++) {
		random = random * 1664525 + 1013904223;
		text[i] = (char)('a' + (random >> 28));
	}
	close(mkstemp(path));
}

static void teardown(void)
{
	assert_int_equal(unlink(path), 0);
}

static void put(const char *mode, const char *bytes, size_t count)
{
	gzFile file = gzopen(path, mode);

	assert_non_null(file);
	assert_int_equal(gzwrite(file, bytes, (unsigned)count), count);
	assert_int_equal(gzclose(file), Z_OK);
}

/* Read all of the input. */
static size_t get(void)
{
	size_t bytes = 0, count;

	assert_true(input_open(&in, path));
	while ((count = input_read(&in, got + bytes, 1 << 19)) > 0) {
		bytes += count;
		if (bytes > TEXT_BYTES)
			bytes = 0;
	}
	input_close(&in);
	return bytes;
}

TEST(test_plain_and_packed)
{
	static const char *const modes[] = { "wT", "wb", "wb9" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		put(modes[i], text, TEXT_BYTES);
		assert_int_equal(get(), TEXT_BYTES);
		assert_string_equal(in.error, "");
		assert_memory_equal(got, text, TEXT_BYTES);
	}
}

/* Several gzip members, as log rotation appends them. */
TEST(test_in_parts)
{
	put("wb", text, 1000);
	put("ab", text + 1000, TEXT_BYTES - 1000);
	assert_int_equal(get(), TEXT_BYTES);
	assert_string_equal(in.error, "");
	assert_memory_equal(got, text, TEXT_BYTES);
	put("wb", text, 0);
	assert_int_equal(get(), 0);
	assert_string_equal(in.error, "");
}

/* A truncated file is read to its end, and the truncation is reported. */
TEST(test_truncated)
{
	put("wb", text, TEXT_BYTES);
	assert_int_equal(truncate(path, 100000), 0);
	assert_in_range(get(), 100000, TEXT_BYTES - 1);
	assert_string_equal(in.error, "gzip: truncated");
	assert_memory_equal(got, text, 100000);
}

TEST(test_damaged)
{
	FILE *file;

	put("wb", text, TEXT_BYTES);
	file = fopen(path, "r+b");
	assert_non_null(file);
	fseek(file, 50000, SEEK_SET);
	fwrite("noise in the middle of it", 1, 25, file);
	fclose(file);
	get();
	assert_memory_equal(in.error, "gzip: ", 6);
}

/* A file of 128 KB that unpacks to 128 MB of zeroes is given up. */
TEST(test_bomb)
{
	gzFile file = gzopen(path, "wb");

	memset(got, 0, TEXT_BYTES);
	for (int i = 0; i < 128; i++)
		assert_int_equal(gzwrite(file, got, TEXT_BYTES), TEXT_BYTES);
	assert_int_equal(gzclose(file), Z_OK);
	get();
	assert_memory_equal(in.error, "gzip: it unpacks to more than 500 times its size", 48);
	assert_in_range(in.bytes, 64 << 20, 80 << 20);
}

TEST(test_no_file)
{
	assert_false(input_open(&in, "/nonexistent"));
	assert_string_equal(in.error, "No such file or directory");
	assert_true(input_open(&in, "/tmp"));
	assert_int_equal(input_read(&in, got, 100), 0);
	assert_string_equal(in.error, "Is a directory");
	input_close(&in);
}

TEST_GROUP(setup, teardown);
