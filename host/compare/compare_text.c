/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *   CPU  EXPOSURE(s)  NOISE(us)  FLOOR(us)  NMI(us)  IRQ(us)  SOFTIRQ(us)  THREAD(us)
 *     UNEXPLAINED(us)  FLOOR(%)  MAX(us)  FLOOR-MAX(us)
 *
 * one row per core and "all", then the bounds of the floor's part, and the flags.
 */
#include "compare.h"

#include "host/lib/memory.h"
#include "split_words.h"

#include "core/lib/arith.h"
#include "core/lib/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS  12
#define CELL_MAX 28
#define NS_OF_US 3
#define NS_OF_S  9

static const char *const heads[COLUMNS] = {
	"CPU",         "EXPOSURE(s)", "NOISE(us)",       "FLOOR(us)", "NMI(us)", "IRQ(us)",
	"SOFTIRQ(us)", "THREAD(us)",  "UNEXPLAINED(us)", "FLOOR(%)",  "MAX(us)", "FLOOR-MAX(us)",
};

struct table {
	char (*cell)[COLUMNS][CELL_MAX];
	size_t rows;
};

static void put(char *cell, uint64_t value, unsigned digits, bool known)
{
	struct text t;

	text_init(&t, cell, CELL_MAX);
	if (known)
		text_fixed(&t, value, digits, 0);
	else
		text_add(&t, "n/a");
}

/* Seconds to the ms are enough. */
static void put_exposure(char *cell, struct range exposure_ns)
{
	put(cell, exposure_ns.low / 1000000, NS_OF_S - 6, exposure_ns.known);
}

static void put_row(char (*cell)[CELL_MAX], const struct split_row *r, const char *name)
{
	if (name)
		snprintf(cell[0], CELL_MAX, "%s", name);
	else if (r->cpu == TOOL_ANY_CPU)
		snprintf(cell[0], CELL_MAX, "any");
	else
		snprintf(cell[0], CELL_MAX, "%u", r->cpu);
	put_exposure(cell[1], r->exposure_ns);
	put(cell[2], r->noise_ns.low, NS_OF_US, r->noise_ns.known);
	put(cell[3], r->floor_ns, NS_OF_US, r->split);
	for (unsigned c = 0; c < SPLIT_CAUSES; c++)
		put(cell[4 + c], r->cause_ns[c].low, NS_OF_US, r->split && r->cause_ns[c].known);
	put(cell[8], r->unexplained_ns, NS_OF_US, r->split);
	put(cell[9], split_share(r->floor_ns, r->noise_ns.low), 2, r->split && r->noise_ns.low);
	put(cell[10], r->max_ns.low, NS_OF_US, r->max_ns.known);
	put(cell[11], r->floor_max_ns, NS_OF_US, r->has_floor);
}

static int widest(const struct table *t, unsigned column)
{
	size_t width = strlen(heads[column]);

	for (size_t i = 0; i < t->rows; i++)
		width = arith_max(width, strlen(t->cell[i][column]));
	return (int)width;
}

static void print_table(const struct table *t)
{
	for (unsigned c = 0; c < COLUMNS; c++)
		printf("%s%*s", c ? "  " : "", widest(t, c), heads[c]);
	putchar('\n');
	for (size_t i = 0; i < t->rows; i++) {
		for (unsigned c = 0; c < COLUMNS; c++)
			printf("%s%*s", c ? "  " : "", widest(t, c), t->cell[i][c]);
		putchar('\n');
	}
}

static int by_noise(const void *a, const void *b)
{
	const struct split_row *x = *(const struct split_row *const *)a;
	const struct split_row *y = *(const struct split_row *const *)b;

	if (x->noise_ns.low != y->noise_ns.low)
		return x->noise_ns.low > y->noise_ns.low ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

size_t compare_text_choose(const struct split_result *s, const struct split_row **row)
{
	for (size_t i = 0; i < s->rows; i++)
		row[i] = &s->row[i];
	if (s->rows <= COMPARE_ALL)
		return s->rows;
	qsort(row, s->rows, sizeof(const struct split_row *), by_noise);
	return COMPARE_WORST;
}

static void print_rows(const struct split_result *s)
{
	const struct split_row **row = memory_new(s->rows + 1, sizeof(*row));
	struct table t = { memory_new(s->rows + 1, sizeof(*t.cell)), 0 };
	size_t shown;

	shown = compare_text_choose(s, row);
	if (shown < s->rows)
		printf("the %d cores with the most noise, of %zu:\n", COMPARE_WORST, s->rows);
	while (t.rows < shown) {
		put_row(t.cell[t.rows], row[t.rows], NULL);
		t.rows++;
	}
	if (s->has_all && s->rows > 1)
		put_row(t.cell[t.rows++], &s->all, "all");
	print_table(&t);
	free(t.cell);
	free(row);
}

static void print_sentence(struct text *t, const char *before)
{
	printf("%s%s\n", before, t->buf);
	text_reset(t);
}

static void print_flag(void *ctx, bool refused, const char *name, const char *text)
{
	(void)ctx;
	printf("%s: %s: %s\n", refused ? "refused" : "note", name, text);
}

static void print_answer(struct text *t, const struct split_row *r)
{
	if (r->noise_ns.low || r->noise_ns.high) {
		split_words_share(t, r);
		print_sentence(t, "");
	}
	split_words_added(t, r);
	print_sentence(t, "");
}

static void print_split(const struct split_result *s)
{
	char buf[SPLIT_WORDS_MAX];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	split_words_tool(&t, s);
	print_sentence(&t, "\n");
	if (!s->refused) {
		print_rows(s);
		if (s->has_all)
			print_answer(&t, &s->all);
	}
	split_words_flags(s, print_flag, NULL);
}

void compare_text(const struct compare_results *c)
{
	char buf[SPLIT_WORDS_MAX];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	split_words_floor(&t, c->floor);
	print_sentence(&t, "floor: ");
	if (c->floor->of.machine[0])
		printf("machine: %s\n", c->floor->of.machine);
	for (size_t i = 0; i < c->count; i++)
		print_split(&c->split[i]);
}
