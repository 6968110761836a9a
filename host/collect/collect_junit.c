/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A failed verdict is a failure, a missing one an error; a run without limits is skipped, and so is
 * a pass with a remark.
 */
#include "collect.h"
#include "host/collect/index/index_db.h"

#include "host/lib/output_file.h"
#include "host/forms/ci.h"
#include "host/store/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static const char *const outcomes[VERDICTS] = {
	[VERDICT_NONE] = "skipped",
	[VERDICT_FAIL] = "failure",
	[VERDICT_INCOMPLETE] = "error",
	[VERDICT_ERROR] = "error",
};

static void put_run(FILE *to, const struct index_entry *e)
{
	const struct summary *s = &e->summary;
	enum verdict outcome = summary_outcome(s);
	char name[sizeof(s->uuid) + 40], text[160];
	const char *node = summary_node_verdict(s);
	struct ci_junit_case run = {
		.class = *s->product ? s->product : "unknown",
		.name = name,
		.type = summary_verdict(s),
		.message = *summary_reason(s)        ? summary_reason(s)
			   : *summary_remark(s)      ? s->remark
			   : outcome == VERDICT_NONE ? "no limit was set"
						     : summary_verdict(s),
	};

	/* One machine may have several runs, and each is a case. */
	snprintf(name, sizeof(name), "%s %016" PRIx64 "%s%s", *s->uuid ? s->uuid : "unknown",
		 e->sid, s->mode ? " mode=" : "", s->mode ? s->mode->name : "");
	snprintf(text, sizeof(text),
		 "%016" PRIx64 ".jsonl: %" PRIu64 " lines, %" PRIu64 " lost%s%s", e->sid, s->lines,
		 s->lost, node ? "; by the node: " : "", node ? node : "");
	run.outcome = *summary_remark(s) ? "skipped" : outcomes[outcome];
	if (run.outcome)
		run.text = text;
	ci_junit_case(to, &run);
}

/* The folder's runs at this time. */
struct suite {
	int dir;
	const struct policy *policy;
	const struct index_table *known;
	struct index_table runs;
	int error;
};

/* The file of a run that is complete in the index need not be read. */
static void add_run(void *ctx, uint64_t sid)
{
	struct suite *s = ctx;
	const struct index_entry *known = index_find(s->known, sid);
	struct index_entry e = { .sid = sid };
	struct store_progress kept;

	if (known)
		e = *known;
	/* A file that cannot be read is a case, too: without a verdict. */
	if ((!e.summary.ended || policy_lacks(s->policy, &e.summary)) &&
	    policy_read_run(s->policy, s->dir, sid, &kept) == 0)
		e.summary = kept.summary;
	policy_judge(s->policy, &e.summary);
	if (!s->error)
		s->error = index_put(&s->runs, &e);
}

static void put_table(FILE *to, const struct index_table *t)
{
	struct ci_junit_suite suite = { .name = "noisefloor fleet", .tests = t->count };

	for (size_t i = 0; i < t->count; i++) {
		enum verdict v = summary_outcome(&t->entry[i].summary);

		suite.skipped += v == VERDICT_NONE || *summary_remark(&t->entry[i].summary);
		suite.failures += v == VERDICT_FAIL;
		suite.errors += v == VERDICT_ERROR || v == VERDICT_INCOMPLETE;
	}
	ci_junit_open(to);
	ci_junit_suite_open(to, &suite);
	for (size_t i = 0; i < t->count; i++)
		put_run(to, &t->entry[i]);
	ci_junit_suite_close(to);
	ci_junit_close(to);
}

static int write_table(const char *path, const struct index_table *t)
{
	struct output_file file;
	int error = output_file_open(&file, path, 0644);

	if (error)
		return error;
	errno = 0;
	put_table(file.to, t);
	return output_file_close(&file, 0);
}

int collect_junit_write(int dir, const struct policy *policy, const char *path)
{
	struct index_table known;
	struct suite s = { .dir = dir, .policy = policy, .known = &known };
	int error = index_db_read_some(dir, &known);

	if (!error)
		error = store_each(dir, add_run, &s);
	if (!error)
		error = s.error;
	index_sort(&s.runs);
	if (!error)
		error = write_table(path, &s.runs);
	index_free(&s.runs);
	index_free(&known);
	return error;
}
