/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A failed verdict is a failure, a missing one an error; a run without limits is skipped, and so is
 * a pass with a remark.
 */
#include "collect.h"
#include "host/collect/index/index_db.h"

#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/output_file.h"
#include "host/forms/ci.h"
#include "host/store/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Their cases come after how many there are. */
struct suite {
	int dir;
	const struct policy *policy;
	struct index_db_finder *known;
	struct ci_junit_suite of;
	FILE *cases;
};

/* The file of a run that is complete in the index need not be read. */
static void add_run(struct suite *s, uint64_t sid)
{
	struct index_entry e = { .sid = sid };
	struct store_progress kept;
	enum verdict v;

	if (index_db_finder_find(s->known, sid, &e) != 0)
		e = (struct index_entry){ .sid = sid };
	/* A file that cannot be read is a case, too: without a verdict. */
	if ((!e.summary.ended || policy_lacks(s->policy, &e.summary)) &&
	    policy_read_run(s->policy, s->dir, sid, &kept) == 0)
		e.summary = kept.summary;
	policy_judge(s->policy, &e.summary);
	v = summary_outcome(&e.summary);
	s->of.skipped += v == VERDICT_NONE || *summary_remark(&e.summary);
	s->of.failures += v == VERDICT_FAIL;
	s->of.errors += v == VERDICT_ERROR || v == VERDICT_INCOMPLETE;
	put_run(s->cases, &e);
}

/* The folder's runs at this time. */
struct runs {
	uint64_t *sid;
	size_t count;
	int error;
};

static void add_sid(void *ctx, uint64_t sid)
{
	struct runs *r = ctx;
	uint64_t *more = memory_try_grow(r->sid, r->count, sizeof(*more));

	r->error = r->error || !more ? ENOMEM : 0;
	if (r->error)
		return;
	r->sid = more;
	r->sid[r->count++] = sid;
}

static ORDER_NUMBERS(by_sid, uint64_t);

static int add_runs(struct suite *s)
{
	struct runs r = { .sid = NULL };
	int error = store_each(s->dir, add_sid, &r);

	error = error ? error : r.error;
	ORDER_SORT(r.sid, r.count, by_sid);
	for (size_t i = 0; i < r.count && !error; i++)
		add_run(s, r.sid[i]);
	s->of.tests = r.count;
	free(r.sid);
	if (!error && (fflush(s->cases) != 0 || ferror(s->cases)))
		error = EIO;
	return error;
}

static void copy(FILE *from, FILE *to)
{
	char some[4096];
	size_t bytes;

	rewind(from);
	while ((bytes = fread(some, 1, sizeof(some), from)) > 0)
		fwrite(some, 1, bytes, to);
}

static int write_suite(const char *path, const struct suite *s)
{
	struct output_file file;
	int error = output_file_open(&file, path, 0644);

	if (error)
		return error;
	errno = 0;
	ci_junit_open(file.to);
	ci_junit_suite_open(file.to, &s->of);
	copy(s->cases, file.to);
	ci_junit_suite_close(file.to);
	ci_junit_close(file.to);
	return output_file_close(&file, ferror(s->cases) ? EIO : 0);
}

int collect_junit_write(int dir, const struct policy *policy, const char *path)
{
	struct suite s = { .dir = dir, .policy = policy, .of = { .name = "noisefloor fleet" } };
	int error;

	s.cases = tmpfile();
	if (!s.cases)
		return errno;
	s.known = index_db_finder_new(dir);
	error = add_runs(&s);
	error = error ? error : write_suite(path, &s);
	index_db_finder_free(s.known);
	fclose(s.cases);
	return error;
}
