/* SPDX-License-Identifier: BSD-2-Clause */
/* A comparison as JSON. */
#include "compare_json.h"

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

/* File names and records may be in any encoding, JSON is not. */
static json_t *string(const char *text)
{
	json_t *value = json_string(text);

	return value ? value : json_string("(not UTF-8)");
}

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

json_t *compare_json_floor(const struct floor *floor)
{
	json_t *object = json_object();
	char sid[20];

	snprintf(sid, sizeof(sid), "%016llx", (unsigned long long)floor->run->sid);
	set(object, "file", string(floor->file));
	set(object, "sid", json_string(sid));
	set(object, "stage", string(floor->stage_name));
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

static void add_flag(json_t *list, const char *name, const char *text)
{
	json_array_append_new(list, json_pack("{s:s,s:s}", "name", name, "text", text));
}

static json_t *flags(const struct split_result *s)
{
	json_t *list = json_array();

	for (unsigned f = 0; f < SPLIT_FLAGS; f++) {
		if (s->flags >> f & 1)
			add_flag(list, split_flag_name((enum split_flag)f),
				 split_flag_text((enum split_flag)f));
	}
	for (unsigned n = 0; n < TOOL_NOTES; n++) {
		if (s->tool->notes >> n & 1)
			add_flag(list, tool_note_name(n), tool_note_text(n));
	}
	return list;
}

json_t *compare_json(const struct split_result *s)
{
	const struct tool *tool = s->tool;
	json_t *object = json_object(), *cores = json_array();

	set(object, "file", string(tool->file));
	set(object, "line", number(tool->line, tool->line > 0));
	set(object, "tool", json_string(tool->tool));
	set(object, "version", tool->version[0] ? string(tool->version) : json_null());
	set(object, "threshold_ns", range(tool->threshold_ns));
	set(object, "threshold", json_string(tool_origin_name(tool->threshold_from)));
	set(object, "refused", json_boolean(s->refused));
	for (size_t i = 0; i < s->rows && !s->refused; i++)
		json_array_append_new(cores, row_object(&s->row[i], &tool->core[i]));
	set(object, "cores", cores);
	set(object, "all", s->has_all ? row_object(&s->all, NULL) : json_null());
	set(object, "flags", flags(s));
	return object;
}
