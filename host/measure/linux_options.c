/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of `noisefloor measure`, and what this process may do. */
#include "linux.h"

#include "host/program/config_words.h"

#include "arch/arch.h"
#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <stdio.h>
#include <string.h>

#define SOURCE "command line"

/* `services` without `mode` implies mode=services. */
static void settle_services(struct config *c)
{
	if (config_where(c, "services").source && !config_where(c, "mode").source)
		c->mode = MODE_SERVICES;
}

unsigned linux_options_read(struct config *c, char **args, int count, config_complaint *complain,
			    void *ctx)
{
	/* Not as load options, whose first word may be the name of an image. */
	static const struct config_source source = { SOURCE, false };
	unsigned mistakes = 0;

	config_defaults(c);
	c->platform = CONFIG_LINUX;
	c->no_smi = ISA_NO_SMI;
	c->no_modes = 1u << MODE_SURVEY;
	c->why_not = config_help_why_not;
	for (int i = 0; i < count; i++)
		mistakes += config_apply(c, &source, args[i], strlen(args[i]), complain, ctx);
	settle_services(c);
	return mistakes;
}

static unsigned refuse_cores(const struct cpulist *refusals, const struct cpulist *allowed,
			     config_complaint *complain, void *ctx)
{
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	text_add(&text, "cpus: this process may not run on ");
	cpulist_print(refusals, &text);
	text_add(&text, "; accepted: ");
	cpulist_print(allowed, &text);
	complain(ctx, SOURCE, 0, text.buf);
	return 1;
}

unsigned linux_options_check(struct config *c, const struct cpulist *allowed, uint32_t found,
			     config_complaint *complain, void *ctx)
{
	unsigned mistakes = config_check(c, found, complain, ctx);
	struct cpulist refusals;

	cpulist_clear(&refusals);
	if (cpulist_empty(&c->cpus))
		c->cpus = *allowed;
	for (uint32_t n = 0; n < found; n++)
		if (cpulist_has(&c->cpus, n) && !cpulist_has(allowed, n))
			cpulist_add(&refusals, n);
	if (mistakes || cpulist_empty(&refusals))
		return mistakes;
	return refuse_cores(&refusals, allowed, complain, ctx);
}

/* ---- Room for others ---- */

/*
 * Share of the real-time throttling limits to use: of a period's runtime, and of the total, per
 * cent.
 */
#define WINDOW_PERCENT 90
#define SHARE_PERCENT  93

static bool read_us(const char *root, const char *name, long long *us)
{
	char text[40], rest;

	return system_read(root, name, text, sizeof(text)) == 0 &&
	       sscanf(text, "%lld%c", us, &rest) == 1;
}

/* -1 means that there is no limit. */
void linux_throttle_read(struct linux_throttle *t, const char *root)
{
	const long long most = INT64_MAX / (100 * NS_PER_US);
	long long runtime, period;

	*t = (struct linux_throttle){ 0 };
	t->on = read_us(root, "proc/sys/kernel/sched_rt_runtime_us", &runtime) &&
		read_us(root, "proc/sys/kernel/sched_rt_period_us", &period) && period <= most &&
		runtime > 0 && runtime < period;
	if (!t->on)
		return;
	t->runtime_ns = (uint64_t)runtime * NS_PER_US;
	t->period_ns = (uint64_t)period * NS_PER_US;
}

/*
 * The share holds for any span of time, and the longest one without a rest is a window,
 * from which the rest is computed. Without a limit, the kernel's own work on a core still
 * has to be done: then the rest is what the share leaves of the whole.
 */
uint64_t linux_throttle_plan(const struct linux_throttle *t, struct config *c)
{
	uint64_t runtime = t->on ? t->runtime_ns / NS_PER_US : 1;
	uint64_t period = t->on ? t->period_ns / NS_PER_US : 1;
	uint64_t longest = t->on ? t->runtime_ns / 100 * WINDOW_PERCENT : UINT64_MAX;
	uint64_t window_us;

	if (c->quiet)
		return 0;
	c->window_ns = arith_min(c->window_ns, longest);
	window_us = arith_min(c->window_ns / NS_PER_US, INT32_MAX);
	return (window_us * 100 / SHARE_PERCENT * period / runtime - window_us) * NS_PER_US;
}
