/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In place of probe/person/display.c: the same, and a pixel is written with each gap that is
 * recorded, in the middle of the window. So that a test can see that caught.
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
