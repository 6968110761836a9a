/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparisons as one JSON document:
 *
 *   {"floor":{"file":...,"sid":...,"stage":...,"threshold_ns":...,"cores":...,"whole":...},
 *    "compared":[{"file":...,"line":...,"tool":...,"version":...,
 *      "threshold_ns":{"low":...,"high":...},"threshold":"assumed","refused":false,
 *      "cores":[{"cpu":0,"exposure_ns":...,"exposure":"stated","noise_ns":...,
 *                "events":...,"max_ns":...,"split_ns":...,"floor_ns":...,"nmi_ns":...,
 *                "irq_ns":...,"softirq_ns":...,"thread_ns":...,"unexplained_ns":...,
 *                "floor_expected_ns":...,"floor_bounds_ns":...,"added_ns":...,
 *                "floor_max_ns":...}, ...],
 *      "all":{...},"flags":[{"name":...,"text":...}, ...]}, ...]}
 *
 * Numbers of which only bounds are known are {"low":...,"high":...}; high is null where
 * there is none. What is not known is null. floor, the four causes and unexplained sum up
 * to split_ns, which is the lower bound of the noise.
 */
#include "compare.h"

#include "host/lib/json_name.h"
#include "split_words.h"

#include <jansson.h>
#include <stdio.h>

static json_t *number(uint64_t value, bool known)
{
	return known && value <= INT64_MAX ? json_integer((json_int_t)value) : json_null();
}

static json_t *range(struct range r)
{
	if (!r.known)
		return json_null();
	return json_pack("{s:o,s:o}", "low", number(r.low, true), "high", number(r.high, true));
}

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static json_t *floor_object(const struct floor *floor)
{
	json_t *object = json_object();

	set(object, "file", json_name(floor->file));
	set(object, "sid", json_sid(floor->run->sid));
	set(object, "stage", json_name(floor->stage_name));
	set(object, "threshold_ns", number(floor->threshold_ns, true));
	set(object, "cores", number(floor->stage->cpus, true));
	set(object, "whole", json_boolean(run_is_whole(floor->run)));
	return object;
}

static json_t *row_object(const struct split_row *r, const struct tool_core *core)
{
	json_t *object = json_object();

	set(object, "cpu", number(r->cpu, core && r->cpu != TOOL_ANY_CPU));
	set(object, "exposure_ns", range(r->exposure_ns));
	set(object, "exposure", json_string(tool_origin_name(r->exposure_from)));
	set(object, "noise_ns", range(r->noise_ns));
	set(object, "events", core ? range(core->events) : json_null());
	set(object, "max_ns", range(r->max_ns));
	set(object, "split_ns", number(r->noise_ns.low, r->split));
	set(object, "floor_ns", number(r->floor_ns, r->split));
	for (unsigned c = 0; c < SPLIT_CAUSES; c++) {
		char key[24];

		snprintf(key, sizeof(key), "%s_ns", tool_cause_name((enum tool_cause)c));
		set(object, key, number(r->cause_ns[c].low, r->split && r->cause_ns[c].known));
	}
	set(object, "unexplained_ns", number(r->unexplained_ns, r->split));
	set(object, "floor_expected_ns", number(r->expected_ns, r->split));
	set(object, "floor_bounds_ns", range(r->bounds_ns));
	set(object, "added_ns", range(r->added_ns));
	set(object, "floor_max_ns", number(r->floor_max_ns, r->has_floor));
	return object;
}

static void add_flag(void *list, bool refused, const char *name, const char *text)
{
	(void)refused;
	json_array_append_new(list, json_pack("{s:s,s:s}", "name", name, "text", text));
}

static json_t *split_object(const struct split_result *s)
{
	const struct tool *tool = s->tool;
	json_t *object = json_object(), *cores = json_array(), *flags = json_array();

	set(object, "file", json_name(tool->file));
	set(object, "line", number(tool->line, tool->line > 0));
	set(object, "tool", json_string(tool->tool));
	set(object, "version", tool->version[0] ? json_name(tool->version) : json_null());
	set(object, "threshold_ns", range(tool->threshold_ns));
	set(object, "threshold", json_string(tool_origin_name(tool->threshold_from)));
	set(object, "refused", json_boolean(s->refused));
	for (size_t i = 0; i < s->rows && !s->refused; i++)
		json_array_append_new(cores, row_object(&s->row[i], &tool->core[i]));
	set(object, "cores", cores);
	set(object, "all", s->has_all ? row_object(&s->all, NULL) : json_null());
	split_words_flags(s, add_flag, flags);
	set(object, "flags", flags);
	return object;
}

void compare_json(const struct comparison *c)
{
	json_t *compared = json_array(), *root;

	for (size_t i = 0; i < c->count; i++)
		json_array_append_new(compared, split_object(&c->split[i]));
	root = json_pack("{s:o,s:o}", "floor", floor_object(c->floor), "compared", compared);
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
}
