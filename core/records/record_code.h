/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of the code on the screen: the lines of the run's `summary` record, deflated
 * (RFC 1951) and in base45 (RFC 9285), between "NF:" and "/": base45 has blanks, which a clipboard
 * would lose at the end.
 */
#pragma once

#include "core/lib/deflate.h"
#include "core/lib/text.h"
#include "record.h"

#include <stddef.h>
#include <stdint.h>

#define RECORD_CODE_HEAD "NF:"
#define RECORD_CODE_TAIL "/"

/* The longest text: capacity of a QR code of version 20, 97 modules to a side, at level L. */
#define RECORD_CODE_TEXT_MAX 1249
/* Bytes of the lines, at most. */
#define RECORD_CODE_LINES_MAX 8192u
/*
 * Longest string as written, with its quotes, bytes. If the text is too long, all strings are cut
 * further, down to the second limit.
 */
#define RECORD_CODE_STRING_MAX 50u
#define RECORD_CODE_STRING_MIN 10u

/* Scratch memory of the encoder: 170 KB, aligned to 16. */
struct record_code_work {
	uint8_t deflate[DEFLATE_WORK_BYTES];
	uint8_t packed[RECORD_CODE_TEXT_MAX];
	char lines[RECORD_CODE_LINES_MAX];
};

/*
 * Write the text to `t`, which has room for RECORD_CODE_TEXT_MAX and the NUL. It is empty if the
 * text is too long even with the shortest strings.
 */
void record_code_write(struct text *t, uint64_t sid, const struct record_summary *summary,
		       struct record_code_work *work);
