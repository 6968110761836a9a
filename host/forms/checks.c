/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a run that can pass or fail. */
#include "checks.h"

#include "host/lib/exit.h"
#include "host/capture/run_verdict.h"
#include "host/capture/run.h"
#include "host/lib/list.h"

#include <stdio.h>
#include <stdlib.h>

struct checks_row *checks_add(struct checks *c, enum check_status status, const char *group,
			      const char *name)
{
	struct checks_row *check;

	c->check = list_grow(c->check, c->count, sizeof(*c->check));
	check = &c->check[c->count++];
	*check = (struct checks_row){ .group = group, .status = status };
	snprintf(check->name, sizeof(check->name), "%s", name);
	return check;
}

static void add_sentence(void *ctx, const char *sentence)
{
	struct text *t = ctx;

	text_add(t, "%s%s", t->len ? "; " : "", sentence);
}

static void add_reasons(const struct record_end *end, struct text *t)
{
	for (size_t i = 0; i < RECORD_STRINGS && end->reasons[i]; i++)
		add_sentence(t, end->reasons[i]);
}

static struct checks_row *add(struct checks *c, const char *group, enum check_status status)
{
	return checks_add(c, status, group, "");
}

/* A failure that is in no core's record is the run's. */
static void check_run(struct checks *c, const struct run *run)
{
	int code = run_exit_code(run);
	struct checks_row *check;
	struct text t;

	if (code == EXIT_FAIL && checks_count(c, CHECK_FAIL))
		code = run_is_whole(run) ? EXIT_PASS : EXIT_INCOMPLETE;
	check = add(c, "run",
		    code == EXIT_PASS   ? CHECK_PASS
		    : code == EXIT_FAIL ? CHECK_FAIL
					: CHECK_ERROR);
	snprintf(check->name, sizeof(check->name), "complete");
	text_init(&t, check->text, sizeof(check->text));
	text_add(&t, "verdict %s", run->has_end ? run->end.verdict : "incomplete");
	if (run->has_end && code != EXIT_PASS)
		add_reasons(&run->end, &t);
	if (code != EXIT_PASS)
		run_flaws(run, add_sentence, &t);
}

static void describe_core(const struct record_cpu *cpu, struct text *t)
{
	text_add(t, "longest gap ");
	if (cpu->max_ns)
		text_duration(t, cpu->max_ns);
	else
		text_add(t, "none");
	text_add(t, ", %llu gaps in ", (unsigned long long)cpu->gaps);
	text_duration(t, cpu->exposure_ns);
	if (cpu->smi.known)
		text_add(t, ", %llu SMIs", (unsigned long long)cpu->smi.value);
}

static void check_core(struct checks *c, const struct run_verdict *v, const char *stage,
		       const struct record_cpu *cpu)
{
	static const enum check_status status[] = {
		[VERDICT_NONE] = CHECK_SKIP,        [VERDICT_PASS] = CHECK_PASS,
		[VERDICT_FAIL] = CHECK_FAIL,        [VERDICT_ERROR] = CHECK_ERROR,
		[VERDICT_INCOMPLETE] = CHECK_ERROR,
	};
	struct verdict_reasons reasons;
	struct checks_row *check;
	struct text t;

	run_verdict_core(v, cpu, &reasons);
	check = add(c, stage, status[reasons.verdict]);
	check->ns = cpu->exposure_ns;
	snprintf(check->name, sizeof(check->name), "cpu %u", cpu->cpu);
	text_init(&t, check->text, sizeof(check->text));
	for (unsigned i = 0; i < reasons.count; i++)
		add_sentence(&t, reasons.text[i]);
	if (reasons.verdict == VERDICT_NONE)
		text_add(&t, "no limit was set");
	text_add(&t, "%s", t.len ? ": " : "");
	describe_core(cpu, &t);
}

/* What the requested preset could not judge. */
static void check_preset(struct checks *c, const struct run_verdict *v)
{
	struct checks_row *check;
	struct text t;

	if (v->reasons.verdict != VERDICT_INCOMPLETE)
		return;
	check = add(c, "run", CHECK_ERROR);
	snprintf(check->name, sizeof(check->name), "preset %s", v->preset->name);
	text_init(&t, check->text, sizeof(check->text));
	for (unsigned i = 0; i < v->reasons.count; i++)
		add_sentence(&t, v->reasons.text[i]);
}

static void check_duration(struct checks *c, const struct run_verdict *v)
{
	struct checks_row *check;
	struct text t;

	if (!v->preset)
		return;
	check = add(c, "run", run_verdict_is_short(v) ? CHECK_SKIP : CHECK_PASS);
	snprintf(check->name, sizeof(check->name), "long enough for preset %s", v->preset->name);
	text_init(&t, check->text, sizeof(check->text));
	if (run_verdict_is_short(v))
		run_verdict_short(v, &t);
	else
		text_duration(&t, v->sampled_ns);
}

static void check_nothing(struct checks *c)
{
	struct checks_row *check = add(c, "run", CHECK_ERROR);

	snprintf(check->name, sizeof(check->name), "complete");
	snprintf(check->text, sizeof(check->text), "the capture has no noisefloor run");
}

void checks_read(struct checks *c, const struct run *run, const struct show_options *o)
{
	static struct run_verdict v;

	*c = (struct checks){ 0 };
	if (!run) {
		check_nothing(c);
		return;
	}
	run_verdict_read(&v, run, o->preset);
	for (size_t i = 0; i < run->stages; i++) {
		for (size_t n = 0; n < run->stage[i].cpus; n++)
			check_core(c, &v, run->stage[i].name, &run->stage[i].cpu[n]);
	}
	check_run(c, run);
	check_preset(c, &v);
	check_duration(c, &v);
}

void checks_free(struct checks *c)
{
	free(c->check);
	*c = (struct checks){ 0 };
}

size_t checks_count(const struct checks *c, enum check_status status)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += c->check[i].status == status;
	return count;
}
