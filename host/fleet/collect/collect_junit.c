/* SPDX-License-Identifier: BSD-2-Clause */
/* Failed is what the verdict fails; what did not come to a verdict is an error. */
#include "collect_junit.h"

#include "host/lib/exit.h"
#include "index.h"
#include "host/lib/markup.h"
#include "store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static void put_attribute(FILE *to, const char *name, const char *value)
{
	fprintf(to, " %s=\"", name);
	markup_text(to, *value ? value : "unknown");
	fputc('"', to);
}

static void put_flaw(FILE *to, const struct index_entry *e, const char *element)
{
	const struct summary *s = &e->summary;

	fprintf(to, "    <%s", element);
	put_attribute(to, "type", summary_verdict(s));
	put_attribute(to, "message", *s->reason ? s->reason : summary_verdict(s));
	fprintf(to, ">%016" PRIx64 ".jsonl: %" PRIu64 " lines, %" PRIu64 " lost</%s>\n", e->sid,
		s->lines, s->lost, element);
}

static void put_run(FILE *to, const struct index_entry *e)
{
	int code = summary_exit_code(&e->summary);
	char name[sizeof(e->summary.uuid) + 20];

	/* One machine may have several runs, and each is a case. */
	snprintf(name, sizeof(name), "%s %016" PRIx64,
		 *e->summary.uuid ? e->summary.uuid : "unknown", e->sid);
	fputs("  <testcase", to);
	put_attribute(to, "name", name);
	put_attribute(to, "classname", e->summary.product);
	fputs(code == EXIT_PASS ? "/>\n" : ">\n", to);
	if (code == EXIT_PASS)
		return;
	put_flaw(to, e, code == EXIT_FAIL ? "failure" : "error");
	fputs("  </testcase>\n", to);
}

/* Runs of the folder, as they are now. */
struct suite {
	int dir;
	const struct index_table *known;
	struct index_table runs;
	int error;
};

/* What the index knows to its end needs no look into the file. */
static void add_run(void *ctx, uint64_t sid)
{
	struct suite *s = ctx;
	const struct index_entry *known = index_find(s->known, sid);
	struct index_entry e = { .sid = sid };
	struct kept kept;

	if (known)
		e = *known;
	/* A file that cannot be read is a case, too: without a verdict. */
	if (!e.summary.ended && store_read(s->dir, sid, &kept) == 0)
		e.summary = kept.summary;
	if (!s->error)
		s->error = index_put(&s->runs, &e);
}

static void put_table(FILE *to, const struct index_table *t)
{
	size_t failures = 0, errors = 0;

	for (size_t i = 0; i < t->count; i++) {
		int code = summary_exit_code(&t->entry[i].summary);

		failures += code == EXIT_FAIL;
		errors += code == EXIT_ERROR || code == EXIT_INCOMPLETE;
	}
	fprintf(to,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		"<testsuite name=\"noisefloor fleet\" tests=\"%zu\" failures=\"%zu\" "
		"errors=\"%zu\">\n",
		t->count, failures, errors);
	for (size_t i = 0; i < t->count; i++)
		put_run(to, &t->entry[i]);
	fputs("</testsuite>\n</testsuites>\n", to);
}

static int write_table(const char *path, const struct index_table *t)
{
	FILE *to = fopen(path, "w");
	int error = 0;

	if (!to)
		return errno;
	put_table(to, t);
	if (ferror(to))
		error = EIO;
	if (fclose(to) != 0 && !error)
		error = errno;
	return error;
}

int junit_write(int dir, const char *path)
{
	struct index_table known;
	struct suite s = { .dir = dir, .known = &known };
	int error = index_read(dir, &known);

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
