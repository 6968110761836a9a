/* SPDX-License-Identifier: BSD-2-Clause */
/* The limits of a preset or of the run's configuration, applied to its cores' records. */
#include "result_verdict.h"

#include "host/lib/exit.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <string.h>

static void ignore(void *ctx, const char *source, unsigned line, const char *text)
{
	(void)ctx, (void)source, (void)line, (void)text;
}

static void apply(struct config *c, const char *text)
{
	static const struct config_source source = { .name = "limits", .one_line = true };

	if (text)
		config_apply(c, &source, text, strlen(text), ignore, NULL);
}

static bool core_of_run(const void *ctx, uint32_t n, struct verdict_core *core)
{
	const struct record_cpu *cpu = result_cpu(ctx, n);

	if (cpu)
		verdict_core_of(cpu, core);
	return cpu != NULL;
}

/* A preset cannot judge gaps shorter than those recorded. */
static void judge_threshold(struct result_verdict *v, const struct result *run)
{
	const struct config *c = &v->limits;
	uint64_t wanted = c->threshold_ns, own = result_threshold(run);
	TEXT_DEFINE(judged, 24);
	TEXT_DEFINE(recorded, 24);

	if (!run->has_begin) {
		verdict_reason(&v->reasons,
			       "the threshold of the run is unknown: there is no begin record");
		verdict_cut_short(&v->reasons);
		return;
	}
	if (c->max_ns.set && c->max_ns.value > wanted)
		wanted = c->max_ns.value;
	if (own <= wanted)
		return;
	text_duration(&judged, wanted);
	text_duration(&recorded, own);
	verdict_reason(
		&v->reasons,
		"gaps of %s and more are judged, but only those of %s and more were recorded",
		judged.buf, recorded.buf);
	verdict_cut_short(&v->reasons);
}

static void judge_preset(struct result_verdict *v, const struct result *run)
{
	struct verdict_clock_faults faults = { 0 };

	verdict_judge_cores(&v->reasons, &v->limits, core_of_run, run);
	for (size_t i = 0; i < run->pauses; i++)
		verdict_clock_faults_add(&faults, &run->pause[i]);
	verdict_clock(&v->reasons, &v->limits, &faults);
	judge_threshold(v, run);
	if (run->cpus)
		return;
	verdict_reason(&v->reasons, "there is no cpu record");
	verdict_cut_short(&v->reasons);
}

void result_verdict_read(struct result_verdict *v, const struct result *run,
			 const struct preset *asked)
{
	const struct record_cpu *cpu;

	*v = (struct result_verdict){ .asked = asked != NULL };
	config_defaults(&v->limits);
	apply(&v->limits, asked ? asked->settings : run->has_begin ? run->begin.config : NULL);
	v->preset = asked ? asked : v->limits.preset;
	v->limited = v->limits.max_ns.set || v->limits.max_smi.set || v->limits.max_noise_ppm.set;
	for (size_t n = 0; (cpu = result_cpu(run, n)); n++) {
		if (!n || cpu->exposure_ns < v->sampled_ns)
			v->sampled_ns = cpu->exposure_ns;
	}
	if (asked)
		judge_preset(v, run);
}

void result_verdict_core(const struct result_verdict *v, const struct record_cpu *cpu,
			 struct verdict_reasons *r)
{
	verdict_judge_core(r, &v->limits, cpu);
}

static bool stretch_alone(const void *ctx, uint32_t n, struct verdict_core *core)
{
	const struct record_stretch *r = ctx;

	*core = (struct verdict_core){ .index = r->cpu,
				       .stretch = { arith_sum(r->p999, 1000000), true } };
	return !n;
}

void result_verdict_stretch(const struct result_verdict *v, const struct record_stretch *stretch,
			    struct verdict_reasons *r)
{
	*r = (struct verdict_reasons){ .verdict = VERDICT_NONE };
	verdict_judge_cores(r, &v->limits, stretch_alone, stretch);
}

bool result_verdict_is_short(const struct result_verdict *v)
{
	return v->preset && v->sampled_ns < v->preset->min_duration_ns;
}

/* "12 h", "9.9 m": rounded down, so that a short run never looks long enough. */
static void add_time(struct text *t, uint64_t ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "h", 3600 * NS_PER_S }, { "m", 60 * NS_PER_S }, { "s", NS_PER_S } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		uint64_t tenths = ns / (units[i].ns / 10);

		if (ns < units[i].ns)
			continue;
		text_fixed(t, tenths % 10 ? tenths : tenths / 10, tenths % 10 ? 1 : 0, 0);
		text_add(t, " %s", units[i].name);
		return;
	}
	text_duration(t, ns);
}

void result_verdict_short(const struct result_verdict *v, struct text *t)
{
	add_time(t, v->sampled_ns);
	text_add(t, " is short of the ");
	add_time(t, v->preset->min_duration_ns);
	text_add(t, " that this preset requires");
}

void result_verdict_sentence(const struct result_verdict *v, struct text *t)
{
	if (!v->preset)
		return;
	text_add(t, "preset %s: ", v->preset->name);
	if (v->asked)
		text_add(t, "%s", verdict_name(v->reasons.verdict));
	for (unsigned i = 0; i < v->reasons.count; i++)
		text_add(t, "%s%s", i ? "; " : " (", v->reasons.text[i]);
	text_add(t, "%s", v->reasons.count ? ")" : "");
	if (result_verdict_is_short(v)) {
		text_add(t, "%s", v->asked ? ", but " : "");
		result_verdict_short(v, t);
	} else {
		text_add(t, "%slong enough", v->asked ? ", " : "");
	}
	text_add(t, "; %s", v->preset->source);
}

int result_verdict_exit_code(const struct result_verdict *v)
{
	return v->asked ? (int)verdict_exit_code(v->reasons.verdict) : EXIT_PASS;
}
