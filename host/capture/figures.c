/* SPDX-License-Identifier: BSD-2-Clause */
/* Of the cores of a stage: the longest gap, the noise of all, the SMIs of the one that saw most. */
#include "figures.h"

#include "result.h"

#include "host/lib/text_sanitize.h"

#include "core/lib/arith.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_IN_HOUR 3600e9
#define MILLION    1e6

static const struct figures_kind kinds[FIGURES] = {
	[FIGURE_LONGEST] = { "longest_ns", "longest gap", "us", 1e-3 },
	[FIGURE_NOISE] = { "noise_ppm", "noise", "ppm", 1 },
	[FIGURE_SMI] = { "smi_per_hour", "SMIs", "an hour", 1 },
};

const struct figures_kind *figures_kind(enum figure figure)
{
	return &kinds[figure];
}

/* With as many digits as any engine keeps, so that the same run is the same everywhere. */
static double rounded(double value)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%.12g", value);
	return strtod(digits, NULL);
}

static void raise(struct figures *f, enum figure figure, double value)
{
	f->known[figure] = true;
	f->value[figure] = fmax(f->value[figure], rounded(value));
}

static void add_cpu(struct figures *f, const struct record_cpu *cpu)
{
	f->exposure_ns = arith_sum(f->exposure_ns, cpu->exposure_ns);
	f->noise_ns = arith_sum(f->noise_ns, cpu->noise_ns);
	raise(f, FIGURE_LONGEST, (double)cpu->max_ns);
	/* An SMI stops all cores: the core that counted most saw them all. */
	if (cpu->smi.known && cpu->exposure_ns)
		raise(f, FIGURE_SMI,
		      (double)cpu->smi.value * NS_IN_HOUR / (double)cpu->exposure_ns);
	f->known[FIGURE_NOISE] = f->exposure_ns;
	if (f->exposure_ns)
		f->value[FIGURE_NOISE] = rounded((double)f->noise_ns * MILLION /
						 (double)f->exposure_ns);
}

static void add_source(struct figures *f, const struct record_source *source)
{
	struct figures_source *to = &f->source[f->sources];

	if (f->sources == FIGURES_SOURCES)
		return;
	to->period_ns = source->period_ns;
	text_sanitize_ascii(to->cause, sizeof(to->cause),
			    source->cause ? source->cause : "unknown");
	f->sources++;
}

void figures_read(struct figures *f, const struct result *run)
{
	const struct result_stage *stage = &run->stage[run->stages - 1];

	*f = (struct figures){ .cores = run->cpus };
	text_sanitize_ascii(f->stage, sizeof(f->stage), stage->name);
	for (size_t i = 0; i < stage->cpus; i++)
		add_cpu(f, &stage->cpu[i]);
	for (size_t i = 0; i < stage->sources; i++)
		add_source(f, &stage->source[i]);
}

static void begin_stage(struct figures *f, const char *name)
{
	char stage[sizeof(f->stage)];

	text_sanitize_ascii(stage, sizeof(stage), name);
	if (strcmp(stage, f->stage) == 0)
		return;
	*f = (struct figures){ .cores = f->cores };
	strcpy(f->stage, stage);
}

void figures_add_cpu(struct figures *f, const struct record_cpu *cpu)
{
	begin_stage(f, cpu->stage ? cpu->stage : "");
	f->cores++;
	add_cpu(f, cpu);
}

void figures_add_source(struct figures *f, const struct record_source *source)
{
	begin_stage(f, source->stage ? source->stage : "");
	add_source(f, source);
}
