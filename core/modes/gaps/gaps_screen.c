/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the longest gap, the latest events, all gaps by length, and each core. */
#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "core/screen/screen_draw.h"

/* Least height of the histogram, to see its form, and height that is enough from afar. */
#define HISTOGRAM_LINES_MIN 5u
#define HISTOGRAM_LINES_MAX 18u

/* True if a core has sampled in this stage; otherwise its gaps are unknown. */
static bool is_sampled(const struct screen *s)
{
	const struct platform *p = s->report->platform;
	uint32_t i = 0;

	while (i < p->cpus && !p->cpu[i].stage.length)
		i++;
	return i < p->cpus;
}

/* "12.3 us"; without a gap, "< 1 us"; without a window, "n/a". */
static void gaps_screen_number(const struct screen *s, struct text *t)
{
	const struct cpu *worst = screen_worst(s);

	struct maybe ns = { s->report->config->threshold_ns, is_sampled(s) };

	if (worst)
		ns.value = ticks_to_ns(worst->stage.max, s->report->platform->hz);
	else if (ns.known)
		text_add(t, "< ");
	text_maybe_duration(t, ns);
}

static struct maybe value(const struct screen *s)
{
	const struct cpu *worst = screen_worst(s);

	if (!worst)
		return (struct maybe){ 0, false };
	return (struct maybe){ ticks_to_ns(worst->stage.max, s->report->platform->hz), true };
}

/* Draw the longest gap's core, cause and time. */
static void draw_worst_origin(struct screen *s, const struct screen_area *a, unsigned n)
{
	const struct platform *p = s->report->platform;
	const struct cpu *worst = screen_worst(s);
	TEXT_DEFINE(when, 24);

	if (!worst) {
		screen_print(s, a, 0, n, INK_FAINT, is_sampled(s) ? "no gap so far" : "");
		return;
	}
	text_fixed(&when,
		   ticks_to_ns(gaplist_time(worst, &worst->worst) - p->begin_tsc, p->hz) / 1000000,
		   3, 0);
	screen_print(s, a, 0, n, INK_FAINT, "%s on cpu %u at %s s",
		     cause_name((enum cause)worst->worst.cause), (unsigned)worst->index, when.buf);
}

static void details(struct screen *s, struct screen_area left, struct screen_area right,
		    unsigned line)
{
	draw_worst_origin(s, &left, line);
	right.height = line + 1;
	screen_draw_events(s, &right);
}

/* Draw all gaps, and each core. */
static void gaps_screen_cores(struct screen *s, struct screen_area a)
{
	unsigned lines = screen_cores_lines(s, a.width, a.height * 2 / 3);
	struct screen_area upper = a;

	upper.height = a.height > lines + 1 ? a.height - lines - 1 : 0;
	if (upper.height > HISTOGRAM_LINES_MAX)
		upper.height = HISTOGRAM_LINES_MAX;
	if (upper.height >= HISTOGRAM_LINES_MIN) {
		screen_draw_histogram(s, &upper);
		a = screen_below(a, upper.height + 1);
	}
	screen_draw_cores(s, &a);
}

const struct screen_mode screen_mode_gaps = {
	.counts = "window",
	.timed = true,
	.heading = "LONGEST GAP",
	.result = "LONGEST GAP",
	.named = "longest gap ",
	.number = gaps_screen_number,
	.limit = LIMIT_MAX,
	.value = value,
	.details = details,
	.cores = gaps_screen_cores,
};
