/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JUnit and TAP: a suite per output of the OS's tools, a test per core, which is skipped if its
 * noise could not be split, and one that is an error if the comparison was refused or parts are
 * missing; its text has the flags.
 */
#include "compare.h"

#include "beside.h"
#include "host/forms/checks.h"
#include "host/forms/ci.h"
#include "host/lib/exit.h"
#include "host/capture/result.h"
#include "split_words.h"
#include "host/lib/json_name.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

/* ---- For CI servers ---- */

static void add_flag(void *ctx, bool refused, const struct tool_words *flag)
{
	text_add(ctx, "; %s%s", refused ? "refused: " : "", flag->name);
}

static void add_output(struct checks *checks, const struct split_result *s)
{
	int code = split_exit_code(s);
	struct text t;

	checks_add(checks, code == EXIT_PASS ? CHECK_PASS : CHECK_ERROR, s->tool->tool, &t,
		   "compared");
	text_add(&t, "%s",
		 code == EXIT_PASS    ? "compared"
		 : code == EXIT_ERROR ? "refused"
				      : "incomplete");
	split_words_flags(s, add_flag, &t);
}

static void add_core(struct checks *checks, const struct split_result *s, const struct split_row *r)
{
	char name[SPLIT_NAME_MAX];
	struct text t;

	split_words_name(name, s, r);
	checks_add(checks, r->split ? CHECK_PASS : CHECK_SKIP, s->tool->tool, &t, "%s", name)->ns =
		split_exposure(r);
	if (r->split)
		split_words_share(&t, r);
	else
		text_add(&t, "%s",
			 r->has_floor ? "only the longest gaps can be compared"
				      : "the floor has no such core");
}

static void add_service(struct checks *checks, const struct split_result *s, size_t n)
{
	const struct beside b = beside_at(s, n);
	struct text t;

	checks_add(checks, beside_is_whole(&b) ? CHECK_PASS : CHECK_SKIP, s->tool->tool, &t,
		   "service %s", b.inside->service ? b.inside->service : "n/a");
	beside_sentence(&t, &b);
}

/* A limit: met, exceeded, or not known to be met. */
static void add_outcomes(struct checks *checks, const struct compare_results *c,
			 const struct split_result *s)
{
	static const enum check_status status[VERDICTS] = { [VERDICT_PASS] = CHECK_PASS,
							    [VERDICT_FAIL] = CHECK_FAIL,
							    [VERDICT_INCOMPLETE] = CHECK_ERROR };
	struct judge_outcome outcome[JUDGE_FIGURES];
	struct text t;

	judge(&c->limits, s, outcome);
	for (enum judge_figure f = 0; f < JUDGE_FIGURES; f++) {
		if (outcome[f].verdict == VERDICT_NONE)
			continue;
		checks_add(checks, status[outcome[f].verdict], s->tool->tool, &t, "%s",
			   judge_name(f));
		judge_sentence(&t, f, &outcome[f]);
	}
}

static void read_checks(struct checks *checks, const struct compare_results *c,
			const struct split_result *s)
{
	for (size_t i = 0; i < s->rows && !s->refused; i++)
		add_core(checks, s, &s->row[i]);
	if (s->has_all && s->rows > 1)
		add_core(checks, s, &s->all);
	for (size_t i = 0; i < s->tool->services && !s->refused; i++)
		add_service(checks, s, i);
	add_outcomes(checks, c, s);
	add_output(checks, s);
}

static void put_suite(const struct compare_results *c, const struct split_result *s)
{
	TEXT_DEFINE(comment, SPLIT_WORDS_MAX);
	char line[24];
	const char *property[][2] = { { "floor", c->floor->file },
				      { "stage", c->floor->stage_name },
				      { "file", s->tool->file },
				      { "line", line } };
	struct checks checks = { .count = 0 };
	const struct ci_suite suite = { "noisefloor compare", comment.buf, property, 4, &checks };

	split_words_tool(&comment, s);
	snprintf(line, sizeof(line), "%" PRIu64, s->tool->line);
	read_checks(&checks, c, s);
	ci_suite(&suite);
	checks_free(&checks);
}

/* No output at all is not a pass. */
static void put_nothing(void)
{
	struct checks checks = { .count = 0 };
	const struct ci_suite suite = { "noisefloor compare", "no output", NULL, 0, &checks };
	struct text t;

	checks_add(&checks, CHECK_ERROR, "run", &t, "compared");
	text_add(&t, "no measurement of the OS could be read");
	ci_suite(&suite);
	checks_free(&checks);
}

void compare_ci(const struct compare_results *c)
{
	ci_open(c->form);
	for (size_t i = 0; i < c->count; i++)
		put_suite(c, &c->split[i]);
	if (!c->count)
		put_nothing();
	ci_close();
}

/* ---- JSON ---- */

/*
 * Comparisons as one JSON document, compare/1 of host/documents.json.
 *
 * floor is null where it cannot be used; the complaint has the reason.
 *
 * What is not known is null. floor, the four causes and unexplained sum up to the noise and
 * in_causes.
 */

static json_t *number(uint64_t value, bool known)
{
	return known && value <= INT64_MAX ? json_integer((json_int_t)value) : json_null();
}

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static json_t *floor_object(const struct floor *floor)
{
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:b}", "file", json_name(floor->file), "sid",
			 json_sid(floor->run->sid), "stage", json_name(floor->stage_name),
			 "threshold_ns", number(floor->threshold_ns, true), "cores",
			 number(floor->stage->cpus, true), "whole", result_is_whole(floor->run));
}

/* By name, where the tool prints names. */
static json_t *offender_object(const struct tool_offender *o)
{
	return json_pack("{s:o,s:s,s:o,s:o,s:o}", "name", json_name(o->name), "cause",
			 tool_cause_name(o->cause), "events", number(o->events, true), "ns",
			 number(o->ns, true), "max_ns", number(o->max_ns, true));
}

static json_t *row_object(const struct split_row *r, const struct tool_core *core)
{
	json_t *object = json_object();

	set(object, "cpu", number(r->cpu, core && r->cpu != TOOL_ANY_CPU));
	set(object, "exposure_ns", json_range(r->exposure_ns));
	set(object, "exposure", json_string(tool_origin_name(r->exposure_from)));
	set(object, "noise_ns", json_range(r->noise_ns));
	set(object, "events", core ? json_range(core->events) : json_null());
	set(object, "max_ns", json_range(r->max_ns));
	set(object, "floor_ns", json_range(r->floor_ns));
	set(object, "floor_ppm", json_range(range_share(r->floor_ns, r->noise_ns, 1000000)));
	for (unsigned c = 0; c < SPLIT_CAUSES; c++) {
		char key[24];

		snprintf(key, sizeof(key), "%s_ns", tool_cause_name((enum tool_cause)c));
		set(object, key, json_range(r->cause_ns[c]));
	}
	set(object, "unexplained_ns", json_range(r->unexplained_ns));
	set(object, "in_causes_ns", json_range(r->in_causes_ns));
	set(object, "added_ns", json_range(r->added_ns));
	set(object, "floor_max_ns", number(r->floor_max_ns, r->has_floor));
	if (core) {
		set(object, "smi", number(core->smi.value, core->smi.known));
		set(object, "offenders",
		    JSON_ARRAY(i, i < core->offenders, offender_object(&core->offender[i])));
	}
	return object;
}

static void add_json_flag(void *list, bool refused, const struct tool_words *flag)
{
	(void)refused;
	json_array_append_new(list, json_pack("{s:s,s:s}", "name", flag->name, "text", flag->text));
}

static json_t *limits_array(const struct judge_limits *limits, const struct split_result *s)
{
	struct judge_outcome outcome[JUDGE_FIGURES];
	json_t *list = json_array();
	TEXT_DEFINE(sentence, SPLIT_WORDS_MAX);

	judge(limits, s, outcome);
	for (enum judge_figure f = 0; f < JUDGE_FIGURES; f++) {
		const struct judge_outcome *o = &outcome[f];

		if (o->verdict == VERDICT_NONE)
			continue;
		text_reset(&sentence);
		judge_sentence(&sentence, f, o);
		json_array_append_new(
			list, json_pack("{s:s,s:o,s:o,s:o,s:s,s:s}", "name", judge_name(f), "limit",
					number(o->limit, true), "machine", json_range(o->machine),
					"os", json_range(o->os), "verdict",
					verdict_name(o->verdict), "text", sentence.buf));
	}
	return list;
}

static json_t *services_array(const struct split_result *s)
{
	struct findings f = { .count = 0 };
	json_t *list = json_array();

	if (!s->refused)
		f = beside_findings(s);
	findings_json(&f, list);
	findings_free(&f);
	return list;
}

static json_t *split_object(const struct judge_limits *limits, const struct split_result *s)
{
	const struct tool *tool = s->tool;
	json_t *object = json_object(), *flags = json_array();

	set(object, "file", json_name(tool->file));
	set(object, "line", number(tool->line, tool->line > 0));
	set(object, "tool", json_string(tool->tool));
	set(object, "version", tool->version[0] ? json_name(tool->version) : json_null());
	set(object, "threshold_ns", json_range(tool->threshold_ns));
	set(object, "threshold", json_string(tool_origin_name(tool->threshold_from)));
	set(object, "refused", json_boolean(s->refused));
	set(object, "cores",
	    JSON_ARRAY(i, !s->refused && i < s->rows, row_object(&s->row[i], &tool->core[i])));
	set(object, "all", s->has_all ? row_object(&s->all, NULL) : json_null());
	set(object, "services", services_array(s));
	set(object, "limits", limits_array(limits, s));
	split_words_flags(s, add_json_flag, flags);
	set(object, "flags", flags);
	return object;
}

static json_t *complaint_object(const struct compare_complaint *from)
{
	return json_pack("{s:o,s:o,s:o}", "file", json_name(from->file), "line",
			 number(from->line, from->line > 0), "text", json_name(from->text));
}

void compare_json(const struct compare_results *c)
{
	json_print("compare/1",
		   json_pack("{s:o,s:o,s:s,s:o}", "floor",
			     c->floor ? floor_object(c->floor) : json_null(), "compared",
			     JSON_ARRAY(i, i < c->count, split_object(&c->limits, &c->split[i])),
			     "verdict", verdict_name(c->verdict), "complaints",
			     JSON_ARRAY(i, i < c->complaints, complaint_object(&c->complaint[i]))),
		   JSON_INDENT(2));
}
