/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any floor and any output of a tool: whatever the figures are, a range is in order, parts sum up
 * to the whole and rows to `all`; and what is printed of a range holds it.
 */
#include "host/compare/compare_table.h"
#include "host/compare/judge.h"
#include "host/compare/split.h"
#include "host/compare/split_words.h"
#include "host/html/html_run.h"
#include "host/tools/tool_format.h"

#include "tests/unit/rounds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define CORES_MAX 4
#define BUCKETS   6
#define S         UINT64_C(1000000000)

static uint64_t seed;

static uint64_t bits(void)
{
	/* splitmix64 (Steele, Lea, Flood, 2014) */
	uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Below `most`, of any order of magnitude. */
static uint64_t any(uint64_t most)
{
	return (bits() >> bits() % 64) % most;
}

static bool one_in(unsigned n)
{
	return bits() % n == 0;
}

/* ---- A floor, and what a tool made of the same machine or another ---- */

struct pair {
	uint64_t bucket[CORES_MAX][BUCKETS][2];
	struct record_cpu cpu[CORES_MAX];
	struct result_stage stage;
	struct reader_run received;
	struct result run;
	struct floor floor;
	struct tool_core core[CORES_MAX];
	struct tool tool;
};

static void make_floor_core(struct pair *p, uint32_t n)
{
	struct record_cpu *cpu = &p->cpu[n];
	uint64_t length = 1000 + any(20000);

	*cpu = (struct record_cpu){ .cpu = n, .exposure_ns = one_in(20) ? 0 : 1 + any(100 * S) };
	while (cpu->histogram.count < BUCKETS && !one_in(4)) {
		uint64_t *bucket = p->bucket[n][cpu->histogram.count++], count = 1 + any(10000);

		bucket[0] = length;
		bucket[1] = count;
		cpu->noise_ns += length * count;
		cpu->max_ns = length;
		cpu->gaps += count;
		length += length / 32 + any(S / 100);
	}
	cpu->histogram.at = (const uint64_t(*)[2])p->bucket[n];
}

static void make_floor(struct pair *p)
{
	p->stage = (struct result_stage){ .cpu = p->cpu, .cpus = 1 + bits() % CORES_MAX };
	p->received = (struct reader_run){ .has_end = true };
	p->run = (struct result){ .received = &p->received, .has_end = true };
	p->floor = (struct floor){ .file = "floor",
				   .run = &p->run,
				   .stage = &p->stage,
				   .stage_name = "handoff",
				   .threshold_ns = 1000 + any(9000),
				   .burst = one_in(2) ? 1 : 1 + (double)any(100000) / 7,
				   .runs = 1 };
	for (uint32_t n = 0; n < p->stage.cpus; n++)
		make_floor_core(p, n);
}

/* Exact, cut, within bounds, without an upper one, or not known. */
static struct range any_range(uint64_t most)
{
	uint64_t low = any(most);

	switch (bits() % 8) {
	case 0:
		return (struct range){ 0 };
	case 1:
		return range_of(low, RANGE_OPEN);
	case 2:
		return range_of(low, low + any(most));
	case 3:
		return range_cut(low / 1000, 1000);
	default:
		return range_exact(low);
	}
}

static void make_core(struct pair *p, struct tool_core *core, uint32_t n)
{
	bool counted = one_in(2);

	*core = (struct tool_core){ .cpu = p->tool.cores == 1 && one_in(4) ? TOOL_ANY_CPU : n,
				    .exposure_ns = any_range(100 * S),
				    .exposure_from = TOOL_ASSUMED };
	for (unsigned i = any(10); counted && i; i--) {
		struct range ns = any_range(S / 10);

		tool_count(core, ns.low, ns.high, any(1000));
	}
	if (!core->bins) {
		core->sum_ns = any_range(10 * S);
		core->max_ns = any_range(core->sum_ns.low + 1);
	}
	for (unsigned c = 0; c < TOOL_CAUSES && !one_in(4); c++)
		core->cause[c].ns = any_range(one_in(8) ? 20 * S : core->sum_ns.low + 1);
}

static void make_tool(struct pair *p)
{
	static const uint32_t notes[] = { 0, 0, 0, TOOL_NMI_ANYWHERE, TOOL_WAKEUP, TOOL_BLIND };

	p->tool = (struct tool){ .tool = "x",
				 .file = "os",
				 .core = p->core,
				 .cores = 1 + bits() % CORES_MAX,
				 .notes = notes[bits() % 6],
				 .threshold_ns = any_range(30000),
				 .threshold_from = TOOL_ASSUMED };
	if (one_in(5))
		p->tool.shared_ns = any_range(100 * S);
	for (uint32_t n = 0; n < p->tool.cores; n++)
		make_core(p, &p->core[n], n);
}

/* ---- What holds ---- */

#define HOLDS(truth)                                                                        \
	do {                                                                                \
		if (!(truth))                                                               \
			fail_msg("%s, of the pair that seed %#llx makes", #truth, at_pair); \
	} while (0)

static unsigned long long at_pair;

static void check_range(struct range r)
{
	HOLDS(r.known || (!r.low && !r.high && !r.value.known));
	HOLDS(r.low <= r.high);
	HOLDS(!r.value.known || (r.low <= r.value.value && r.value.value <= r.high));
	HOLDS(!r.known || r.low != r.high || r.value.known);
}

static struct range causes_of(const struct split_row *r)
{
	struct range sum = range_exact(0);

	for (unsigned c = 0; c < SPLIT_CAUSES; c++) {
		check_range(r->cause_ns[c]);
		sum = range_add(sum, r->cause_ns[c]);
	}
	return sum;
}

/* Do the ranges have a number in common? */
static bool meet(struct range a, struct range b)
{
	return a.low <= b.high && b.low <= a.high;
}

static void check_sum(const struct split_row *r)
{
	const struct range parts = range_add(range_add(r->floor_ns, causes_of(r)),
					     r->unexplained_ns);
	const struct range whole = range_add(r->noise_ns, r->in_causes_ns);

	HOLDS(meet(parts, whole));
	if (parts.value.known && whole.value.known && whole.high != RANGE_OPEN)
		HOLDS(parts.value.value == whole.value.value);
}

static void check_row(const struct split_row *r)
{
	const struct range share = split_share(r);

	check_range(r->exposure_ns);
	check_range(r->noise_ns);
	check_range(r->max_ns);
	check_range(r->floor_ns);
	check_range(r->unexplained_ns);
	check_range(r->in_causes_ns);
	check_range(r->added_ns);
	check_range(share);
	HOLDS(share.high <= 10000);
	HOLDS(r->split == r->floor_ns.known);
	causes_of(r);
	if (!r->split)
		return;
	/* No part is more than the whole. */
	HOLDS(r->floor_ns.high <= r->noise_ns.high);
	HOLDS(r->unexplained_ns.high <= r->noise_ns.high);
	HOLDS(r->added_ns.high <= r->noise_ns.high);
	HOLDS(r->in_causes_ns.high <= r->floor_ns.high);
	HOLDS(causes_of(r).low <= r->noise_ns.high);
	check_sum(r);
}

/* `at` points to a range of a row. */
static void check_total(const struct split_result *s, size_t at)
{
	const struct range *all = (const void *)((const char *)&s->all + at);
	struct range sum = { 0 };

	for (size_t i = 0; i < s->rows; i++) {
		if (s->row[i].split)
			sum = range_add(
				sum,
				*(const struct range *)(const void *)((const char *)&s->row[i] +
								      at));
	}
	HOLDS(memcmp(&all->low, &sum.low, sizeof(sum.low)) == 0);
	HOLDS(all->high == sum.high && all->known == sum.known);
	HOLDS(all->value.known == sum.value.known && all->value.value == sum.value.value);
}

/* A cause that some rows do not have is, for all, at least that of the others. */
static void check_cause(const struct split_result *s, unsigned c)
{
	uint64_t low = 0;
	bool known = false, in_all = true;

	for (size_t i = 0; i < s->rows; i++) {
		if (!s->row[i].split)
			continue;
		low = arith_sum(low, s->row[i].cause_ns[c].low);
		known = known || s->row[i].cause_ns[c].known;
		in_all = in_all && s->row[i].cause_ns[c].known;
	}
	HOLDS(s->all.cause_ns[c].known == known && s->all.cause_ns[c].low == low);
	if (known && in_all)
		check_total(s, offsetof(struct split_row, cause_ns) + c * sizeof(struct range));
}

static void check_all(const struct split_result *s)
{
	static const size_t fields[] = {
		offsetof(struct split_row, exposure_ns),
		offsetof(struct split_row, noise_ns),
		offsetof(struct split_row, floor_ns),
		offsetof(struct split_row, added_ns),
		offsetof(struct split_row, unexplained_ns),
		offsetof(struct split_row, in_causes_ns),
	};

	check_row(&s->all);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		check_total(s, fields[i]);
	for (unsigned c = 0; c < SPLIT_CAUSES; c++)
		check_cause(s, c);
}

/* ---- What is printed ---- */

/* A number with `digits` decimals or fewer, in units of the last. */
static double number(const char **at, unsigned digits)
{
	char *end;
	double value = strtod(*at, &end);

	HOLDS(end != *at);
	*at = end;
	while (digits--)
		value *= 10;
	return value;
}

static void check_text(struct range r, unsigned digits)
{
	char text[64];
	const char *at = text;
	struct text t;
	double low, high;

	text_init(&t, text, sizeof(text));
	range_text(&t, r, digits);
	HOLDS(!t.overflow);
	if (!r.known) {
		HOLDS(strcmp(text, "n/a") == 0);
		return;
	}
	HOLDS(r.high != RANGE_OPEN || r.low == r.high || *at == '>');
	at += *at == '>' ? 2 : 0;
	low = number(&at, digits);
	high = *at == '-' ? (at++, number(&at, digits)) : low;
	HOLDS(*at == '\0');
	/* Doubles have 15 digits. */
	HOLDS(low <= (double)r.low * (1 + 1e-14) + 1e-6);
	HOLDS(r.high == RANGE_OPEN || high >= (double)r.high * (1 - 1e-14) - 1e-6);
}

static void check_printed(const struct split_result *s)
{
	char *page = NULL;
	size_t bytes;
	FILE *f = open_memstream(&page, &bytes);

	assert_non_null(f);
	html_split(f, s, 1);
	assert_int_equal(fclose(f), 0);
	if (strstr(page, "nan") || strstr(page, ">-") || strstr(page, "h-") || strstr(page, "inf"))
		fail_msg("of the pair that seed %#llx makes:\n%s", at_pair, page);
	free(page);
}

/* A limit is decided as every value between the bounds would decide it. */
static void check_outcomes(const struct split_result *s)
{
	const struct judge_limits limits = { .limit = { 1 + any(S), 1 + any(1000000) } };
	struct judge_outcome outcome[JUDGE_FIGURES];

	judge(&limits, s, outcome);
	for (unsigned f = 0; f < JUDGE_FIGURES; f++) {
		const struct judge_outcome *o = &outcome[f];
		bool both = o->machine.known && o->os.known;

		check_range(o->machine);
		check_range(o->os);
		HOLDS(f == JUDGE_MAX || o->os.high <= 1000000 || o->os.high == RANGE_OPEN);
		HOLDS((o->verdict == VERDICT_FAIL) ==
		      (o->machine.low > o->limit || o->os.low > o->limit));
		HOLDS((o->verdict == VERDICT_PASS) ==
		      (both && o->machine.high <= o->limit && o->os.high <= o->limit));
	}
}

static void check_pair(struct pair *p)
{
	struct split_result split;

	split_make(&split, &p->floor, &p->tool, true);
	for (size_t i = 0; i < split.rows; i++) {
		check_row(&split.row[i]);
		check_text(split.row[i].noise_ns, RANGE_US);
		check_text(split.row[i].floor_ns, RANGE_US);
		check_text(split_share(&split.row[i]), RANGE_PERCENT);
	}
	if (split.has_all)
		check_all(&split);
	check_outcomes(&split);
	if (one_in(50))
		check_printed(&split);
	split_free(&split);
	for (size_t i = 0; i < p->tool.cores; i++)
		free(p->core[i].bin);
}

static void test_any_pair(void **state)
{
	static struct pair p;

	(void)state;
	for (uint64_t n = 0; n < rounds(20000, 200000); n++) {
		at_pair = seed = n << 32;
		make_floor(&p);
		make_tool(&p);
		check_pair(&p);
	}
}

/* ---- Shares and texts by hand ---- */

static void test_share(void **state)
{
	struct range share = range_share(range_of(20, 50), range_of(100, 200), 1000);

	(void)state;
	assert_true(share.known && share.low == 100 && share.high == 500 && !share.value.known);
	/* A third: outwards. */
	share = range_share(range_exact(1), range_exact(3), 100);
	assert_true(share.low == 33 && share.high == 34 && share.value.value == 33);
	share = range_share(range_of(5, 9), range_of(5, RANGE_OPEN), 100);
	assert_true(share.low == 0 && share.high == 100);
	assert_false(range_share(range_exact(0), range_exact(0), 100).known);
	assert_false(range_share((struct range){ 0 }, range_exact(9), 100).known);
	share = range_share(range_exact(0), range_of(0, 9), 100);
	assert_true(share.known && share.low == 0);
}

static void test_text(void **state)
{
	static const struct {
		uint64_t low, high;
		const char *text;
	} cases[] = {
		{ 12028000, 12028999, "12028-12029" }, /* whole us, cut */
		{ 57291318, 57313380, "57291-57314" },
		{ 57291318, 57291340, "57291.31-57291.34" },
		{ 1, 2, "0.001-0.002" },
		{ 228000, 228000, "228.000" },
		{ 0, 0, "0.000" },
		{ 0, 999, "0-1" },
		{ 1904000, RANGE_OPEN, ">=1904" },
		{ 1904001, RANGE_OPEN, ">=1904.001" },
		{ 0, RANGE_OPEN, ">=0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char buf[64];
		struct text t;

		text_init(&t, buf, sizeof(buf));
		range_text(&t, range_of(cases[i].low, cases[i].high), RANGE_US);
		assert_string_equal(buf, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_pair),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests_name("split", tests, NULL, NULL);
}
