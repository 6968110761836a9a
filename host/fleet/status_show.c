/* SPDX-License-Identifier: BSD-2-Clause */
/* One line, or one JSON object. */
#include "status_show.h"

#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "core/lib/units.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define CLOCKS_APART_S 3600 /* of this machine and a collector */

bool status_has_expired(enum verdict verdict, uint64_t at, uint64_t max_age_ns,
			char why[STATUS_WHY])
{
	uint64_t now = (uint64_t)time(NULL);
	struct text t;

	text_init(&t, why, STATUS_WHY);
	if (!max_age_ns || (verdict != VERDICT_PASS && verdict != VERDICT_NONE))
		return false;
	text_add(&t, "%s, but ", verdict_name(verdict));
	if (at > now) {
		text_add(&t, "of the future: received in %llu h",
			 (unsigned long long)(at - now) / 3600);
		return at - now > CLOCKS_APART_S;
	}
	text_add(&t, "too old: received %llu h ago, at most ",
		 (unsigned long long)(now - at) / 3600);
	units_print_ns(&t, max_age_ns);
	return now - at > max_age_ns / NS_PER_S;
}

static void expire(struct status *s, const char *why)
{
	struct summary *run = &s->latest.summary;

	run->judged.set = true;
	run->judged.verdict = VERDICT_INCOMPLETE;
	snprintf(run->judged.reason, sizeof(run->judged.reason), "%s", why);
}

static void print_text(const struct status *s, const char *node)
{
	const struct summary *run = &s->latest.summary;
	const char *reason = summary_reason(run);
	const char *why = *reason ? reason : summary_remark(run);

	printf("%s %s %016" PRIx64 " %" PRIu64 " lines%s%s%s%s%s%s%s%s%s\n", s->uuid,
	       summary_verdict(run), s->latest.sid, run->lines, run->mode ? ", mode=" : "",
	       run->mode ? run->mode->name : "", *run->began ? ", began " : "", run->began,
	       node ? ", by the node " : "", node ? node : "", *why ? ": " : "",
	       *why && !*reason ? "but " : "", why);
}

/* How many machines have its configuration, if not all of its kind do. */
static void print_config(const struct status *s)
{
	const uint8_t *own = s->latest.summary.facts.config;
	char digits[CONFIGS_DIGITS + 1];
	size_t all = 0, same = 0;

	for (size_t i = 0; i < s->peers.count; i++) {
		const struct configs_one *one = &s->peers.at[i];

		all += one->nodes;
		same += memcmp(one->digest, own, SHA256_BYTES) == 0 ? one->nodes : 0;
	}
	if (all)
		printf("configuration %s: so have %zu of %zu machines of its product and BIOS "
		       "version\n",
		       configs_short(own, digits), same, all);
}

static bool is_refused(const struct status_forward *f)
{
	return strcmp(f->state, "refused") == 0;
}

static bool is_open(const struct status_forward *f)
{
	return strcmp(f->state, "waiting") == 0 || is_refused(f);
}

/* Minutes, if it is as long. */
static void print_wait(struct text *t, uint64_t s)
{
	if (s >= 60)
		s = (s + 59) / 60 * 60;
	if (s)
		units_print_ns(t, s * NS_PER_S);
}

/* Which of its runs an engine does not have yet, and why. */
static void print_forward(const struct status *s)
{
	uint64_t now = (uint64_t)time(NULL);

	for (size_t i = 0; i < s->forwards; i++) {
		const struct status_forward *f = &s->forward[i];
		TEXT_DEFINE(when, 40);

		if (!is_open(f))
			continue;
		print_wait(&when, f->next_s > now ? f->next_s - now : 0);
		printf("run %016" PRIx64 " %s%s%s%s%s\n", f->sid,
		       is_refused(f) ? "was rejected by the engine" : "waits to be forwarded",
		       *f->why ? ": " : "", f->why, f->next_s > now ? "; next try in " : "",
		       when.buf);
	}
}

/* NULL: no collector forwards. */
static json_t *json_forward(const struct status *s)
{
	json_t *list = s->forwards ? json_array() : NULL;

	for (size_t i = 0; i < s->forwards; i++) {
		const struct status_forward *f = &s->forward[i];

		if (is_open(f) || f->sid == s->latest.sid)
			json_array_append_new(
				list,
				json_pack("{s:o, s:s, s:s?, s:o}", "sid", json_sid(f->sid), "state",
					  f->state, "reason", *f->why ? f->why : NULL, "next",
					  f->next_s ? json_integer((json_int_t)f->next_s)
						    : json_null()));
	}
	return list;
}

static void print_json(const struct status *s, const char *node, bool expired)
{
	const struct summary *run = &s->latest.summary;
	json_t *configs = s->peers.count ? configs_json(&s->peers) : NULL;
	json_t *config = configs ? configs_digits(run->facts.config) : NULL;

	json_print("status/1",
		   json_pack("{s:s, s:s*, s:s, s:s*, s:o, s:s?, s:s?, s:s?, s:b, s:I, s:I, s:i, "
			     "s:b, s:o*, s:o*, s:o*}",
			     "uuid", s->uuid, "mode", run->mode ? run->mode->name : NULL, "verdict",
			     summary_verdict(run), "node_verdict", node, "sid",
			     json_sid(s->latest.sid), "began", *run->began ? run->began : NULL,
			     "reason", summary_reason(run), "remark",
			     *summary_remark(run) ? summary_remark(run) : NULL, "ended", run->ended,
			     "lines", (json_int_t)run->lines, "lost", (json_int_t)run->lost, "runs",
			     (int)s->runs, "expired", expired, "config", config, "configs", configs,
			     "forward", json_forward(s)),
		   0);
}

int status_show(struct status *s, bool as_json)
{
	const char *node = summary_node_verdict(&s->latest.summary);
	char why[STATUS_WHY];
	bool expired = s->runs && status_has_expired(summary_outcome(&s->latest.summary),
						     s->latest.heard_s, s->max_age_ns, why);

	if (!s->runs) {
		fprintf(stderr, "fleet status: no run of %s\n", text_sanitize_name(s->uuid));
		return EXIT_ERROR;
	}
	if (expired)
		expire(s, why);
	if (as_json) {
		print_json(s, node, expired);
	} else {
		print_text(s, node);
		print_config(s);
		print_forward(s);
	}
	return summary_exit_code(&s->latest.summary);
}
