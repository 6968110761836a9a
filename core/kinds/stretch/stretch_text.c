/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of stretch. */
#include "stretch_text.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#define ONE    UINT64_C(1000000)
#define HZ_MIN UINT64_C(1000000) /* ticks_to_ns() */
#define HZ_MAX UINT64_C(16000000000)

void stretch_text_head(struct text *out)
{
	text_add(out, "KERNEL PHASE    CPU   QUANTA   BEST(us)      P50      P99    P99.9      MAX"
		      "     MEAN     GAPS    CLOCK      CPI     REST");
}

/* A factor in ppm, with as many decimals as nine columns hold. */
static void put(struct text *out, uint64_t ppm)
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
		put(out, m.value);
	else
		text_add(out, "%9s", "n/a");
}

void stretch_text_row(struct text *out, const struct record_stretch *r, uint64_t hz)
{
	const uint64_t above[] = { r->p50, r->p99, r->p999, r->max, r->mean };
	const struct maybe factor[] = { r->gaps, r->clock, r->cpi, r->rest };

	text_add(out, "%-6s %-8s %3u %8llu ", r->kernel, r->phase, (unsigned)r->cpu,
		 (unsigned long long)r->quanta);
	if (hz >= HZ_MIN && hz <= HZ_MAX)
		text_fixed(out, ticks_to_ns(r->best, hz), 3, 10);
	else
		text_add(out, "%10s", "n/a");
	for (unsigned i = 0; i < sizeof(above) / sizeof(above[0]); i++)
		put(out, arith_sum(above[i], ONE));
	for (unsigned i = 0; i < sizeof(factor) / sizeof(factor[0]); i++)
		put_maybe(out, factor[i]);
}
