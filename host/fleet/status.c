/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor status`: the latest run of a UUID in a collector's folder, from the run's own file.
 */
#include "engine.h"
#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/fleet/collect/index_order.h"
#include "host/subcommands.h"
#include "host/fleet/collect/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct search_result {
	int dir;
	const char *uuid;
	unsigned runs;
	bool is_guessed; /* which of them is the latest */
	bool from_engine;
	struct index_entry latest;
	int error;
};

/* Of this machine? What the index does not have is read. */
static bool is_wanted(struct search_result *s, struct index_entry *e)
{
	struct run_progress kept;
	int error = *e->summary.uuid ? 0 : store_read(s->dir, e->sid, &kept);

	if (error)
		s->error = error;
	else if (!*e->summary.uuid)
		e->summary = kept.summary;
	return strcasecmp(e->summary.uuid, s->uuid) == 0;
}

static void find_latest(struct search_result *s, struct index_table *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct index_entry *e = &t->entry[i];

		if (!is_wanted(s, e))
			continue;
		if (!s->runs++ || e->rank > s->latest.rank)
			s->latest = *e;
	}
	for (size_t i = 0; i < t->count && s->runs; i++) {
		const struct index_entry *e = &t->entry[i];

		s->is_guessed |= e->sid != s->latest.sid &&
				 strcasecmp(e->summary.uuid, s->uuid) == 0 &&
				 index_order_is_guessed(&s->latest, e);
	}
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
	json_t *object = json_pack(
		"{s:s, s:s, s:o, s:s?, s:s?, s:b, s:I, s:I, s:i, s:b}", "uuid", s->uuid, "verdict",
		summary_verdict(run), "sid", json_sid(s->latest.sid), "began",
		*run->began ? run->began : NULL, "reason", s->from_engine ? NULL : run->reason,
		"ended", run->ended, "lines", (json_int_t)run->lines, "lost", (json_int_t)run->lost,
		"runs", (int)s->runs, "guessed", s->is_guessed);

	json_dumpf(object, stdout, 0);
	putchar('\n');
	json_decref(object);
}

static int answer(struct search_result *s, bool as_json)
{
	if (!s->runs) {
		fprintf(stderr, "status: no run of %s\n", s->uuid);
		return EXIT_ERROR;
	}
	if (s->is_guessed)
		fprintf(stderr,
			"status: which of the %u runs is the latest is uncertain: the index has "
			"lost entries, and the times of files decided\n",
			s->runs);
	if (as_json)
		print_json(s);
	else
		print_text(s);
	return summary_exit_code(&s->latest.summary);
}

/* 0, or an errno, which was printed. */
static int read_latest(struct search_result *s)
{
	struct run_progress kept;
	int error = s->runs ? store_read(s->dir, s->latest.sid, &kept) : 0;

	if (error)
		fprintf(stderr, "status: " STORE_PATTERN ": %s\n", s->latest.sid, strerror(error));
	else if (s->runs)
		s->latest.summary = kept.summary;
	return error;
}

static int read_folder(struct search_result *s, const char *dir)
{
	struct index_table table = { .entry = NULL };
	int error;

	s->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	error = s->dir < 0 ? errno : index_read(s->dir, &table);
	if (!error)
		error = index_order(&table, s->dir);
	if (!error)
		find_latest(s, &table);
	if (!error && !s->runs)
		error = s->error;
	if (error)
		fprintf(stderr, "status: %s: %s\n", dir, strerror(error));
	else
		error = read_latest(s);
	index_free(&table);
	return error;
}

static int read_engine(struct search_result *s, const char *url)
{
	struct engine_nodes n;

	if (!engine_read("status", url, s->uuid, &n))
		return EIO;
	s->from_engine = true;
	s->runs = n.count ? (unsigned)n.runs : 0;
	for (size_t i = 0; i < n.count; i++) {
		if (!i || n.node[i].run.rank > s->latest.rank)
			s->latest = n.node[i].run;
	}
	if (n.unread)
		fprintf(stderr, "status: %s: %zu points not read\n", url, n.unread);
	free(n.node);
	return n.unread ? EIO : 0;
}

static struct options {
	const char *dir, *from;
	struct form_choice form;
} options;

static int run(int count, char **arguments)
{
	struct search_result s = { .uuid = arguments[0], .dir = -1 };
	int error;

	(void)count;
	if (!*s.uuid || !options.dir == !options.from) {
		fputs(*s.uuid ? "status: accepted: --dir DIR or --from URL\n"
			      : "status: the UUID is empty\n",
		      stderr);
		return options_see_help(&status_subcommand);
	}
	error = options.from ? read_engine(&s, options.from) : read_folder(&s, options.dir);
	if (s.dir >= 0)
		close(s.dir);
	return error ? EXIT_ERROR : answer(&s, options.form.form == FORM_JSON);
}

static const struct options_row rows[] = {
	{ "dir", "DIR", "the collector's folder", options_text,
	  .offset = offsetof(struct options, dir) },
	{ "from", "URL", "ask a time-series engine instead: " ENGINE_FORMS, options_text,
	  .offset = offsetof(struct options, from) },
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
