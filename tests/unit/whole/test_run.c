/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole runs: what they measure, what they send, and their verdicts. */
#include "mocked.h"
#include "mocked_storage.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define TICKS_PER_NS (int64_t)(MOCKED_HZ / MOCKED_S)
/* A gap is measured longer than in the script, by one sample. */
#define SAMPLE_NS (int64_t)(MOCKED_READ / (MOCKED_HZ / MOCKED_S))

static void check_end(const struct mocked_run *r, unsigned code, const char *verdict)
{
	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	assert_int_equal(r->code, code);
	assert_string_equal(mocked_string(mocked_record(r, "end", 0), "verdict"), verdict);
}

static int64_t cause_gaps(const json_t *cpu, const char *cause)
{
	const json_t *of = json_object_get(json_object_get(cpu, "cause"), cause);

	return of ? mocked_number(of, "gaps") : 0;
}

/* Number of the script's gaps that begin in a window. */
static int64_t begun(const struct mocked_run *r, const struct mocked_gap *g)
{
	int64_t zero = mocked_number(mocked_record(r, "begin", 0), "begin_tsc") / TICKS_PER_NS;
	json_t *windows = mocked_of_type(r->records, "window"), *window;
	int64_t count = 0;
	size_t i;

	json_array_foreach(windows, i, window)
	{
		int64_t start = zero + mocked_number(window, "start_ns");
		int64_t end = start + mocked_number(window, "len_ns");
		int64_t at = (int64_t)g->at_ns;

		for (; at < end; at += (int64_t)g->every_ns) {
			count += at >= start;
			if (!g->every_ns)
				break;
		}
	}
	return count;
}

/* Check that each core's histogram has all gaps, and that each gap has a cause. */
static void check_sums(const struct mocked_run *r)
{
	json_t *cpus = mocked_of_type(r->records, "cpu"), *cpu, *row;
	size_t i, k;

	json_array_foreach(cpus, i, cpu)
	{
		int64_t in_histogram = 0, by_cause = 0;
		const char *name;

		json_array_foreach(json_object_get(cpu, "histogram"), k, row)
			in_histogram += json_integer_value(json_array_get(row, 1));
		json_object_foreach(json_object_get(cpu, "cause"), name, row)
			by_cause += mocked_number(row, "gaps");
		assert_int_equal(in_histogram, mocked_number(cpu, "gaps"));
		assert_int_equal(by_cause, mocked_number(cpu, "gaps"));
	}
}

TEST(test_no_gap_meets_each_limit)
{
	const struct mocked_run *r =
		MOCKED(.config = "duration=2s max=1us max_noise=0 then=qemu-exit\n", .cores = 2);

	check_end(r, 0, "pass");
	assert_int_equal(mocked_count(r, "window"), 2);
	assert_int_equal(mocked_count(r, "gap"), 0);
	/* The PM timer and the RTC are watched, and agree with the TSC. */
	assert_int_equal(mocked_count(r, "pause"), 0);
	assert_int_equal(mocked_count(r, "cpu"), 2);
	for (size_t i = 0; i < 2; i++) {
		const json_t *cpu = mocked_record(r, "cpu", i);

		assert_int_equal(mocked_number(cpu, "cpu"), i);
		assert_int_equal(mocked_number(cpu, "apic_id"), 2 * i);
		assert_int_equal(mocked_number(cpu, "package"), 3);
		assert_int_equal(mocked_number(cpu, "thread"), 1);
		assert_int_equal(mocked_number(cpu, "core"), i);
		assert_int_equal(mocked_number(cpu, "tsc_offset"), 0);
		assert_true(json_is_integer(json_object_get(cpu, "tsc_offset_bound")));
		assert_string_equal(mocked_string(cpu, "core_type"), i ? "E" : "P");
		assert_string_equal(mocked_string(cpu, "proved"), "nmi, delay");
		assert_int_equal(mocked_number(cpu, "gaps"), 0);
		assert_int_equal(mocked_number(cpu, "exposure_ns"), 2 * MOCKED_S);
	}
	mocked_check_totals(r->records);
}

/*
 * Windows of one second and a rest, or one window if `quiet` is set. Without a limit there is no
 * verdict.
 */
TEST(test_windows)
{
	static const struct {
		const char *config;
		size_t windows;
		uint64_t first_ms, last_ms;
	} rows[] = {
		{ "duration=2500ms then=qemu-exit\n", 3, 1000, 500 },
		{ "duration=333ms then=qemu-exit\n", 1, 333, 333 },
		{ "duration=10s quiet=yes then=qemu-exit\n", 1, 10000, 10000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct mocked_run *r = MOCKED(.config = rows[i].config);
		const json_t *last = mocked_record(r, "window", rows[i].windows - 1);

		check_end(r, 0, "none");
		assert_non_null(strstr(r->text, "\nverdict: none"));
		assert_int_equal(mocked_count(r, "window"), rows[i].windows);
		assert_in_range(mocked_number(mocked_record(r, "window", 0), "len_ns"),
				rows[i].first_ms * MOCKED_MS,
				rows[i].first_ms * MOCKED_MS + SAMPLE_NS);
		assert_in_range(mocked_number(last, "len_ns"),
				rows[i].last_ms * MOCKED_MS - SAMPLE_NS,
				rows[i].last_ms * MOCKED_MS + SAMPLE_NS);
		assert_int_equal(mocked_number(last, "n"), rows[i].windows);
		assert_int_equal(mocked_number(last, "windows"), 1);
	}
}

TEST(test_a_gap_above_max_fails)
{
	const struct mocked_gap gap = {
		.at_ns = 1500 * MOCKED_MS,
		.ns = 50000,
		.cores = 2,
		.smi = 1,
	};
	const struct mocked_run *r = MOCKED(.config = "duration=2s max=10us then=qemu-exit\n",
					    .cores = 3, .gap = &gap, .gaps = 1);
	const json_t *found = mocked_record(r, "gap", 0);

	check_end(r, 1, "fail");
	assert_true(mocked_reason(r, "max"));
	assert_true(mocked_reason(r, "exceeds the limit"));
	assert_int_equal(mocked_count(r, "gap"), 1);
	assert_int_equal(mocked_number(found, "cpu"), 1);
	assert_in_range(mocked_number(found, "start_tsc"),
			(int64_t)gap.at_ns * TICKS_PER_NS - MOCKED_READ,
			(int64_t)gap.at_ns * TICKS_PER_NS);
	assert_int_equal(mocked_number(found, "len_ns"), (int64_t)gap.ns + SAMPLE_NS);
	assert_string_equal(mocked_string(found, "cause"), "smi");
	for (size_t i = 0; i < 3; i++) {
		const json_t *cpu = mocked_record(r, "cpu", i);

		assert_int_equal(mocked_number(cpu, "gaps"), i == 1);
		assert_int_equal(cause_gaps(cpu, "smi"), i == 1);
		assert_int_equal(mocked_number(cpu, "noise_ns"),
				 i == 1 ? (int64_t)gap.ns + SAMPLE_NS : 0);
	}
	check_sums(r);
	mocked_check_totals(r->records);
}

/* A shorter gap meets the limit of the test above. */
TEST(test_a_gap_below_max_passes)
{
	const struct mocked_gap gap = { .at_ns = 1500 * MOCKED_MS, .ns = 9000, .cores = 1 };
	const struct mocked_run *r = MOCKED(.config = "duration=1s max=10us then=qemu-exit\n",
					    .gap = &gap, .gaps = 1);

	check_end(r, 0, "pass");
	assert_int_equal(mocked_count(r, "gap"), 1);
}

TEST(test_max_smi_needs_a_counter_that_moved)
{
	const struct mocked_gap before = { .at_ns = 1, .cores = 1, .smi = 1 };
	const struct mocked_gap within = { .at_ns = 1500 * MOCKED_MS, .cores = 1, .smi = 1 };
	struct mocked m = { .config = "duration=1s max_smi=0 then=qemu-exit\n", .gaps = 1 };
	const struct {
		const struct mocked_gap *gap;
		unsigned gaps, code;
		bool no_counter;
		const char *verdict;
	} rows[] = {
		{ NULL, 0, 3, false, "incomplete" },
		{ NULL, 0, 3, true, "incomplete" },
		{ &before, 1, 0, false, "pass" },
		{ &within, 1, 1, false, "fail" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct mocked_run *r;

		m.gap = rows[i].gap;
		m.gaps = rows[i].gaps;
		m.no_smi_counter = rows[i].no_counter;
		r = mocked_start(&m);
		check_end(r, rows[i].code, rows[i].verdict);
	}
}

/* The other core, which has no gap, ends its window with the one that has. */
TEST(test_stop_ends_sampling_and_keeps_the_gap)
{
	const struct mocked_gap gap = { .at_ns = 3500 * MOCKED_MS, .ns = 20000, .cores = 2 };
	const struct mocked_run *r = MOCKED(.config = "duration=60s stop=10us then=qemu-exit\n",
					    .cores = 2, .gap = &gap, .gaps = 1);

	check_end(r, 3, "incomplete");
	assert_true(mocked_reason(r, "stop: a gap of 20.0 us on cpu 1"));
	assert_int_equal(mocked_count(r, "gap"), 1);
	assert_int_equal(mocked_number(mocked_record(r, "gap", 0), "len_ns"),
			 (int64_t)gap.ns + SAMPLE_NS);
	assert_int_equal(mocked_count(r, "window"), 3);
	for (size_t i = 0; i < 2; i++)
		assert_in_range(mocked_number(mocked_record(r, "cpu", i), "exposure_ns"),
				2300 * MOCKED_MS, 2400 * MOCKED_MS);
}

TEST(test_stop_total_ends_sampling)
{
	const struct mocked_gap gap = {
		.at_ns = 2500 * MOCKED_MS,
		.ns = 30000,
		.cores = 1,
		.every_ns = 10 * MOCKED_MS,
	};
	const struct mocked_run *r =
		MOCKED(.config = "duration=60s stop_total=100us then=qemu-exit\n", .gap = &gap,
		       .gaps = 1);

	check_end(r, 3, "incomplete");
	assert_true(mocked_reason(r, "stop_total: noise of 120 us on cpu 0"));
	assert_int_equal(mocked_count(r, "gap"), 4);
}

TEST(test_a_key_ends_the_run_between_windows)
{
	const struct mocked_run *r = MOCKED(.config = "duration=30s then=qemu-exit\n", .cores = 2,
					    .key = 'q', .key_at = 4500 * MOCKED_MS);

	check_end(r, 3, "incomplete");
	assert_true(mocked_reason(r, "q ended the run"));
	assert_int_equal(mocked_count(r, "window"), 4);
}

TEST(test_another_key_does_not_end_it)
{
	const struct mocked_run *r = MOCKED(.config = "duration=5s then=qemu-exit\n", .key = 'x',
					    .key_at = 2500 * MOCKED_MS);

	check_end(r, 0, "none");
	assert_int_equal(mocked_count(r, "window"), 5);
}

/* The firmware's timer interrupts every 10 ms if interrupts stay enabled. */
TEST(test_interrupts_left_on_are_caught)
{
	const struct mocked_gap timer = {
		.at_ns = 10 * MOCKED_MS,
		.ns = 5000,
		.cores = 1,
		.every_ns = 10 * MOCKED_MS,
	};
	const struct mocked_run *r =
		MOCKED(.config = "duration=1s stages=firmware max=1s then=qemu-exit\n",
		       .gap = &timer, .gaps = 1, .unmasked = true);

	check_end(r, 3, "incomplete");
	assert_true(mocked_reason(r, "interrupts were enabled"));
	assert_int_equal(mocked_number(mocked_record(r, "cpu", 0), "gaps"), begun(r, &timer));
	assert_int_equal(begun(r, &timer), 100);
}

/* ---- What is sent ---- */

TEST(test_gap_list_is_the_longest_in_time_order)
{
	const struct mocked_gap gap[2] = {
		{ .at_ns = 1200 * MOCKED_MS, .ns = 2000, .cores = 1, .every_ns = 30 * MOCKED_MS },
		{ .at_ns = 1801 * MOCKED_MS, .ns = 9000, .cores = 2 },
	};
	const struct mocked_run *r = MOCKED(.config = "duration=1s gaps=7 then=qemu-exit\n",
					    .cores = 2, .gap = gap, .gaps = 2);
	json_t *gaps = mocked_of_type(r->records, "gap"), *one;
	int64_t last = -1, longest = 0, held = 0;
	size_t i;

	json_array_foreach(gaps, i, one)
	{
		assert_true(mocked_number(one, "t_ns") >= last);
		last = mocked_number(one, "t_ns");
		if (mocked_number(one, "len_ns") > longest)
			longest = mocked_number(one, "len_ns");
	}
	assert_int_equal(json_array_size(gaps), 7);
	assert_int_equal(longest, 9000 + SAMPLE_NS);
	for (i = 0; i < 2; i++)
		held += mocked_number(mocked_record(r, "cpu", i), "gaps");
	assert_int_equal(held, begun(r, &gap[0]) + begun(r, &gap[1]));
	assert_true(held > 7);
	assert_int_equal(mocked_number(mocked_record(r, "end", 0), "gaps_unsent"), held - 7);
	mocked_check_totals(r->records);
}

/* Gaps that do not fit into the ring are counted, and are in the sums; the longest one is kept. */
TEST(test_a_full_ring_keeps_sums_exact)
{
	const struct mocked_gap gap[2] = {
		{
			.at_ns = 1200 * MOCKED_MS,
			.ns = 2000,
			.cores = 1,
			.smi = 1,
			.every_ns = MOCKED_MS / 2,
		},
		/* This gap falls within one of the others, which it makes longer. */
		{ .at_ns = 1900 * MOCKED_MS + 1000, .ns = 7000, .cores = 1, .nmi = 1 },
	};
	const struct mocked_run *r =
		MOCKED(.config = "duration=1s records=100 gaps=all then=qemu-exit\n", .gap = gap,
		       .gaps = 2);
	const json_t *cpu = mocked_record(r, "cpu", 0);
	int64_t all = mocked_number(cpu, "gaps");

	check_end(r, 0, "none");
	assert_int_equal(all, begun(r, &gap[0]));
	assert_true(all > 1000);
	assert_int_equal(mocked_number(cpu, "dropped"), all - 100);
	assert_int_equal(mocked_number(cpu, "max_ns"), 9000 + SAMPLE_NS);
	assert_int_equal(mocked_number(cpu, "smi"), all);
	assert_int_equal(mocked_number(cpu, "nmi"), 1);
	assert_int_equal(mocked_number(cpu, "noise_ns"), all * (2000 + SAMPLE_NS) + 7000);
	assert_int_equal(mocked_count(r, "gap"), 101);
	assert_int_equal(mocked_number(mocked_record(r, "end", 0), "gaps_unsent"), all - 101);
	check_sums(r);
}

/* In a storm gaps also come within the slow path. The listed gaps add up to the sums. */
TEST(test_a_storm_is_listed_whole)
{
	const struct mocked_gap gap[2] = {
		{ .at_ns = 1150 * MOCKED_MS,
		  .ns = 60,
		  .cores = 1,
		  .smi = 1,
		  .every_ns = 700,
		  .times = 500 },
		{ .at_ns = 1150 * MOCKED_MS, .ns = 90, .cores = 1, .every_ns = 1100, .times = 300 },
	};
	const struct mocked_run *r =
		MOCKED(.config =
			       "duration=100ms window=100ms threshold=50ns records=100000 gaps=all "
			       "then=qemu-exit\n",
		       .gap = gap, .gaps = 2);
	const json_t *cpu = mocked_record(r, "cpu", 0);
	json_t *gaps = mocked_of_type(r->records, "gap"), *one;
	int64_t ticks = 0, longest = 0;
	size_t i;

	json_array_foreach(gaps, i, one)
	{
		ticks += mocked_number(one, "ticks");
		if (mocked_number(one, "ticks") > longest)
			longest = mocked_number(one, "ticks");
	}
	assert_int_equal(mocked_number(cpu, "dropped"), 0);
	assert_int_equal(json_array_size(gaps), mocked_number(cpu, "gaps"));
	assert_true(json_array_size(gaps) > 300);
	assert_int_equal(ticks / TICKS_PER_NS, mocked_number(cpu, "noise_ns"));
	assert_int_equal(longest / TICKS_PER_NS, mocked_number(cpu, "max_ns"));
	check_sums(r);
}

/* At 115200 baud 2 % of a one-second window are 230 bytes. */
TEST(test_what_goes_out_between_windows_is_short)
{
	const struct mocked_run *r = MOCKED(.config = "duration=5s then=qemu-exit\n", .cores = 2);
	const char *first = strstr(r->text, "\n  1/5  "), *last = strstr(r->text, "\n  5/5  ");

	assert_non_null(first);
	assert_non_null(last);
	/* There are five lines, and nothing between them. */
	for (const char *at = first; at < last; at += strcspn(at + 1, "\n") + 1) {
		assert_non_null(strstr(at, "/5  "));
		assert_true(strcspn(at + 1, "\n") <= 150);
		assert_true(strstr(at, "/5  ") - at < 8);
	}
}

/*
 * The screen is painted anew between windows, or once with live=no, and a pixel inside one would be
 * seen.
 */
TEST(test_nothing_is_painted_in_a_window)
{
	const struct mocked_gap gap = { .at_ns = 2500 * MOCKED_MS, .ns = 20000, .cores = 2 };
	struct mocked m = { .config = "duration=4s then=qemu-exit\n",
			    .cores = 2,
			    .screen = true,
			    .gap = &gap,
			    .gaps = 1 };
	const struct mocked_run *r = mocked_start(&m);

	check_end(r, 0, "none");
	assert_int_equal(mocked_count(r, "gap"), 1);
	/* One is the page of the start, before the cores are tried. */
	assert_int_equal(r->paintings, 1 + 4);
	m.config = "duration=4s live=no then=qemu-exit\n";
	r = mocked_start(&m);
	check_end(r, 0, "none");
	assert_int_equal(r->paintings, 1 + 1);
	assert_null(strstr(r->text, "/4  "));
	assert_int_equal(mocked_count(r, "window"), 4);
	m.scribbles = true;
	assert_int_equal(mocked_start(&m)->end, MOCKED_SCRIBBLED);
}

/* ---- Stages and cores ---- */

/* Each stage has its own sums, gaps and windows. */
TEST(test_the_ladder_takes_each_step_between_stages)
{
	static const char *const names[] = { "firmware", "bare", "acpi", "handoff" };
	const struct mocked_gap gap = { .at_ns = 1200 * MOCKED_MS,
					.ns = 3000,
					.cores = 1,
					.every_ns = MOCKED_MS,
					.times = 100 };
	const struct mocked_run *r =
		MOCKED(.config = "stages=firmware,bare,acpi,handoff duration=500ms window=250ms "
				 "records=10 then=qemu-exit\n",
		       .cores = 4, .gap = &gap, .gaps = 1);

	check_end(r, 0, "none");
	assert_true(r->left);
	assert_int_equal(mocked_count(r, "stage"), 4);
	for (size_t i = 0; i < 4; i++) {
		const json_t *stage = mocked_record(r, "stage", i);

		assert_string_equal(mocked_string(stage, "stage"), names[i]);
		assert_int_equal(mocked_number(stage, "sci_en"), i >= 2);
		assert_int_equal(mocked_number(mocked_record(r, "window", 2 * i), "n"), 1);
		assert_int_equal(mocked_number(mocked_record(r, "cpu", 4 * i), "gaps"),
				 i ? 0 : 100);
		assert_int_equal(mocked_number(mocked_record(r, "cpu", 4 * i), "dropped"),
				 i ? 0 : 90);
		assert_int_equal(mocked_number(mocked_record(r, "cpu", 4 * i), "max_ns"),
				 i ? 0 : 3000 + SAMPLE_NS);
		for (size_t cpu = 0; cpu < 4; cpu++)
			assert_in_range(
				mocked_number(mocked_record(r, "cpu", 4 * i + cpu), "exposure_ns"),
				500 * MOCKED_MS - (i || cpu ? 0 : MOCKED_MS), 500 * MOCKED_MS);
	}
	assert_int_equal(mocked_count(r, "window"), 8);
	check_sums(r);
	mocked_check_totals(r->records);
}

/* ACPI mode and USB controllers are not changed. */
TEST(test_what_linux_has_left_stays_as_it_is)
{
	const struct mocked_run *r = MOCKED(.config = "duration=500ms then=qemu-exit\n",
					    .after_linux = true);

	check_end(r, 0, "none");
	assert_int_equal(mocked_count(r, "stage"), 1);
	assert_string_equal(mocked_string(mocked_record(r, "stage", 0), "stage"), "linux");
	assert_int_equal(mocked_number(mocked_record(r, "stage", 0), "sci_en"), 0);
	assert_false(mocked_logged(r, "acpi:"));
	assert_false(mocked_logged(r, "handoff:"));
}

/* The run returns to the firmware if it measures no later stage. */
TEST(test_stage_firmware_alone_returns_to_the_firmware)
{
	const struct mocked_run *r = MOCKED(.config = "stages=firmware duration=500ms\n",
					    .cores = 2);

	assert_int_equal(r->end, MOCKED_RETURNED);
	assert_int_equal(r->code, 0);
	assert_false(r->left);
	assert_int_equal(mocked_count(r, "cpu"), 2);
}

TEST(test_a_core_that_does_not_answer_is_left_out)
{
	const struct mocked_run *r = MOCKED(.config = "duration=500ms then=qemu-exit\n", .cores = 3,
					    .absent = 1u << 1);
	const json_t *cpus = json_object_get(mocked_record(r, "begin", 0), "cpus");

	assert_int_equal(mocked_number(cpus, "found"), 3);
	assert_int_equal(mocked_number(cpus, "started"), 2);
	assert_true(mocked_logged(r, "cpu 1 (APIC id 2) did not answer"));
	assert_int_equal(mocked_count(r, "cpu"), 2);
	assert_int_equal(mocked_number(mocked_record(r, "cpu", 1), "cpu"), 2);
}

TEST(test_an_rtc_that_the_fadt_denies_is_not_read)
{
	check_end(MOCKED(.config = "duration=1s then=qemu-exit\n", .no_rtc = true), 0, "none");
}

/* The boot core leads the others, whether it is measured or not. */
TEST(test_cpus_are_chosen)
{
	const struct mocked_run *r = MOCKED(.config = "duration=500ms cpus=1,3 then=qemu-exit\n",
					    .cores = 4);

	check_end(r, 0, "none");
	assert_int_equal(mocked_count(r, "cpu"), 2);
	for (size_t i = 0; i < 2; i++) {
		const json_t *cpu = mocked_record(r, "cpu", i);

		assert_int_equal(mocked_number(cpu, "cpu"), 1 + 2 * i);
		assert_int_equal(mocked_number(cpu, "gaps"), 0);
		assert_in_range(mocked_number(cpu, "exposure_ns"), 499 * MOCKED_MS,
				500 * MOCKED_MS);
	}
	assert_in_range(mocked_number(mocked_record(r, "end", 0), "watched_ppm"), 1, 1000000);
}

/* ---- The network ---- */

TEST(test_no_network_card)
{
	const struct mocked_run *r =
		MOCKED(.config = "duration=500ms report=udp://10.0.2.2:9000 then=qemu-exit\n");

	check_end(r, 0, "none");
	assert_true(mocked_logged(r, "network"));
	assert_int_equal(mocked_count(r, "window"), 1);
}
