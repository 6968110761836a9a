/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces that fit a record. */
#include "survey_room.h"

#include "core/lib/letters.h"

#define LETTERS (SURVEY_PIECE_BYTES / 3 * 4)

void survey_parts_add(struct survey_parts *p, const char *area, const char *name, const void *data,
		      size_t bytes)
{
	struct record_survey record = { p->stage, area, name, .bytes = bytes };
	TEXT_DEFINE(letters, LETTERS + 1);
	size_t packed;

	if (bytes > SURVEY_PART_BYTES) {
		report_log(p->report, "warning",
			   "survey: %s %s has %llu bytes, at most %u are sent; left out", area,
			   name ? name : "", (unsigned long long)bytes, SURVEY_PART_BYTES);
		return;
	}
	packed = deflate_pack(p->packed, DEFLATE_BYTES_MAX(SURVEY_PART_BYTES), data, bytes,
			      p->work);
	record.pieces = (uint32_t)((packed + SURVEY_PIECE_BYTES - 1) / SURVEY_PIECE_BYTES);
	record.data = letters.buf;
	for (; record.piece < record.pieces; record.piece++) {
		size_t from = record.piece * SURVEY_PIECE_BYTES, left = packed - from;

		text_reset(&letters);
		letters_base64_add(&letters, p->packed + from,
				   left < SURVEY_PIECE_BYTES ? left : SURVEY_PIECE_BYTES);
		report_record(p->report, RECORD_SURVEY, &record);
	}
	p->parts++;
	p->bytes += bytes;
	p->packed_bytes += packed;
}

void survey_parts_text(struct survey_parts *p, const char *area, struct text *t)
{
	if (t->overflow)
		report_log(p->report, "warning", "survey: %s is cut at %llu bytes", area,
			   (unsigned long long)t->len);
	if (t->len)
		survey_parts_add(p, area, NULL, t->buf, t->len);
	text_reset(t);
}
