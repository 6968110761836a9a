/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows the longest gap, where it was, and a table of the cores. */
#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "core/report/table.h"
#include "core/screen/screen_mode.h"

/* The core with the longest gap of the stage; NULL: no gap. */
static const struct cpu *worst_core(const struct report *r)
{
	const struct platform *p = r->platform;
	const struct cpu *worst = NULL;

	for (uint32_t i = 0; i < p->cpus; i++)
		if (p->cpu[i].stage.max > (worst ? worst->stage.max : 0))
			worst = &p->cpu[i];
	return worst;
}

static struct maybe value(const struct report *r)
{
	const struct cpu *worst = worst_core(r);

	if (!worst)
		return (struct maybe){ 0, false };
	return (struct maybe){ ticks_to_ns(worst->stage.max, r->platform->hz), true };
}

/* "12.3 us"; without a gap, "< 1 us"; without a window, "n/a". */
static void gaps_screen_number(const struct report *r, struct text *t)
{
	struct maybe ns = value(r);

	if (!ns.known && r->times.sampled) {
		text_add(t, "< ");
		ns = (struct maybe){ r->config->threshold_ns, true };
	}
	text_maybe_duration(t, ns);
}

/* The longest gap's core, cause and time. */
static void gaps_screen_origin(const struct report *r, struct text *t)
{
	const struct platform *p = r->platform;
	const struct cpu *worst = worst_core(r);

	if (!worst) {
		text_add(t, r->times.sampled ? "no gap so far" : "");
		return;
	}
	text_add(t, "%s on cpu %u at ", cause_name((enum cause)worst->worst.cause),
		 (unsigned)worst->index);
	text_fixed(t,
		   ticks_to_ns(gaplist_time(worst, &worst->worst) - p->begin_tsc, p->hz) / 1000000,
		   3, 0);
	text_add(t, " s");
}

static void gaps_screen_lines(const struct report *r, struct lines *out)
{
	report_table(r, out, TABLE_BRIEF);
}

const struct screen_mode screen_mode_gaps = {
	.counts = "window",
	.timed = true,
	.heading = "LONGEST GAP",
	.named = "longest gap ",
	.number = gaps_screen_number,
	.origin = gaps_screen_origin,
	.limit = LIMIT_MAX,
	.value = value,
	.lines = gaps_screen_lines,
};
