/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaps that wait in the ring for their causes, judged by a clock of a host's that is made up. */
#include "arch/settle.h"

#include "core/lib/mem.h"

#include "tests/unit/common/test.h"

#define SLOTS 8
#define NS    UINT64_C(1000) /* ticks are ns, and 1000 of them a us */

static struct gap slots[SLOTS];
static struct attribution whys[SLOTS];
static struct cpu cpu;
static unsigned decided;

/* What was stolen is in the steps. */
static void decide(struct cpu *c, const struct gap *gap, struct attribution *why)
{
	static const struct evidence_context guest = { .rules = &attribution_levels,
						       .hypervisor = HYPERVISOR_KVM };
	struct evidence e = { .context = &guest,
			      .gap = gap->ticks,
			      .span = gap->ticks,
			      .have = EVIDENCE(STEAL) | EVIDENCE(MCE) };

	assert_ptr_equal(c, &cpu);
	decided++;
	e.step[EVIDENCE_STEAL] = why->steps.stolen_ns;
	e.step[EVIDENCE_MCE] = gap->evidence.mce;
	attribution_decide(&e, why);
}

static int start(void **state)
{
	(void)state;
	memset(&cpu, 0, sizeof(cpu));
	memset(slots, 0, sizeof(slots));
	memset(whys, 0, sizeof(whys));
	cpu.ring = (struct gap_ring){ .slot = slots, .why = whys, .capacity = SLOTS };
	decided = 0;
	return 0;
}

/* As the slow path leaves it: counted as of unknown cause. */
static void add(uint64_t us)
{
	struct gap *gap = &slots[cpu.ring.used++];

	gap->start = cpu.ring.used * 1000000;
	gap->ticks = us * NS;
	gap->cause = CAUSE_UNKNOWN;
	cpu.window.noise += gap->ticks;
	cpu.window.cause_gaps[CAUSE_UNKNOWN]++;
	cpu.window.cause_ticks[CAUSE_UNKNOWN] += gap->ticks;
	if (gap->ticks > cpu.worst.ticks)
		cpu.worst = *gap;
}

/* The steps with the first of so many. */
static void add_steps(size_t slot, uint64_t stolen_us, uint8_t followers)
{
	whys[slot] = (struct attribution){ .rules = &attribution_levels, .followers = followers };
	whys[slot].steps.stolen_ns = stolen_us * NS;
}

static void check(size_t slot, enum cause cause, bool measured)
{
	assert_int_equal(slots[slot].cause, cause);
	assert_int_equal(whys[slot].rules != NULL, measured);
	if (measured)
		assert_int_equal(whys[slot].cause, cause);
}

static void check_sums(uint64_t stolen_gaps, uint64_t stolen_us)
{
	const struct cpu_sums *w = &cpu.window;

	assert_int_equal(w->cause_gaps[CAUSE_STEAL], stolen_gaps);
	assert_int_equal(w->cause_gaps[CAUSE_UNKNOWN], cpu.ring.used - stolen_gaps);
	assert_int_equal(w->cause_ticks[CAUSE_STEAL], stolen_us * NS);
	assert_int_equal(w->cause_ticks[CAUSE_UNKNOWN], w->noise - stolen_us * NS);
}

TEST_F(start, NULL, test_each_by_its_own)
{
	add(100);
	add(200);
	add(300);
	add_steps(0, 100, 0);
	add_steps(2, 0, 0);
	settle_gaps(&cpu, 0, decide);
	assert_int_equal(decided, 2);
	check(0, CAUSE_STEAL, true);
	check(1, CAUSE_UNKNOWN, false);
	check(2, CAUSE_UNKNOWN, true);
	check_sums(1, 100);
	assert_int_equal(cpu.worst.cause, CAUSE_UNKNOWN);
}

TEST_F(start, NULL, test_several_were_stolen)
{
	add(50);
	add(8000);
	add(4000);
	add(70);
	add_steps(1, 12000, 1);
	add_steps(3, 70, 0);
	settle_gaps(&cpu, 1, decide);
	assert_int_equal(decided, 2);
	check(0, CAUSE_UNKNOWN, false);
	check(1, CAUSE_STEAL, true);
	check(2, CAUSE_STEAL, true);
	check(3, CAUSE_STEAL, true);
	check_sums(3, 12070);
	assert_int_equal(cpu.worst.cause, CAUSE_STEAL);
}

/* What was not stolen may be all of the short one, and is next to nothing of the long one. */
TEST_F(start, NULL, test_a_short_one_beside_a_long_one)
{
	add(8000);
	add(5);
	add_steps(0, 8000, 1);
	settle_gaps(&cpu, 0, decide);
	check(0, CAUSE_STEAL, true);
	check(1, CAUSE_UNKNOWN, false);
	check_sums(1, 8000);
}

TEST_F(start, NULL, test_several_of_which_little_was_stolen)
{
	add(100);
	add(100);
	add(100);
	add_steps(0, 60, 2);
	settle_gaps(&cpu, 0, decide);
	assert_int_equal(decided, 1);
	for (size_t i = 0; i < 3; i++)
		check(i, CAUSE_UNKNOWN, false);
	check_sums(0, 0);
}

/* An SError in one of them is in the sum: it is counted, not stolen. */
TEST_F(start, NULL, test_something_else_was_counted)
{
	add(100);
	add(100);
	slots[1].evidence.mce = 1;
	add_steps(0, 200, 1);
	settle_gaps(&cpu, 0, decide);
	check(0, CAUSE_UNKNOWN, false);
	check(1, CAUSE_UNKNOWN, false);
	check_sums(0, 0);
}

/* Those that found no room are not known any more, nor then what was stolen of the others. */
TEST_F(start, NULL, test_a_ring_that_ends_between_them)
{
	add(100);
	add(100);
	add_steps(0, 300, 2);
	settle_gaps(&cpu, 0, decide);
	assert_int_equal(decided, 0);
	check(0, CAUSE_UNKNOWN, false);
	check(1, CAUSE_UNKNOWN, false);
	check_sums(0, 0);
}

TEST_F(start, NULL, test_nothing_waits)
{
	add(100);
	settle_gaps(&cpu, 0, decide);
	settle_gaps(&cpu, 1, decide);
	cpu.ring.why = NULL;
	settle_gaps(&cpu, 0, decide);
	assert_int_equal(decided, 0);
}
