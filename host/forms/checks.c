/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a run that can pass or fail. */
#include "checks.h"

#include "host/capture/result.h"
#include "host/capture/result_verdict.h"
#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/modes/host_mode.h"

#include "core/lib/arith.h"
#include "core/report/lava.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct checks_row *checks_add(struct checks *c, enum check_status status, const char *group,
			      struct text *text, const char *name, ...)
{
	struct checks_row *check;
	va_list args;

	check = MEMORY_ADD(c->check, c->count);
	*check = (struct checks_row){ .group = group, .status = status };
	va_start(args, name);
	vsnprintf(check->name, sizeof(check->name), name, args);
	va_end(args);
	text_init(text, check->text, sizeof(check->text));
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

/* A failure that is in no core's record is the run's. */
static void check_run(struct checks *c, const struct result *run)
{
	static const enum check_status status[] = { [EXIT_PASS] = CHECK_PASS,
						    [EXIT_FAIL] = CHECK_FAIL,
						    [EXIT_ERROR] = CHECK_ERROR,
						    [EXIT_INCOMPLETE] = CHECK_ERROR };
	int code = result_exit_code(run);
	struct maybe longest = { 0, false };
	const struct record_cpu *cpu;
	struct text t;

	for (size_t n = 0; (cpu = result_cpu(run, n)); n++)
		longest = (struct maybe){ arith_max(longest.value, cpu->max_ns), true };
	if (code == EXIT_FAIL && checks_count(c, CHECK_FAIL))
		code = result_is_whole(run) ? EXIT_PASS : EXIT_INCOMPLETE;
	checks_add(c, status[code], "run", &t, "complete")->max_ns = longest;
	text_add(&t, "verdict %s", run->has_end ? run->end.verdict : "incomplete");
	if (run->has_end && run->end.remark)
		text_add(&t, ", but %s", run->end.remark);
	if (run->has_end && code != EXIT_PASS)
		add_reasons(&run->end, &t);
	if (code != EXIT_PASS)
		result_flaws(run, add_sentence, &t);
	for (size_t i = 0; i < run->logs; i++) {
		const char *level = run->log[i].level;

		if (!level || strcmp(level, "info") != 0)
			add_sentence(&t, run->log[i].text);
	}
}

enum check_status checks_status(enum verdict v)
{
	static const enum check_status status[] = {
		[VERDICT_NONE] = CHECK_SKIP,        [VERDICT_PASS] = CHECK_PASS,
		[VERDICT_FAIL] = CHECK_FAIL,        [VERDICT_ERROR] = CHECK_ERROR,
		[VERDICT_INCOMPLETE] = CHECK_ERROR,
	};

	return status[v];
}

void checks_reasons(struct text *t, const struct verdict_reasons *reasons)
{
	for (unsigned i = 0; i < reasons->count; i++)
		add_sentence(t, reasons->text[i]);
}

/* What the requested preset could not judge. */
static void check_preset(struct checks *c, const struct result_verdict *v)
{
	struct text t;

	if (!v->asked || v->reasons.verdict != VERDICT_INCOMPLETE)
		return;
	checks_add(c, CHECK_ERROR, "run", &t, "preset %s", v->preset->name);
	checks_reasons(&t, &v->reasons);
}

/* Of a pass. */
static void check_duration(struct checks *c, const struct result_verdict *v)
{
	struct text t;

	const char *remark = v->reasons.remark;

	if (!v->preset || v->reasons.verdict != VERDICT_PASS)
		return;
	checks_add(c, remark[0] ? CHECK_SKIP : CHECK_PASS, "run", &t, LAVA_LENGTH, v->preset->name);
	if (remark[0])
		text_add(&t, "%s", remark);
	else
		text_duration(&t, v->sampled_ns);
}

static void check_nothing(struct checks *c)
{
	struct text t;

	checks_add(c, CHECK_ERROR, "run", &t, "complete");
	text_add(&t, "the capture has no noisefloor run");
}

void checks_read(struct checks *c, const struct result *run, const struct show_options *o)
{
	static struct result_verdict v;
	const struct host_mode *mode;

	*c = (struct checks){ 0 };
	if (!run) {
		check_nothing(c);
		return;
	}
	result_verdict_read(&v, run, o->preset);
	for (size_t i = 0; i < run->stages; i++) {
		for (unsigned n = 0; (mode = host_mode_at(n)); n++)
			mode->checks(c, &v, &run->stage[i]);
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
