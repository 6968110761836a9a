/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs for CI servers: JUnit's XML and the Test Anything Protocol, version 13. One
 * test per stage and core, skipped where no limit was set; one for the run itself;
 * one for its length, skipped where that is short of what its preset asks.
 */
#include "checks.h"
#include "ci.h"
#include "show_form.h"

#include "host/lib/exit.h"
#include "host/capture/result.h"

#include "core/records/record_field.h"
#include "core/report/lava.h"

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

static void put_run(const struct show_options *o, const struct capture *in, struct result *run)
{
	struct properties p = { .count = 0 };
	char name[40], comment[4200];
	struct checks c;
	struct ci_suite suite = { name, comment, p.at, .checks = &c };

	checks_read(&c, run, o);
	add(&p, "", "file", in->name);
	if (run && run->has_begin) {
		add_tags(&p, &run->begin);
		add(&p, "", "config", run->begin.config);
	}
	suite.properties = p.count;
	snprintf(name, sizeof(name), "noisefloor %016" PRIx64, run ? run->sid : 0);
	snprintf(comment, sizeof(comment), "%s, run %016" PRIx64, in->name, run ? run->sid : 0);
	ci_suite(&suite);
	checks_free(&c);
}

static int finish(void)
{
	ci_close();
	return EXIT_PASS;
}

const struct show_form show_form_ci = {
	.keep = RESULT_ALL,
	.start = ci_open,
	.run = put_run,
	.without_runs = true,
	.finish = finish,
	.flaws_apart = true,
	.of_summary = true,
};

/*
 * ---- LAVA ----
 *
 * The signals that it reads on a console (docs.lavasoftware.org, "Recording test case data"): a
 * test case per check, as in JUnit, with the longest gap of a core as its measurement.
 */

static void put_check(const struct checks_row *check)
{
	static const enum lava_result results[] = {
		[CHECK_PASS] = LAVA_PASS,
		[CHECK_FAIL] = LAVA_FAIL,
		[CHECK_ERROR] = LAVA_UNKNOWN,
		[CHECK_SKIP] = LAVA_SKIP,
	};
	TEXT_DEFINE(t, LAVA_LINE_MAX);

	lava_signal(&t, check->group, check->name, results[check->status], check->max_ns);
	puts(t.buf);
}

static void put_signals(const struct show_options *o, const struct capture *c, struct result *run)
{
	struct checks checks;

	(void)c;
	checks_read(&checks, run, o);
	for (size_t i = 0; i < checks.count; i++)
		put_check(&checks.check[i]);
	checks_free(&checks);
}

const struct show_form show_form_lava = {
	.keep = RESULT_ALL,
	.run = put_signals,
	.without_runs = true,
	.flaws_apart = true,
};
