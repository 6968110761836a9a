/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs as lists of checks. */
#include "show_ci.h"

#include "checks.h"
#include "ci.h"
#include "host/capture/run.h"

#include "core/records/record_field.h"

#include <inttypes.h>
#include <stdio.h>

#define PROPERTIES (RECORD_FIELDS_MAX + 2)
#define NAME_BYTES 64

struct properties {
	const char *at[PROPERTIES][2];
	char name[PROPERTIES][NAME_BYTES];
	size_t count;
};

static void add(struct properties *p, const char *outer, const char *name, const char *value)
{
	snprintf(p->name[p->count], NAME_BYTES, "%s%s%s", outer, *outer ? "." : "", name);
	p->at[p->count][0] = p->name[p->count];
	p->at[p->count++][1] = value;
}

/* What identifies a run, by its JSON name: "machine.vendor". */
static void add_tags(struct properties *p, const struct record_begin *b)
{
	const char *outer = "";

	for (const struct record_field *f = record_fields(RECORD_BEGIN); f->kind != FIELD_END;
	     f++) {
		if (f->kind == FIELD_OPEN)
			outer = f->name;
		else if (f->kind == FIELD_CLOSE)
			outer = "";
		else if (f->role == FIELD_ROLE_TAG)
			add(p, outer, f->name, record_field_string(f, b));
	}
}

static void put_run(enum ci_form form, const struct capture *in, const struct run *run,
		    const struct checks *c)
{
	struct properties p = { .count = 0 };
	char name[40], comment[4200];
	struct ci_suite suite = { .name = name, .comment = comment, .property = p.at, .checks = c };

	add(&p, "", "file", in->name);
	if (run && run->has_begin) {
		add_tags(&p, &run->begin);
		add(&p, "", "config", run->begin.config);
	}
	suite.properties = p.count;
	snprintf(name, sizeof(name), "noisefloor %016" PRIx64, run ? run->sid : 0);
	snprintf(comment, sizeof(comment), "%s, run %016" PRIx64, in->name, run ? run->sid : 0);
	ci_suite(form, &suite);
}

/* Each run of the capture; NULL, once, if it has none. */
static bool put_capture(enum ci_form form, const struct show_options *o, const struct capture *in)
{
	struct checks c;
	size_t n = 0;

	do {
		const struct run *run = in->runs ? in->run[n] : NULL;

		checks_read(&c, run, o);
		put_run(form, in, run, &c);
		checks_free(&c);
	} while (++n < in->runs);
	return true;
}

void show_junit_start(void)
{
	ci_open(CI_JUNIT);
}

bool show_junit_capture(const struct show_options *o, const struct capture *c)
{
	return put_capture(CI_JUNIT, o, c);
}

void show_junit_finish(void)
{
	ci_close(CI_JUNIT);
}

void show_tap_start(void)
{
	ci_open(CI_TAP);
}

bool show_tap_capture(const struct show_options *o, const struct capture *c)
{
	return put_capture(CI_TAP, o, c);
}

void show_tap_finish(void)
{
	ci_close(CI_TAP);
}
