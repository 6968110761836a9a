/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of `noisefloor inos`, and what this process may do. */
#include "linux_options.h"

#include "host/lib/config_help.h"

#include <stdio.h>
#include <string.h>

#define SOURCE "command line"

/* A wrong word is shown as it may be to anyone. */
static unsigned blame(char *text, config_complaint *complain, void *ctx)
{
	for (char *c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	complain(ctx, SOURCE, 0, text);
	return 1;
}

static unsigned read_argument(struct config *c, const char *arg, config_complaint *complain,
			      void *ctx)
{
	static const struct config_source source = { SOURCE, true };
	char text[CONFIG_COMPLAINT_MAX];

	/* Of the probe's load options the first word may be the image's name: not here. */
	if (strchr(arg, '='))
		return config_apply(c, &source, arg, strlen(arg), complain, ctx);
	snprintf(text, sizeof(text),
		 "`%.40s` has no value; accepted: key=value, as in duration=60s", arg);
	return blame(text, complain, ctx);
}

unsigned linux_options_read(struct config *c, char **args, int count, config_complaint *complain,
			    void *ctx)
{
	unsigned mistakes = 0;

	config_defaults(c);
	c->platform = CONFIG_LINUX;
	c->why_not = config_help_why_not;
	for (int i = 0; i < count; i++)
		mistakes += read_argument(c, args[i], complain, ctx);
	return mistakes;
}

static unsigned refuse_cores(const struct cpulist *refusals, const struct cpulist *allowed,
			     config_complaint *complain, void *ctx)
{
	char buffer[CONFIG_COMPLAINT_MAX];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_add(&text, "cpus: this process may not run on ");
	cpulist_print(refusals, &text);
	text_add(&text, "; accepted: ");
	cpulist_print(allowed, &text);
	complain(ctx, SOURCE, 0, buffer);
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
