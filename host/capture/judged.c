/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits, from a preset or from the run's configuration, against its cores' records. */
#include "judged.h"

#include "host/lib/exit.h"

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

/* Of cores with the exposure that nobody has in three years, the noise is not worked out. */
#define EXPOSURE_MAX (UINT64_MAX / 10)

/* One record, or all of a run. */
struct records {
	const struct record_cpu *cpu;
	size_t count;
};

static bool record_core(const void *ctx, uint32_t n, struct verdict_core *core)
{
	const struct records *r = ctx;
	const struct record_cpu *cpu;

	if (n >= r->count)
		return false;
	cpu = &r->cpu[n];
	core->index = cpu->cpu;
	core->max_ns = (struct maybe){ cpu->max_ns, true };
	core->smi = cpu->smi;
	core->noise_ppm = (struct maybe){ 0, false };
	if (cpu->exposure_ns <= EXPOSURE_MAX)
		core->noise_ppm = verdict_noise_ppm(cpu->noise_ns, cpu->exposure_ns);
	return true;
}

static void incomplete(struct verdict_reasons *r)
{
	verdict_cut_short(r);
}

/* What the preset wants to have been recorded, and was not, it cannot judge. */
static void judge_threshold(struct judged *j, const struct shown *s)
{
	const struct config *c = &j->limits;
	uint64_t wanted = c->threshold_ns, own = search_threshold(s->begin.config);
	char length[2][24];
	struct text t;

	if (!s->has_begin) {
		verdict_reason(&j->reasons, "no begin record says from what length on gaps were "
					    "recorded");
		incomplete(&j->reasons);
		return;
	}
	if (c->max_ns.set && c->max_ns.value > wanted)
		wanted = c->max_ns.value;
	if (own <= wanted)
		return;
	text_init(&t, length[0], sizeof(length[0]));
	text_duration(&t, wanted);
	text_init(&t, length[1], sizeof(length[1]));
	text_duration(&t, own);
	verdict_reason(&j->reasons,
		       "gaps from %s on are to be known; they were recorded from %s on", length[0],
		       length[1]);
	incomplete(&j->reasons);
}

static void judge_preset(struct judged *j, const struct shown *s)
{
	const struct records all = { s->cpu, s->cpus };
	struct clock_faults faults = { 0 };

	verdict_judge_cores(&j->reasons, &j->limits, record_core, &all);
	for (size_t i = 0; i < s->pauses; i++)
		clock_faults_add(&faults, &s->pause[i]);
	verdict_clock(&j->reasons, &j->limits, &faults);
	judge_threshold(j, s);
	if (s->cpus)
		return;
	verdict_reason(&j->reasons, "there is no cpu record");
	incomplete(&j->reasons);
}

void judged_read(struct judged *j, const struct shown *s, const struct preset *asked)
{
	*j = (struct judged){ .asked = asked != NULL };
	config_defaults(&j->limits);
	apply(&j->limits, asked ? asked->settings : s->has_begin ? s->begin.config : NULL);
	j->preset = asked ? asked : j->limits.preset;
	j->limited = j->limits.max_ns.set || j->limits.max_smi.set || j->limits.max_noise_ppm.set;
	for (size_t i = 0; i < s->cpus; i++) {
		if (!i || s->cpu[i].exposure_ns < j->sampled_ns)
			j->sampled_ns = s->cpu[i].exposure_ns;
	}
	if (asked)
		judge_preset(j, s);
}

void judged_core(const struct judged *j, const struct record_cpu *cpu, struct verdict_reasons *r)
{
	const struct records one = { cpu, 1 };

	*r = (struct verdict_reasons){ .verdict = VERDICT_NONE };
	verdict_judge_cores(r, &j->limits, record_core, &one);
}

bool judged_is_short(const struct judged *j)
{
	return j->preset && j->sampled_ns < j->preset->min_duration_ns;
}

/* "12 h", "9.9 m": rounded down, so that what is short never looks long enough. */
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

void judged_short(const struct judged *j, struct text *t)
{
	add_time(t, j->sampled_ns);
	text_add(t, " is short of the ");
	add_time(t, j->preset->min_duration_ns);
	text_add(t, " this preset asks");
}

void judged_sentence(const struct judged *j, struct text *t)
{
	if (!j->preset)
		return;
	text_add(t, "preset %s: ", j->preset->name);
	if (j->asked)
		text_add(t, "%s", verdict_name(j->reasons.verdict));
	for (unsigned i = 0; i < j->reasons.count; i++)
		text_add(t, "%s%s", i ? "; " : " (", j->reasons.text[i]);
	text_add(t, "%s", j->reasons.count ? ")" : "");
	if (judged_is_short(j)) {
		text_add(t, "%s", j->asked ? ", but " : "");
		judged_short(j, t);
	} else {
		text_add(t, "%slong enough", j->asked ? ", " : "");
	}
	text_add(t, "; %s", j->preset->source);
}

int judged_exit_code(const struct judged *j)
{
	return j->asked ? (int)verdict_exit_code(j->reasons.verdict) : EXIT_PASS;
}
