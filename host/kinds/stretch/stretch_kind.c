/* SPDX-License-Identifier: BSD-2-Clause */
/* Stretch records of a stage: a line of text for each, and what other files ask of them. */
#include "stretch_records.h"

#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/arith.h"
#include "core/lib/text.h"
#include "core/records/record_kind.h"

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

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	const struct stretch_records of = stretch_records_of(stage);

	(void)t;
	if (of.count)
		puts(record_kind_of(RECORD_STRETCH)->head);
	for (size_t i = 0; i < of.count; i++)
		result_record_text(run, RECORD_STRETCH, &of.at[i], text_sanitize_line, NULL);
}

/* The mean time of a quantum. */
static void put_times(const struct result *run, const struct result_stage *stage,
		      host_kind_time *put, void *ctx)
{
	const struct stretch_records of = stretch_records_of(stage);
	double hz = (double)run->begin.clock.hz;

	for (size_t i = 0; i < of.count && hz > 0; i++) {
		const struct record_stretch *r = &of.at[i];

		if (r->best && r->kernel && r->phase)
			put(ctx, r->kernel, r->phase, r->work,
			    (double)r->best * 1e9 / hz * (1 + (double)r->mean / 1e6));
	}
}

const struct host_kind host_kind_stretch = {
	.type = RECORD_STRETCH,
	.text = put_text,
	.page = stretch_page,
	.diff = stretch_diff,
	.times = put_times,
	.series = true,
};
