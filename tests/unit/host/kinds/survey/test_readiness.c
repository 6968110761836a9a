/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of cores against what profiles ask for. */
#include "host/kinds/survey/readiness.h"

#include <string.h>

#include "tests/unit/common/test.h"

#define CORES 4

static struct readiness_values values[CORES];
static uint32_t numbers[CORES] = { 0, 1, 2, 7 };
static const struct readiness all = { values, numbers, CORES };

static void set(enum readiness_item item, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t of[CORES] = { a, b, c, d };

	for (unsigned i = 0; i < CORES; i++)
		values[i].of[item] = (struct maybe){ of[i], true };
}

static void forget(enum readiness_item item, unsigned core)
{
	values[core].of[item] = (struct maybe){ 0, false };
}

static void assert_state(enum readiness_item item, const char *is)
{
	TEXT_DEFINE(t, 200);

	readiness_state(&all, item, &t);
	assert_string_equal(t.buf, is);
}

static int clear(void **state)
{
	(void)state;
	memset(values, 0, sizeof(values));
	return 0;
}

TEST_F(clear, NULL, test_judge)
{
	const enum readiness_profile p = READINESS_OPENSHIFT_RAN;

	assert_int_equal(readiness_judge(&all, p, READINESS_TURBO), READINESS_UNKNOWN);
	assert_int_equal(readiness_judge(&all, p, READINESS_USB), READINESS_NOBODY);
	set(READINESS_TURBO, 1, 1, 1, 1);
	assert_int_equal(readiness_judge(&all, p, READINESS_TURBO), READINESS_READY);
	forget(READINESS_TURBO, 3);
	assert_int_equal(readiness_judge(&all, p, READINESS_TURBO), READINESS_UNKNOWN);
	/* One that is wrong is enough, whatever is known of the others. */
	set(READINESS_TURBO, 1, 1, 0, 1);
	forget(READINESS_TURBO, 0);
	assert_int_equal(readiness_judge(&all, p, READINESS_TURBO), READINESS_NOT_READY);
	/* No core is no machine that is ready. */
	assert_int_equal(readiness_judge(&(struct readiness){ 0 }, p, READINESS_TURBO),
			 READINESS_UNKNOWN);
}

/* Whatever it is: it has to be the same. */
TEST_F(clear, NULL, test_same)
{
	const enum readiness_profile p = READINESS_LINUX;

	set(READINESS_MICROCODE, 0x12, 0x12, 0x12, 0x12);
	assert_int_equal(readiness_judge(&all, p, READINESS_MICROCODE), READINESS_READY);
	forget(READINESS_MICROCODE, 0);
	assert_int_equal(readiness_judge(&all, p, READINESS_MICROCODE), READINESS_UNKNOWN);
	set(READINESS_MICROCODE, 0, 0x12, 0x12, 0x13);
	forget(READINESS_MICROCODE, 0);
	assert_int_equal(readiness_judge(&all, p, READINESS_MICROCODE), READINESS_NOT_READY);
	set(READINESS_TSC_ADJUST, 0, 0, 5, 0);
	assert_int_equal(readiness_judge(&all, p, READINESS_TSC_ADJUST), READINESS_NOT_READY);
	assert_state(READINESS_TSC_ADJUST, "0x0 0-1,7, 0x5 2");
}

TEST_F(clear, NULL, test_state)
{
	assert_state(READINESS_TURBO, "");
	set(READINESS_TURBO, 1, 1, 1, 1);
	assert_state(READINESS_TURBO, "on");
	set(READINESS_TURBO, 1, 0, 1, 0);
	assert_state(READINESS_TURBO, "on 0,2, off 1,7");
	forget(READINESS_TURBO, 0);
	assert_state(READINESS_TURBO, "n/a 0, off 1,7, on 2");
	set(READINESS_BIAS, 0, 0, 0, 0);
	assert_state(READINESS_BIAS, "performance");
	set(READINESS_BIAS, 6, 6, 6, 6);
	assert_state(READINESS_BIAS, "0x6");
}

/* Ten settings of a machine that are wrong, and each is named. */
static const struct {
	enum readiness_profile profile;
	enum readiness_item item;
	uint64_t right, wrong;
} ten[] = {
	{ READINESS_OPENSHIFT_RAN, READINESS_TURBO, 1, 0 },
	{ READINESS_OPENSHIFT_RAN, READINESS_EFFICIENT_TURBO, 0, 1 },
	{ READINESS_OPENSHIFT_RAN, READINESS_SPEEDSTEP, 1, 0 },
	{ READINESS_OPENSHIFT_RAN, READINESS_HWP, 0, 1 },
	{ READINESS_OPENSHIFT_RAN, READINESS_BIAS, 0, 6 },
	{ READINESS_OPENSHIFT_RAN, READINESS_PACKAGE_C, 0, 2 },
	{ READINESS_OPENSHIFT_RAN, READINESS_CORE_C, 0, 1 },
	{ READINESS_OPENSHIFT_RAN, READINESS_C1E, 0, 1 },
	{ READINESS_OPENSHIFT_RAN, READINESS_SMT, 1, 0 },
	{ READINESS_LINUX, READINESS_THERMAL, 0, 1 },
};

#define TEN (sizeof(ten) / sizeof(ten[0]))

static unsigned named, asked;

static void count_named(void *ctx, const struct readiness_row *r)
{
	const bool *wrong = ctx;

	for (size_t i = 0; i < TEN; i++) {
		if (!text_same(r->profile, readiness_profile_name(ten[i].profile)) ||
		    strcmp(r->item, readiness_item_name(ten[i].item)) != 0)
			continue;
		asked++;
		assert_string_equal(r->judged, *wrong ? "not ready" : "ready");
		named += *wrong;
	}
}

TEST_F(clear, NULL, test_ten)
{
	for (unsigned wrong = 0; wrong < 2; wrong++) {
		bool is_wrong = wrong;

		for (size_t i = 0; i < TEN; i++) {
			uint64_t v = wrong ? ten[i].wrong : ten[i].right;

			set(ten[i].item, v, v, v, v);
		}
		named = asked = 0;
		readiness_rows(&all, count_named, &is_wrong);
		assert_int_equal(asked, TEN);
		assert_int_equal(named, wrong ? TEN : 0);
		assert_int_equal(readiness_count(&all, READINESS_OPENSHIFT_RAN,
						 wrong ? READINESS_NOT_READY : READINESS_READY),
				 TEN - 1);
	}
}

static unsigned records, without;

static void count_records(void *ctx, const struct readiness_row *r)
{
	(void)ctx;
	records++;
	without += !r->profile;
	assert_int_equal(!r->profile, !r->judged);
	assert_int_equal(!r->profile, !r->wants);
	assert_null(r->state);
}

/* Each item has a record for each profile that asks, else one. */
TEST_F(clear, NULL, test_records)
{
	unsigned asks = 0, nobody = 0;

	for (unsigned item = 0; item < READINESS_ITEMS; item++) {
		unsigned of = 0;

		for (unsigned p = 0; p < READINESS_PROFILES; p++)
			of += readiness_judge(&all, (enum readiness_profile)p,
					      (enum readiness_item)item) != READINESS_NOBODY;
		asks += of;
		nobody += !of;
	}
	records = without = 0;
	readiness_rows(&all, count_records, NULL);
	assert_int_equal(records, asks + nobody);
	assert_int_equal(without, nobody);
}
