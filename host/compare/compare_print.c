/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output of a comparison: as text; as JUnit, a suite per output of the OS's tools, a test
 * per finding, and one that is an error if the comparison was refused or parts are missing; and as
 * one JSON document, compare/1 of host/documents.json.
 */
#include "compare.h"

#include "host/capture/result.h"
#include "host/forms/checks.h"
#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

/* ---- Text ---- */

static void print_flag(void *ctx, bool refused, const struct tool_words *flag)
{
	(void)ctx;
	printf("%s: %s: %s\n", refused ? "refused" : "note", flag->name, flag->text);
}

static void print_split(const struct split_result *s)
{
	TEXT_DEFINE(t, SPLIT_WORDS_MAX);

	split_words_tool(&t, s);
	printf("\n%s\n", t.buf);
	if (!s->refused) {
		if (s->rows || !s->tool->services)
			findings_text(&s->cores);
		findings_text(&s->services);
		split_words_ladder(s);
		if (s->has_all)
			puts(s->cores.at[s->cores.count - 1].why);
	}
	split_words_flags(s, print_flag, NULL);
	for (size_t i = 0; i < s->limits.count; i++)
		puts(s->limits.at[i].why);
}

void compare_text(const struct compare_results *c)
{
	TEXT_DEFINE(t, SPLIT_WORDS_MAX);

	split_words_floor(&t, c->floor);
	printf("floor: %s\n", t.buf);
	if (c->floor->of.machine[0])
		printf("machine: %s\n", c->floor->of.machine);
	for (size_t i = 0; i < c->count; i++)
		print_split(&c->split[i]);
	if (c->verdict != VERDICT_NONE)
		printf("\nverdict: %s\n", verdict_name(c->verdict));
}

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

static void read_checks(struct checks *checks, const struct split_result *s)
{
	struct findings services = s->services;

	services.stage = s->tool->tool;
	if (!s->refused) {
		findings_checks(&s->cores, checks);
		findings_checks(&services, checks);
	}
	findings_checks(&s->limits, checks);
	add_output(checks, s);
}

static void put_suite(const struct compare_results *c, const struct split_result *s)
{
	char line[24];
	const char *property[][2] = { { "floor", c->floor->file },
				      { "stage", c->floor->stage_name },
				      { "file", s->tool->file },
				      { "line", line } };
	struct checks checks = { .count = 0 };

	snprintf(line, sizeof(line), "%" PRIu64, s->tool->line);
	read_checks(&checks, s);
	checks_junit_suite(&(struct checks_suite){ "noisefloor compare", property, 4 }, &checks);
	checks_free(&checks);
}

/* No output at all is not a pass. */
static void put_nothing(void)
{
	struct checks checks = { .count = 0 };
	struct text t;

	checks_add(&checks, CHECK_ERROR, "run", &t, "compared");
	text_add(&t, "no measurement of the OS could be read");
	checks_junit_suite(&(struct checks_suite){ .name = "noisefloor compare" }, &checks);
	checks_free(&checks);
}

void compare_junit(const struct compare_results *c)
{
	checks_junit_open(stdout);
	for (size_t i = 0; i < c->count; i++)
		put_suite(c, &c->split[i]);
	if (!c->count)
		put_nothing();
	checks_junit_close(stdout);
}

/*
 * ---- JSON ----
 *
 * The floor is null where it cannot be used; the complaint has the reason. The floor's part, the
 * four causes and unexplained sum up to the noise and in_causes.
 */

static json_t *floor_object(const struct floor *floor)
{
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:b}", "file", json_name(floor->file), "sid",
			 json_sid(floor->run->sid), "stage", json_name(floor->stage_name),
			 "threshold_ns", json_number(floor->threshold_ns), "cores",
			 json_number(floor->stage->cpus), "whole", result_is_whole(floor->run));
}

static void add_json_flag(void *list, bool refused, const struct tool_words *flag)
{
	(void)refused;
	json_array_append_new(list, json_pack("{s:s,s:s}", "name", flag->name, "text", flag->text));
}

static json_t *list_of(const struct findings *f)
{
	json_t *list = json_array();

	findings_json(f, list);
	return list;
}

/* Add a core's members besides the figures. */
static void add_core(json_t *object, const struct split_row *r, const struct tool_core *core)
{
	json_object_set_new(object, "cpu",
			    r->cpu == TOOL_ANY_CPU ? json_null() : json_number(r->cpu));
	json_object_set_new(object, "exposure", json_string(tool_origin_name(r->exposure_from)));
	json_object_set_new(object, "smi", json_maybe(core->smi));
}

/* The cores; *all is their sum, which of one core is the same. */
static json_t *cores_of(const struct split_result *s, json_t **all)
{
	json_t *list = list_of(&s->cores);

	*all = json_null();
	if (s->has_all) {
		*all = json_deep_copy(json_array_get(list, json_array_size(list) - 1));
		json_object_set_new(*all, "what", json_string("all"));
		json_object_set_new(*all, "cpu", json_null());
		json_object_set_new(*all, "events", json_null());
		json_object_set_new(*all, "exposure",
				    json_string(tool_origin_name(s->all.exposure_from)));
	}
	if (json_array_size(list) > s->rows)
		json_array_remove(list, s->rows);
	if (s->refused)
		json_array_clear(list);
	for (size_t i = 0; i < json_array_size(list); i++)
		add_core(json_array_get(list, i), &s->row[i], &s->tool->core[i]);
	return list;
}

static json_t *split_object(const struct split_result *s)
{
	const struct tool *tool = s->tool;
	json_t *flags = json_array(), *all, *cores = cores_of(s, &all);

	split_words_flags(s, add_json_flag, flags);
	return json_pack("{s:o,s:o,s:s,s:o,s:o,s:s,s:b,s:o,s:o,s:o,s:o,s:o}", "file",
			 json_name(tool->file), "line", json_number(tool->line), "tool", tool->tool,
			 "version", tool->version[0] ? json_name(tool->version) : json_null(),
			 "threshold_ns", json_range(tool->threshold_ns), "threshold",
			 tool_origin_name(tool->threshold_from), "refused", s->refused, "cores",
			 cores, "all", all, "services",
			 s->refused ? json_array() : list_of(&s->services), "limits",
			 list_of(&s->limits), "flags", flags);
}

void compare_json(const struct compare_results *c)
{
	json_print("compare/1",
		   json_pack("{s:o,s:o,s:s,s:O?}", "floor",
			     c->floor ? floor_object(c->floor) : json_null(), "compared",
			     JSON_ARRAY(i, i < c->count, split_object(&c->split[i])), "verdict",
			     verdict_name(c->verdict), "complaints", c->complaints),
		   JSON_INDENT(2));
}
