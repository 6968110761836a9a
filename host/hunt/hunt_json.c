/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs, settings, changes and tests as they are; tests refer to changes by number. */
#include "hunt_forms.h"

#include "host/lib/json_name.h"

static json_t *json_rates(const struct hunt *h, size_t run, unsigned rate, unsigned end)
{
	json_t *rates = json_object();

	for (; rate < end; rate++)
		json_object_set_new(rates, hunt_rate_name(h, rate),
				    h->run[run].known[rate] ? json_real(hunt_rate(h, run, rate) *
									hunt_rate_scale(rate))
							    : json_null());
	return rates;
}

static json_t *json_run(const struct hunt *h, size_t run)
{
	const struct hunt_run *r = &h->run[run];

	return json_pack("{s:o,s:o,s:f,s:o,s:o}", "name", json_name(r->name), "sid",
			 json_sid(r->sid), "seconds", r->seconds, "rates",
			 json_rates(h, run, 0, HUNT_TIMES), "times",
			 json_rates(h, run, HUNT_TIMES, hunt_rates(h)));
}

static json_t *json_setting(const struct hunt *h, const struct hunt_setting *s)
{
	return json_pack("{s:o,s:o}", "name", json_name(s->name), "values",
			 JSON_ARRAY(r, r < h->runs, json_name(s->value[r])));
}

static json_t *json_change(const struct hunt *h, const struct hunt_change *c)
{
	return json_pack("{s:o,s:o}", "settings",
			 JSON_ARRAY(i, i < c->settings, json_name(h->setting[c->setting[i]].name)),
			 "on", JSON_ARRAY(r, r < h->runs, json_boolean(c->on[r])));
}

static json_t *json_if(bool known, double value)
{
	return known ? json_real(value) : json_null();
}

static json_t *json_test(const struct hunt *h, const struct hunt_test *t)
{
	const struct hunt_fit *f = &t->fit;
	double scale = hunt_rate_scale(t->rate);

	return json_pack("{s:I,s:s,s:b,s:b,s:b,s:b,s:f,s:f,s:o,s:o,s:f,s:I,s:o,s:o}", "change",
			 (json_int_t)t->change, "rate", hunt_rate_name(h, t->rate), "found",
			 t->found, "too_few", t->too_few, "in_doubt", t->in_doubt, "by_order",
			 t->by_order, "off", hunt_tests_rate(h, t->change, t->rate, false) * scale,
			 "on", hunt_tests_rate(h, t->change, t->rate, true) * scale, "factor",
			 json_if(f->possible, f->factor), "chance", json_if(f->possible, f->chance),
			 "adjusted", t->adjusted, "freedom", (json_int_t)f->freedom, "spread",
			 json_if(f->freedom, f->spread), "spread_by_chance",
			 json_if(f->expected > 0, f->expected));
}

/* The first settings of a change, with the values of a run. */
static json_t *json_values(const struct hunt *h, const struct hunt_change *c, size_t count,
			   size_t run)
{
	json_t *values = json_object();

	for (size_t i = 0; i < count; i++) {
		const struct hunt_setting *s = &h->setting[c->setting[i]];

		json_object_set_new(values, s->name, json_name(s->value[run]));
	}
	return values;
}

static json_t *json_next(const struct hunt *h, const struct hunt_tests *tests)
{
	const struct hunt_advice a = hunt_tests_next(tests, h);
	const struct hunt_change *c = a.test ? &h->change[a.test->change] : NULL;

	if (a.next == HUNT_NEXT_NONE)
		return json_null();
	if (a.next == HUNT_NEXT_AGAIN)
		return json_pack("{s:o,s:o}", "as", json_name(h->run[a.again].name), "set",
				 json_object());
	return json_pack("{s:o,s:o}", "as", json_name(h->run[0].name), "set",
			 json_values(h, c, a.settings, a.on));
}

static json_t *json_planned(const struct hunt *h, const struct hunt_plan *plan, size_t run)
{
	json_t *values = json_object();

	for (size_t i = 0; i < h->settings; i++)
		json_object_set_new(values, h->setting[i].name,
				    json_name(hunt_plan_value(plan, h, run, i)));
	return values;
}

static json_t *json_plan(const struct hunt *h, const struct hunt_plan *plan)
{
	return plan->runs ? JSON_ARRAY(r, r < plan->runs, json_planned(h, plan, r)) : json_null();
}

void hunt_print_json(const struct hunt *h, const struct hunt_tests *tests,
		     const struct hunt_plan *plan)
{
	json_print("hunt/1",
		   json_pack("{s:o,s:o,s:I,s:I,s:I,s:I,s:I,s:b,s:f,s:o,s:o,s:o,s:o,s:o,s:o}",
			     "machine", *h->machine ? json_name(h->machine) : json_null(), "stage",
			     json_name(h->stage), "threshold_ns", (json_int_t)h->threshold_ns,
			     "left_out", (json_int_t)h->left_out, "unchanged",
			     (json_int_t)h->unchanged, "not_in_all", (json_int_t)h->unknown,
			     "another_in_each", (json_int_t)h->always, "order_known",
			     h->order != NULL, "level", HUNT_LEVEL, "runs",
			     JSON_ARRAY(i, i < h->runs, json_run(h, i)), "settings",
			     JSON_ARRAY(i, i < h->settings, json_setting(h, &h->setting[i])),
			     "changes",
			     JSON_ARRAY(i, i < h->changes, json_change(h, &h->change[i])), "tests",
			     JSON_ARRAY(i, i < tests->count, json_test(h, &tests->at[i])), "next",
			     json_next(h, tests), "plan", json_plan(h, plan)),
		   JSON_COMPACT | JSON_REAL_PRECISION(12));
}
