/* SPDX-License-Identifier: BSD-2-Clause */
/* HPET, PM timer and RTC, as the run reads them between windows. */
#include "clocks.h"

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

static bool read_clock(struct platform *p, unsigned n, struct clockwatch_reading *r)
{
	const struct app *app = p->ctx;
	const struct refclock *c = &app->refclock[n];

	if (n >= app->refclocks)
		return read_rtc(r);
	if (!reachable(c))
		return false;
	r->value = refclock_pair(c, BRACKETS, &r->before, &r->after);
	return true;
}

/* One that we would have to switch on stays as it is. */
static void keep(struct app *app)
{
	struct refclock *c = &app->refclock[app->refclocks];

	if (c->was_off) {
		refclock_close(c);
		return;
	}
	app->platform.clock[app->platform.clocks++] = (struct clockwatch_clock){ c->name, c->hz,
										 c->bits };
	app->refclocks++;
}

void clocks_find(struct app *app)
{
	struct clockwatch_reading r;

	if (refclock_open_hpet(&app->refclock[app->refclocks], &app->acpi))
		keep(app);
	if (refclock_open_pm_timer(&app->refclock[app->refclocks], &app->acpi))
		keep(app);
	if (read_rtc(&r))
		app->platform.clock[app->platform.clocks++] = (struct clockwatch_clock){ "rtc", 1,
											 64 };
	app->platform.read_clock = read_clock;
}
