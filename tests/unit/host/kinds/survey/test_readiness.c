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

static void clear(void)
{
	memset(values, 0, sizeof(values));
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
	/* A machine without any known core is not ready. */
	assert_int_equal(readiness_judge(&(struct readiness){ 0 }, p, READINESS_TURBO),
			 READINESS_UNKNOWN);
}

/* A value that may be any, but the same on all cores. */
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
