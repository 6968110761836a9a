/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report out of variables that anybody may have written. By the top bit of the first byte, the
 * rest is the packed report, or what is in it: a page and lines, with right sums and sizes.
 */
#include "core/keep/saved_run.h"
#include "core/lib/bytes.h"
#include "core/lib/crc32c.h"
#include "core/screen/end_page.h"

#include "tests/fuzz/take.h"

#define INPUT_MAX ((size_t)1 << 16)

static uint8_t packed[2 * INPUT_MAX];
static uint8_t work[DEFLATE_WORK_BYTES] __attribute__((aligned(16)));

static void check_line(struct record_link *link, const char *line, size_t bytes)
{
	(void)link;
	insist(bytes <= RECORD_LINE_MAX && line[bytes - 1] == '\n');
	insist(crc32c(line, bytes - 19) == strtoul(line + bytes - 11, NULL, 16));
}

static void read_lines(const struct saved_contents *c)
{
	struct record_link link = { .write = check_line, .sid = 1 };
	struct saved_line line;
	size_t lines = 0;

	for (size_t at = 0; saved_run_line(c, &at, &line); lines++) {
		insist(line.at >= c->lines &&
		       line.at + line.bytes <= c->lines + c->head.lines_bytes);
		for (size_t i = 0; i + 1 < line.bytes; i++)
			insist(line.at[i] >= ' ' && line.at[i] <= '~');
		if (line.is_record)
			record_resend(&link, line.at, line.bytes);
	}
	insist(lines > 0);
}

static void put_line(void *ctx, const char *line, size_t bytes)
{
	(void)ctx;
	insist(strlen(line) == bytes);
	for (size_t i = 0; i < bytes; i++)
		insist(line[i] >= ' ' && line[i] <= '~');
}

static void read_page(struct saved_contents *c)
{
	const struct end_page_notes notes = { NULL, "" };
	struct end_page *page = (struct end_page *)(void *)c->page;

	if (end_page_check(page, c->head.page_bytes))
		end_page_print(page, &notes, put_line, NULL);
}

static size_t pack(const uint8_t *data, size_t bytes, size_t page)
{
	const struct saved_run_head head = {
		.magic = { 'N', 'F', 'R', SAVED_RUN_VERSION },
		.page_bytes = (uint32_t)page,
		.lines_bytes = (uint32_t)(bytes - page),
	};
	size_t count = sizeof(head) +
		       deflate_pack(packed + sizeof(head), sizeof(packed) / 2, data, bytes, work);

	memcpy(packed, &head, sizeof(head));
	bytes_put_le32(packed + count, crc32c(packed, count));
	return count + SAVED_RUN_CRC;
}

FUZZ(3, INPUT_MAX)
{
	struct saved_contents c;
	uint8_t *report, *out;

	if (data[0] & 0x80) {
		size_t page = bytes_le16(data) % (bytes - 2);

		bytes = pack(data + 2, bytes - 2, page & ~(size_t)7);
	} else {
		memcpy(packed, data + 1, --bytes);
	}
	report = exact(packed, bytes);
	if (saved_run_open(&c, report, bytes) == SAVED_STATE_OK) {
		out = malloc(c.head.page_bytes + c.head.lines_bytes + 1);
		insist(out);
		if (saved_run_inflate(&c, out, work)) {
			read_lines(&c);
			read_page(&c);
		}
		free(out);
	}
	free(report);
}
