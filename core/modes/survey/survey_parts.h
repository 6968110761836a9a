/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of a survey as records: each is deflated by itself, so that a line that is lost costs one
 * part and no other.
 */
#pragma once

#include "core/lib/deflate.h"
#include "core/report/report.h"

#include <stddef.h>
#include <stdint.h>

#define SURVEY_PART_BYTES  (256u << 10) /* of one; what is longer is left out */
#define SURVEY_PIECE_BYTES 672u         /* deflated, in a record: 896 letters */

struct survey_parts {
	struct report *report;
	const char *stage;
	uint8_t *packed; /* DEFLATE_BYTES_MAX(SURVEY_PART_BYTES) */
	void *work;      /* DEFLATE_WORK_BYTES */
	unsigned parts;
	uint64_t bytes, packed_bytes; /* of all so far */
};

/* Send one. name: which of several; NULL: it is the only one of the area. */
void survey_parts_add(struct survey_parts *p, const char *area, const char *name, const void *data,
		      size_t bytes);

/* The same of a text, which is then empty; nothing for none. */
void survey_parts_text(struct survey_parts *p, const char *area, struct text *t);
