/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes after advice, for both forms. */
#include "advise.h"

void advise_next(const struct advise *a, struct text *t)
{
	text_add(t, "change this one alone, measure again, then: noisefloor diff %s AFTER",
		 a->selected->capture.name);
}
