/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the worst p99.9 of all cores, and each core's. */
#include "core/config/limit.h"
#include "core/lib/arith.h"
#include "core/lib/text.h"
#include "core/screen/screen_draw.h"

#define CORE_WIDTH 20

/* The worst p99.9 of all cores, ppm of the best. */
static struct maybe worst_tail(const struct screen *s)
{
	const struct platform *p = s->report->platform;
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

static void stretch_screen_number(const struct screen *s, struct text *t)
{
	print_factor(t, worst_tail(s).value);
}

/* Draw each core; those without room are counted. */
static void stretch_screen_cores(struct screen *s, struct screen_area area)
{
	const struct screen_area *a = &area;
	const struct platform *p = s->report->platform;
	unsigned rows = a->height > 3 ? a->height - 2 : 1, n = 0, x;
	TEXT_DEFINE(worst, 24);

	screen_print(s, a, 0, 0, INK_FAINT, " CPU        P99.9");
	for (uint32_t i = 0; i < p->cpus; i++) {
		struct maybe tail = p->cpu[i].tail;
		bool is_over = limit_exceeded(s->report->config, LIMIT_MAX_STRETCH, tail);

		if (!p->cpu[i].measured)
			continue;
		x = n / rows * CORE_WIDTH;
		text_reset(&worst);
		print_factor(&worst, tail.value);
		if (x + CORE_WIDTH <= a->width)
			screen_print(s, a, x, 1 + n % rows, is_over ? INK_BAD : INK_TEXT,
				     "%4u %12s", (unsigned)p->cpu[i].index, worst.buf);
		n++;
	}
	rows *= a->width / CORE_WIDTH;
	if (n > rows)
		screen_print(s, a, 0, a->height - 1, INK_FAINT, "and %u more", n - rows);
}

const struct screen_mode screen_mode_stretch = {
	.counts = "turn",
	.heading = "WORST P99.9 OF STRETCH",
	.result = "P99.9 OF STRETCH",
	.named = "p99.9 of stretch ",
	.number = stretch_screen_number,
	.limit = LIMIT_MAX_STRETCH,
	.value = worst_tail,
	.cores = stretch_screen_cores,
};
