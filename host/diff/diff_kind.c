/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kinds' parts of a comparison share. */
#include "diff_kind.h"

#include "host/lib/text_sanitize.h"

void diff_part_count(struct diff_part *part, enum ratetest_change change)
{
	part->more |= change == RATE_MORE;
	part->less |= change == RATE_LESS;
}

void diff_part_head(struct text *t, const char *words)
{
	if (!t->len)
		return;
	text_add(t, "%s", words);
	text_sanitize_print(t);
}

enum check_status diff_part_status(enum ratetest_change change)
{
	static const enum check_status status[] = {
		[RATE_NOT_COMPARED] = CHECK_SKIP,
		[RATE_SAME] = CHECK_PASS,
		[RATE_LESS] = CHECK_PASS,
		[RATE_MORE] = CHECK_FAIL,
	};

	return status[change];
}
