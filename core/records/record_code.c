/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the summary's lines, shortened as far as necessary. */
#include "record_code.h"

#include "core/lib/letters.h"
#include "core/lib/mem.h"

#define PACKED_MAX \
	BASE45_BYTES(RECORD_CODE_TEXT_MAX - sizeof(RECORD_CODE_HEAD RECORD_CODE_TAIL) + 1)

struct collected {
	struct record_link link;
	char *lines;
	size_t bytes;
};

static void record_code_collect(struct record_link *link, const char *line, size_t bytes)
{
	struct collected *c = (struct collected *)(void *)link;

	if (bytes > RECORD_CODE_LINES_MAX - c->bytes)
		return;
	memcpy(c->lines + c->bytes, line, bytes);
	c->bytes += bytes;
}

void record_code_write(struct text *t, uint64_t sid, const struct record_summary *summary,
		       struct record_code_work *work)
{
	size_t packed = 0;

	for (size_t most = RECORD_CODE_STRING_MAX; !packed && most >= RECORD_CODE_STRING_MIN;
	     most -= 4) {
		struct collected c = {
			.link = { .write = record_code_collect, .sid = sid, .string_max = most },
			.lines = work->lines,
		};

		record_send(&c.link, RECORD_SUMMARY, summary);
		packed = deflate_pack(work->packed, PACKED_MAX, c.lines, c.bytes, work->deflate);
	}
	text_reset(t);
	if (!packed)
		return;
	text_add(t, RECORD_CODE_HEAD);
	letters_base45_add(t, work->packed, packed);
	text_add(t, RECORD_CODE_TAIL);
}
