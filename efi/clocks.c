/* SPDX-License-Identifier: BSD-2-Clause */
/* HPET, PM timer and RTC, as the run reads them between windows. */
#include "clocks.h"

#include "arch/arch.h"
#include "drivers/rtc.h"

#define BRACKETS    8u
#define CLOCK_BYTES 0x100u /* up to the HPET's counter, at 0xf0 */

static bool read_rtc(struct clockwatch_reading *r)
{
	r->before = clock_now();
	if (!rtc_read(&r->value))
		return false;
	r->after = clock_now();
	return true;
}

/* Whatever page tables are in force by now. */
static bool reachable(const struct refclock *c)
{
	return !c->mmio || arch_map_device(c->base, CLOCK_BYTES);
}

bool clocks_read(const struct clocks *clocks, unsigned n, struct clockwatch_reading *r)
{
	const struct refclock *c = &clocks->refclock[n];

	if (n >= clocks->count)
		return read_rtc(r);
	if (!reachable(c))
		return false;
	r->value = refclock_pair(c, BRACKETS, &r->before, &r->after);
	return true;
}

/* One that we would have to switch on stays as it is. */
static void keep(struct clocks *clocks, struct platform *p)
{
	struct refclock *c = &clocks->refclock[clocks->count];

	if (c->was_off) {
		refclock_close(c);
		return;
	}
	p->clock[p->clocks++] = (struct clockwatch_clock){ c->name, c->hz, c->bits };
	clocks->count++;
}

void clocks_find(struct clocks *clocks, struct platform *p, const struct acpi_info *acpi)
{
	struct clockwatch_reading r;

	if (refclock_open_hpet(&clocks->refclock[clocks->count], acpi))
		keep(clocks, p);
	if (refclock_open_pm_timer(&clocks->refclock[clocks->count], acpi))
		keep(clocks, p);
	if (read_rtc(&r))
		p->clock[p->clocks++] = (struct clockwatch_clock){ "rtc", 1, 64 };
}
