/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `noisefloor fleet status`: the latest run of a UUID in a collector's store, or which machines of
 * a list have not reported.
 */
#include "fleet.h"
#include "runs.h"

#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"
#include "host/lib/uuid_list.h"

#include "core/lib/ticks.h"
#include "core/lib/uuid.h"

#include <inttypes.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <time.h>

static struct options {
	const char *dir, *policy, *expect;
	uint64_t max_age_ns;
	struct form_choice form;
} options;

/* ---- One machine ---- */

struct status {
	const char *uuid; /* as given */
	size_t runs;      /* of this machine */
	struct store_run latest;
	const char *node; /* summary_node_verdict() */
};

/* Runs come in the order in which they were begun, so the last one is the latest. */
static int take_run(void *ctx, const struct store_run *run)
{
	struct status *s = ctx;

	s->latest = *run;
	s->runs++;
	return 0;
}

static void print_text(const struct status *s)
{
	const struct summary *run = &s->latest.summary;
	const char *reason = summary_reason(run), *node = s->node;
	const char *why = *reason ? reason : summary_remark(run);

	printf("%s %s %016" PRIx64 " %" PRIu64 " lines%s%s%s%s%s%s%s%s%s\n", s->uuid,
	       summary_verdict(run), s->latest.sid, run->lines, run->mode ? ", mode=" : "",
	       run->mode ? run->mode->name : "", *run->began ? ", began " : "", run->began,
	       node ? ", by the node " : "", node ? node : "", *why ? ": " : "",
	       *why && !*reason ? "but " : "", why);
}

static void print_json(const struct status *s, bool expired)
{
	const struct summary *run = &s->latest.summary;

	json_print("status/1",
		   json_pack("{s:s, s:s*, s:s, s:s*, s:o, s:s?, s:s?, s:s?, s:b, s:I, s:I, s:i, "
			     "s:b}",
			     "uuid", s->uuid, "mode", run->mode ? run->mode->name : NULL, "verdict",
			     summary_verdict(run), "node_verdict", s->node, "sid",
			     json_sid(s->latest.sid), "began", *run->began ? run->began : NULL,
			     "reason", summary_reason(run), "remark",
			     *summary_remark(run) ? summary_remark(run) : NULL, "ended", run->ended,
			     "lines", (json_int_t)run->lines, "lost", (json_int_t)run->lost, "runs",
			     (int)s->runs, "expired", expired),
		   0);
}

/* Returns the exit code: the run's verdict; 2: there is none. */
static int show(struct runs *r, const char *uuid, bool as_json)
{
	struct status s = { .uuid = uuid };
	struct summary *run = &s.latest.summary;
	char why[RUNS_WHY];
	bool expired;

	if (!runs_each(r, "WHERE uuid=?1 ORDER BY id", uuid, take_run, &s))
		return EXIT_ERROR;
	if (!s.runs) {
		fprintf(stderr, "fleet status: no run of %s\n", text_sanitize_name(uuid));
		return EXIT_ERROR;
	}
	s.node = summary_node_verdict(run);
	expired = runs_has_expired(summary_outcome(run), s.latest.heard_s, options.max_age_ns, why);
	if (expired) {
		run->judged.set = true;
		run->judged.verdict = VERDICT_INCOMPLETE;
		snprintf(run->judged.reason, sizeof(run->judged.reason), "%s", why);
	}
	if (as_json)
		print_json(&s, expired);
	else
		print_text(&s);
	return summary_exit_code(run);
}

/* ---- Machines that should report, and have not ---- */

static int take_time(void *ctx, sqlite3_stmt *row)
{
	*(uint64_t *)ctx = (uint64_t)sqlite3_column_int64(row, 0);
	return 0;
}

/* Has the end of a run of this machine been received, and not too long ago? Else print it. */
static int look_for(struct runs *r, const uint8_t uuid[UUID_BYTES], json_t *missing, bool *is_there)
{
	uint64_t at = 0, now = (uint64_t)time(NULL), max_s = options.max_age_ns / NS_PER_S, age_s;
	char text[UUID_TEXT];
	int error;

	uuid_print(uuid, text);
	error = store_ask(r->store, "SELECT max(ended_s) FROM run WHERE uuid=?1 AND ended", text,
			  take_time, &at);
	age_s = now > at ? now - at : 0;
	*is_there = at && (!max_s || age_s <= max_s);
	if (error || *is_there)
		return error;
	if (missing)
		json_array_append_new(missing, json_string(text));
	else if (at)
		printf("%s reported %" PRIu64 " h ago\n", text, age_s / 3600);
	else
		printf("%s has not reported\n", text);
	return 0;
}

/* Returns the exit code: 0 none is missing, 2 error, 3 some are. */
static int show_missing(struct runs *r, const char *path, bool as_json)
{
	struct uuid_list list;
	json_t *missing = as_json ? json_array() : NULL;
	size_t count = 0;
	bool has_mistakes;
	int error = 0;

	if (!uuid_list_read("fleet status", "--expect", path, &list))
		return EXIT_ERROR;
	for (size_t i = 0; i < list.count && !error; i++) {
		bool is_there;

		error = look_for(r, list.at[i], missing, &is_there);
		count += !is_there;
	}
	if (error)
		runs_fail(r, error);
	else if (as_json)
		json_print("status-expect/1",
			   json_pack("{s:I, s:O}", "expected", (json_int_t)list.count, "missing",
				     missing),
			   0);
	else
		printf("%zu of %zu machines have not reported\n", count, list.count);
	json_decref(missing);
	has_mistakes = list.mistakes;
	uuid_list_free(&list);
	return error || has_mistakes ? EXIT_ERROR : count ? EXIT_INCOMPLETE : EXIT_PASS;
}

static int run(int count, char **arguments)
{
	bool as_json = options.form.form == FORM_JSON;
	struct runs r = { .store = NULL };
	int code = EXIT_ERROR;

	if (!options.expect == !count) {
		fputs("fleet status: either a UUID or --expect\n", stderr);
		return options_see_help(&fleet_status);
	}
	if (count && !*arguments[0]) {
		fputs("fleet status: the UUID is empty\n", stderr);
		return options_see_help(&fleet_status);
	}
	if (runs_open(&r, "fleet status", options.dir, options.policy))
		code = options.expect ? show_missing(&r, options.expect, as_json)
				      : show(&r, arguments[0], as_json);
	runs_close(&r);
	return code;
}

static const struct options_row rows[] = {
	{ "dir", "DIR", "the collector's folder", options_text,
	  .offset = offsetof(struct options, dir), .required = true },
	{ "expect", "FILE",
	  "instead of a UUID: which of the UUIDs in this file, one on each line, have not "
	  "reported, or not within --max-age",
	  options_text, .offset = offsetof(struct options, expect) },
	{ "policy", "FILE", RUNS_POLICY_HELP, options_text,
	  .offset = offsetof(struct options, policy) },
	{ "max-age", "TIME",
	  "no pass that was received longer ago than this, such as 7d, counts: it is incomplete",
	  options_time, .offset = offsetof(struct options, max_age_ns) },
	OPTIONS_FORM(struct options, form, form_is_text_or_json),
	{ 0 },
};

const struct options_subcommand fleet_status = {
	.name = "status",
	.command = "noisefloor fleet status",
	.run = run,
	.summary = "the verdict of one machine",
	.arguments = "UUID",
	.least = 0,
	.most = 1,
	.about = "Reports how the latest run of the machine with this UUID ended, by the store of "
		 "the collector, which may be running.",
	.exit_code = "0 pass or no limit set, 1 fail, 2 error, or no run of that machine, 3 "
		     "incomplete, still running, older than --max-age, or records lost; with "
		     "--expect, a machine has not reported.",
	.rows = rows,
	.options = &options,
};
