/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A failed verdict is a failure, a missing one an error; a run without limits is skipped, and so is
 * a pass with a remark.
 */
#include "collect.h"

#include "host/lib/output_file.h"
#include "host/forms/ci.h"

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

static void put_run(FILE *to, const struct store_run *run_of)
{
	const struct summary *s = &run_of->summary;
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
		 run_of->sid, s->mode ? " mode=" : "", s->mode ? s->mode->name : "");
	snprintf(text, sizeof(text), "run %016" PRIx64 ": %" PRIu64 " lines, %" PRIu64 " lost%s%s",
		 run_of->sid, s->lines, s->lost, node ? "; by the node: " : "", node ? node : "");
	run.outcome = *summary_remark(s) ? "skipped" : outcomes[outcome];
	if (run.outcome)
		run.text = text;
	ci_junit_case(to, &run);
}

/* Their cases come after how many there are. */
struct suite {
	struct ci_junit_suite of;
	FILE *cases;
};

static int add_run(void *ctx, const struct store_run *run)
{
	struct suite *s = ctx;
	enum verdict v = summary_outcome(&run->summary);

	s->of.tests++;
	s->of.skipped += v == VERDICT_NONE || *summary_remark(&run->summary);
	s->of.failures += v == VERDICT_FAIL;
	s->of.errors += v == VERDICT_ERROR || v == VERDICT_INCOMPLETE;
	put_run(s->cases, run);
	return 0;
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

int collect_junit_write(struct store *store, const char *path)
{
	struct suite s = { .of = { .name = "noisefloor fleet" }, .cases = tmpfile() };
	int error;

	if (!s.cases)
		return errno;
	error = store_each(store, "ORDER BY sid", NULL, add_run, &s);
	if (!error && (fflush(s.cases) != 0 || ferror(s.cases)))
		error = EIO;
	error = error ? error : write_suite(path, &s);
	fclose(s.cases);
	return error;
}
