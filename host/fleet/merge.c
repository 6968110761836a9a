/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet merge`: the runs of several collectors in one store. */
#include "fleet.h"
#include "run_import.h"
#include "runs.h"
#include "store/run_line.h"

#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define RUNS_EACH 256 /* runs per transaction */

static struct options {
	const char *output;
} options;

/* A run of a store, or a part of one. */
struct part {
	size_t in; /* index of the store */
	uint64_t sid, id;
	uint64_t when; /* begun_s, but never before that of a run with a lower id */
};

static struct merge {
	struct runs *from;
	size_t stores;
	struct part *part;
	size_t parts;
	uint64_t when; /* time of the latest part */
	struct run_import to;
	uint64_t damaged, joined;
} merge;

/* ---- What there is ---- */

static int add_part(void *ctx, sqlite3_stmt *row)
{
	const char *sid = (const char *)sqlite3_column_text(row, 0);
	uint64_t begun_s = (uint64_t)sqlite3_column_int64(row, 2);

	(void)ctx;
	merge.when = begun_s > merge.when ? begun_s : merge.when;
	*MEMORY_ADD(merge.part,
		    merge.parts) = (struct part){ .in = merge.stores - 1,
						  .sid = sid ? strtoull(sid, NULL, 16) : 0,
						  .id = (uint64_t)sqlite3_column_int64(row, 1),
						  .when = merge.when };
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return ORDER(x->when, y->when) ?: ORDER(x->in, y->in) ?: ORDER(x->id, y->id);
}

/* Open a store, and list its runs. The policy is that of the first store that has one. */
static bool open_one(const char *path)
{
	struct runs *r = &merge.from[merge.stores++];
	int error;

	if (!runs_open(r, "fleet merge", path, NULL) ||
	    (!merge.to.runs.policy &&
	     !runs_stored_policy("fleet merge", path, r->store, &merge.to.runs.policy)))
		return false;
	merge.when = 0;
	error = store_ask(r->store, "SELECT sid, id, begun_s FROM run ORDER BY id", NULL, add_part,
			  NULL);
	return !error || runs_fail(r, error);
}

static bool open_all(size_t count, char **paths)
{
	merge.from = memory_new(count, sizeof(*merge.from));
	for (size_t i = 0; i < count; i++)
		if (!open_one(paths[i]))
			return false;
	ORDER_SORT(merge.part, merge.parts, by_time);
	if (!merge.parts)
		fputs("fleet merge: no runs there\n", stderr);
	return merge.parts;
}

/* Open the output, which must have no runs, and which nobody else may use meanwhile. */
static bool open_output(void)
{
	uint64_t runs;
	int error;

	if (!run_import_open(&merge.to, "fleet merge", options.output))
		return false;
	error = store_number(merge.to.runs.store, "SELECT count(*) FROM run", &runs);
	if (error)
		return runs_fail(&merge.to.runs, error);
	if (runs)
		fprintf(stderr, "fleet merge: %s: has runs already\n",
			text_sanitize_name(options.output));
	return !runs;
}

/* ---- Writing ---- */

static void put_line(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	(void)ctx;
	run_import_line(&merge.to, line, text, bytes);
}

static void put_chunk(void *ctx, const char *text, size_t bytes)
{
	run_line_each(text, bytes, merge.to.run.sid, put_line, ctx);
}

/* *error is what the merged store could not take. */
static bool put_part(const struct part *part, int *error)
{
	struct runs *from = &merge.from[part->in];
	struct store_run run;
	int found = store_find(from->store, part->sid, &run);
	bool is_read;

	/* ENOENT: the store's collector has removed the run meanwhile. */
	if (found)
		return found == ENOENT || runs_fail(from, found);
	merge.to.from = from->path;
	run_import_begin(&merge.to, &run);
	is_read = runs_lines(from, &run, put_chunk, NULL);
	*error = run_import_end(&merge.to);
	merge.joined += merge.to.before.next > 0;
	return is_read;
}

/* Write the parts from `first` on in one transaction. */
static bool put_some(size_t first)
{
	bool is_put = true;
	int error = store_begin(merge.to.runs.store);

	if (error)
		return runs_fail(&merge.to.runs, error);
	if (!first)
		error = store_set(merge.to.runs.store, "policy", policy_text(merge.to.runs.policy));
	for (size_t n = first; n < first + RUNS_EACH && n < merge.parts && is_put && !error; n++)
		is_put = put_part(&merge.part[n], &error);
	error = store_end(merge.to.runs.store, error);
	return is_put && (!error || runs_fail(&merge.to.runs, error));
}

static bool put_parts(void)
{
	bool is_put = true;

	for (size_t i = 0; i < merge.parts && is_put; i += RUNS_EACH)
		is_put = put_some(i);
	return is_put;
}

/* ---- What is missing in all of them ---- */

#define INCOMPLETE                                                                           \
	"SELECT sid, lost, ended, (SELECT min(after) FROM (SELECT seq, lag(seq + lines, 1, " \
	"0) OVER (ORDER BY seq) AS after FROM chunk WHERE chunk.run=run.id) WHERE seq > "    \
	"after) FROM run JOIN progress ON progress.run=run.id WHERE lost OR NOT ended "      \
	"ORDER BY id"

static int report_run(void *ctx, sqlite3_stmt *row)
{
	const unsigned char *sid = sqlite3_column_text(row, 0);

	(void)ctx;
	if (sqlite3_column_type(row, 3) != SQLITE_NULL)
		fprintf(stderr, "fleet merge: run %s: %lld lines are missing, from line %lld on\n",
			sid, (long long)sqlite3_column_int64(row, 1),
			(long long)sqlite3_column_int64(row, 3));
	if (!sqlite3_column_int(row, 2))
		fprintf(stderr, "fleet merge: run %s: its end is missing\n", sid);
	return 0;
}

static bool report(uint64_t *incomplete)
{
	const struct run_import *to = &merge.to;
	uint64_t runs = 0;
	int error = store_ask(to->runs.store, INCOMPLETE, NULL, report_run, NULL);

	if (error || !run_import_count(&merge.to, &runs, incomplete))
		return error ? runs_fail(&to->runs, error) : false;
	for (size_t i = 0; i < merge.stores; i++)
		merge.damaged += merge.from[i].damaged;
	printf("%" PRIu64 " runs, %" PRIu64 " of their parts joined, %" PRIu64
	       " incomplete; %" PRIu64 " lines, %" PRIu64 " more than once, %" PRIu64
	       " conflicts, %" PRIu64 " chunks damaged\n",
	       runs, merge.joined, *incomplete, to->stored, to->again, to->conflicts,
	       merge.damaged);
	return true;
}

static int run(int count, char **arguments)
{
	uint64_t incomplete = 0;
	int code = EXIT_ERROR;

	merge = (struct merge){ .stores = 0 };
	if (open_output() && open_all((size_t)count, arguments) && put_parts() &&
	    report(&incomplete))
		code = merge.damaged ? EXIT_ERROR : run_import_code(&merge.to, incomplete);
	run_import_close(&merge.to);
	for (size_t i = 0; i < merge.stores; i++)
		runs_close(&merge.from[i]);
	free(merge.from);
	free(merge.part);
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
