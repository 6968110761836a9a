/* SPDX-License-Identifier: BSD-2-Clause */
/* The clocks beside the TSC, as the run reads them between windows. */
#include "probe/app.h"

#include "arch/arch.h"
#include "drivers/rtc.h"
#include "isa.h"

#define BRACKETS 8u

static bool read_rtc(struct clockwatch_reading *r)
{
	r->before = clock_now();
	if (!rtc_read(&r->value))
		return false;
	r->after = clock_now();
	return true;
}

static bool read_other(struct clockwatch_reading *r)
{
	r->before = clock_now();
	r->value = isa_other_clock_now();
	r->after = clock_now();
	return true;
}

bool clocks_read(struct platform *p, unsigned n, struct clockwatch_reading *r)
{
	const struct clocks *clocks = &app->clocks;
	const struct machine *m = &app->machine;

	(void)p;
	if (OTHER_CLOCK && clocks->has_other && n == clocks->other)
		return read_other(r);
	if (n >= m->refclocks)
		return read_rtc(r);
	*r = refclock_read(&m->refclock[n], BRACKETS);
	return true;
}

void clocks_find(void)
{
	const struct machine *m = &app->machine;
	struct clocks *clocks = &app->clocks;
	struct platform *p = &app->platform;
	struct clockwatch_reading r;

	for (const struct refclock *c = m->refclock; c < m->refclock + m->refclocks; c++)
		p->clock[p->clocks++] = (struct clockwatch_clock){ c->name, c->hz, c->bits };
	if (read_rtc(&r))
		p->clock[p->clocks++] = (struct clockwatch_clock){ "rtc", 1, 64 };
	clocks->has_other = OTHER_CLOCK && isa_other_clock_there();
	clocks->other = p->clocks;
	if (clocks->has_other)
		p->clock[p->clocks++] = (struct clockwatch_clock){ OTHER_CLOCK, p->hz, 64 };
}
