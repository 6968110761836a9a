/* SPDX-License-Identifier: BSD-2-Clause */
/* Can two runs be compared, and what changed? */
#include "diff_compared.h"

#include "host/lib/memory.h"

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

const char *diff_source_change_name(enum diff_source_change change)
{
	return change_names[change];
}

const char *diff_outcome_name(enum diff_outcome outcome)
{
	return outcome_names[outcome];
}

/* ---- Can they be compared? ---- */

static void add_difference(struct diff_compared *c, const char *what, const char *before,
			   const char *after)
{
	struct text t;

	if (c->unlikes == UNLIKE_MAX)
		return;
	text_init(&t, c->unlike[c->unlikes++], UNLIKE_BYTES);
	text_add(&t, "%s: %.200s before, %.200s after", what, before, after);
}

static void print_threshold(const struct result *run, char *buf, size_t bytes)
{
	struct text t;

	text_init(&t, buf, bytes);
	if (run->has_begin)
		units_print_ns(&t, result_threshold(run));
	else
		text_add(&t, "not known (no begin record)");
}

static void check_threshold(struct diff_compared *c)
{
	char before[40], after[40];

	print_threshold(c->before.run, before, sizeof(before));
	print_threshold(c->after.run, after, sizeof(after));
	if (strcmp(before, after) != 0 || !c->before.run->has_begin)
		add_difference(c, "threshold", before, after);
}

static void check_mode(struct diff_compared *c)
{
	static const char *const modes[] = { "gaps", "stretch" };
	bool before = result_is_stretch(c->before.run), after = result_is_stretch(c->after.run);

	if (before != after)
		add_difference(c, "mode", modes[before], modes[after]);
}

static void print_cores(const struct result *run, const char *name, char *buf, size_t bytes)
{
	const struct result_stage *stage = result_find_stage(run, name);
	struct cpulist list;
	struct text t;

	cpulist_clear(&list);
	for (size_t i = 0; i < stage->cpus; i++)
		cpulist_add(&list, stage->cpu[i].cpu);
	for (size_t i = 0; i < stage->stretches; i++)
		cpulist_add(&list, stage->stretch[i].cpu);
	text_init(&t, buf, bytes);
	cpulist_print(&list, &t);
}

static void check_cores(struct diff_compared *c, const char *stage)
{
	static char before[CPULIST_MAX * 5], after[CPULIST_MAX * 5];
	char what[80];

	print_cores(c->before.run, stage, before, sizeof(before));
	print_cores(c->after.run, stage, after, sizeof(after));
	snprintf(what, sizeof(what), "cores in stage %.40s", stage);
	if (strcmp(before, after) != 0)
		add_difference(c, what, before, after);
}

static void print_stages(const struct result *run, char *buf, size_t bytes)
{
	struct text t;

	text_init(&t, buf, bytes);
	for (size_t i = 0; i < run->stages; i++) {
		if (run->stage[i].cpus || run->stage[i].stretches)
			text_add(&t, "%s%.40s", t.len ? "," : "", run->stage[i].name);
	}
	if (!t.len)
		text_add(&t, "none");
}

/* Measured in both, and the same of it. */
static bool is_common(const struct result_stage *before, const struct result_stage *after)
{
	return after && ((before->cpus && after->cpus) || (before->stretches && after->stretches));
}

/* Stages that both have. The runs differ if one has others, unless a single stage is requested. */
static void find_stages(struct diff_compared *c, const char *wanted)
{
	const struct result *run = c->before.run;
	char before[256], after[256];

	for (size_t i = 0; i < run->stages; i++) {
		const char *name = run->stage[i].name;

		if ((!wanted || strcmp(name, wanted) == 0) &&
		    is_common(&run->stage[i], result_find_stage(c->after.run, name)))
			c->stage[c->stages++].name = name;
	}
	print_stages(c->before.run, before, sizeof(before));
	print_stages(c->after.run, after, sizeof(after));
	if (wanted ? !c->stages : strcmp(before, after) != 0)
		add_difference(c, "stages", before, after);
}

void diff_compared_check(struct diff_compared *c, const char *stage)
{
	check_mode(c);
	check_threshold(c);
	find_stages(c, stage);
	for (size_t i = 0; i < c->stages; i++)
		check_cores(c, c->stage[i].name);
}

/* ---- Sources ---- */

static void add_source(struct diff_stage *s, struct diff_changed_source source)
{
	*MEMORY_ADD(s->source, s->sources) = source;
}

/* Why the absence of the source from a run proves nothing; NULL: it does prove something. */
static const char *unsure(const struct result_sources *other, const struct result_source *source)
{
	if (other->span_ns / TRAIN_HITS_MIN < source->source.period_ns)
		return "the other run is too short to show it";
	if (!source->by_probe && !other->searched)
		return "the other run does not have all gaps to search for it";
	return NULL;
}

static void compare_sources(struct diff_stage *s)
{
	for (size_t i = 0; i < s->before.count; i++) {
		const struct result_source *f = &s->before.at[i];
		struct diff_changed_source c = { f->source, SOURCE_KEPT, NULL };

		if (!result_sources_in(&s->after, &f->source)) {
			c.why = unsure(&s->after, f);
			c.change = c.why ? SOURCE_UNSURE : SOURCE_GONE;
		}
		add_source(s, c);
	}
	for (size_t i = 0; i < s->after.count; i++) {
		const struct result_source *f = &s->after.at[i];
		struct diff_changed_source c = { f->source, SOURCE_NEW, unsure(&s->before, f) };

		if (result_sources_in(&s->before, &f->source))
			continue;
		if (c.why)
			c.change = SOURCE_UNSURE;
		add_source(s, c);
	}
}

/* ---- Outcome ---- */

static void count(bool more, bool less, struct diff_compared *c)
{
	if (more)
		c->outcome = OUTCOME_WORSE;
	else if (less && c->outcome == OUTCOME_SAME)
		c->outcome = OUTCOME_BETTER;
}

static void judge(struct diff_compared *c, const struct diff_stage *s)
{
	for (size_t i = 0; s->has_rates && i < s->rates.count; i++) {
		enum ratetest_change change = s->rates.rate[i].change.change;

		count(change == RATE_MORE, change == RATE_LESS, c);
	}
	for (size_t i = 0; i < s->stretch.rows; i++)
		count(s->stretch.row[i].change == RATE_MORE, s->stretch.row[i].change == RATE_LESS,
		      c);
	for (size_t i = 0; i < s->sources; i++)
		count(s->source[i].change == SOURCE_NEW, s->source[i].change == SOURCE_GONE, c);
}

static void read_sources(struct result_sources *sources, const struct result *run,
			 const char *stage)
{
	result_sources_read(sources, run, result_find_stage(run, stage));
}

void diff_compared_read(struct diff_compared *c)
{
	diff_fields_read(&c->differences, c->before.run, c->after.run);
	for (size_t i = 0; i < c->stages; i++) {
		struct diff_stage *s = &c->stage[i];

		diff_stretch_read(&s->stretch, result_find_stage(c->before.run, s->name),
				  c->before.run->begin.clock.hz,
				  result_find_stage(c->after.run, s->name),
				  c->after.run->begin.clock.hz);
		s->has_rates = diff_rates_read(&s->rates, c->before.run, c->after.run, s->name);
		read_sources(&s->before, c->before.run, s->name);
		read_sources(&s->after, c->after.run, s->name);
		compare_sources(s);
		judge(c, s);
	}
}

void diff_compared_free(struct diff_compared *c)
{
	for (size_t i = 0; i < c->stages; i++) {
		result_sources_free(&c->stage[i].before);
		result_sources_free(&c->stage[i].after);
		free(c->stage[i].source);
		free(c->stage[i].stretch.row);
	}
	diff_fields_free(&c->differences);
	capture_close(&c->before.capture);
	capture_close(&c->after.capture);
}
