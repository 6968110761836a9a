/* SPDX-License-Identifier: BSD-2-Clause */
/* Can two runs be compared, and what changed? */
#include "diff.h"

#include "host/kinds/host_kind.h"
#include "host/lib/memory.h"

#include "core/lib/cpulist.h"
#include "core/lib/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	const char *before = result_mode(c->before.run)->mode->name;
	const char *after = result_mode(c->after.run)->mode->name;

	if (strcmp(before, after) != 0)
		add_difference(c, "mode", before, after);
}

static void print_cores(const struct result *run, const char *name, char *buf, size_t bytes)
{
	const struct result_stage *stage = result_find_stage(run, name);
	const struct host_mode *mode;
	struct cpulist list;
	struct text t;

	cpulist_clear(&list);
	for (unsigned n = 0; (mode = host_mode_at(n)); n++)
		mode->cores(stage, &list);
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
		if (result_stage_is_measured(&run->stage[i]))
			text_add(&t, "%s%.40s", t.len ? "," : "", run->stage[i].name);
	}
	if (!t.len)
		text_add(&t, "none");
}

/* Measured in both, and the same of it. */
static bool is_common(const struct result_stage *before, const struct result_stage *after)
{
	const struct host_mode *mode;
	unsigned n = 0;

	while (after && (mode = host_mode_at(n)) &&
	       !(mode->cores(before, NULL) && mode->cores(after, NULL)))
		n++;
	return after && mode;
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
			c->stage[c->stages++] = name;
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
		check_cores(c, c->stage[i]);
}

/* ---- What changed ---- */

static void find(struct diff_compared *c, const struct host_kind *kind, const struct diff_sides *of)
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
			find(c, kind, &of);
	}
}

void diff_compared_free(struct diff_compared *c)
{
	while (c->count)
		findings_free(&c->found[--c->count]);
	free(c->found);
	diff_fields_free(&c->differences);
	capture_close(&c->before.capture);
	capture_close(&c->after.capture);
}
