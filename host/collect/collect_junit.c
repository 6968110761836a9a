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

static enum check_status status_of(const struct summary *s)
{
	return *summary_remark(s) ? CHECK_SKIP : checks_status(summary_outcome(s));
}

static const char *reason_of(const struct summary *s)
{
	if (*summary_reason(s) || *summary_remark(s))
		return *summary_reason(s) ? summary_reason(s) : summary_remark(s);
	return summary_outcome(s) == VERDICT_NONE ? "no limit was set" : summary_verdict(s);
}

static int put_run(void *to, const struct store_run *run)
{
	const struct summary *s = &run->summary;
	struct checks_row check = { .group = *s->product ? s->product : "unknown",
				    .status = status_of(s),
				    .type = summary_verdict(s) };

	/* One machine may have several runs, and each is a case. */
	snprintf(check.name, sizeof(check.name), "%s %016" PRIx64 "%s%s",
		 *s->uuid ? s->uuid : "unknown", run->sid, s->mode ? " mode=" : "",
		 s->mode ? s->mode->name : "");
	if (check.status != CHECK_PASS)
		snprintf(check.text, sizeof(check.text), "%s", reason_of(s));
	checks_junit_case(to, &check);
	return 0;
}

static int count_run(void *count, const struct store_run *run)
{
	((size_t *)count)[status_of(&run->summary)]++;
	return 0;
}

static int write_suite(struct store *store, FILE *to)
{
	static const struct checks_suite suite = { .name = "noisefloor fleet" };
	size_t count[CHECK_STATES] = { 0 };
	int error = store_each(store, "", NULL, count_run, count);

	checks_junit_open(to);
	checks_junit_suite_open(to, &suite, count);
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
