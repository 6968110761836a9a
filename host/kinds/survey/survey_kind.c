/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Survey records: how the machine is set, the lines of each part, and of tables how long they are.
 * Nothing in a capture is trusted: sizes, numbers and letters are checked, zlib checks the rest.
 */
#include "readiness.h"
#include "survey_records.h"

#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/lib/base64_bytes.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"
#include "core/records/record.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- Parts ---- */

#define RAW_DEFLATE (-15) /* the window's size, without zlib's head */

static const struct record_survey *record(const struct result_stage *stage, size_t n)
{
	return result_stage_record(stage, RECORD_SURVEY, n);
}

static bool is_part(const struct record_survey *a, const struct record_survey *b)
{
	return text_same(a->area, b->area) && text_same(a->name, b->name);
}

static size_t count_of(const struct result_stage *stage)
{
	return stage->kept[RECORD_SURVEY].count;
}

/* Where the part ends that begins there: at the next piece 0, or one of another part. */
static size_t end_of(const struct result_stage *stage, size_t first)
{
	size_t i = first + 1;

	while (i < count_of(stage) && record(stage, i)->piece &&
	       is_part(record(stage, i), record(stage, i - 1)))
		i++;
	return i;
}

static const char *inflate_all(struct survey_records_part *p, uint8_t *packed, size_t bytes)
{
	z_stream z = { .next_in = packed, .avail_in = (uInt)bytes };
	bool whole;

	p->data = memory_new(p->bytes + 1, 1);
	z.next_out = p->data;
	z.avail_out = (uInt)p->bytes + 1;
	if (inflateInit2(&z, RAW_DEFLATE) != Z_OK)
		memory_exhausted();
	whole = inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == p->bytes;
	inflateEnd(&z);
	p->data[p->bytes] = 0;
	return whole ? NULL : "it cannot be inflated";
}

static const char *join(const struct result_stage *stage, size_t first, size_t end,
			struct survey_records_part *p)
{
	const struct record_survey *r = record(stage, first);
	uint32_t pieces = r->pieces;
	size_t used = 0;
	const char *problem = NULL;
	uint8_t *packed;

	if (r->bytes > SURVEY_RECORDS_BYTES_MAX)
		return "it is too long";
	if (r->piece || !pieces || pieces > end - first)
		return "a piece is missing";
	p->bytes = (size_t)r->bytes;
	packed = memory_new(pieces, RECORD_LINE_MAX);
	for (uint32_t n = 0; n < pieces && !problem; n++) {
		const struct record_survey *piece = record(stage, first + n);

		if (piece->piece != n || piece->pieces != pieces)
			problem = "a piece is missing";
		else if (!piece->data || strlen(piece->data) > RECORD_LINE_MAX ||
			 !base64_bytes(packed, &used, piece->data, strlen(piece->data)))
			problem = "a piece is damaged";
	}
	if (!problem)
		problem = inflate_all(p, packed, used);
	free(packed);
	return problem;
}

bool survey_records_next(const struct result_stage *stage, size_t *at,
			 struct survey_records_part *p)
{
	size_t first = *at;

	if (first == count_of(stage))
		return false;
	*at = end_of(stage, first);
	*p = (struct survey_records_part){
		.area = record(stage, first)->area ? record(stage, first)->area : "n/a",
		.name = record(stage, first)->name,
	};
	p->problem = join(stage, first, *at, p);
	if (p->problem)
		survey_records_free(p);
	return true;
}

void survey_records_free(struct survey_records_part *p)
{
	free(p->data);
	p->data = NULL;
}

bool survey_records_is_text(const struct survey_records_part *p)
{
	size_t i = 0;

	while (i < p->bytes && (p->data[i] == '\n' || isprint(p->data[i])))
		i++;
	return i == p->bytes;
}

/* ---- The kind ---- */

static void put_lines(struct text *t, const char *lines)
{
	while (*lines) {
		size_t bytes = strcspn(lines, "\n");

		text_add(t, "  ");
		text_bytes(t, lines, bytes);
		text_sanitize_print(t);
		lines += bytes + (lines[bytes] == '\n');
	}
}

static void put_part(struct text *t, const struct survey_records_part *p)
{
	bool is_text = !p->problem && survey_records_is_text(p);

	text_add(t, "survey %s%s%s: ", p->area, p->name ? " " : "", p->name ? p->name : "");
	if (p->problem)
		text_add(t, "%s", p->problem);
	else if (!is_text)
		text_add(t, "%llu bytes", (unsigned long long)p->bytes);
	text_sanitize_print(t);
	if (is_text)
		put_lines(t, (const char *)p->data);
}

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	struct survey_records_part part;
	struct readiness readiness;

	(void)run;
	readiness_of_stage(&readiness, stage);
	readiness_print(t, &readiness);
	readiness_free(&readiness);
	for (size_t at = 0; survey_records_next(stage, &at, &part);) {
		put_part(t, &part);
		survey_records_free(&part);
	}
}

static void put_page(FILE *f, const struct result *run, struct result_stage *stage,
		     const struct config *limits)
{
	struct readiness readiness;

	(void)run, (void)limits;
	readiness_of_stage(&readiness, stage);
	readiness_page(f, &readiness);
	readiness_free(&readiness);
}

const struct host_kind host_kind_survey = {
	.type = RECORD_SURVEY,
	.text = put_text,
	.page = put_page,
};
