/* SPDX-License-Identifier: BSD-2-Clause */
/* Are two runs alike, and what changed? */
#include "diff_compared.h"

#include "host/lib/list.h"

#include "core/lib/cpulist.h"
#include "core/events/train.h"
#include "core/lib/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const change_names[] = {
	[SOURCE_KEPT] = "kept",
	[SOURCE_GONE] = "gone",
	[SOURCE_NEW] = "new",
	[SOURCE_UNSURE] = "unsure",
};

static const char *const outcome_names[] = {
	[OUTCOME_SAME] = "same",
	[OUTCOME_BETTER] = "better",
	[OUTCOME_WORSE] = "worse",
};

const char *source_change_name(enum source_change change)
{
	return change_names[change];
}

const char *outcome_name(enum outcome outcome)
{
	return outcome_names[outcome];
}

/* ---- Alike? ---- */

static void say_unlike(struct compared *c, const char *what, const char *before, const char *after)
{
	struct text t;

	if (c->unlikes == UNLIKE_MAX)
		return;
	text_init(&t, c->unlike[c->unlikes++], UNLIKE_BYTES);
	text_add(&t, "%s: %.200s before, %.200s after", what, before, after);
}

static void print_threshold(const struct shown *s, char *buf, size_t bytes)
{
	struct text t;

	text_init(&t, buf, bytes);
	if (s->has_begin)
		units_print_ns(&t, search_threshold(s->begin.config));
	else
		text_add(&t, "not known (no begin record)");
}

static void check_threshold(struct compared *c)
{
	char before[40], after[40];

	print_threshold(c->before.shown, before, sizeof(before));
	print_threshold(c->after.shown, after, sizeof(after));
	if (strcmp(before, after) != 0 || !c->before.shown->has_begin)
		say_unlike(c, "threshold", before, after);
}

static void print_cores(const struct shown *s, const char *stage, char *buf, size_t bytes)
{
	size_t count = 0;
	struct record_cpu *cpu = shown_stage_cpus(s, stage, &count);
	struct cpulist list;
	struct text t;

	cpulist_clear(&list);
	for (size_t i = 0; i < count; i++)
		cpulist_add(&list, cpu[i].cpu);
	text_init(&t, buf, bytes);
	cpulist_print(&list, &t);
	free(cpu);
}

static void check_cores(struct compared *c, const char *stage)
{
	static char before[CPULIST_MAX * 5], after[CPULIST_MAX * 5];
	char what[80];

	print_cores(c->before.shown, stage, before, sizeof(before));
	print_cores(c->after.shown, stage, after, sizeof(after));
	snprintf(what, sizeof(what), "cores in stage %.40s", stage);
	if (strcmp(before, after) != 0)
		say_unlike(c, what, before, after);
}

static void print_stages(const struct shown *s, char *buf, size_t bytes)
{
	const char *name[STAGES_MAX];
	bool more;
	size_t count = shown_stages(s, name, &more);
	struct text t;

	text_init(&t, buf, bytes);
	for (size_t i = 0; i < count; i++)
		text_add(&t, "%s%.40s", i ? "," : "", name[i]);
	if (!count)
		text_add(&t, "none");
}

static bool has_stage(const struct shown *s, const char *stage)
{
	const char *name[STAGES_MAX];
	bool more;
	size_t count = shown_stages(s, name, &more);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(name[i], stage) == 0)
			return true;
	}
	return false;
}

/* Stages that both have; unlike where one has others, and no single one is asked for. */
static void find_stages(struct compared *c, const char *wanted)
{
	const char *name[STAGES_MAX];
	char before[256], after[256];
	bool more;
	size_t count = shown_stages(c->before.shown, name, &more);

	for (size_t i = 0; i < count; i++) {
		if ((!wanted || strcmp(name[i], wanted) == 0) && has_stage(c->after.shown, name[i]))
			c->stage[c->stages++].name = name[i];
	}
	print_stages(c->before.shown, before, sizeof(before));
	print_stages(c->after.shown, after, sizeof(after));
	if (wanted ? !c->stages : strcmp(before, after) != 0)
		say_unlike(c, "stages", before, after);
}

void compared_check(struct compared *c, const char *stage)
{
	check_threshold(c);
	find_stages(c, stage);
	for (size_t i = 0; i < c->stages; i++)
		check_cores(c, c->stage[i].name);
}

/* ---- Sources ---- */

static void add_source(struct compared_stage *s, struct changed_source source)
{
	s->source = list_grow(s->source, s->sources, sizeof(*s->source));
	s->source[s->sources++] = source;
}

/* Why a run that does not have the source does not tell; NULL where it tells. */
static const char *unsure(const struct found *other, const struct found_source *source)
{
	if (other->span_ns / TRAIN_HITS_MIN < source->source.period_ns)
		return "the other run is too short to show it";
	if (!source->by_probe && !other->searched)
		return "the other run has not all gaps to look for it in";
	return NULL;
}

static void compare_sources(struct compared_stage *s)
{
	for (size_t i = 0; i < s->before.count; i++) {
		const struct found_source *f = &s->before.at[i];
		struct changed_source c = { f->source, SOURCE_KEPT, NULL };

		if (!found_in(&s->after, &f->source)) {
			c.why = unsure(&s->after, f);
			c.change = c.why ? SOURCE_UNSURE : SOURCE_GONE;
		}
		add_source(s, c);
	}
	for (size_t i = 0; i < s->after.count; i++) {
		const struct found_source *f = &s->after.at[i];
		struct changed_source c = { f->source, SOURCE_NEW, unsure(&s->before, f) };

		if (found_in(&s->before, &f->source))
			continue;
		if (c.why)
			c.change = SOURCE_UNSURE;
		add_source(s, c);
	}
}

/* ---- Outcome ---- */

static void count(bool more, bool less, struct compared *c)
{
	if (more)
		c->outcome = OUTCOME_WORSE;
	else if (less && c->outcome == OUTCOME_SAME)
		c->outcome = OUTCOME_BETTER;
}

static void judge(struct compared *c, const struct compared_stage *s)
{
	for (size_t i = 0; s->has_rates && i < s->rates.count; i++) {
		enum rate_change change = s->rates.rate[i].change.change;

		count(change == RATE_MORE, change == RATE_LESS, c);
	}
	for (size_t i = 0; i < s->sources; i++)
		count(s->source[i].change == SOURCE_NEW, s->source[i].change == SOURCE_GONE, c);
}

void compared_read(struct compared *c)
{
	differences_read(&c->differences, c->before.shown, c->after.shown);
	for (size_t i = 0; i < c->stages; i++) {
		struct compared_stage *s = &c->stage[i];

		s->has_rates = diff_rates_read(&s->rates, c->before.shown, c->after.shown, s->name);
		found_read(&s->before, c->before.shown, s->name);
		found_read(&s->after, c->after.shown, s->name);
		compare_sources(s);
		judge(c, s);
	}
}

void compared_free(struct compared *c)
{
	for (size_t i = 0; i < c->stages; i++) {
		found_free(&c->stage[i].before);
		found_free(&c->stage[i].after);
		free(c->stage[i].source);
	}
	differences_free(&c->differences);
	pick_free(&c->before);
	pick_free(&c->after);
}
