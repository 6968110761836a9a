/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether two runs can be compared, and what changed. */
#include "diff.h"

#include "host/kinds/host_kind.h"
#include "host/lib/memory.h"

#include "core/lib/span.h"
#include "core/lib/arith.h"
#include "core/lib/cpulist.h"
#include "core/lib/text.h"
#include "core/lib/units.h"
#include "core/records/record_field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Fields: two records of a type, walked side by side ---- */

#define DIFFERENCES_MAX 1000 /* more are ignored */

#define NAME_BYTES   160
#define VALUE_BYTES  4096
#define UNLIKE_BYTES 512
#define WORDS_MAX    1000 /* words of a configuration: captures may hold anything */
#define HZ_APART     1000 /* rates may differ by 1 in so many: calibration's error */

static void add_unequal(struct diff_fields *d, const char *name, const char *before,
			const char *after)
{
	if (strcmp(before, after) != 0 && d->count < DIFFERENCES_MAX)
		*MEMORY_ADD(d->at, d->count) = (struct diff_field){ memory_text(name),
								    memory_text(before),
								    memory_text(after) };
}

/* Fields that are not compared here; and those that are printed in hexadecimal. */
static const char *const left_out[] = { "bringup_ns", "audit_ppm", "begin_tsc", "config",
					"hz",         "stage",     NULL };
static const char *const in_hex[] = { "microcode", "smi_en", NULL };

static bool is_among(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names;
}

static void put_number(struct text *t, const struct record_field *f, struct maybe number)
{
	if (!number.known)
		text_add(t, "n/a");
	else if (f->kind == FIELD_BOOL)
		text_add(t, "%s", number.value ? "true" : "false");
	else
		text_add(t, is_among(in_hex, f->name) ? "0x%llx" : "%llu",
			 (unsigned long long)number.value);
}

/* False: it is not compared. */
static bool put_value(struct text *t, const struct record_field *f, const void *record)
{
	const void *at = (const char *)record + f->offset;
	const struct period_timer *timer = at;
	const char *const *string = at;

	switch (f->kind) {
	case FIELD_U64:
	case FIELD_U32:
	case FIELD_BOOL:
	case FIELD_MAYBE:
		put_number(t, f, record_field_number(f, record));
		return true;
	case FIELD_STRING:
		text_add(t, "%s", record_field_string(f, record));
		return f->unit != FIELD_UNIT_DATE;
	case FIELD_STRINGS:
		for (size_t i = 0; i < RECORD_STRINGS && string[i]; i++)
			text_add(t, "%s%s", i ? " " : "", string[i]);
		return true;
	case FIELD_TIMERS:
		for (size_t i = 0; i < RECORD_TIMERS && timer[i].name; i++)
			text_add(t, "%s%s", i ? ", " : "", timer[i].name);
		return true;
	default:
		return false;
	}
}

static void compare_field(struct diff_fields *d, const struct record_field *f, const char *prefix,
			  const void *before, const void *after)
{
	static char value[2][VALUE_BYTES];
	TEXT_DEFINE(name, NAME_BYTES);
	struct text t[2];

	text_add(&name, "%s%s", prefix, f->name);
	text_init(&t[0], value[0], VALUE_BYTES);
	text_init(&t[1], value[1], VALUE_BYTES);
	if (!is_among(left_out, f->name) && put_value(&t[0], f, before) &&
	    put_value(&t[1], f, after))
		add_unequal(d, name.buf, value[0], value[1]);
}

/* `prefix` has room for the name of an object inside. */
static void compare_records(struct diff_fields *d, enum record_type type, char prefix[NAME_BYTES],
			    const void *before, const void *after)
{
	size_t outside = strlen(prefix);
	struct text t;

	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (f->kind == FIELD_OPEN) {
			text_init(&t, prefix + outside, NAME_BYTES - outside);
			text_add(&t, "%s.", f->name);
		} else if (f->kind == FIELD_CLOSE) {
			prefix[outside] = '\0';
		} else {
			compare_field(d, f, prefix, before, after);
		}
	}
}

/* ---- Fields that are compared in a way of their own ---- */

static void compare_hz(struct diff_fields *d, uint64_t before, uint64_t after)
{
	uint64_t apart = arith_apart(before, after);
	TEXT_DEFINE(b, 24);
	TEXT_DEFINE(a, 24);

	if (apart <= before / HZ_APART)
		return;
	text_add(&b, "%llu", (unsigned long long)before);
	text_add(&a, "%llu", (unsigned long long)after);
	add_unequal(d, "clock.hz", b.buf, a.buf);
}

/* The value of `key` in "key=value key=value ..."; "n/a" where it is not there. */
static void find_value(const char *config, struct span key, char value[VALUE_BYTES])
{
	struct span rest = { config, config ? strlen(config) : 0 };
	struct text t;

	text_init(&t, value, VALUE_BYTES);
	while (rest.bytes) {
		struct span word = span_until(&rest, ' ');
		struct span name = span_until(&word, '=');

		if (name.bytes != key.bytes || memcmp(name.s, key.s, key.bytes) != 0)
			continue;
		text_bytes(&t, word.s, word.bytes);
		return;
	}
	text_add(&t, "n/a");
}

/*
 * Compare the values of each key in `keys`. If `keys` is not `before`, skip the keys of `before`:
 * they are compared already.
 */
static void compare_config(struct diff_fields *d, const char *keys, const char *before,
			   const char *after)
{
	static char value[2][VALUE_BYTES];
	struct span rest = { keys, keys ? strlen(keys) : 0 };

	for (unsigned words = 0; rest.bytes && words < WORDS_MAX; words++) {
		struct span word = span_until(&rest, ' ');
		struct span key = span_until(&word, '=');
		TEXT_DEFINE(name, NAME_BYTES);

		if (!key.bytes)
			continue;
		find_value(before, key, value[0]);
		find_value(after, key, value[1]);
		if (keys != before && strcmp(value[0], "n/a") != 0)
			continue;
		text_add(&name, "config.%.*s", (int)key.bytes, key.s);
		add_unequal(d, name.buf, value[0], value[1]);
	}
}

static void compare_stage(struct diff_fields *d, const struct result_stage *before,
			  const struct result_stage *after)
{
	TEXT_DEFINE(prefix, NAME_BYTES);

	if (!before->has_state || !after || !after->has_state)
		return;
	text_add(&prefix, "stage %.40s.", before->name);
	compare_records(d, RECORD_STAGE, prefix.buf, &before->state, &after->state);
}

/*
 * Compare what the runs have, except what always differs between two runs of a machine: times, and
 * clock rates within 1000 ppm.
 */
static void diff_fields_read(struct diff_fields *d, const struct result *before,
			     const struct result *after)
{
	const struct record_begin *b = &before->begin, *a = &after->begin;
	char prefix[NAME_BYTES] = "";

	*d = (struct diff_fields){ 0 };
	if (before->has_begin && after->has_begin) {
		compare_records(d, RECORD_BEGIN, prefix, b, a);
		compare_hz(d, b->clock.hz, a->clock.hz);
		compare_config(d, b->config, b->config, a->config);
		compare_config(d, a->config, b->config, a->config);
	}
	for (size_t i = 0; i < before->stages; i++)
		compare_stage(d, &before->stage[i],
			      result_find_stage(after, before->stage[i].name));
}

static void diff_fields_free(struct diff_fields *d)
{
	for (size_t i = 0; i < d->count; i++) {
		free(d->at[i].name);
		free(d->at[i].before);
		free(d->at[i].after);
	}
	free(d->at);
	*d = (struct diff_fields){ 0 };
}

/* ---- Can they be compared? ---- */

/* Print what must be equal in two runs; `stage` is its stage, or NULL. */
typedef void diff_compared_print(const struct result *run, const char *stage, struct text *t);

/* Add to c->unlike what is printed of the runs, if it differs or, with `always`, in any case. */
static void check_alike(struct diff_compared *c, const char *what, diff_compared_print *print,
			const char *stage, bool always)
{
	static char value[2][CPULIST_MAX * 5];
	TEXT_DEFINE(sentence, UNLIKE_BYTES);
	struct text t[2];

	text_init(&t[0], value[0], sizeof(value[0]));
	text_init(&t[1], value[1], sizeof(value[1]));
	print(c->before.run, stage, &t[0]);
	print(c->after.run, stage, &t[1]);
	if (!always && strcmp(value[0], value[1]) == 0)
		return;
	text_add(&sentence, "%s: %.200s before, %.200s after", what, value[0], value[1]);
	*MEMORY_ADD(c->unlike, c->unlikes) = memory_text(sentence.buf);
}

static void print_mode(const struct result *run, const char *stage, struct text *t)
{
	(void)stage;
	text_add(t, "%s", result_mode(run)->name);
}

static void print_threshold(const struct result *run, const char *stage, struct text *t)
{
	(void)stage;
	if (run->has_begin)
		units_print_ns(t, result_threshold(run));
	else
		text_add(t, "not known (no begin record)");
}

static void print_cores(const struct result *run, const char *stage, struct text *t)
{
	const struct host_kind *kind;
	struct cpulist list;

	cpulist_clear(&list);
	for (size_t n = 0; (kind = host_kind_at(n)); n++)
		result_stage_cores(result_find_stage(run, stage), kind, &list);
	cpulist_print(&list, t);
}

static void print_stages(const struct result *run, const char *stage, struct text *t)
{
	(void)stage;
	for (size_t i = 0; i < run->stages; i++) {
		if (result_stage_is_measured(&run->stage[i]))
			text_add(t, "%s%.40s", t->len ? "," : "", run->stage[i].name);
	}
	if (!t->len)
		text_add(t, "none");
}

/* True if a mode has measured the stage in both runs. */
static bool is_common(const struct result_stage *before, const struct result_stage *after)
{
	const struct host_kind *kind = NULL;
	size_t n = 0;

	while (after && (kind = host_kind_at(n)) &&
	       !(result_stage_cores(before, kind, NULL) && result_stage_cores(after, kind, NULL)))
		n++;
	return kind;
}

static void find_stages(struct diff_compared *c, const char *wanted)
{
	const struct result *run = c->before.run;

	for (size_t i = 0; i < run->stages; i++) {
		const char *name = run->stage[i].name;

		if ((!wanted || strcmp(name, wanted) == 0) &&
		    is_common(&run->stage[i], result_find_stage(c->after.run, name)))
			c->stage[c->stages++] = name;
	}
}

void diff_compared_check(struct diff_compared *c, const char *stage)
{
	char what[80];

	check_alike(c, "mode", print_mode, NULL, false);
	check_alike(c, "threshold", print_threshold, NULL, !c->before.run->has_begin);
	find_stages(c, stage);
	/* Stages besides a requested one may differ. */
	if (!stage || !c->stages)
		check_alike(c, "stages", print_stages, NULL, stage);
	for (size_t i = 0; i < c->stages; i++) {
		snprintf(what, sizeof(what), "cores in stage %.40s", c->stage[i]);
		check_alike(c, what, print_cores, c->stage[i], false);
	}
}

/* ---- What changed ---- */

static void diff_compared_find(struct diff_compared *c, const struct host_kind *kind,
			       const struct diff_sides *of)
{
	struct findings f = { .stage = of->name, .bounds = "" };

	if (!kind->diff)
		return;
	if (!kind->diff(&f, of)) {
		findings_free(&f);
		return;
	}
	*MEMORY_ADD(c->found, c->count) = f;
	if (findings_more(&f))
		c->outcome = OUTCOME_WORSE;
	else if (findings_less(&f) && c->outcome == OUTCOME_SAME)
		c->outcome = OUTCOME_BETTER;
}

void diff_compared_read(struct diff_compared *c)
{
	const struct host_kind *kind;

	diff_fields_read(&c->differences, c->before.run, c->after.run);
	for (size_t i = 0; i < c->stages; i++) {
		const struct diff_sides of = { { &c->before, &c->after },
					       { result_find_stage(c->before.run, c->stage[i]),
						 result_find_stage(c->after.run, c->stage[i]) },
					       c->stage[i],
					       c->spread };

		for (size_t n = 0; (kind = host_kind_at(n)); n++)
			diff_compared_find(c, kind, &of);
	}
}

void diff_compared_free(struct diff_compared *c)
{
	while (c->count)
		findings_free(&c->found[--c->count]);
	free(c->found);
	diff_fields_free(&c->differences);
	while (c->unlikes)
		free(c->unlike[--c->unlikes]);
	free(c->unlike);
	capture_close(&c->before.capture);
	capture_close(&c->after.capture);
}
