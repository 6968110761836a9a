/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling times from window records with one window, with several windows, and with implausible
 * values.
 */
#include "host/capture/result.h"

#include <stdlib.h>

#include "tests/unit/common/test.h"

#define WINDOWS 1000

static struct result_window record[WINDOWS];
static struct result_stage stage;
static struct exposure e;

static bool read_records(size_t count)
{
	stage = (struct result_stage){ .window = record, .windows = count };
	return result_stage_exposure(&stage, &e);
}

static void assert_refused(size_t count)
{
	assert_false(read_records(count));
	assert_null(e.window);
	assert_false(exposure_known(&e));
}

/* Windows of 90 ns, one every 100 ns, `per_record` in each record. */
static void lay_regular(size_t count, uint64_t per_record)
{
	for (size_t i = 0; i < count; i++)
		record[i] = (struct result_window){
			.n = 1 + i * per_record,
			.windows = per_record,
			.start_ns = 5000 + 100 * i * per_record,
			.len_ns = 100 * (per_record - 1) + 90,
		};
}

static void assert_regular(size_t count)
{
	assert_int_equal(e.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(e.window[i].start, 5000 + 100 * i);
		assert_int_equal(e.window[i].end, 5000 + 100 * i + 90);
	}
	free(e.window);
}

TEST(test_one_each)
{
	struct result_window first;

	lay_regular(10, 1);
	first = record[0];
	record[0] = record[7];
	record[7] = first;
	assert_true(read_records(10));
	assert_regular(10);
	assert_true(read_records(1));
	assert_regular(1);
}

TEST(test_several_to_a_record)
{
	for (uint64_t each = 2; each <= 8; each *= 2) {
		lay_regular(5, each);
		assert_true(read_records(5));
		assert_regular(5 * each);
	}
	/* The last record may hold fewer. */
	lay_regular(5, 8);
	record[4].windows = 3;
	record[4].len_ns = 290;
	assert_true(read_records(5));
	assert_regular(35);
}

/* The bounds of windows in a single record are unknown: they are treated as one continuous span. */
TEST(test_single_record)
{
	lay_regular(1, 4);
	assert_true(read_records(1));
	assert_int_equal(e.count, 4);
	assert_int_equal(exposure_between(&e, 5000, 5388), 388);
	free(e.window);
	/* Records are accepted, too, if the next one begins before their end. */
	lay_regular(2, 4);
	record[1].start_ns = 5391;
	assert_true(read_records(2));
	free(e.window);
}

TEST(test_refused)
{
	assert_refused(0);
	lay_regular(3, 1);
	record[1].windows = 0;
	assert_refused(3);
	lay_regular(3, 1);
	record[1].windows = RESULT_WINDOWS_MAX;
	assert_refused(3);
	record[1].windows = UINT64_MAX;
	assert_refused(3);
	lay_regular(3, 1);
	record[1].len_ns = 101;
	assert_refused(3);
	record[1].len_ns = 0;
	assert_refused(3);
	record[1].len_ns = UINT64_MAX;
	assert_refused(3);
	lay_regular(3, 1);
	record[1].start_ns = 4000;
	assert_refused(3);
	lay_regular(3, 4);
	record[1].n = record[0].n;
	record[1].start_ns = record[0].start_ns;
	assert_refused(3);
	lay_regular(1, 100);
	record[0].len_ns = 50;
	assert_refused(1);
}
