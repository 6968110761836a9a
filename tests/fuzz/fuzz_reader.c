/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The capture reader on arbitrary bytes. The fuzzer cannot guess checksums, so
 * lines are signed on their way in: a first byte with bit 0 set asks for it. Bits
 * 1 to 7 choose the size of the pieces in which the bytes arrive, which must not
 * change what the reader finds. The decoder of records agrees with a JSON parser on every line.
 */
#include "core/lib/crc32c.h"

#include "host/capture/result.h"

#include "tests/fuzz/agrees.h"
#include "tests/fuzz/signed.h"
#include "tests/fuzz/take.h"

/* Results that must not depend on how the bytes were cut. */
struct found {
	uint64_t lines, damaged, refused, records, complaints;
};

static void on_line(const char *line, size_t bytes)
{
	/* Lines are handed out with a correct checksum. */
	insist(bytes >= 18 && strtoul(line + bytes - 10, NULL, 16) == crc32c(line, bytes - 18));
}

static void on_complaint(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx, (void)file;
	insist(line && *text);
}

static void read_all(const char *text, size_t bytes, size_t piece, struct found *found)
{
	const struct capture_want want = { .keep = RESULT_ALL,
					   .line = on_line,
					   .complain = on_complaint };
	struct reader *r = reader_new("fuzz", &want);
	const struct reader_totals *totals;
	const struct result *run;

	for (size_t at = 0; at < bytes; at += piece)
		reader_feed(r, text + at, bytes - at < piece ? bytes - at : piece);
	reader_finish(r);
	totals = reader_totals(r);
	found->lines = totals->lines;
	found->damaged = totals->damaged;
	found->refused = totals->refused;
	found->complaints = totals->complaints;
	for (size_t n = 0; (run = reader_run(r, n)); n++) {
		result_is_whole(run);
		for (unsigned type = 0; type < RECORD_TYPES; type++)
			found->records += run->records[type];
	}
	reader_free(r);
}

static void read_both_ways(const char *text, size_t bytes, size_t piece)
{
	struct found whole = { 0 }, pieces = { 0 };

	read_all(text, bytes, bytes ? bytes : 1, &whole);
	read_all(text, bytes, piece, &pieces);
	insist(memcmp(&whole, &pieces, sizeof(whole)) == 0);
}

static void decode_each(const char *at, const char *end)
{
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		insist(agrees(at, (size_t)((newline ? newline : end) - at)) != AGREES_NOT);
		at = newline ? newline + 1 : end;
	}
}

FUZZ(1, 1 << 20)
{
	const char *text = (const char *)data + 1;
	char *lines = NULL;

	bytes--;
	if (data[0] & 1)
		text = lines = signed_new(text, bytes, &bytes);
	read_both_ways(text, bytes, (size_t)(data[0] >> 1) + 1);
	decode_each(text, text + bytes);
	free(lines);
}
