/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys of `noisefloor inos`: those of core/config/config.h but for the probe's own, and `tracers`.
 */
#include "inos_options.h"

#include <stdio.h>
#include <string.h>

#define SOURCE      "command line"
#define TRACERS_KEY "tracers="

/* Keys of a machine without an OS, and what stands in their place. */
static const struct {
	const char *key, *instead;
} refused[] = {
	{ "stages", "what is measured here is stage os" },
	{ "serial", "records go to the file of -o" },
	{ "baud", "records go to the file of -o" },
	{ "report", "records go to the file of -o" },
	{ "ip", "records go to the file of -o" },
	{ "vlan", "records go to the file of -o" },
	{ "linger", "records go to the file of -o" },
	{ "nic", "records go to the file of -o" },
	{ "key", "records go to the file of -o" },
	{ "save", "records go to the file of -o" },
	{ "checkpoint", "records go to the file of -o" },
	{ "clear_logs", "the processor's logs are the kernel's to clear" },
	{ "then", "the command ends when it is done" },
};

#define REFUSED (sizeof(refused) / sizeof(refused[0]))

static const char *const tracer_names[TRACERS] = {
	[TRACER_HWLAT] = "hwlat", [TRACER_OSNOISE] = "osnoise"
};

const char *inos_tracer_name(enum inos_tracer tracer)
{
	return tracer_names[tracer];
}

static uint32_t tracer_bit(const char *name, size_t bytes)
{
	for (unsigned t = 0; t < TRACERS; t++)
		if (strlen(tracer_names[t]) == bytes && memcmp(tracer_names[t], name, bytes) == 0)
			return UINT32_C(1) << t;
	return 0;
}

/* "hwlat,osnoise"; false for a name that is not known, or none at all. */
static bool read_names(const char *value, uint32_t *tracers)
{
	*tracers = 0;
	for (;;) {
		size_t bytes = strcspn(value, ",");
		uint32_t bit = tracer_bit(value, bytes);

		if (!bit)
			return false;
		*tracers |= bit;
		if (!value[bytes])
			return true;
		value += bytes + 1;
	}
}

/* A wrong word is shown as it may be to anyone. */
static unsigned blame(char *text, config_complaint *complain, void *ctx)
{
	for (char *c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	complain(ctx, SOURCE, 0, text);
	return 1;
}

static unsigned read_tracers(struct inos_options *o, const char *value, config_complaint *complain,
			     void *ctx)
{
	char text[CONFIG_COMPLAINT_MAX];
	uint32_t tracers = 0;

	o->tracers_auto = strcmp(value, "auto") == 0;
	if (o->tracers_auto)
		tracers = (UINT32_C(1) << TRACERS) - 1;
	else if (strcmp(value, "none") != 0 && !read_names(value, &tracers)) {
		snprintf(text, sizeof(text),
			 TRACERS_KEY "%.40s is not known; accepted: auto, none, or a list of hwlat "
				     "osnoise, as in tracers=hwlat,osnoise",
			 value);
		return blame(text, complain, ctx);
	}
	o->tracers = tracers;
	return 0;
}

static unsigned read_argument(struct inos_options *o, const char *arg, config_complaint *complain,
			      void *ctx)
{
	static const struct config_source source = { SOURCE, true };
	char text[CONFIG_COMPLAINT_MAX];

	if (strncmp(arg, TRACERS_KEY, strlen(TRACERS_KEY)) == 0)
		return read_tracers(o, arg + strlen(TRACERS_KEY), complain, ctx);
	/* Of the probe's load options the first word may be the image's name: not here. */
	if (strchr(arg, '='))
		return config_apply(&o->config, &source, arg, strlen(arg), complain, ctx);
	snprintf(text, sizeof(text),
		 "`%.40s` has no value; accepted: key=value, as in duration=60s", arg);
	return blame(text, complain, ctx);
}

static unsigned refuse_keys(const struct inos_options *o, config_complaint *complain, void *ctx)
{
	char text[CONFIG_COMPLAINT_MAX];
	unsigned mistakes = 0;

	for (size_t i = 0; i < REFUSED; i++) {
		if (!config_where(&o->config, refused[i].key).source)
			continue;
		snprintf(text, sizeof(text), "%s= means nothing from inside an OS: %s",
			 refused[i].key, refused[i].instead);
		complain(ctx, SOURCE, 0, text);
		mistakes++;
	}
	return mistakes;
}

unsigned inos_options_read(struct inos_options *o, char **args, int count,
			   config_complaint *complain, void *ctx)
{
	unsigned mistakes = 0;

	config_defaults(&o->config);
	read_tracers(o, "auto", complain, ctx);
	for (int i = 0; i < count; i++)
		mistakes += read_argument(o, args[i], complain, ctx);
	return mistakes + refuse_keys(o, complain, ctx);
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

unsigned inos_options_check(struct inos_options *o, const struct cpulist *allowed, uint32_t found,
			    config_complaint *complain, void *ctx)
{
	struct config *c = &o->config;
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

static bool means_something(const char *key)
{
	for (size_t i = 0; i < REFUSED; i++)
		if (strcmp(refused[i].key, key) == 0)
			return false;
	return true;
}

void inos_options_print(const struct inos_options *o, struct text *out)
{
	const char *before = "";

	config_print_keys(&o->config, means_something, out);
	text_add(out, " " TRACERS_KEY);
	if (!o->tracers)
		text_add(out, "none");
	for (unsigned t = 0; t < TRACERS; t++) {
		if (!(o->tracers >> t & 1))
			continue;
		text_add(out, "%s%s", before, tracer_names[t]);
		before = ",";
	}
}
