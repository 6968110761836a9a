/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet status`: the latest run of a UUID in a collector's store. */
#include "fleet.h"
#include "runs.h"

#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

static struct options {
	const char *dir, *policy;
	uint64_t max_age_ns;
	struct form_choice form;
} options;

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

static int run(int count, char **arguments)
{
	struct runs r = { .store = NULL };
	int code = EXIT_ERROR;

	(void)count;
	if (!*arguments[0]) {
		fputs("fleet status: the UUID is empty\n", stderr);
		return options_see_help(&fleet_status);
	}
	if (runs_open(&r, "fleet status", options.dir, options.policy))
		code = show(&r, arguments[0], options.form.form == FORM_JSON);
	runs_close(&r);
	return code;
}

static const struct options_row rows[] = {
	{ "dir", "DIR", "the collector's folder", options_text,
	  .offset = offsetof(struct options, dir), .required = true },
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
	.least = 1,
	.most = 1,
	.about = "Reports how the latest run of the machine with this UUID ended, by the store of "
		 "the collector, which may be running.",
	.exit_code = "0 pass or no limit set, 1 fail, 2 error, or no run of that machine, 3 "
		     "incomplete, still running, older than --max-age, or records lost.",
	.rows = rows,
	.options = &options,
};
