/* SPDX-License-Identifier: BSD-2-Clause */
/* The cells of a comparison's table. */
#include "compare_table.h"

#include "host/lib/memory.h"
#include "split_words.h"

#include "core/lib/text.h"

#include <stdlib.h>

#define NS_OF_MS 1000000

enum {
	COLUMN_CPU,
	COLUMN_EXPOSURE,
	COLUMN_NOISE,
	COLUMN_FLOOR,
	COLUMN_CAUSE, /* the first of SPLIT_CAUSES */
	COLUMN_UNEXPLAINED = COLUMN_CAUSE + SPLIT_CAUSES,
	COLUMN_SHARE,
	COLUMN_MAX,
	COLUMN_FLOOR_MAX
};

static const char *const heads[COMPARE_TABLE_COLUMNS] = {
	[COLUMN_CPU] = "CPU",
	[COLUMN_EXPOSURE] = "EXPOSURE(s)",
	[COLUMN_NOISE] = "NOISE(us)",
	[COLUMN_FLOOR] = "FLOOR(us)",
	[COLUMN_CAUSE + TOOL_NMI] = "NMI(us)",
	[COLUMN_CAUSE + TOOL_IRQ] = "IRQ(us)",
	[COLUMN_CAUSE + TOOL_SOFTIRQ] = "SOFTIRQ(us)",
	[COLUMN_CAUSE + TOOL_THREAD] = "THREAD(us)",
	[COLUMN_UNEXPLAINED] = "UNEXPLAINED(us)",
	[COLUMN_SHARE] = "FLOOR(%)",
	[COLUMN_MAX] = "MAX(us)",
	[COLUMN_FLOOR_MAX] = "FLOOR-MAX(us)",
};

const char *compare_table_head(unsigned column)
{
	return heads[column];
}

static void put(char *cell, struct range r, unsigned digits)
{
	struct text t;

	text_init(&t, cell, COMPARE_TABLE_CELL);
	range_text(&t, r, digits);
}

/* Seconds to the ms are enough, and no less than was watched. */
static struct range in_ms(struct range ns)
{
	return ns.known ? range_of(ns.low / NS_OF_MS, ns.high / NS_OF_MS) : ns;
}

static void put_row(struct compare_table *t, const struct split_result *s,
		    const struct split_row *r)
{
	char(*cell)[COMPARE_TABLE_CELL] = t->cell[t->rows++];

	split_words_cpu(cell[COLUMN_CPU], COMPARE_TABLE_CELL, s, r);
	put(cell[COLUMN_EXPOSURE], in_ms(r->exposure_ns), 3);
	put(cell[COLUMN_NOISE], r->noise_ns, RANGE_US);
	put(cell[COLUMN_FLOOR], r->floor_ns, RANGE_US);
	for (unsigned c = 0; c < SPLIT_CAUSES; c++) {
		put(cell[COLUMN_CAUSE + c], r->cause_ns[c], RANGE_US);
		if (r->cause_ns[c].known)
			t->used[COLUMN_CAUSE + c] = true;
	}
	put(cell[COLUMN_UNEXPLAINED], r->unexplained_ns, RANGE_US);
	put(cell[COLUMN_SHARE], split_share(r), RANGE_PERCENT);
	put(cell[COLUMN_MAX], r->max_ns, RANGE_US);
	put(cell[COLUMN_FLOOR_MAX], split_floor_max(r), RANGE_US);
}

static int by_noise(const void *a, const void *b)
{
	const struct split_row *x = *(const struct split_row *const *)a;
	const struct split_row *y = *(const struct split_row *const *)b;

	if (x->noise_ns.low != y->noise_ns.low)
		return x->noise_ns.low > y->noise_ns.low ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
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
	for (unsigned c = 0; c < COMPARE_TABLE_COLUMNS; c++)
		t->used[c] = c < COLUMN_CAUSE || c >= COLUMN_UNEXPLAINED;
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
