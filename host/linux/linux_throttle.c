/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a window may be, and how long the rest after it must be. */
#include "linux_throttle.h"

#include "system_file.h"

#include "core/lib/ticks.h"

#include <stdlib.h>

/* Of what is allowed at a stretch a window takes 90 %; of what is allowed in all, 93 %. */
#define STRETCH_PERCENT 90
#define SHARE_PERCENT   93

static bool read_us(const char *root, const char *name, long long *us)
{
	char text[40], *end;

	if (system_read(root, name, text, sizeof(text)) != 0)
		return false;
	*us = strtoll(text, &end, 10);
	return end != text && !*end;
}

/* -1 means that there is no limit. */
void linux_throttle_read(struct linux_throttle *t, const char *root)
{
	const long long most = INT64_MAX / (100 * NS_PER_US);
	long long runtime, period;

	*t = (struct linux_throttle){ 0 };
	t->known = read_us(root, "proc/sys/kernel/sched_rt_runtime_us", &runtime) &&
		   read_us(root, "proc/sys/kernel/sched_rt_period_us", &period) && period > 0 &&
		   period <= most;
	if (!t->known || runtime <= 0 || runtime >= period)
		return;
	t->on = true;
	t->runtime_ns = (uint64_t)runtime * NS_PER_US;
	t->period_ns = (uint64_t)period * NS_PER_US;
}

/*
 * The share holds for any stretch of time, and the longest one without a rest is a window,
 * from which the rest is computed. Without a limit, the kernel's own work on a core still
 * has to be done: then the rest is what the share leaves of the whole.
 */
uint64_t linux_throttle_plan(const struct linux_throttle *t, struct config *c)
{
	uint64_t runtime = t->on ? t->runtime_ns / NS_PER_US : 1;
	uint64_t period = t->on ? t->period_ns / NS_PER_US : 1;
	uint64_t longest = t->on ? t->runtime_ns / 100 * STRETCH_PERCENT : UINT64_MAX;
	uint64_t window_us;

	if (c->quiet)
		return 0;
	if (c->window_ns > longest)
		c->window_ns = longest;
	window_us = c->window_ns / NS_PER_US;
	if (window_us > INT32_MAX)
		window_us = INT32_MAX;
	return (window_us * 100 / SHARE_PERCENT * period / runtime - window_us) * NS_PER_US;
}
