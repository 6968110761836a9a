/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A random floor, and what holds of its comparison with any output of a tool: ranges are in order,
 * parts sum up to the whole and rows to `all`, shares and limits follow from the bounds.
 */
#pragma once

#include "host/compare/compare.h"
#include "host/compare/split.h"
#include "host/compare/split_words.h"
#include "host/html/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib/splitmix.h"
#include "tests/unit/common/test.h"

#define CORES_MAX 4
#define BUCKETS   6
#define S         UINT64_C(1000000000)

static uint64_t seed;

static inline uint64_t bits(void)
{
	return splitmix_next(&seed);
}

/* Below `most`, of any order of magnitude. */
static inline uint64_t any(uint64_t most)
{
	return (bits() >> bits() % 64) % most;
}

static inline bool one_in(unsigned n)
{
	return bits() % n == 0;
}

/* ---- A floor, and what a tool made of the same machine or another ---- */

struct random_floor {
	uint64_t bucket[CORES_MAX][BUCKETS][2];
	struct record_cpu cpu[CORES_MAX];
	struct result_stage stage;
	struct reader_run received;
	struct result run;
	struct floor floor;
};

static inline void make_floor_core(struct random_floor *p, uint32_t n)
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

static inline void make_floor(struct random_floor *p)
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

/* ---- What holds ---- */

#define HOLDS(truth)                                                                        \
	do {                                                                                \
		if (!(truth))                                                               \
			fail_msg("%s, of the pair that seed %#llx makes", #truth, at_pair); \
	} while (0)

static unsigned long long at_pair;

static inline void check_range(struct range r)
{
	HOLDS(r.known || (!r.low && !r.high && !r.value.known));
	HOLDS(r.low <= r.high);
	HOLDS(!r.value.known || (r.low <= r.value.value && r.value.value <= r.high));
	HOLDS(!r.known || r.low != r.high || r.value.known);
}

static inline struct range causes_of(const struct split_row *r)
{
	struct range sum = range_exact(0);

	for (unsigned c = 0; c < SPLIT_CAUSES; c++) {
		check_range(r->cause_ns[c]);
		sum = range_add(sum, r->cause_ns[c]);
	}
	return sum;
}

/* Do the ranges have a number in common? */
static inline bool meet(struct range a, struct range b)
{
	return a.low <= b.high && b.low <= a.high;
}

static inline void check_sum(const struct split_row *r)
{
	const struct range parts = range_add(range_add(r->floor_ns, causes_of(r)),
					     r->unexplained_ns);
	const struct range whole = range_add(r->noise_ns, r->in_causes_ns);

	HOLDS(meet(parts, whole));
	if (parts.value.known && whole.value.known && whole.high != RANGE_OPEN)
		HOLDS(parts.value.value == whole.value.value);
}

/* Whatever part and whole are between their bounds, the share is between its own. */
static inline void check_share(struct range share, struct range part, struct range whole)
{
	HOLDS(share.high <= 10000);
	if (!share.known)
		return;
	HOLDS((unsigned __int128)share.low * whole.high <= (unsigned __int128)part.low * 10000 ||
	      (whole.high == RANGE_OPEN && !share.low));
	HOLDS(share.high == 10000 ||
	      (unsigned __int128)share.high * whole.low >= (unsigned __int128)part.high * 10000);
}

static inline void check_row(const struct split_row *r)
{
	const struct range share = range_share(r->floor_ns, r->noise_ns, 10000);

	check_range(r->exposure_ns);
	check_range(r->noise_ns);
	check_range(r->max_ns);
	check_range(r->floor_ns);
	check_range(r->unexplained_ns);
	check_range(r->in_causes_ns);
	check_range(r->added_ns);
	check_range(share);
	check_share(share, r->floor_ns, r->noise_ns);
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
static inline void check_total(const struct split_result *s, size_t at)
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
static inline void check_cause(const struct split_result *s, unsigned c)
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

static inline void check_all(const struct split_result *s)
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
static inline double number(const char **at, unsigned digits)
{
	char *end;
	double value = strtod(*at, &end);

	HOLDS(end != *at);
	*at = end;
	while (digits--)
		value *= 10;
	return value;
}

static inline void check_text(struct range r, unsigned digits)
{
	char text[64];
	const char *at = text;
	struct text t;
	double low, high;

	text_init(&t, text, sizeof(text));
	range_text(&t, r, digits);
	HOLDS(!t.overflow);
	if (!range_is_bounded(r)) {
		HOLDS(strcmp(text, "n/a") == 0);
		return;
	}
	low = high = number(&at, digits);
	HOLDS((*at == '-') == (r.low != r.high));
	at += *at == '-';
	HOLDS((*at == '\0') == (r.low == r.high || r.high == RANGE_OPEN));
	if (*at)
		high = number(&at, digits);
	HOLDS(*at == '\0');
	/* Doubles have 15 digits. */
	HOLDS(low <= (double)r.low * (1 + 1e-14) + 1e-6);
	HOLDS(r.high == RANGE_OPEN || high >= (double)r.high * (1 - 1e-14) - 1e-6);
}

static inline void check_printed(const struct split_result *s)
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
static inline void check_outcomes(const struct split_result *s)
{
	const struct compare_limits limits = { .limit = { 1 + any(S), 1 + any(1000000) } };
	struct findings f = compare_limits_findings(&limits, s);

	for (size_t i = 0; i < f.count; i++) {
		const struct finding *o = &f.at[i];
		struct range machine = o->figure[1], os = o->figure[2];
		uint64_t limit = o->figure[0].low;

		check_range(machine);
		check_range(os);
		HOLDS(limit == limits.limit[i]);
		HOLDS(i == COMPARE_MAX || os.high <= 1000000 || os.high == RANGE_OPEN);
		HOLDS((o->change == FINDING_EXCEEDED) == (machine.low > limit || os.low > limit));
		HOLDS((o->change == FINDING_MET) ==
		      (machine.known && os.known && machine.high <= limit && os.high <= limit));
	}
	findings_free(&f);
}

static inline void check_split(const struct floor *floor, const struct tool *tool)
{
	struct split_result split;

	split_make(&split, floor, tool, true);
	for (size_t i = 0; i < split.rows; i++) {
		check_row(&split.row[i]);
		check_text(split.row[i].noise_ns, RANGE_US);
		check_text(split.row[i].floor_ns, RANGE_US);
		check_text(range_share(split.row[i].floor_ns, split.row[i].noise_ns, 10000),
			   RANGE_PERCENT);
	}
	if (split.has_all)
		check_all(&split);
	check_outcomes(&split);
	if (one_in(50))
		check_printed(&split);
	split_free(&split);
}
