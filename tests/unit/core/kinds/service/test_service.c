/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that stop others, some of the time or on one core, and many that do nothing. */
#include "core/kinds/service/service.h"
#include "core/kinds/service/service_record.h"
#include "core/lib/lines.h"
#include "core/records/record_kind.h"

#include "tests/unit/common/test.h"
#include "tests/unit/draw.h"

#include <stdio.h>
#include <string.h>

#define SERVICES 20

/* ---- Which gaps are beside a slot ---- */

static const struct gap gaps[] = {
	{ .start = 100, .ticks = 50, .evidence = { .smi = 1 } },
	{ .start = 200, .ticks = 300, .evidence = { .smi = 2 } },
	{ .start = 600, .ticks = 10, .evidence = { .smi = 4 } },
	{ .start = 650, .ticks = 20 },
	{ .start = 900, .ticks = 5, .evidence = { .smi = 8 } },
};

static const struct service_slot slots[] = {
	{ 95, 100, true }, /* ends where the first begins */
	{ 140, 141, true }, { 150, 200, true }, { 210, 220, false },
	{ 450, 460, true }, { 595, 700, true }, { 905, 990, true },
};

#define SLOTS (sizeof(slots) / sizeof(slots[0]))

#define NONE 99

static const size_t longest[SLOTS] = { NONE, 0, NONE, 1, 1, 3, NONE };
static const uint64_t smis[SLOTS] = { 0, 1, 0, 2, 2, 4, 0 };

TEST(test_overlap)
{
	static const int64_t offsets[] = { 0, 1000, -90 };

	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		static struct cpu cpu;
		struct gap moved[sizeof(gaps) / sizeof(gaps[0])];
		struct service_beside beside[SLOTS];

		memcpy(moved, gaps, sizeof(gaps));
		for (size_t n = 0; n < sizeof(gaps) / sizeof(gaps[0]); n++)
			moved[n].start += (uint64_t)offsets[i];
		cpu.ring = (struct gap_ring){ .slot = moved, .used = 5 };
		cpu.tsc_offset = offsets[i];
		service_overlap(&cpu, slots, SLOTS, beside);
		for (size_t n = 0; n < SLOTS; n++) {
			assert_int_equal(beside[n].smi, smis[n]);
			if (longest[n] == NONE)
				assert_null(beside[n].longest);
			else
				assert_ptr_equal(beside[n].longest, &moved[longest[n]]);
		}
	}
}

TEST(test_overlap_of_nothing)
{
	struct service_beside beside[SLOTS];
	static struct cpu cpu;

	service_overlap(&cpu, slots, SLOTS, beside);
	for (size_t i = 0; i < SLOTS; i++)
		assert_int_equal(service_weight(&beside[i]), 0);
}

/* An SMI counts more than any length, and neither overflows into the other. */
TEST(test_weight)
{
	const struct gap brief = { .ticks = 1 }, more = { .ticks = 2 },
			 endless = { .ticks = -1ull };
	const struct service_beside rising[] = {
		{ NULL, 0 },     { &brief, 0 },     { &more, 0 },
		{ &endless, 0 }, { &brief, 1 },     { &more, 1 },
		{ &brief, 2 },   { &brief, 65535 }, { &more, 1ull << 50 },
	};

	for (size_t i = 1; i < sizeof(rising) / sizeof(rising[0]); i++)
		assert_true(service_weight(&rising[i]) > service_weight(&rising[i - 1]));
}

/* ---- The test ---- */

/* Random noise beside a slot: nothing mostly, or a gap of any length. */
static uint64_t background(uint64_t share)
{
	return draw(100) < share ? 1 + draw(draw(10) ? 100 : 100000) : 0;
}

/* A service that adds a gap of so many ticks to so many of 100 calls. */
static struct service_tally tally(unsigned calls, uint64_t share, uint64_t often, uint64_t ticks)
{
	struct service_tally t = { 0, 0 };
	uint64_t control[SERVICE_CONTROLS_MAX];

	for (unsigned i = 0; i < calls; i++) {
		uint64_t call = background(share);

		if (draw(100) < often && call < ticks)
			call = ticks;
		for (unsigned n = 0; n < service_controls(calls); n++)
			control[n] = background(share);
		service_tally_add(&t, call, control, service_controls(calls));
	}
	return t;
}

static bool is_found(unsigned calls, uint64_t share, uint64_t often, uint64_t ticks)
{
	struct service_tally t = tally(calls, share, often, ticks);

	return service_is_significant(service_chance(&t, service_controls(calls)), SERVICES);
}

TEST(test_tally)
{
	struct service_tally t = { 0, 0 };

	service_tally_add(&t, 0, (uint64_t[]){ 0, 0 }, 2);
	service_tally_add(&t, 5, (uint64_t[]){ 5, 5 }, 2);
	assert_int_equal(t.groups, 0);
	service_tally_add(&t, 5, (uint64_t[]){ 5, 4 }, 2);
	service_tally_add(&t, 5, (uint64_t[]){ 6, 6 }, 2);
	service_tally_add(&t, 0, (uint64_t[]){ 0, 6 }, 2);
	assert_int_equal(t.groups, 3);
	assert_int_equal(t.first, 0);
	service_tally_add(&t, 6, (uint64_t[]){ 5, 0 }, 2);
	assert_int_equal(t.groups, 4);
	assert_int_equal(t.first, 1);
}

/* At most 5 of 1000 stages with 20 services without effect raise an alarm: 0.5 % of 1000. */
TEST(test_nothing_to_find)
{
	static const uint64_t shares[] = { 0, 1, 10, 50, 100 };

	draw_seed = 1;
	for (size_t s = 0; s < sizeof(shares) / sizeof(shares[0]); s++) {
		unsigned alarms[2] = { 0, 0 };

		for (unsigned i = 0; i < 1000 * SERVICES; i++) {
			alarms[0] += is_found(100, shares[s], 0, 0);
			alarms[1] += is_found(10, shares[s], 0, 0);
		}
		assert_in_range(alarms[0], 0, 5 + 7); /* 3 deviations */
		assert_in_range(alarms[1], 0, 5 + 7);
	}
}

/*
 * The test with a limit that chance exceeds one time in ten, to show that it is not simply blind.
 */
TEST(test_chance_is_no_less_than_it_says)
{
	unsigned low = 0, rounds = 20000;

	draw_seed = 2;
	for (unsigned i = 0; i < rounds; i++) {
		struct service_tally t = tally(100, 100, 0, 0);

		low += service_chance(&t, 1) < -1000;
	}
	assert_in_range(low, 1, rounds / 10);
}

TEST(test_what_is_there_is_found)
{
	draw_seed = 3;
	for (unsigned i = 0; i < 200; i++) {
		assert_true(is_found(100, 0, 100, 50));
		/* One call of four, on a machine that is quiet. */
		assert_true(is_found(100, 0, 40, 50));
		/* There is a gap beside each slot anyhow, but a call's gap is longer. */
		assert_true(is_found(100, 100, 100, 1000000));
		/* Ten writes. */
		assert_true(is_found(10, 0, 100, 1000));
		assert_true(is_found(10, 20, 100, 1000000));
	}
}

TEST(test_too_few_to_know)
{
	draw_seed = 4;
	for (unsigned i = 0; i < 200; i++)
		assert_false(is_found(100, 0, 1, 50));
	assert_false(is_found(1, 0, 100, 1000));
	assert_false(is_found(2, 0, 100, 1000));
}

TEST(test_more_tests_ask_for_more)
{
	struct service_tally t = { 20, 20 }; /* 2^-20: 0.95e-6 */

	assert_int_equal(service_chance(&(struct service_tally){ 0, 0 }, 1), 0);
	assert_in_range(-service_chance(&t, 1), 6015, 6025);
	assert_true(service_is_significant(service_chance(&t, 1), 5000));
	assert_false(service_is_significant(service_chance(&t, 1), 6000));
}

/* ---- Text ---- */

static struct record_service a_service(void)
{
	return (struct record_service){
		.stage = "handoff",
		.service = "set_variable",
		.others = 15,
		.calls = 10,
		.p50_ns = { 1300000, true },
		.p99_ns = { 1800000, true },
		.max_ns = { 1800000, true },
		.smi = { 10, true },
		.stops = true,
		.stopped = 15,
		.least_ns = { 1200000, true },
		.longest_ns = { 1800000, true },
	};
}

static void assert_sentence(const struct record_service *r, const char *is)
{
	TEXT_DEFINE(t, 300);

	service_record_sentence(&t, r);
	assert_string_equal(t.buf, is);
}

TEST(test_sentences_of_what_stops)
{
	struct record_service r = a_service();

	assert_sentence(&r,
			"set_variable stops all 16 cores, 1.20 ms to 1.80 ms: confining it to a "
			"housekeeping core does not help");
	r.stopped = 3;
	assert_sentence(&r, "set_variable stops 3 of 15 other cores, 1.20 ms to 1.80 ms: confining "
			    "it to a housekeeping core does not help");
	r.stopped = 0;
	r.service = "rtc";
	r.least_ns = r.longest_ns;
	assert_sentence(&r, "rtc stops others, no core of 15 each time, 1.80 ms: confining it to a "
			    "housekeeping core does not help");
}

TEST(test_sentences_of_what_does_not)
{
	struct record_service r = a_service();

	r.stops = false;
	r.service = "get_time";
	r.max_ns.value = 9600000;
	assert_sentence(&r, "get_time takes up to 9.60 ms, with 10 SMIs: no other was seen to be "
			    "stopped by 10 calls");
	r.smi_quiet.value = 10;
	assert_sentence(&r,
			"get_time takes up to 9.60 ms on its own core only, confine it: no other "
			"was seen to be stopped by 10 calls");
	r.max_ns.value = 900;
	r.unseen = 1;
	assert_sentence(&r, "get_time takes up to 900 ns on its own core: no other was seen to be "
			    "stopped by 9 calls");
	r.others = 0;
	assert_sentence(&r,
			"get_time takes up to 900 ns; whom it stops is not known: no other core "
			"sampled");
	r.why = "it took #GP";
	assert_sentence(&r,
			"get_time takes up to 900 ns; whom it stops is not known: no other core "
			"sampled; ended: it took #GP");
	r.calls = 0;
	assert_sentence(&r, "get_time was not called: it took #GP");
}

static char row[300];

static void take_row(void *ctx, const char *line, size_t bytes)
{
	(void)ctx;
	snprintf(row, sizeof(row), "%.*s", (int)bytes, line);
}

static const char *row_of(const struct record_service *r)
{
	struct lines lines;

	lines_init(&lines, take_row, NULL);
	record_kind_of(RECORD_SERVICE)->text(&lines, r, &(struct record_context){ 0 });
	return row;
}

TEST(test_rows)
{
	struct record_service r = a_service();

	assert_string_equal(row_of(&r),
			    "set_variable             10      0    1.30 ms    1.80 ms    "
			    "1.80 ms     10 15 of 15    1.80 ms");
	r.others = 0;
	r.smi.known = r.longest_ns.known = false;
	assert_string_equal(row_of(&r),
			    "set_variable             10      0    1.30 ms    1.80 ms    "
			    "1.80 ms    n/a      n/a        n/a");
	r.calls = 0;
	r.why = "there is none";
	assert_string_equal(row_of(&r), "set_variable            n/a  there is none");
}
