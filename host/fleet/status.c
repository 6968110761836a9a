/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor status`: the latest run of a UUID in a collector's folder, from the run's own file.
 */
#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/fleet/collect/index.h"
#include "host/subcommands.h"
#include "host/fleet/collect/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct search_result {
	int dir;
	const char *uuid;
	const struct index_table *table;
	unsigned runs;
	struct index_entry latest;
	int error;
};

static bool is_later(const struct index_entry *a, const struct index_entry *b)
{
	return a->began != b->began ? a->began > b->began : a->at > b->at;
}

static void look_at(void *ctx, uint64_t sid)
{
	struct search_result *s = ctx;
	const struct index_entry *known = index_find(s->table, sid);
	struct index_entry e = known ? *known : (struct index_entry){ .sid = sid };
	struct run_progress kept;
	int error = 0;

	/* A run that is not in the index yet has just begun. */
	if (!known || !*known->summary.uuid) {
		error = store_read(s->dir, sid, &kept);
		e.summary = kept.summary;
		if (!known)
			e.began = UINT64_MAX;
	}
	if (error)
		s->error = error;
	if (error || strcasecmp(e.summary.uuid, s->uuid) != 0)
		return;
	if (!s->runs || is_later(&e, &s->latest))
		s->latest = e;
	s->runs++;
}

static void print_text(const struct search_result *s)
{
	const struct summary *run = &s->latest.summary;

	printf("%s %s %016" PRIx64 " %" PRIu64 " lines%s%s%s%s\n", s->uuid, summary_verdict(run),
	       s->latest.sid, run->lines, *run->began ? ", began " : "", run->began,
	       *run->reason ? ": " : "", run->reason);
}

static void print_json(const struct search_result *s)
{
	const struct summary *run = &s->latest.summary;
	json_t *object = json_pack("{s:s, s:s, s:o, s:s?, s:s, s:b, s:I, s:I, s:i}", "uuid",
				   s->uuid, "verdict", summary_verdict(run), "sid",
				   json_sid(s->latest.sid), "began",
				   *run->began ? run->began : NULL, "reason", run->reason, "ended",
				   run->ended, "lines", (json_int_t)run->lines, "lost",
				   (json_int_t)run->lost, "runs", (int)s->runs);

	json_dumpf(object, stdout, 0);
	putchar('\n');
	json_decref(object);
}

static int answer(struct search_result *s, bool as_json)
{
	struct run_progress kept;
	int error;

	if (!s->runs) {
		fprintf(stderr, "status: no run of %s\n", s->uuid);
		return EXIT_ERROR;
	}
	error = store_read(s->dir, s->latest.sid, &kept);
	if (error) {
		fprintf(stderr, "status: " STORE_PATTERN ": %s\n", s->latest.sid, strerror(error));
		return EXIT_ERROR;
	}
	s->latest.summary = kept.summary;
	if (as_json)
		print_json(s);
	else
		print_text(s);
	return summary_exit_code(&kept.summary);
}

static struct options {
	const char *dir;
	struct form_choice form;
} options;

static int run(int count, char **arguments)
{
	const char *uuid = arguments[0], *dir = options.dir;
	struct index_table table = { .entry = NULL };
	struct search_result s = { .uuid = uuid, .table = &table };
	int error, code = EXIT_ERROR;

	(void)count;
	if (!*uuid) {
		fputs("status: the UUID is empty\n", stderr);
		return EXIT_ERROR;
	}
	s.dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	error = s.dir < 0 ? errno : index_read(s.dir, &table);
	if (!error)
		error = store_each(s.dir, look_at, &s);
	if (!error && !s.runs)
		error = s.error;
	if (error)
		fprintf(stderr, "status: %s: %s\n", dir, strerror(error));
	else
		code = answer(&s, options.form.form == FORM_JSON);
	index_free(&table);
	if (s.dir >= 0)
		close(s.dir);
	return code;
}

static const struct options_row rows[] = {
	{ "dir", "DIR", "the collector's folder", options_text, offsetof(struct options, dir),
	  .required = true },
	OPTIONS_FORM(struct options, form, form_is_text_or_json),
	{ 0 },
};

const struct options_subcommand status_subcommand = {
	.name = "status",
	.run = run,
	.summary = "the verdict of one machine, from a collector's files",
	.arguments = "UUID",
	.least = 1,
	.most = 1,
	.about = "Reports how the latest run of the machine with this UUID ended, by the files of "
		 "the collector, which may be running.",
	.exit_code = "0 pass or no limit set, 1 fail, 2 error, or no run of that machine, 3 "
		     "incomplete, still running, or records lost.",
	.rows = rows,
	.options = &options,
};
