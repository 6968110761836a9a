/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JUnit and TAP: the tests of each stage are those of its kinds. One fails if something is
 * significantly more, or new; it is skipped if that is unknown. Runs that are not compared are one
 * test, an error.
 */
#include "diff_compared.h"

#include "host/forms/checks.h"
#include "host/forms/ci.h"
#include "host/lib/json_name.h"

#include "core/lib/text.h"

#include <stdio.h>

/* ---- For CI servers ---- */

static void add_run(struct checks *checks, const struct capture_select *p, const char *name)
{
	bool whole = result_is_whole(p->run);
	struct text t;

	checks_add(checks, whole ? CHECK_PASS : CHECK_ERROR, "run", &t, "%s", name);
	text_add(&t, "run %016llx%s", (unsigned long long)p->run->sid,
		 whole ? "" : ", records missing");
}

static void add_refusal(struct checks *checks, const struct diff_compared *c)
{
	struct text t;

	checks_add(checks, CHECK_ERROR, "run", &t, "alike");
	text_add(&t, "not compared");
	for (size_t i = 0; i < c->unlikes; i++)
		text_add(&t, "; the runs differ in %s", c->unlike[i]);
}

static void read_checks(struct checks *checks, const struct diff_compared *c)
{
	if (c->refused) {
		add_refusal(checks, c);
		return;
	}
	for (size_t i = 0; i < c->stages; i++) {
		const struct diff_stage *s = &c->stage[i];

		for (size_t n = 0; n < s->parts; n++)
			s->part[n]->kind->checks(s->part[n], checks, s->of.name);
	}
	add_run(checks, &c->before, "before is complete");
	add_run(checks, &c->after, "after is complete");
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

/* What changed as one JSON document, diff/1 of host/documents.json. */

static json_t *run_object(const struct capture_select *p)
{
	return json_pack("{s:o,s:o,s:o,s:b}", "file", json_name(p->capture.name), "sid",
			 json_sid(p->run->sid), "began",
			 p->run->has_begin && p->run->begin.began ? json_name(p->run->begin.began)
								  : json_null(),
			 "whole", result_is_whole(p->run));
}

static json_t *stage_object(const struct diff_stage *s)
{
	json_t *stage = json_pack("{s:o}", "stage", json_name(s->of.name));

	for (size_t i = 0; i < s->parts; i++)
		s->part[i]->kind->json(s->part[i], stage);
	return stage;
}

static json_t *difference_object(const struct diff_field *d)
{
	return json_pack("{s:o,s:o,s:o}", "field", json_name(d->name), "before",
			 json_name(d->before), "after", json_name(d->after));
}

void diff_json(const struct diff_compared *c)
{
	const struct diff_fields *d = &c->differences;

	json_print("diff/1",
		   json_pack("{s:o,s:o,s:o,s:o,s:o,s:s}", "before", run_object(&c->before), "after",
			     run_object(&c->after), "unlike",
			     JSON_ARRAY(i, i < c->unlikes, json_name(c->unlike[i])), "differences",
			     JSON_ARRAY(i, i < d->count, difference_object(&d->at[i])), "stages",
			     JSON_ARRAY(i, i < c->stages, stage_object(&c->stage[i])), "outcome",
			     diff_outcome_name(c->outcome)),
		   JSON_COMPACT | JSON_REAL_PRECISION(12));
}
