/* SPDX-License-Identifier: BSD-2-Clause */
/* Of the cores of a stage: the longest gap, the noise of all, the SMIs of the one that saw most. */
#include "figures.h"

#include "host/lib/text_sanitize.h"

#include <stdio.h>
#include <stdlib.h>

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
static void raise(struct figures *f, enum figure figure, double value)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%.12g", value);
	value = strtod(digits, NULL);
	f->known[figure] = true;
	if (value > f->value[figure])
		f->value[figure] = value;
}

static void add_cores(struct figures *f, const struct result_stage *stage)
{
	double exposure_ns = 0, noise_ns = 0;

	for (size_t i = 0; i < stage->cpus; i++) {
		const struct record_cpu *cpu = &stage->cpu[i];

		exposure_ns += (double)cpu->exposure_ns;
		noise_ns += (double)cpu->noise_ns;
		raise(f, FIGURE_LONGEST, (double)cpu->max_ns);
		/* An SMI stops all cores: the core that counted most saw them all. */
		if (cpu->smi.known && cpu->exposure_ns)
			raise(f, FIGURE_SMI,
			      (double)cpu->smi.value * NS_IN_HOUR / (double)cpu->exposure_ns);
	}
	if (exposure_ns > 0)
		raise(f, FIGURE_NOISE, noise_ns * MILLION / exposure_ns);
}

static void add_sources(struct figures *f, const struct result_stage *stage)
{
	for (size_t i = 0; i < stage->sources && f->sources < FIGURES_SOURCES; i++) {
		const struct record_source *source = &stage->source[i];
		struct figures_source *to = &f->source[f->sources++];

		to->period_ns = source->period_ns;
		text_sanitize_ascii(to->cause, sizeof(to->cause),
				    source->cause ? source->cause : "unknown");
	}
}

void figures_read(struct figures *f, const struct result *run)
{
	const struct result_stage *stage = &run->stage[run->stages - 1];

	*f = (struct figures){ .cores = run->cpus };
	text_sanitize_ascii(f->stage, sizeof(f->stage), stage->name);
	add_cores(f, stage);
	add_sources(f, stage);
}
