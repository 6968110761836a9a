/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes after advice, for both forms. */
#include "advise.h"

void advise_next(const struct advise *a, const struct advise_setting *s, struct text *t)
{
	if (s->is_linux) {
		text_add(t, "boot Linux with it, and measure there, before and after: noisefloor "
			    "measure; compare");
		return;
	}
	text_add(t, "change this one alone, measure again, then: noisefloor diff %s AFTER",
		 a->selected->capture.name);
}
