/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet merge`: the runs of several collectors in one store. */
#include "fleet.h"
#include "run_figures.h"
#include "run_import.h"
#include "runs.h"

#include "host/lib/exit.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define GAPS_NAMED 4   /* of a run */
#define RUNS_EACH  256 /* of a transaction */

static struct options {
	const char *output;
} options;

/* What became of the runs, and of the one that is being written. */
struct merge {
	struct runs runs;
	struct run_import to;
	uint64_t lines, again, conflicts;
	size_t split, incomplete;
	const struct runs_one *one;
};

static void put_line(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	struct merge *m = ctx;

	if (line->seq > m->to.run.next && m->to.gaps < GAPS_NAMED)
		fprintf(stderr,
			"fleet merge: run %016" PRIx64 ": lines %" PRIu64 " to %" PRIu64
			" are missing\n",
			line->sid, m->to.run.next, line->seq - 1);
	run_import_line(&m->to, line, text, bytes);
}

static void report_conflict(void *ctx, const char *path, const char *other, uint64_t seq)
{
	struct merge *m = ctx;

	m->conflicts++;
	fprintf(stderr,
		"fleet merge: run %016" PRIx64 ": line %" PRIu64 " of %s differs from that of %s, "
		"which was taken\n",
		m->one->run.sid, seq, text_sanitize_name(other), text_sanitize_name(path));
}

static bool fail(const struct merge *m, int error)
{
	(void)m;
	fprintf(stderr, "fleet merge: %s/" STORE_NAME ": %s\n", text_sanitize_name(options.output),
		store_why(error));
	return false;
}

static bool put_run(struct merge *m, const struct runs_one *one)
{
	struct runs_sink sink = { .line = put_line, .conflict = report_conflict, .ctx = m };
	bool is_read;
	int error;

	m->one = one;
	run_import_begin(&m->to, &one->run);
	is_read = runs_lines(&m->runs, one, &sink);
	error = run_import_end(&m->to);
	m->lines += m->to.stored;
	m->again += sink.again;
	m->split += one->parts > 1;
	m->incomplete += !summary_complete(&m->to.run.summary);
	if (m->to.gaps > GAPS_NAMED)
		fprintf(stderr, "fleet merge: run %016" PRIx64 ": %" PRIu64 " more such gaps\n",
			one->run.sid, m->to.gaps - GAPS_NAMED);
	if (is_read && !error && !m->to.run.summary.ended)
		fprintf(stderr, "fleet merge: run %016" PRIx64 ": its end is missing\n",
			one->run.sid);
	return is_read && (!error || fail(m, error));
}

static ORDER_BY(by_rank, struct runs_one, rank);

static bool put_runs(struct merge *m)
{
	bool is_put = true;
	int error = 0;

	ORDER_SORT(m->runs.one, m->runs.count, by_rank);
	for (size_t i = 0; i < m->runs.count && is_put; i += RUNS_EACH) {
		error = store_begin(m->to.store);
		if (!error && !i)
			error = store_set(m->to.store, "policy", policy_text(m->runs.policy));
		for (size_t n = i; n < i + RUNS_EACH && n < m->runs.count && is_put && !error; n++)
			is_put = put_run(m, &m->runs.one[n]);
		error = error ? error : store_commit(m->to.store);
		is_put = is_put && (!error || fail(m, error));
	}
	return is_put;
}

static bool put_all(struct merge *m)
{
	unsigned count = 1;
	int error = 0;

	if (!put_runs(m))
		return false;
	while (count && !error)
		error = run_figures_fill(m->to.store, RUNS_EACH, &count);
	if (error)
		return fail(m, error);
	printf("%zu runs, %zu of them in several folders, %zu incomplete; %" PRIu64
	       " lines, %" PRIu64 " more than once, %" PRIu64 " conflicts, %" PRIu64
	       " chunks damaged\n",
	       m->runs.count, m->split, m->incomplete, m->lines, m->again, m->conflicts,
	       m->runs.damaged);
	return true;
}

/* A store without runs, which nobody else uses meanwhile. */
static bool open_output(struct merge *m)
{
	char why[STORE_WHY];
	uint64_t runs;
	int error;

	m->to.store = store_open(options.output, STORE_HOLD, why);
	if (!m->to.store) {
		fprintf(stderr, "fleet merge: %s\n", text_sanitize_name(why));
		return false;
	}
	error = store_number(m->to.store, "SELECT count(*) FROM run", &runs);
	if (error)
		return fail(m, error);
	if (runs)
		fprintf(stderr, "fleet merge: %s: has runs already\n",
			text_sanitize_name(options.output));
	return !runs;
}

static int run(int count, char **arguments)
{
	struct merge m = { .lines = 0 };
	int code = EXIT_ERROR;

	if (runs_open(&m.runs, "fleet merge", (size_t)count, (const char *const *)arguments,
		      RUNS_STORED_POLICY) &&
	    runs_read(&m.runs, "", NULL)) {
		m.to.policy = m.runs.policy;
		if (!m.runs.count)
			fputs("fleet merge: no runs there\n", stderr);
		else if (open_output(&m) && put_all(&m))
			code = m.runs.damaged ? EXIT_ERROR
			       : m.conflicts  ? EXIT_FAIL
			       : m.incomplete ? EXIT_INCOMPLETE
					      : EXIT_PASS;
	}
	free(m.to.text);
	store_close(m.to.store);
	runs_close(&m.runs);
	return code;
}

static const struct options_row rows[] = {
	{ "output", "DIR", "the folder to write, created if missing; without runs", options_text,
	  offsetof(struct options, output), .letter = 'o', .required = true },
	{ 0 },
};

const struct options_subcommand fleet_merge = {
	.name = "merge",
	.command = "noisefloor fleet merge",
	.run = run,
	.summary = "the runs of several collectors in one store",
	.arguments = "DIR...",
	.least = 1,
	.most = OPTIONS_MANY,
	.about = "Writes the runs of several collectors' stores to a new one. The parts of a run "
		 "whose node moved from one collector to another are put together. Reports "
		 "what is missing, and lines in which stores differ.",
	.exit_code = "0 every run is complete, 1 stores differ in a line, 2 error, 3 a run is "
		     "incomplete.",
	.rows = rows,
	.options = &options,
};
