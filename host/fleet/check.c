/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet check`: whether a store holds what was stored. */
#include "fleet.h"
#include "runs.h"
#include "store/store.h"

#include "host/lib/exit.h"
#include "host/lib/text_sanitize.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
	struct runs of;
	uint64_t runs, lines, faults;
};

__attribute__((format(printf, 2, 3))) static void report(struct check *c, const char *format, ...)
{
	va_list arguments;

	c->faults++;
	fprintf(stderr, "%s/" STORE_NAME ": ", text_sanitize_name(c->of.path));
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

static int take_fault(void *ctx, sqlite3_stmt *row)
{
	const char *text = (const char *)sqlite3_column_text(row, 0);
	char shown[200];

	if (text && strcmp(text, "ok") == 0)
		return 0;
	text_sanitize_copy(shown, sizeof(shown), text ? text : "");
	report(ctx, "%s", shown);
	return 0;
}

/* ---- Runs: their lines make up what is known of them ---- */

static void check_compare(struct check *c, const struct store_run *run,
			  const struct runs_derived *d)
{
	const char *column = store_row_differs(store_row_progress, run, &d->run);

	column = column ? column : store_row_differs(store_row_run, run, &d->run);
	if (d->bad)
		report(c, "run %016" PRIx64 ": %" PRIu64 " lines are not of this run, in order",
		       run->sid, d->bad);
	else if (column)
		report(c, "run %016" PRIx64 ": %s is not what its lines have", run->sid, column);
}

static int check_run(void *ctx, const struct store_run *run)
{
	struct check *c = ctx;
	struct runs_derived d;
	int error = runs_derive(c->of.store, run, &d);

	c->runs++;
	c->lines += d.run.summary.lines;
	if (error)
		report(c, "run %016" PRIx64 ": its lines cannot be read: %s", run->sid,
		       store_why(error));
	else if (d.damaged)
		report(c,
		       "run %016" PRIx64 ": %" PRIu64
		       " chunks are damaged; the first is that of line %" PRIu64,
		       run->sid, d.damaged, d.first);
	else
		check_compare(c, run, &d);
	return 0;
}

static int check_run_files(int count, char **arguments)
{
	struct check c = { .faults = 0 };
	char why[STORE_WHY];
	int error;

	(void)count;
	if (store_wal_is_damaged(arguments[0], why)) {
		fprintf(stderr, "%s\n", text_sanitize_name(why));
		c.faults++;
	}
	if (!runs_open(&c.of, "fleet check", arguments[0], STORE_READ))
		return EXIT_ERROR;
	error = store_ask(c.of.store, "PRAGMA quick_check(20)", NULL, take_fault, &c);
	if (error)
		report(&c, "%s", store_why(error));
	error = store_each(c.of.store, "ORDER BY id", NULL, check_run, &c);
	if (error)
		report(&c, "runs cannot be read: %s", store_why(error));
	store_close(c.of.store);
	printf("%" PRIu64 " runs, %" PRIu64 " lines, %" PRIu64 " faults\n", c.runs, c.lines,
	       c.faults);
	return c.faults ? EXIT_FAIL : EXIT_PASS;
}

static const struct options_row rows[] = { { 0 } };

const struct options_subcommand fleet_check = {
	.name = "check",
	.command = "noisefloor fleet check",
	.run = check_run_files,
	.summary = "whether a collector's store is damaged",
	.arguments = "DIR",
	.least = 1,
	.most = 1,
	.about = "Reads all of a store, which a collector may be using: its pages, the log beside "
		 "it, the checksum of each chunk, and whether what is known of each run is what "
		 "its lines have. Reports by name what is damaged.",
	.exit_code = "0 nothing is damaged, 1 something is, 2 the store cannot be read.",
	.rows = rows,
	.options = NULL,
};
