/* SPDX-License-Identifier: BSD-2-Clause */
/* A comparison as a table, sentences, and notes by name. */
#include "compare_text.h"

#include "exit.h"

#include "core/text.h"
#include "core/units.h"

#include <err.h>
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

/* part / whole in hundredths of a percent, at most 100 %. */
static uint64_t share_of(uint64_t part, uint64_t whole)
{
	if (!whole)
		return 0;
	return (uint64_t)((double)min_u64(part, whole) / (double)whole * 10000 + 0.5);
}

static void put_row(char (*cell)[CELL_MAX], const struct split_row *r, const char *name)
{
	if (name)
		snprintf(cell[0], CELL_MAX, "%s", name);
	else if (r->cpu == PEER_ANY_CPU)
		snprintf(cell[0], CELL_MAX, "any");
	else
		snprintf(cell[0], CELL_MAX, "%u", r->cpu);
	put_exposure(cell[1], r->exposure_ns);
	put(cell[2], r->noise_ns.low, NS_OF_US, r->noise_ns.known);
	put(cell[3], r->floor_ns, NS_OF_US, r->split);
	for (unsigned c = 0; c < SPLIT_CAUSES; c++)
		put(cell[4 + c], r->cause_ns[c].low, NS_OF_US, r->split && r->cause_ns[c].known);
	put(cell[8], r->unexplained_ns, NS_OF_US, r->split);
	put(cell[9], share_of(r->floor_ns, r->noise_ns.low), 2, r->split && r->noise_ns.low);
	put(cell[10], r->max_ns.low, NS_OF_US, r->max_ns.known);
	put(cell[11], r->floor_max_ns, NS_OF_US, r->has_floor);
}

static int widest(const struct table *t, unsigned column)
{
	size_t width = strlen(heads[column]);

	for (size_t i = 0; i < t->rows; i++)
		width = max_u64(width, strlen(t->cell[i][column]));
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

static void print_rows(const struct split *s)
{
	const struct split_row **row = calloc(s->rows + 1, sizeof(*row));
	struct table t = { calloc(s->rows + 1, sizeof(*t.cell)), 0 };

	if (!t.cell || !row)
		err(EXIT_ERROR, "memory");
	for (size_t i = 0; i < s->rows; i++)
		row[i] = &s->row[i];
	if (s->rows > COMPARE_ALL) {
		qsort(row, s->rows, sizeof(const struct split_row *), by_noise);
		printf("the %d cores with the most noise, of %zu:\n", COMPARE_WORST, s->rows);
	}
	for (size_t i = 0; i < s->rows && (s->rows <= COMPARE_ALL || i < COMPARE_WORST); i++)
		put_row(t.cell[t.rows++], row[i], NULL);
	if (s->has_all && s->rows > 1)
		put_row(t.cell[t.rows++], &s->all, "all");
	print_table(&t);
	free(t.cell);
	free(row);
}

static void add_us(struct text *t, uint64_t ns)
{
	if (ns == RANGE_OPEN)
		text_add(t, "no bound");
	else
		text_fixed(t, ns, NS_OF_US, 0);
}

/* The floor is 12.30 % of the noise (95 %: 9.10 to 15.20 %) ... */
static void print_answer(const struct split_row *r)
{
	char buf[400];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	if (!r->noise_ns.low && !r->noise_ns.high) {
		puts("no noise was seen: the OS added none");
		return;
	}
	text_add(&t, "floor: ");
	add_us(&t, r->floor_ns);
	text_add(&t, " of ");
	add_us(&t, r->noise_ns.low);
	text_add(&t, " us, ");
	text_fixed(&t, share_of(r->floor_ns, r->noise_ns.low), 2, 0);
	text_add(&t, " %%; at 95 %% between ");
	add_us(&t, r->bounds_ns.low);
	text_add(&t, " and ");
	add_us(&t, r->bounds_ns.high);
	text_add(&t, " us, ");
	text_fixed(&t, share_of(r->bounds_ns.low, r->noise_ns.high), 2, 0);
	text_add(&t, " to ");
	text_fixed(&t, share_of(r->bounds_ns.high, r->noise_ns.low), 2, 0);
	text_add(&t, " %%");
	puts(buf);
	text_reset(&t);
	text_add(&t, "added by the OS: between ");
	add_us(&t, r->added_ns.low);
	text_add(&t, " and ");
	add_us(&t, r->added_ns.high);
	text_add(&t, " us");
	puts(buf);
}

static void print_flags(const struct split *s)
{
	for (unsigned f = 0; f < SPLIT_FLAGS; f++) {
		bool refuses = split_flag_refuses((enum split_flag)f) && s->refused;

		if (s->flags >> f & 1)
			printf("%s: %s: %s\n", refuses ? "refused" : "note",
			       split_flag_name((enum split_flag)f),
			       split_flag_text((enum split_flag)f));
	}
	for (unsigned n = 0; n < PEER_NOTES; n++) {
		if (s->peer->notes >> n & 1)
			printf("note: %s: %s\n", peer_note_name(n), peer_note_text(n));
	}
}

static void add_threshold(struct text *t, const struct peer *peer)
{
	text_add(t, ", threshold ");
	if (!peer->threshold_ns.known) {
		text_add(t, "n/a");
		return;
	}
	units_print_ns(t, peer->threshold_ns.low);
	if (peer->threshold_ns.high != peer->threshold_ns.low) {
		text_add(t, " to ");
		units_print_ns(t, peer->threshold_ns.high);
	}
	text_add(t, " (%s)", peer_origin_name(peer->threshold_from));
}

static void print_head(const struct split *s)
{
	const struct peer *peer = s->peer;
	char buf[600];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_add(&t, "%s", peer->file);
	if (peer->line > 1)
		text_add(&t, ":%llu", (unsigned long long)peer->line);
	text_add(&t, ": %s%s%s", peer->tool, peer->version[0] ? " " : "", peer->version);
	if (!(peer->notes & PEER_WAKEUP))
		add_threshold(&t, peer);
	if (s->rows && s->row[0].exposure_ns.known)
		text_add(&t, ", exposure %s", peer_origin_name(s->row[0].exposure_from));
	puts(buf);
}

void compare_text_floor(const struct floor *floor)
{
	char buf[600];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_add(&t, "floor: %s: run %016llx, stage %s, threshold ", floor->file,
		 (unsigned long long)floor->run->sid, floor->stage->name);
	units_print_ns(&t, floor->run->threshold_ns);
	text_add(&t, ", %zu core%s", floor->stage->cores, floor->stage->cores == 1 ? "" : "s");
	puts(buf);
	if (floor->run->machine[0])
		printf("machine: %s\n", floor->run->machine);
}

void compare_text(const struct split *s)
{
	putchar('\n');
	print_head(s);
	if (!s->refused) {
		print_rows(s);
		if (s->has_all)
			print_answer(&s->all);
	}
	print_flags(s);
}
