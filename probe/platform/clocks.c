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

static uint64_t read_other(const struct refclock *c)
{
	(void)c;
	return isa_other_clock_now();
}

bool clocks_read(struct platform *p, unsigned n, struct clockwatch_reading *r)
{
	const struct machine *m = &app->machine;

	(void)p;
	if (n >= m->refclocks)
		return read_rtc(r);
	*r = refclock_read(&m->refclock[n], BRACKETS);
	return true;
}

void clocks_find(void)
{
	struct machine *m = &app->machine;
	struct platform *p = &app->platform;
	struct clockwatch_reading r;

	if (isa_other_clock)
		m->refclock[m->refclocks++] = (struct refclock){
			.name = isa_other_clock, .hz = p->hz, .bits = 64, .read = read_other
		};
	for (const struct refclock *c = m->refclock; c < m->refclock + m->refclocks; c++)
		p->clock[p->clocks++] = (struct clockwatch_clock){ c->name, c->hz, c->bits };
	/* Ports of an RTC that the tables deny may belong to another device. */
	if (!m->acpi.no_rtc && read_rtc(&r))
		p->clock[p->clocks++] = (struct clockwatch_clock){ "rtc", 1, 64 };
}
