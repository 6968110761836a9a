/* SPDX-License-Identifier: BSD-2-Clause */
/* A run's file, as it is and changed: what is kept of its attestation. */
#include "host/attest/attest.h"

#include "core/lib/bytes.h"

#include "tests/unit/attested.h"
#include "tests/unit/hex_bytes.h"
#include "tests/unit/run_lines.h"
#include "tests/unit/tree.h"

#include <string.h>

#define RUN_FILE "tests/data/attest/run.jsonl"
#define LINES    23

static char text[1 << 16];
static size_t bytes;

static void start(void)
{
	FILE *f = fopen(RUN_FILE, "rb");

	assert_non_null(f);
	tree_make();
	bytes = fread(text, 1, sizeof(text) - 1024, f);
	text[bytes] = '\0';
	fclose(f);
}

static struct attest_facts feed(size_t count)
{
	struct attest_facts f;

	attest_facts_begin();
	for (size_t at = 0; at < count; at += 1000)
		attest_facts_feed(text + at, count - at < 1000 ? count - at : 1000);
	attest_facts_end(LINES, &f);
	return f;
}

TEST_F(start, tree_remove, test_good)
{
	static const char started[] = ATTESTED_STARTED;
	uint8_t image[SHA256_BYTES], key[128], name[SHA256_BYTES];
	struct attest_facts f = feed(bytes);

	assert_int_equal(f.lines, LINES);
	assert_int_equal(f.state, ATTEST_FACTS_GOOD);
	/* Other things that the firmware notes are not among the images. */
	assert_int_equal(f.count, 1);
	hex_bytes(image, sizeof(image), started + sizeof(started) - 1 - 2 * SHA256_BYTES);
	assert_memory_equal(f.started[0], image, sizeof(image));
	sha256(key, hex_bytes(key, sizeof(key), ATTESTED_KEY), name);
	assert_memory_equal(f.key, name, sizeof(name));
}

/* TPMS_ATTEST: a name and the run's digest with their lengths, then TPMS_CLOCK_INFO. */
TEST_F(start, tree_remove, test_clock)
{
	uint8_t quote[256], *at = quote + 6;
	struct attest_facts f = feed(bytes);

	hex_bytes(quote, sizeof(quote), ATTESTED_QUOTE);
	for (unsigned n = 0; n < 2; n++)
		at += 2 + bytes_be16(at);
	assert_int_equal(f.clock_ms, (uint64_t)bytes_be32(at) << 32 | bytes_be32(at + 4));
	assert_int_equal(f.resets, bytes_be32(at + 8));
	assert_int_equal(f.restarts, bytes_be32(at + 12));
	assert_true(f.clock_ms && f.resets);
	assert_false(f.is_overtaken);
}

/* Read one run after the other. */
TEST_F(start, tree_remove, test_added)
{
	size_t more = run_line(text + bytes, ATTESTED_SID, LINES, "gap", "");
	struct attest_facts f = feed(bytes + more);

	assert_int_equal(f.state, ATTEST_FACTS_BAD);
	assert_int_equal(f.item, ATTEST_RECORDS);
	assert_int_equal(feed(bytes).state, ATTEST_FACTS_GOOD);
}

static void leave_out_attest(void)
{
	for (char *line; (line = strstr(text, "\"type\":\"attest\""));) {
		char *next = strchr(line, '\n') + 1;

		while (line[-1] != '\n')
			line--;
		memmove(line, next, strlen(next) + 1);
	}
	bytes = strlen(text);
}

TEST_F(start, tree_remove, test_none)
{
	struct attest_facts f;

	leave_out_attest();
	f = feed(bytes);
	assert_int_equal(f.lines, LINES);
	assert_int_equal(f.state, ATTEST_FACTS_NONE);
	/* Without its end, and of nothing, it is to be read again. */
	assert_int_equal(feed(bytes - 30).lines, 0);
	assert_int_equal(feed(0).lines, 0);
}
