/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of this folder ask of the records. */
#include "stretch_records.h"

#include "core/lib/arith.h"
#include "core/lib/text.h"

bool stretch_records_alike(const struct record_stretch *a, const struct record_stretch *b)
{
	return text_same(a->kernel, b->kernel) && text_same(a->phase, b->phase);
}

double stretch_records_above_min(const struct record_stretch *r)
{
	return r->min.known ? (double)arith_less(r->best, r->min.value) : 0;
}

bool stretch_records_counted(const struct record_stretch *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->hist.count; i++) {
		if (i && r->hist.at[i][0] <= r->hist.at[i - 1][0])
			return false;
		sum = arith_sum(sum, r->hist.at[i][1]);
	}
	return sum == r->quanta && sum != UINT64_MAX;
}
