/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A failed verdict is a failure, a missing one an error; a run without limits is skipped, and so is
 * a pass with a remark.
 */
#include "collect.h"

#include "host/lib/output_file.h"
#include "host/forms/checks.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const outcomes[VERDICTS] = {
	[VERDICT_NONE] = "skipped",
	[VERDICT_FAIL] = "failure",
	[VERDICT_INCOMPLETE] = "error",
	[VERDICT_ERROR] = "error",
};

static int put_run(void *to, const struct store_run *run_of)
{
	const struct summary *s = &run_of->summary;
	enum verdict outcome = summary_outcome(s);
	char name[sizeof(s->uuid) + 40], text[160];
	const char *node = summary_node_verdict(s);
	struct checks_junit_case run = {
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
		 run_of->sid, s->mode ? " mode=" : "", s->mode ? s->mode->name : "");
	snprintf(text, sizeof(text), "run %016" PRIx64 ": %" PRIu64 " lines, %" PRIu64 " lost%s%s",
		 run_of->sid, s->lines, s->lost, node ? "; by the node: " : "", node ? node : "");
	run.outcome = *summary_remark(s) ? "skipped" : outcomes[outcome];
	if (run.outcome)
		run.text = text;
	checks_junit_case(to, &run);
	return 0;
}

static int count_run(void *ctx, const struct store_run *run)
{
	struct checks_junit_suite *suite = ctx;
	enum verdict v = summary_outcome(&run->summary);

	suite->tests++;
	suite->skipped += v == VERDICT_NONE || *summary_remark(&run->summary);
	suite->failures += v == VERDICT_FAIL;
	suite->errors += v == VERDICT_ERROR || v == VERDICT_INCOMPLETE;
	return 0;
}

static int write_suite(struct store *store, FILE *to)
{
	struct checks_junit_suite suite = { .name = "noisefloor fleet" };
	int error = store_each(store, "", NULL, count_run, &suite);

	checks_junit_open(to);
	checks_junit_suite_open(to, &suite);
	error = error ? error : store_each(store, "ORDER BY sid", NULL, put_run, to);
	checks_junit_suite_close(to);
	checks_junit_close(to);
	return error;
}

int collect_junit_write(struct store *store, const char *path)
{
	struct output_file file;
	int error = output_file_open(&file, path, 0644);

	if (error)
		return error;
	/* One transaction for counting and printing: runs may be removed meanwhile. */
	error = store_run_sql(store, "BEGIN");
	error = error ? error : write_suite(store, file.to);
	store_run_sql(store, "COMMIT");
	return output_file_close(&file, error);
}
