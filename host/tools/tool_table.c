/* SPDX-License-Identifier: BSD-2-Clause */
/* One reader for all tables of cores: rtla's histograms, oslat's and sysjitter's. */
#include "host/lib/memory.h"

#include "tool_format.h"

#include <stdlib.h>
#include <string.h>

static void wrong(struct tool_parse *p)
{
	tool_wrong(p, p->row, "the row of that name, with a number for each column of cores");
}

/* A copy of the row's numbers, or of as many zeroes. */
static uint64_t *keep_list(const struct tool_parse *p, bool zero)
{
	const struct tool_table *t = p->state;
	uint64_t *list = memory_new(t->columns + 1, sizeof(*list));

	if (!zero)
		memcpy(list, p->v.list, t->columns * sizeof(*list));
	return list;
}

/* Figures have as many numbers as the head before them has columns. */
void tool_take_head(struct tool_parse *p)
{
	struct tool_table *t = p->state;
	bool late = t->cpu;

	for (size_t i = 0; i < TOOL_FIGURES_MAX; i++)
		late = late || t->figure[i];
	if (late || (!p->v.listed && !p->arg)) {
		wrong(p);
		return;
	}
	t->columns = p->v.listed;
	t->cpu = keep_list(p, false);
}

void tool_take_figure(struct tool_parse *p)
{
	struct tool_table *t = p->state;
	size_t figure = p->arg & ~TOOL_QUIET, listed = p->v.listed;
	bool quiet = (p->arg & TOOL_QUIET) && !t->rows;
	bool whole = listed == t->columns && (listed || quiet);

	if (!whole && !(quiet && (!listed || (listed == 1 && !p->v.list[0])))) {
		wrong(p);
		return;
	}
	free(t->figure[figure]);
	t->figure[figure] = keep_list(p, !whole);
}

/* A bucket without columns has nothing behind its label. */
void tool_take_bucket(struct tool_parse *p)
{
	struct tool_table *t = p->state;
	uint64_t label = p->v.first;

	if (p->v.listed != t->columns || (t->rows && label <= t->row[t->rows - 1].label))
		wrong(p);
	else if (t->columns)
		*MEMORY_ADD(t->row, t->rows) = (struct tool_bucket){ label, keep_list(p, false) };
}

void tool_table_free(struct tool_table *t)
{
	for (size_t i = 0; i < t->rows; i++)
		free(t->row[i].count);
	free(t->row);
	free(t->cpu);
	for (size_t i = 0; i < TOOL_FIGURES_MAX; i++)
		free(t->figure[i]);
}
