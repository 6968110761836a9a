/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of `noisefloor measure`, and what this process may do. */
#include "linux.h"

#include "host/program/config_words.h"

#include "arch/arch.h"
#include "core/lib/arith.h"

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
	c->no_modes = 1u << MODE_SURVEY | 1u << MODE_STRETCH;
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

#define WINDOW_MOST_NS UINT64_C(855000000)
#define REST_PERMILLE  132

uint64_t linux_options_rest(struct config *c)
{
	if (c->quiet)
		return 0;
	c->window_ns = arith_min(c->window_ns, WINDOW_MOST_NS);
	return c->window_ns / 1000 * REST_PERMILLE;
}
