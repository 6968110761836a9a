/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor status`: the latest run of a UUID in a collector's folder, from the run's own file.
 */
#include "engine.h"
#include "folders.h"
#include "host/lib/exit.h"
#include "host/lib/http.h"
#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"
#include "host/subcommands.h"
#include "host/store/files.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct search_result {
	struct folders folders;
	const struct folders_run *in; /* the latest */
	const char *uuid;
	unsigned runs;
	bool is_guessed; /* which of them is the latest */
	bool from_engine;
	struct index_entry latest;
	int error;
	const char *failed; /* the folder where that was */
};

/* Of this machine? What the index does not have is read. */
static bool is_wanted(struct search_result *s, struct folders_run *r)
{
	struct summary *known = &r->entry.summary;
	int error = *known->uuid ? 0 : folders_summary(&s->folders, r, known, &s->failed);

	if (error)
		s->error = error;
	return strcasecmp(known->uuid, s->uuid) == 0;
}

static void find_latest(struct search_result *s)
{
	for (size_t i = 0; i < s->folders.runs; i++) {
		struct folders_run *r = &s->folders.run[i];

		if (is_wanted(s, r) && (!s->runs++ || r->entry.rank > s->latest.rank)) {
			s->latest = r->entry;
			s->in = r;
		}
	}
	for (size_t i = 0; i < s->folders.runs && s->runs; i++) {
		const struct index_entry *e = &s->folders.run[i].entry;

		s->is_guessed |= e->sid != s->latest.sid &&
				 strcasecmp(e->summary.uuid, s->uuid) == 0 &&
				 index_order_is_guessed(&s->latest, e);
	}
}

static void print_text(const struct search_result *s)
{
	const struct summary *run = &s->latest.summary;

	const char *why = *run->reason ? run->reason : summary_remark(run);

	printf("%s %s %016" PRIx64 " %" PRIu64 " lines%s%s%s%s%s%s\n", s->uuid,
	       summary_verdict(run), s->latest.sid, run->lines,
	       run->stretch ? ", mode=stretch" : "", *run->began ? ", began " : "", run->began,
	       *why ? ": " : "", *why && !*run->reason ? "but " : "", why);
}

static void print_json(const struct search_result *s)
{
	const struct summary *run = &s->latest.summary;

	json_print(json_pack("{s:s, s:s*, s:s, s:o, s:s?, s:s?, s:s?, s:b, s:I, s:I, s:i, s:b}",
			     "uuid", s->uuid, "mode", run->stretch ? "stretch" : NULL, "verdict",
			     summary_verdict(run), "sid", json_sid(s->latest.sid), "began",
			     *run->began ? run->began : NULL, "reason",
			     s->from_engine ? NULL : run->reason, "remark",
			     *summary_remark(run) ? summary_remark(run) : NULL, "ended", run->ended,
			     "lines", (json_int_t)run->lines, "lost", (json_int_t)run->lost, "runs",
			     (int)s->runs, "guessed", s->is_guessed),
		   0);
}

static int answer(struct search_result *s, bool as_json)
{
	if (!s->runs) {
		fprintf(stderr, "status: no run of %s\n", text_sanitize_name(s->uuid));
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

static bool read_folders(struct search_result *s, const struct options_list *dirs)
{
	int error;

	if (!folders_open(&s->folders, "status", dirs->count, dirs->text))
		return false;
	find_latest(s);
	error = s->error;
	if (s->in)
		error = folders_summary(&s->folders, s->in, &s->latest.summary, &s->failed);
	if (error && s->in)
		fprintf(stderr, "status: " STORE_PATTERN ": %s\n", s->latest.sid, strerror(error));
	else if (error)
		fprintf(stderr, "status: %s: %s\n", text_sanitize_name(s->failed), strerror(error));
	return !error;
}

static bool read_engine(struct search_result *s, const char *url)
{
	struct engine_nodes n;
	char shown[HTTP_SHOWN];

	if (!engine_read("status", url, s->uuid, &n))
		return false;
	s->from_engine = true;
	s->runs = n.count ? (unsigned)n.runs : 0;
	for (size_t i = 0; i < n.count; i++) {
		if (!i || n.node[i].run.rank > s->latest.rank)
			s->latest = n.node[i].run;
	}
	http_shown(url, shown);
	if (n.unread)
		fprintf(stderr, "status: %s: %zu points not read\n", shown, n.unread);
	free(n.node);
	return !n.unread;
}

static struct options {
	struct options_list dir;
	const char *from;
	struct form_choice form;
} options;

static int run(int count, char **arguments)
{
	struct search_result s = { .uuid = arguments[0] };
	bool done;

	(void)count;
	if (!*s.uuid || !options.dir.count == !options.from) {
		fputs(*s.uuid ? "status: accepted: --dir DIR or --from URL\n"
			      : "status: the UUID is empty\n",
		      stderr);
		return options_see_help(&status_subcommand);
	}
	done = options.from ? read_engine(&s, options.from) : read_folders(&s, &options.dir);
	folders_close(&s.folders);
	return done ? answer(&s, options.form.form == FORM_JSON) : EXIT_ERROR;
}

static const struct options_row rows[] = {
	{ "dir", "DIR", "the collector's folder; may be given for each of several", options_list,
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
