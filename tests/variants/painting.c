/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces probe/person/display.c: it also writes a pixel with each gap that is recorded, in the
 * middle of the window, so that a test can check that this is caught.
 */
#include "probe/person/display.h"

void product_between(struct display *d);

#define display_between product_between
#include "probe/person/display.c"
#undef display_between

static const struct framebuffer *painted;

static void paint_pixel(struct cpu *cpu)
{
	static const struct framebuffer_area corner = { 0, 0, 1, 1 };
	static const uint32_t pixel = UINT32_MAX;

	(void)cpu;
	framebuffer_put(painted, &corner, &pixel);
}

void display_between(struct display *d)
{
	const struct platform *p = d->report->platform;

	painted = &d->framebuffer;
	for (uint32_t i = 0; i < p->cpus; i++)
		p->cpu[i].read_counters = paint_pixel;
	product_between(d);
}
