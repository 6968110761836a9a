/* SPDX-License-Identifier: BSD-2-Clause */
/* The cells of a comparison's table. */
#include "compare_table.h"

#include "host/lib/memory.h"
#include "host/lib/order.h"

#include "core/lib/text.h"

#include <stdlib.h>

#define NS_OF_MS 1000000

const char *compare_table_head(unsigned column)
{
	return column ? split_figures[column - 1].head : "CPU";
}

/* Seconds to the ms are enough, and no less than was watched. */
static void put(char *cell, const struct split_figure *f, struct range r)
{
	uint64_t unit = f->unit == SPLIT_SECONDS ? NS_OF_MS : 1;
	struct text t;

	text_init(&t, cell, COMPARE_TABLE_CELL);
	range_text(&t, range_in_units(r, unit),
		   f->unit == SPLIT_PERCENT ? RANGE_PERCENT : RANGE_US);
}

static void put_row(struct compare_table *t, const struct split_result *s,
		    const struct split_row *r)
{
	char(*cell)[COMPARE_TABLE_CELL] = t->cell[t->rows++];

	split_words_cpu(*cell++, COMPARE_TABLE_CELL, s, r);
	for (unsigned i = 0; i < SPLIT_FIGURES; i++) {
		struct range value = split_figure_of(&split_figures[i], r);

		put(cell[i], &split_figures[i], value);
		t->used[1 + i] |= value.known;
	}
}

static int by_noise(const void *a, const void *b)
{
	const struct split_row *x = *(const struct split_row *const *)a;
	const struct split_row *y = *(const struct split_row *const *)b;

	return ORDER(y->noise_ns.low, x->noise_ns.low) ?: ORDER(x->cpu, y->cpu);
}

static size_t choose(const struct split_result *s, const struct split_row **row)
{
	for (size_t i = 0; i < s->rows; i++)
		row[i] = &s->row[i];
	if (s->rows <= COMPARE_TABLE_ALL)
		return s->rows;
	qsort(row, s->rows, sizeof(const struct split_row *), by_noise);
	return COMPARE_TABLE_WORST;
}

void compare_table_make(struct compare_table *t, const struct split_result *s)
{
	const struct split_row **row = memory_new(s->rows + 1, sizeof(*row));
	size_t shown = choose(s, row);

	*t = (struct compare_table){ .cell = memory_new(s->rows + 1, sizeof(*t->cell)),
				     .of = shown < s->rows ? s->rows : 0,
				     .has_all = s->has_all && s->rows > 1 };
	t->used[0] = true;
	for (unsigned i = 0; i < SPLIT_FIGURES; i++)
		t->used[1 + i] = !split_figures[i].cause;
	while (t->rows < shown)
		put_row(t, s, row[t->rows]);
	if (t->has_all)
		put_row(t, s, &s->all);
	free(row);
}

void compare_table_free(struct compare_table *t)
{
	free(t->cell);
}
