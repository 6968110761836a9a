/* SPDX-License-Identifier: BSD-2-Clause */
/* The least threshold of a loop that others disturb, in place of calibrate_loop(). */
#include "arch/loop_floor.h"

#include "arch/calibrate.h"

#include "tests/unit/common/test.h"

#define CALM    UINT64_C(20)
#define QUANTUM 2
#define WANTED  UINT64_C(1000)

static struct cpu cpu;
static uint64_t scratch[CALIBRATE_INTERVALS];
static unsigned calls, disturbed;

/* The less disturbed the longer it lasts; then not at all. */
void calibrate_loop(struct cpu *c, uint64_t *room)
{
	assert_ptr_equal(c, &cpu);
	assert_ptr_equal(room, scratch);
	c->quantum = QUANTUM;
	c->interval_floor = calls < disturbed ? 50 * WANTED - calls : CALM;
	calls++;
}

static uint64_t floor_of(unsigned batches)
{
	calls = 0;
	disturbed = batches;
	return loop_floor(&cpu, scratch, WANTED);
}

TEST(a_calm_loop_is_measured_once)
{
	assert_int_equal(floor_of(0), CALM + QUANTUM);
	assert_int_equal(calls, 1);
}

TEST(what_others_take_for_a_while_is_not_the_loops)
{
	assert_int_equal(floor_of(100), CALM + QUANTUM);
	assert_int_equal(calls, 101);
}

TEST(a_loop_that_is_never_calm_ends_with_its_calmest)
{
	assert_int_equal(floor_of(UINT32_MAX), 50 * WANTED - (LOOP_FLOOR_TRIES - 1) + QUANTUM);
	assert_int_equal(calls, LOOP_FLOOR_TRIES);
}

/* A threshold has to be above it, not at it. */
TEST(at_the_threshold_is_not_below_it)
{
	calls = 0;
	disturbed = 0;
	assert_int_equal(loop_floor(&cpu, scratch, CALM + QUANTUM), CALM + QUANTUM);
	assert_int_equal(calls, LOOP_FLOOR_TRIES);
}
