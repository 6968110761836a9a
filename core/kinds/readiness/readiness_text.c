/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of readiness. */
#include "readiness_text.h"

void readiness_text_head(struct text *out)
{
	text_add(out, "SETTING                 STATE           PROFILE        JUDGED     ASKS FOR");
}

void readiness_text_row(struct text *out, const struct record_readiness *r)
{
	if (r->profile)
		text_add(out, "%-23s %-15s %-14s %-10s %s", r->item, r->state, r->profile,
			 r->judged, r->wants);
	else
		text_add(out, "%-23s %s", r->item, r->state);
}
