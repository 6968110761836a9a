/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What changed, as text, as one JSON document (diff/1 of host/documents.json), and as JUnit and
 * TAP, where each finding is a test. Runs that are not compared are one test, an error.
 */
#include "diff.h"

#include "host/forms/ci.h"
#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"

#include <stdio.h>

#define LINE_BYTES 16384

static const struct {
	const char *name, *sentence;
} outcomes[] = {
	[OUTCOME_SAME] = { "same", "no significant change" },
	[OUTCOME_BETTER] = { "better", "something is less or gone, nothing is more or new" },
	[OUTCOME_WORSE] = { "worse", "something is more or new" },
};

/* When the run began; NULL: that is not known. */
static const char *began(const struct capture_select *p)
{
	return p->run->has_begin ? p->run->begin.began : NULL;
}

/* ---- Text ---- */

static void print_run(const char *which, const struct capture_select *p, struct text *t)
{
	text_add(t, "%-7s %s: run %016llx%s%s%s", which, p->capture.name,
		 (unsigned long long)p->run->sid, began(p) ? ", began " : "", began(p) ?: "",
		 result_is_whole(p->run) ? "" : ", records missing");
	text_sanitize_print(t);
}

static void print_differences(const struct diff_fields *d, struct text *t)
{
	puts(d->count ? "settings and identity that differ:"
		      : "settings and identity do not differ");
	for (size_t i = 0; i < d->count; i++) {
		text_add(t, "  %s: %s -> %s", d->at[i].name, d->at[i].before, d->at[i].after);
		text_sanitize_print(t);
	}
}

static void print_stage(const struct diff_compared *c, const char *stage, struct text *t)
{
	size_t from = 0;

	while (from < c->count && c->found[from].stage != stage)
		from++;
	text_add(t, "stage %s: %s", stage,
		 from < c->count && *c->found[from].about ? c->found[from].about
							  : "nothing to compare");
	putchar('\n');
	text_sanitize_print(t);
	for (; from < c->count && c->found[from].stage == stage; from++)
		findings_text(&c->found[from]);
}

void diff_text(const struct diff_compared *c)
{
	static char buf[LINE_BYTES];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	print_run("before:", &c->before, &t);
	print_run("after:", &c->after, &t);
	for (size_t i = 0; i < c->unlikes; i++) {
		text_add(&t, "the runs differ in %s", c->unlike[i]);
		text_sanitize_print(&t);
	}
	print_differences(&c->differences, &t);
	for (size_t i = 0; i < c->stages; i++)
		print_stage(c, c->stage[i], &t);
	printf("\noutcome: %s: %s (significance: 1 in 100, for all rows of a stage together)\n",
	       outcomes[c->outcome].name, outcomes[c->outcome].sentence);
}

/* ---- For CI servers ---- */

static void add_run(struct checks *checks, const struct capture_select *p, const char *name)
{
	bool whole = result_is_whole(p->run);
	struct text t;

	checks_add(checks, whole ? CHECK_PASS : CHECK_ERROR, "run", &t, "%s", name);
	text_add(&t, "run %016llx%s", (unsigned long long)p->run->sid,
		 whole ? "" : ", records missing");
}

static void read_checks(struct checks *checks, const struct diff_compared *c)
{
	struct text t;

	for (size_t i = 0; i < c->count; i++)
		findings_checks(&c->found[i], checks);
	if (!c->refused) {
		add_run(checks, &c->before, "before is complete");
		add_run(checks, &c->after, "after is complete");
		return;
	}
	checks_add(checks, CHECK_ERROR, "run", &t, "alike");
	text_add(&t, "not compared");
	for (size_t i = 0; i < c->unlikes; i++)
		text_add(&t, "; the runs differ in %s", c->unlike[i]);
}

void diff_ci(const struct diff_compared *c)
{
	const char *property[][2] = { { "before", c->before.capture.name },
				      { "after", c->after.capture.name } };
	struct checks checks = { .count = 0 };
	char comment[1200];
	const struct ci_suite suite = { "noisefloor diff", comment, property, 2, &checks };

	read_checks(&checks, c);
	snprintf(comment, sizeof(comment), "%s to %s", c->before.capture.name,
		 c->after.capture.name);
	ci_open(c->form);
	ci_suite(&suite);
	ci_close();
	checks_free(&checks);
}

/* ---- JSON ---- */

static json_t *run_object(const struct capture_select *p)
{
	return json_pack("{s:o,s:o,s:o,s:b}", "file", json_name(p->capture.name), "sid",
			 json_sid(p->run->sid), "began",
			 began(p) ? json_name(began(p)) : json_null(), "whole",
			 result_is_whole(p->run));
}

static json_t *difference_object(const struct diff_field *d)
{
	return json_pack("{s:o,s:o,s:o}", "field", json_name(d->name), "before",
			 json_name(d->before), "after", json_name(d->after));
}

void diff_json(const struct diff_compared *c)
{
	const struct diff_fields *d = &c->differences;
	json_t *findings = json_array();

	for (size_t i = 0; i < c->count; i++)
		findings_json(&c->found[i], findings);
	json_print("diff/1",
		   json_pack("{s:o,s:o,s:o,s:o,s:o,s:s}", "before", run_object(&c->before), "after",
			     run_object(&c->after), "unlike",
			     JSON_ARRAY(i, i < c->unlikes, json_name(c->unlike[i])), "differences",
			     JSON_ARRAY(i, i < d->count, difference_object(&d->at[i])), "findings",
			     findings, "outcome", outcomes[c->outcome].name),
		   JSON_COMPACT | JSON_REAL_PRECISION(12));
}
