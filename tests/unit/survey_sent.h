/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of a survey as the probe sends it, in pieces. */
#pragma once

#include "core/lib/deflate.h"
#include "core/lib/letters.h"
#include "core/records/record.h"

#include <stddef.h>
#include <stdint.h>

/* Sends a part in pieces of `piece` bytes, without the one numbered `lost`. */
static inline void survey_send(struct record_link *link, struct record_survey r, const char *data,
			       size_t piece, unsigned lost)
{
	static uint8_t packed[4096], work[DEFLATE_WORK_BYTES] __attribute__((aligned(16)));
	size_t used = deflate_pack(packed, sizeof(packed), data, r.bytes, work);

	r.pieces = (uint32_t)((used + piece - 1) / piece);
	for (; r.piece < r.pieces; r.piece++) {
		size_t from = r.piece * piece, left = used - from;
		TEXT_DEFINE(letters, 4096);

		letters_base45_add(&letters, packed + from, left < piece ? left : piece);
		r.data = letters.buf;
		if (r.piece != lost)
			record_send(link, RECORD_SURVEY, &r);
	}
}
