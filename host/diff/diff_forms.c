/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JUnit and TAP: a test per rate and source of each stage, and per core, kernel and phase of
 * stretch. It fails if the rate or the time is significantly higher, or the source new; it is
 * skipped if that is unknown. Runs that are not compared are one test, an error.
 *
 * InfluxDB and Prometheus: noisefloor_diff, a row per rate, and noisefloor_diff_stretch, with the
 * time of the file AFTER.
 */
#include "diff_compared.h"

#include "host/forms/checks.h"
#include "host/forms/ci.h"
#include "host/forms/series.h"
#include "host/lib/json_name.h"

#include "core/lib/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- For CI servers ---- */

static const enum check_status status_of[] = {
	[RATE_NOT_COMPARED] = CHECK_SKIP,
	[RATE_SAME] = CHECK_PASS,
	[RATE_LESS] = CHECK_PASS,
	[RATE_MORE] = CHECK_FAIL,
};

static void add_stretch(struct checks *checks, const struct diff_stage *s,
			const struct diff_stretch_row *r)
{
	const struct record_stretch *b = r->side[0], *a = r->side[1];
	struct text t;
	struct checks_row *c = checks_add(checks, status_of[r->change], s->name, &t,
					  "stretch %s %s cpu %u", b->kernel, b->phase, b->cpu);

	snprintf(c->text, sizeof(c->text),
		 "best %.6g ns before, %.6g after; p99.9 %.6g, %.6g; mean %.6g, %.6g: %s",
		 r->best_ns[0], r->best_ns[1], 1 + (double)b->p999 / 1e6, 1 + (double)a->p999 / 1e6,
		 1 + (double)b->mean / 1e6, 1 + (double)a->mean / 1e6,
		 ratetest_change_name(r->change) ?: "not compared");
}

static void add_rate(struct checks *checks, const struct diff_stage *s, const struct diff_rate *r)
{
	char p[DIFF_CHANCE_MAX];
	struct text t;
	struct checks_row *c = checks_add(checks, status_of[r->change.change], s->name, &t, "%s",
					  r->what);

	c->ns = s->rates.exposure_after_ns;
	if (r->change.change == RATE_NOT_COMPARED)
		text_add(&t, "not known for both runs");
	else
		snprintf(c->text, sizeof(c->text), "%.6g /s and core before, %.6g after: %s, p %s",
			 r->before.per_s, r->after.per_s, ratetest_change_name(r->change.change),
			 diff_chance(&r->change, p));
}

static void add_source(struct checks *checks, const struct diff_stage *s,
		       const struct diff_changed_source *source)
{
	static const enum check_status status[] = {
		[SOURCE_KEPT] = CHECK_PASS,
		[SOURCE_GONE] = CHECK_PASS,
		[SOURCE_NEW] = CHECK_FAIL,
		[SOURCE_UNSURE] = CHECK_SKIP,
	};
	const struct record_source *r = &source->source;
	TEXT_DEFINE(period, 24);

	text_duration(&period, r->period_ns);
	checks_add(checks, status[source->change], s->name, &period, "source %s every %s",
		   r->cause ? r->cause : "n/a", period.buf);
	text_add(&period, "%s%s%s", diff_source_change_name(source->change),
		 source->why ? ": " : "", source->why ? source->why : "");
}

static void add_run(struct checks *checks, const struct capture_select *p, const char *name)
{
	bool whole = result_is_whole(p->run);
	struct text t;

	checks_add(checks, whole ? CHECK_PASS : CHECK_ERROR, "run", &t, "%s", name);
	text_add(&t, "run %016llx%s", (unsigned long long)p->run->sid,
		 whole ? "" : ", records missing");
}

static void add_refusal(struct checks *checks, const struct diff_compared *c)
{
	struct text t;

	checks_add(checks, CHECK_ERROR, "run", &t, "alike");
	text_add(&t, "not compared");
	for (size_t i = 0; i < c->unlikes; i++)
		text_add(&t, "; the runs differ in %s", c->unlike[i]);
}

static void read_checks(struct checks *checks, const struct diff_compared *c)
{
	if (c->refused) {
		add_refusal(checks, c);
		return;
	}
	for (size_t i = 0; i < c->stages; i++) {
		const struct diff_stage *s = &c->stage[i];

		for (size_t n = 0; s->has_rates && n < s->rates.count; n++)
			add_rate(checks, s, &s->rates.rate[n]);
		for (size_t n = 0; n < s->stretch.rows; n++)
			add_stretch(checks, s, &s->stretch.row[n]);
		for (size_t n = 0; n < s->sources; n++)
			add_source(checks, s, &s->source[n]);
	}
	add_run(checks, &c->before, "before is complete");
	add_run(checks, &c->after, "after is complete");
}

void diff_ci(const struct diff_compared *c)
{
	const char *property[][2] = { { "before", c->before.capture.name },
				      { "after", c->after.capture.name } };
	struct checks checks = { .count = 0 };
	char comment[1200];
	const struct ci_suite suite = { "noisefloor diff", comment, property, 2, &checks };

	read_checks(&checks, c);
	snprintf(comment, sizeof(comment), "%s to %s", c->before.capture.name,
		 c->after.capture.name);
	ci_open(c->form);
	ci_suite(&suite);
	ci_close();
	checks_free(&checks);
}

/* ---- For time-series databases ---- */

static double per_second(const struct diff_side *side)
{
	return side->count.known ? side->per_s : NAN;
}

static void add_row(struct series *series, const struct diff_compared *c,
		    const struct diff_stage *s, const struct diff_rate *r)
{
	bool compared = r->change.change != RATE_NOT_COMPARED;

	series_add(series, series_time_of(c->after.capture.name));
	series_label(series, "before", "%016" PRIx64, c->before.run->sid);
	series_label(series, "after", "%016" PRIx64, c->after.run->sid);
	series_label(series, "stage", "%s", s->name);
	series_label(series, "what", "%s", r->what);
	series_set_real(series, "before_per_second", "Per second and core, before.",
			per_second(&r->before));
	series_set_real(series, "after_per_second", "Per second and core, after.",
			per_second(&r->after));
	series_set_real(series, "log10_chance",
			"log10 of the probability that chance alone explains the change.",
			compared ? (double)r->change.chance_milli / 1000 : NAN);
	series_set(series, "worse", "1 if the rate is significantly higher.", SERIES_COUNT,
		   compared ? range_exact(r->change.change == RATE_MORE) : (struct range){ 0 });
}

static void add_side(struct series *s, const struct diff_stretch_row *r, int side)
{
	static const char *const names[][3] = { { "before_best_ns", "before_p999", "before_mean" },
						{ "after_best_ns", "after_p999", "after_mean" } };
	const char *const *name = names[side];

	series_set_real(s, name[0], "The best time of a quantum, ns.",
			r->best_ns[side] < 0 ? NAN : r->best_ns[side]);
	series_set_real(s, name[1], "99.9 % of stretch, times the best.",
			1 + (double)r->side[side]->p999 / 1e6);
	series_set_real(s, name[2], "The mean of stretch, times the best.",
			1 + (double)r->side[side]->mean / 1e6);
}

static void add_stretch_row(struct series *s, const struct diff_compared *c, const char *stage,
			    const struct diff_stretch_row *r)
{
	series_add(s, series_time_of(c->after.capture.name));
	series_label(s, "before", "%016" PRIx64, c->before.run->sid);
	series_label(s, "after", "%016" PRIx64, c->after.run->sid);
	series_label(s, "stage", "%s", stage);
	series_label(s, "kernel", "%s", r->side[0]->kernel);
	series_label(s, "phase", "%s", r->side[0]->phase);
	series_label(s, "cpu", "%" PRIu32, r->side[0]->cpu);
	add_side(s, r, 0);
	add_side(s, r, 1);
	series_set(s, "worse", "1 if a quantum takes significantly longer.", SERIES_COUNT,
		   r->change != RATE_NOT_COMPARED ? range_exact(r->change == RATE_MORE)
						  : (struct range){ 0 });
}

void diff_series(const struct diff_compared *c)
{
	struct series s = { .measurement = "diff" }, stretch = { .measurement = "diff_stretch" };

	for (size_t i = 0; i < c->stages; i++) {
		const struct diff_rates *r = &c->stage[i].rates;

		for (size_t n = 0; c->stage[i].has_rates && n < r->count; n++)
			add_row(&s, c, &c->stage[i], &r->rate[n]);
		for (size_t n = 0; n < c->stage[i].stretch.rows; n++)
			add_stretch_row(&stretch, c, c->stage[i].name, &c->stage[i].stretch.row[n]);
	}
	series_print(&s, c->form);
	series_print(&stretch, c->form);
	series_free(&s);
	series_free(&stretch);
}

/* ---- JSON ---- */

/*
 * What changed as one JSON document:
 *
 *   {"before":{"file":...,"sid":...,"whole":true},"after":{...},"unlike":["...",...],
 *    "differences":[{"field":...,"before":...,"after":...},...],
 *    "stages":[{"stage":...,"cores":{"before":4,"after":4},"exposure_ns":{...},
 *               "max_ns":{...},"rates":[{"what":"gaps","before":{"count":...,"per_s":...,
 *               "low":...,"high":...},"after":{...},"change":"less","log10_p":-4.2,
 *               "burst":1.0},...],"sources":[{"change":"gone","cause":...,"period_ns":...,
 *               "events":...,"origin":...,"hint":...,"why":null},...],
 *               "stretch":[{"kernel":...,"phase":...,"cpu":...,"before":{"quanta":...,
 *               "best_ns":...,"p999":...,"mean":...},"after":{...},"change":"same"},...]},...],
 *    "outcome":"better"}
 */

static json_t *run_object(const struct capture_select *p)
{
	return json_pack("{s:o,s:o,s:o,s:b}", "file", json_name(p->capture.name), "sid",
			 json_sid(p->run->sid), "began",
			 p->run->has_begin && p->run->begin.began ? json_name(p->run->begin.began)
								  : json_null(),
			 "whole", result_is_whole(p->run));
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

static json_t *source_object(const struct diff_changed_source *s)
{
	const struct record_source *r = &s->source;

	return json_pack("{s:s,s:s?,s:o,s:o,s:s?,s:s?,s:s?}", "change",
			 diff_source_change_name(s->change), "cause", r->cause, "period_ns",
			 json_number(r->period_ns), "events", json_number(r->events), "origin",
			 r->origin, "hint", r->hint, "why", s->why);
}

static json_t *stretch_side(const struct diff_stretch_row *r, int side)
{
	return json_pack(
		"{s:o,s:o,s:o,s:o}", "quanta", json_number(r->side[side]->quanta), "best_ns",
		r->best_ns[side] < 0 ? json_null() : json_real(r->best_ns[side]), "p999",
		json_number(r->side[side]->p999), "mean", json_number(r->side[side]->mean));
}

static json_t *stretch_object(const struct diff_stretch_row *r)
{
	const struct record_stretch *b = r->side[0];

	return json_pack("{s:o,s:o,s:I,s:o,s:o,s:s?}", "kernel", json_name(b->kernel), "phase",
			 json_name(b->phase), "cpu", (json_int_t)b->cpu, "before",
			 stretch_side(r, 0), "after", stretch_side(r, 1), "change",
			 ratetest_change_name(r->change));
}

static json_t *stage_object(const struct diff_stage *s)
{
	const struct diff_rates *r = &s->rates;
	json_t *stage = json_pack("{s:o,s:o}", "stage", json_name(s->name), "sources",
				  JSON_ARRAY(i, i < s->sources, source_object(&s->source[i])));

	if (s->stretch.rows)
		json_object_set_new(
			stage, "stretch",
			JSON_ARRAY(i, i < s->stretch.rows, stretch_object(&s->stretch.row[i])));
	if (!s->has_rates)
		return stage;
	json_object_set_new(stage, "cores", pair(r->cores_before, r->cores_after));
	json_object_set_new(stage, "exposure_ns",
			    pair(r->exposure_before_ns, r->exposure_after_ns));
	json_object_set_new(stage, "max_ns", pair(r->longest_before.ns, r->longest_after.ns));
	json_object_set_new(stage, "rates", JSON_ARRAY(i, i < r->count, rate_object(&r->rate[i])));
	return stage;
}

static json_t *difference_object(const struct diff_field *d)
{
	return json_pack("{s:o,s:o,s:o}", "field", json_name(d->name), "before",
			 json_name(d->before), "after", json_name(d->after));
}

void diff_json(const struct diff_compared *c)
{
	const struct diff_fields *d = &c->differences;

	json_print(json_pack("{s:o,s:o,s:o,s:o,s:o,s:s}", "before", run_object(&c->before), "after",
			     run_object(&c->after), "unlike",
			     JSON_ARRAY(i, i < c->unlikes, json_name(c->unlike[i])), "differences",
			     JSON_ARRAY(i, i < d->count, difference_object(&d->at[i])), "stages",
			     JSON_ARRAY(i, i < c->stages, stage_object(&c->stage[i])), "outcome",
			     diff_outcome_name(c->outcome)),
		   JSON_COMPACT | JSON_REAL_PRECISION(12));
}
