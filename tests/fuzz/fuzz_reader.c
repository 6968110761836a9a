/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The capture reader on arbitrary bytes. The fuzzer cannot guess checksums, so
 * lines are signed on their way in: a first byte with bit 0 set asks for it. Bits
 * 1 to 7 choose the size of the pieces in which the bytes arrive, which must not
 * change what the reader finds.
 */
#include "core/lib/crc32c.h"

#include "host/capture/reader.h"

#include "tests/fuzz/signed.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define INPUT_MAX ((size_t)1 << 20)

/* What must be the same however the bytes were cut. */
struct found {
	uint64_t lines, damaged, refused, records, complaints;
};

static void on_line(void *ctx, struct reader_run *run, const char *line, size_t bytes)
{
	(void)ctx, (void)run;
	/* What is given out bears its checksum. */
	if (bytes < 18 || strtoul(line + bytes - 10, NULL, 16) != crc32c(line, bytes - 18))
		abort();
}

static void on_record(void *ctx, struct reader_run *run, const struct reader_record *record)
{
	struct found *found = ctx;

	if (!run || !record->record || !record->parts)
		abort();
	found->records++;
}

static void on_complaint(void *ctx, uint64_t line, const char *text)
{
	struct found *found = ctx;

	if (!line || !*text)
		abort();
	found->complaints++;
}

static void read_all(const char *text, size_t bytes, size_t piece, struct found *found)
{
	struct reader_hooks hooks = { .wanted = UINT32_MAX,
				      .line = on_line,
				      .record = on_record,
				      .complain = on_complaint,
				      .ctx = found };
	struct reader *r = reader_new(&hooks);
	const struct reader_totals *totals;

	if (!r)
		abort();
	for (size_t at = 0; at < bytes; at += piece)
		reader_feed(r, text + at, bytes - at < piece ? bytes - at : piece);
	reader_finish(r);
	totals = reader_totals(r);
	found->lines = totals->lines;
	found->damaged = totals->damaged;
	found->refused = totals->refused;
	for (size_t n = 0; reader_run(r, n); n++)
		reader_run_whole(reader_run(r, n));
	reader_free(r);
}

static void read_both_ways(const char *text, size_t bytes, size_t piece)
{
	struct found whole = { 0 }, pieces = { 0 };

	read_all(text, bytes, bytes ? bytes : 1, &whole);
	read_all(text, bytes, piece, &pieces);
	if (memcmp(&whole, &pieces, sizeof(whole)) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const char *text = (const char *)data + 1;
	char *lines;

	if (!bytes || bytes > INPUT_MAX)
		return 0;
	bytes--;
	if (!(data[0] & 1)) {
		read_both_ways(text, bytes, (size_t)(data[0] >> 1) + 1);
		return 0;
	}
	lines = malloc(signed_room(text, bytes));
	if (!lines)
		abort();
	read_both_ways(lines, signed_lines(text, bytes, lines), (size_t)(data[0] >> 1) + 1);
	free(lines);
	return 0;
}
