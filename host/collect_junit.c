/* SPDX-License-Identifier: BSD-2-Clause */
/* Failed is what the verdict fails; what did not come to a verdict is an error. */
#include "collect_junit.h"

#include "exit.h"
#include "index.h"
#include "markup.h"

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

int junit_write(int dir, const char *path)
{
	struct index_table table;
	int error = index_read(dir, &table);
	FILE *to = error ? NULL : fopen(path, "w");

	if (!error && !to)
		error = errno;
	if (to) {
		put_table(to, &table);
		if (ferror(to))
			error = EIO;
		if (fclose(to) != 0 && !error)
			error = errno;
	}
	index_free(&table);
	return error;
}
