/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What changed as one JSON document:
 *
 *   {"before":{"file":...,"sid":...,"whole":true},"after":{...},"unlike":["...",...],
 *    "differences":[{"field":...,"before":...,"after":...},...],
 *    "stages":[{"stage":...,"cores":{"before":4,"after":4},"exposure_ns":{...},
 *               "max_ns":{...},"rates":[{"what":"gaps","before":{"count":...,"per_s":...,
 *               "low":...,"high":...},"after":{...},"change":"less","log10_p":-4.2,
 *               "burst":1.0},...],"sources":[{"change":"gone","cause":...,"period_ns":...,
 *               "events":...,"origin":...,"hint":...,"why":null},...]},...],
 *    "outcome":"better"}
 */
#include "diff_compared.h"

#include "host/lib/json_name.h"

#include <stdio.h>

static json_t *run_object(const struct run_select *p)
{
	return json_pack("{s:o,s:o,s:b}", "file", json_name(p->capture.name), "sid",
			 json_sid(p->run->sid), "whole", run_is_whole(p->run));
}

static json_t *pair(uint64_t before, uint64_t after)
{
	return json_pack("{s:o,s:o}", "before", json_number(before), "after", json_number(after));
}

static json_t *side_object(const struct diff_side *s)
{
	if (!s->count.known)
		return json_null();
	return json_pack("{s:o,s:f,s:f,s:f}", "count", json_number(s->count.value), "per_s",
			 s->per_s, "low", s->low, "high", s->high);
}

static json_t *rate_object(const struct diff_rate *r)
{
	const char *change = ratetest_change_name(r->change.change);

	return json_pack("{s:s,s:o,s:o,s:s?,s:o,s:f}", "what", r->what, "before",
			 side_object(&r->before), "after", side_object(&r->after), "change", change,
			 "log10_p",
			 change ? json_real((double)r->change.chance_milli / 1000) : json_null(),
			 "burst", (double)r->change.burst / LADDER_BURST_ONE);
}

static json_t *rates_array(const struct diff_rates *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->count; i++)
		json_array_append_new(list, rate_object(&d->rate[i]));
	return list;
}

static json_t *source_object(const struct diff_changed_source *s)
{
	const struct record_source *r = &s->source;

	return json_pack("{s:s,s:s?,s:o,s:o,s:s?,s:s?,s:s?}", "change",
			 diff_source_change_name(s->change), "cause", r->cause, "period_ns",
			 json_number(r->period_ns), "events", json_number(r->events), "origin",
			 r->origin, "hint", r->hint, "why", s->why);
}

static json_t *sources_array(const struct diff_stage *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->sources; i++)
		json_array_append_new(list, source_object(&s->source[i]));
	return list;
}

static json_t *stage_object(const struct diff_stage *s)
{
	const struct diff_rates *r = &s->rates;
	json_t *stage = json_pack("{s:o,s:o}", "stage", json_name(s->name), "sources",
				  sources_array(s));

	if (!s->has_rates)
		return stage;
	json_object_set_new(stage, "cores", pair(r->cores_before, r->cores_after));
	json_object_set_new(stage, "exposure_ns",
			    pair(r->exposure_before_ns, r->exposure_after_ns));
	json_object_set_new(stage, "max_ns", pair(r->longest_before.ns, r->longest_after.ns));
	json_object_set_new(stage, "rates", rates_array(r));
	return stage;
}

static json_t *stages_array(const struct diff_compared *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->stages; i++)
		json_array_append_new(list, stage_object(&c->stage[i]));
	return list;
}

static json_t *unlike_array(const struct diff_compared *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->unlikes; i++)
		json_array_append_new(list, json_name(c->unlike[i]));
	return list;
}

static json_t *differences_array(const struct diff_fields *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->count; i++)
		json_array_append_new(list,
				      json_pack("{s:o,s:o,s:o}", "field", json_name(d->at[i].name),
						"before", json_name(d->at[i].before), "after",
						json_name(d->at[i].after)));
	return list;
}

void diff_json(const struct diff_compared *c)
{
	json_t *document = json_pack("{s:o,s:o,s:o,s:o,s:o,s:s}", "before", run_object(&c->before),
				     "after", run_object(&c->after), "unlike", unlike_array(c),
				     "differences", differences_array(&c->differences), "stages",
				     stages_array(c), "outcome", diff_outcome_name(c->outcome));

	json_dumpf(document, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12));
	putchar('\n');
	json_decref(document);
}
