/* SPDX-License-Identifier: BSD-2-Clause */
/* The limits of a preset or of the run's configuration, applied to its cores' records. */
#include "result_verdict.h"

#include "host/lib/exit.h"

#include "core/config/limit.h"

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
	uint64_t wanted = limit_shortest_ns(&v->limits), own = result_threshold(run);
	TEXT_DEFINE(judged, 24);
	TEXT_DEFINE(recorded, 24);

	if (!run->has_begin) {
		verdict_reason(&v->reasons,
			       "the threshold of the run is unknown: there is no begin record");
		verdict_cut_short(&v->reasons);
		return;
	}
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
	if (!run->cpus) {
		verdict_reason(&v->reasons, "there is no cpu record");
		verdict_cut_short(&v->reasons);
	}
	verdict_remark(&v->reasons, &v->limits, v->sampled_ns);
}

/* Records of old do not have it: then the least exposure of a core, which is a little less. */
static uint64_t sampled_ns(const struct result *run)
{
	const struct record_cpu *cpu;
	uint64_t least = 0;

	if (run->has_end && run->end.sampled_ns.known)
		return run->end.sampled_ns.value;
	for (size_t n = 0; (cpu = result_cpu(run, n)); n++) {
		if (!n || cpu->exposure_ns < least)
			least = cpu->exposure_ns;
	}
	return least;
}

/* The probe has judged. */
static void read_own(struct result_verdict *v, const struct result *run)
{
	struct text t;

	v->reasons.verdict = result_outcome(run);
	verdict_remark(&v->reasons, &v->limits, v->sampled_ns);
	if (!run->has_end || !run->end.remark || v->reasons.verdict != VERDICT_PASS)
		return;
	text_init(&t, v->reasons.remark, sizeof(v->reasons.remark));
	text_add(&t, "%s", run->end.remark);
}

void result_verdict_read(struct result_verdict *v, const struct result *run,
			 const struct preset *asked)
{
	*v = (struct result_verdict){ .asked = asked != NULL };
	config_defaults(&v->limits);
	apply(&v->limits, asked ? asked->settings : run->has_begin ? run->begin.config : NULL);
	if (asked)
		v->limits.preset = asked;
	v->preset = v->limits.preset;
	v->sampled_ns = sampled_ns(run);
	if (asked)
		judge_preset(v, run);
	else
		read_own(v, run);
}

static void add_outcome(const struct result_verdict *v, struct text *t)
{
	text_add(t, "%s", verdict_name(v->reasons.verdict));
	for (unsigned i = 0; i < v->reasons.count; i++)
		text_add(t, "%s%s", i ? "; " : " (", v->reasons.text[i]);
	text_add(t, "%s", v->reasons.count ? ")" : "");
}

void result_verdict_sentence(const struct result_verdict *v, struct text *t)
{
	const char *after = v->asked ? "; " : "";

	if (!v->preset)
		return;
	text_add(t, "preset %s: ", v->preset->name);
	if (v->asked)
		add_outcome(v, t);
	if (v->reasons.verdict == VERDICT_PASS) {
		bool is_short = v->reasons.remark[0];

		text_add(t, "%s%s",
			 !v->asked  ? ""
			 : is_short ? ", but "
				    : ", ",
			 is_short ? v->reasons.remark : "long enough");
		after = "; ";
	}
	text_add(t, "%s%s", after, v->preset->source);
}

int result_verdict_exit_code(const struct result_verdict *v)
{
	return v->asked ? (int)verdict_exit_code(v->reasons.verdict) : EXIT_PASS;
}
