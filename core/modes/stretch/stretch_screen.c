/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows the worst p99.9 of all cores, and each core's. */
#include "core/lib/text.h"
#include "core/screen/screen_mode.h"

#define CORE_WIDTH 20 /* columns of a core, with those before the next */
#define LINE_WIDTH 58 /* columns of the narrowest screen */
#define CORES_MAX  192u

/* The worst p99.9 of all cores, ppm of the best. */
static struct maybe worst_tail(const struct report *r)
{
	const struct platform *p = r->platform;
	struct maybe worst = { 0, false };

	for (uint32_t i = 0; i < p->cpus; i++)
		if (p->cpu[i].tail.value > worst.value)
			worst = (struct maybe){ p->cpu[i].tail.value, true };
	return worst;
}

/* "1.050000" */
static void print_factor(struct text *t, uint64_t tail)
{
	if (tail)
		text_fixed(t, tail, 6, 0);
	else
		text_add(t, "n/a");
}

static void stretch_screen_number(const struct report *r, struct text *t)
{
	print_factor(t, worst_tail(r).value);
}

/* Print each core, several to a line. */
static void stretch_screen_lines(const struct report *r, struct lines *out)
{
	const struct platform *p = r->platform;
	TEXT_DEFINE(tail, CORE_WIDTH);
	uint32_t cores = 0;

	text_add(&out->out, " CPU        P99.9");
	lines_end(out);
	for (uint32_t i = 0; i < p->cpus; i++) {
		if (!p->cpu[i].measured || cores++ >= CORES_MAX)
			continue;
		text_reset(&tail);
		print_factor(&tail, p->cpu[i].tail.value);
		text_add(&out->out, "%s%4u %12s", out->out.len ? "   " : "",
			 (unsigned)p->cpu[i].index, tail.buf);
		if (out->out.len + CORE_WIDTH > LINE_WIDTH)
			lines_end(out);
	}
	if (out->out.len)
		lines_end(out);
	if (cores > CORES_MAX) {
		text_add(&out->out, "and %u more cores", (unsigned)(cores - CORES_MAX));
		lines_end(out);
	}
}

const struct screen_mode screen_mode_stretch = {
	.counts = "turn",
	.heading = "WORST P99.9 OF STRETCH",
	.named = "p99.9 of stretch ",
	.number = stretch_screen_number,
	.limit = LIMIT_MAX_STRETCH,
	.value = worst_tail,
	.lines = stretch_screen_lines,
};
