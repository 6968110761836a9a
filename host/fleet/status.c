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
	const char *dir;
	uint64_t max_age_ns;
	struct form_choice form;
} options;

/* The runs of a machine, of which the last is the latest. */
struct status {
	struct store_run run;
	uint64_t runs;
};

static int take_run(void *ctx, const struct store_run *run)
{
	struct status *s = ctx;

	s->run = *run;
	s->runs++;
	return 0;
}

/* `node`: summary_node_verdict(), whatever has expired. */
static void print_text(const char *uuid, const struct store_run *of, const char *node)
{
	const struct summary *run = &of->summary;
	const char *reason = summary_reason(run);
	const char *why = *reason ? reason : summary_remark(run);

	printf("%s %s %016" PRIx64 " %" PRIu64 " lines%s%s%s%s%s%s%s%s%s\n", uuid,
	       summary_verdict(run), of->sid, run->lines, run->mode ? ", mode=" : "",
	       run->mode ? run->mode->name : "", *run->began ? ", began " : "", run->began,
	       node ? ", by the node " : "", node ? node : "", *why ? ": " : "",
	       *why && !*reason ? "but " : "", why);
}

static json_t *make_json(const char *uuid, const struct status *s, const char *node, bool expired)
{
	const struct summary *run = &s->run.summary;
	const char *remark = summary_remark(run);

	return json_pack("{s:s, s:s*, s:s, s:s*, s:o, s:s?, s:s?, s:s?, s:b, s:I, s:I, s:I, s:b}",
			 "uuid", uuid, "mode", run->mode ? run->mode->name : NULL, "verdict",
			 summary_verdict(run), "node_verdict", node, "sid", json_sid(s->run.sid),
			 "began", *run->began ? run->began : NULL, "reason", summary_reason(run),
			 "remark", *remark ? remark : NULL, "ended", run->ended, "lines",
			 (json_int_t)run->lines, "lost", (json_int_t)run->lost, "runs",
			 (json_int_t)s->runs, "expired", expired);
}

/* Returns the exit code: the run's verdict; 2: there is none. */
static int status_show(struct runs *r, const char *uuid)
{
	struct status s = { .runs = 0 };
	struct summary_judged *judged = &s.run.summary.judged;
	int error = store_each(r->store, "WHERE uuid=?1 ORDER BY id", uuid, take_run, &s);
	const char *node = summary_node_verdict(&s.run.summary);
	char why[RUNS_WHY];
	bool expired;

	if (error)
		runs_fail(r, error);
	else if (!s.runs)
		fprintf(stderr, "fleet status: no run of %s\n", text_sanitize_name(uuid));
	if (error || !s.runs)
		return EXIT_ERROR;
	expired = runs_has_expired(summary_outcome(&s.run.summary), s.run.heard_s,
				   options.max_age_ns, why);
	if (expired) {
		*judged = (struct summary_judged){ .set = true, .verdict = VERDICT_INCOMPLETE };
		snprintf(judged->reason, sizeof(judged->reason), "%s", why);
	}
	if (options.form.form == FORM_JSON)
		json_print("status/1", make_json(uuid, &s, node, expired), 0);
	else
		print_text(uuid, &s.run, node);
	return (int)verdict_exit_code(summary_outcome(&s.run.summary));
}

static int status_run(int count, char **arguments)
{
	struct runs r;
	int code;

	(void)count;
	if (!*arguments[0]) {
		fputs("fleet status: the UUID is empty\n", stderr);
		return options_see_help(&fleet_status);
	}
	if (!runs_open(&r, "fleet status", options.dir, STORE_READ))
		return EXIT_ERROR;
	code = status_show(&r, arguments[0]);
	store_close(r.store);
	return code;
}

static const struct options_row rows[] = {
	{ "dir", "DIR", "the collector's folder", options_text,
	  .offset = offsetof(struct options, dir), .required = true },
	{ "max-age", "TIME",
	  "no pass that was received longer ago than this, such as 7d, counts: it is incomplete",
	  options_time, .offset = offsetof(struct options, max_age_ns) },
	OPTIONS_FORM(struct options, form, form_is_text_or_json),
	{ 0 },
};

const struct options_subcommand fleet_status = {
	.name = "status",
	.command = "noisefloor fleet status",
	.run = status_run,
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
