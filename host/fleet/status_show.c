/* SPDX-License-Identifier: BSD-2-Clause */
/* One line, or one JSON object. */
#include "status_show.h"

#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/ticks.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <time.h>

#define CLOCKS_APART_S 3600 /* of this machine and a collector */

static bool has_expired(const struct status *s)
{
	enum verdict verdict = summary_outcome(&s->latest.summary);
	uint64_t now = (uint64_t)time(NULL), at = s->latest.at;

	if (!s->max_age_ns || (verdict != VERDICT_PASS && verdict != VERDICT_NONE))
		return false;
	return at > now ? at - now > CLOCKS_APART_S : now - at > s->max_age_ns / NS_PER_S;
}

static void expire(struct status *s)
{
	struct summary *run = &s->latest.summary;
	uint64_t now = (uint64_t)time(NULL), at = s->latest.at;
	const char *word = summary_verdict(run);
	char *reason = run->judged.set ? run->judged.reason : run->reason;

	if (at > now)
		snprintf(reason, sizeof(run->reason),
			 "%s, but of the future: received in %" PRIu64 " h", word,
			 (at - now) / 3600);
	else
		snprintf(reason, sizeof(run->reason), "%s, but too old: received %" PRIu64 " h ago",
			 word, (now - at) / 3600);
	if (run->judged.set)
		run->judged.verdict = VERDICT_INCOMPLETE;
	else
		snprintf(run->verdict, sizeof(run->verdict), "%s",
			 verdict_name(VERDICT_INCOMPLETE));
	s->has_no_reason = false;
}

static void print_text(const struct status *s)
{
	const struct summary *run = &s->latest.summary;
	const char *reason = summary_reason(run), *node = summary_node_verdict(run);
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

	json_print(
		"status/1",
		json_pack("{s:s, s:s*, s:s, s:s*, s:o, s:s?, s:s?, s:s?, s:b, s:I, s:I, s:i, "
			  "s:b, s:b}",
			  "uuid", s->uuid, "mode", run->mode ? run->mode->name : NULL, "verdict",
			  summary_verdict(run), "node_verdict", summary_node_verdict(run), "sid",
			  json_sid(s->latest.sid), "began", *run->began ? run->began : NULL,
			  "reason", s->has_no_reason ? NULL : summary_reason(run), "remark",
			  *summary_remark(run) ? summary_remark(run) : NULL, "ended", run->ended,
			  "lines", (json_int_t)run->lines, "lost", (json_int_t)run->lost, "runs",
			  (int)s->runs, "guessed", s->is_guessed, "expired", expired),
		0);
}

int status_show(struct status *s, bool as_json)
{
	bool expired = s->runs && has_expired(s);

	if (!s->runs) {
		fprintf(stderr, "status: no run of %s\n", text_sanitize_name(s->uuid));
		return EXIT_ERROR;
	}
	if (s->is_guessed)
		fprintf(stderr,
			"status: which of the %u runs is the latest is uncertain: the index has "
			"lost entries, and the times of files decided\n",
			s->runs);
	if (expired)
		expire(s);
	if (as_json)
		print_json(s, expired);
	else
		print_text(s);
	return summary_exit_code(&s->latest.summary);
}
