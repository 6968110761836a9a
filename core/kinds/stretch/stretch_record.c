/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `stretch`. */
#include "core/lib/arith.h"
#include "core/lib/lines.h"
#include "core/lib/ticks.h"
#include "core/records/record_kind.h"

#define HEAD                                                                          \
	"KERNEL PHASE    CPU   QUANTA   BEST(us)      P50      P99    P99.9      MAX" \
	"     MEAN     GAPS    CLOCK      CPI     REST"

#define ONE    UINT64_C(1000000)
#define HZ_MIN UINT64_C(1000000) /* ticks_to_ns() */
#define HZ_MAX UINT64_C(16000000000)

/* Put a factor in ppm, with as many decimals as fit into nine columns. */
static void stretch_record_put(struct text *out, uint64_t ppm)
{
	unsigned digits = 6;

	for (uint64_t over = 10 * ONE; ppm >= over && digits; digits--) {
		ppm = ppm / 10 + (ppm % 10 >= 5);
		over = digits == 6 ? 10 * ONE : over;
	}
	text_fixed(out, ppm, digits, 9);
}

static void put_maybe(struct text *out, struct maybe m)
{
	if (m.known)
		stretch_record_put(out, m.value);
	else
		text_add(out, "%9s", "n/a");
}

/*
 * GAPS, CLOCK, CPI and REST are factors of MEAN. n/a: there is no evidence, so the factor is part
 * of REST.
 */
static void put_text(struct lines *out, const void *record, const struct record_context *of)
{
	const struct record_stretch *r = record;
	struct text *t = &out->out;
	const uint64_t above[] = { r->p50, r->p99, r->p999, r->max, r->mean };
	const struct maybe factor[] = { r->gaps, r->clock, r->cpi, r->rest };

	text_add(t, "%-6s %-8s %3u %8llu ", r->kernel, r->phase, (unsigned)r->cpu,
		 (unsigned long long)r->quanta);
	if (of->hz >= HZ_MIN && of->hz <= HZ_MAX)
		text_fixed(t, ticks_to_ns(r->best, of->hz), 3, 10);
	else
		text_add(t, "%10s", "n/a");
	for (unsigned i = 0; i < sizeof(above) / sizeof(above[0]); i++)
		stretch_record_put(t, arith_sum(above[i], ONE));
	for (unsigned i = 0; i < sizeof(factor) / sizeof(factor[0]); i++)
		put_maybe(t, factor[i]);
	lines_end(out);
}

const struct record_kind stretch_record_kind = { .head = HEAD, .text = put_text };
