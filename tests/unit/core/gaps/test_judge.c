/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaps that wait in the ring for their causes, judged by a host's clock that is made up. */
#include "core/gaps/judge.h"

#include "arch/aarch64/counters/attribution_levels.c"
#include "core/lib/mem.h"
#include "core/lib/pack32.h"

#include "tests/unit/common/test.h"

#define SLOTS 8
#define NS    UINT64_C(1000) /* ticks are ns, and 1000 of them a us */

static struct gap slots[SLOTS];
static union gap_detail details[SLOTS];
static struct cpu cpu;
static unsigned weighed;

/* The first column has the stolen time. */
static void weigh(struct cpu *c, const struct gap_steps *steps, const struct gap_evidence *counted,
		  struct evidence *e)
{
	assert_ptr_equal(c, &cpu);
	weighed++;
	e->context = cpu.context;
	e->span = e->gap;
	e->have = EVIDENCE(STEAL) | EVIDENCE(MCE);
	e->step[EVIDENCE_STEAL] = pack32_unpack(steps->count[0]);
	e->step[EVIDENCE_MCE] = counted->mce;
}

static void start(void)
{
	static const struct evidence_context guest = { .rules = &attribution_levels,
						       .hypervisor = HYPERVISOR_KVM };

	memset(&cpu, 0, sizeof(cpu));
	memset(slots, 0, sizeof(slots));
	memset(details, 0, sizeof(details));
	cpu.context = &guest;
	cpu.weigh_steps = weigh;
	cpu.ring = (struct gap_ring){ .slot = slots, .detail = details, .capacity = SLOTS };
	weighed = 0;
}

/* Add a gap as the slow path stores it. */
static struct gap *add(uint64_t us)
{
	struct gap *gap = &slots[cpu.ring.used++];

	gap->start = cpu.ring.used * 1000000;
	gap->ticks = us * NS;
	gap->cause = CAUSE_UNKNOWN;
	cpu.window.gaps++;
	cpu.window.noise += gap->ticks;
	return gap;
}

/* The steps with the first of so many. */
static void add_steps(size_t slot, uint64_t stolen_us, uint8_t followers)
{
	slots[slot].holds = GAP_STEPS;
	slots[slot].followers = followers;
	details[slot].steps.count[0] = pack32(stolen_us * NS);
}

static void check(size_t slot, enum cause cause, bool measured)
{
	assert_int_equal(slots[slot].cause, cause);
	assert_int_equal(slots[slot].holds, measured ? GAP_WHY : GAP_NOTHING);
}

static void check_sums(enum cause cause, uint64_t gaps, uint64_t us)
{
	const struct cpu_sums *w = &cpu.window;

	assert_int_equal(w->cause_gaps[cause], gaps);
	assert_int_equal(w->cause_ticks[cause], us * NS);
	assert_int_equal(w->cause_gaps[CAUSE_UNKNOWN], w->gaps - gaps);
	assert_int_equal(w->cause_ticks[CAUSE_UNKNOWN], w->noise - us * NS);
	assert_int_equal(cpu.ring.judged, cpu.ring.used);
}

TEST_F(start, NULL, test_each_by_its_own)
{
	add(100);
	add(200);
	add(300);
	add_steps(0, 100, 0);
	add_steps(2, 0, 0);
	judge_ring(&cpu);
	assert_int_equal(weighed, 2);
	check(0, CAUSE_STEAL, true);
	check(1, CAUSE_UNKNOWN, false);
	check(2, CAUSE_UNKNOWN, true);
	check_sums(CAUSE_STEAL, 1, 100);
	assert_int_equal(cpu.worst.ticks, 300 * NS);
	assert_int_equal(cpu.worst.cause, CAUSE_UNKNOWN);
}

/* Judged gaps are not judged again; those of the next window are. */
TEST_F(start, NULL, test_from_window_to_window)
{
	add(100);
	add_steps(0, 100, 0);
	judge_ring(&cpu);
	judge_ring(&cpu);
	assert_int_equal(weighed, 1);
	check_sums(CAUSE_STEAL, 1, 100);
	add(200);
	add_steps(1, 200, 0);
	judge_ring(&cpu);
	assert_int_equal(weighed, 2);
	check_sums(CAUSE_STEAL, 2, 300);
}

TEST_F(start, NULL, test_several_were_stolen)
{
	add(50);
	add(8000);
	add(4000);
	add(70);
	add_steps(1, 12000, 1);
	add_steps(3, 70, 0);
	judge_ring(&cpu);
	assert_int_equal(weighed, 2);
	check(0, CAUSE_UNKNOWN, false);
	check(1, CAUSE_STEAL, true);
	check(2, CAUSE_STEAL, true);
	check(3, CAUSE_STEAL, true);
	check_sums(CAUSE_STEAL, 3, 12070);
	assert_int_equal(cpu.worst.cause, CAUSE_STEAL);
}

/*
 * The time that was not stolen may be all of the short gap, and is next to nothing of the long one.
 */
TEST_F(start, NULL, test_a_short_one_beside_a_long_one)
{
	add(8000);
	add(5);
	add_steps(0, 8000, 1);
	judge_ring(&cpu);
	check(0, CAUSE_STEAL, true);
	check(1, CAUSE_UNKNOWN, false);
	check_sums(CAUSE_STEAL, 1, 8000);
}

TEST_F(start, NULL, test_several_of_which_little_was_stolen)
{
	add(100);
	add(100);
	add(100);
	add_steps(0, 60, 2);
	judge_ring(&cpu);
	assert_int_equal(weighed, 1);
	for (size_t i = 0; i < 3; i++)
		check(i, CAUSE_UNKNOWN, false);
	check_sums(CAUSE_STEAL, 0, 0);
}

/* An SError in one of them is in the sum: it is counted, not stolen. */
TEST_F(start, NULL, test_something_else_was_counted)
{
	add(100);
	add(100)->evidence.mce = 1;
	add_steps(0, 200, 1);
	judge_ring(&cpu);
	check(0, CAUSE_UNKNOWN, false);
	check(1, CAUSE_SERROR, false);
	check_sums(CAUSE_SERROR, 1, 100);
}

/* If the following gaps found no room, they are not known, nor is what was stolen of the others. */
TEST_F(start, NULL, test_a_ring_that_ends_between_them)
{
	add(100);
	add(100);
	add_steps(0, 300, 2);
	judge_ring(&cpu);
	assert_int_equal(weighed, 0);
	check(0, CAUSE_UNKNOWN, false);
	check(1, CAUSE_UNKNOWN, false);
	check_sums(CAUSE_STEAL, 0, 0);
}

/* Without counters that measure, causes are by counts alone. */
TEST_F(start, NULL, test_counts_alone)
{
	cpu.ring.detail = NULL;
	cpu.context = NULL;
	add(100)->evidence.smi = 1;
	add(100)->evidence.nmi = 1;
	add(100)->evidence.mce = 1;
	add(100);
	add_steps(3, 100, 0);
	judge_ring(&cpu);
	assert_int_equal(weighed, 0);
	check(0, CAUSE_SMI, false);
	check(1, CAUSE_NMI, false);
	check(2, CAUSE_MCE, false);
	check(3, CAUSE_UNKNOWN, false);
}

/*
 * SMIs counted in each gap; which gaps came right behind the readings of the gap before; and the
 * SMIs that each gap then has.
 */
static const struct {
	const char *name;
	uint32_t counted[6];
	bool behind[6];
	uint32_t shared[6];
} shares[] = {
	{ "one for the next", { 2, 0 }, { false, true }, { 1, 1 } },
	{ "a single one stays", { 1, 0 }, { false, true }, { 1, 0 } },
	{ "read before it came", { 2, 0 }, { false, false }, { 2, 0 } },
	{ "the nearest gives", { 3, 2, 0 }, { false, true, true }, { 3, 1, 1 } },
	{ "then the one before", { 3, 2, 0, 0 }, { false, true, true, true }, { 2, 1, 1, 1 } },
	{ "until none is left", { 3, 0, 0, 0 }, { false, true, true, true }, { 1, 1, 1, 0 } },
	{ "it has its own", { 3, 1, 0 }, { false, true, true }, { 2, 1, 1 } },
	{ "not from another row", { 3, 0, 0 }, { false, false, true }, { 3, 0, 0 } },
};

#define SHARES (sizeof(shares) / sizeof(shares[0]))

TEST_F(start, NULL, test_shared)
{
	cpu.context = NULL;
	for (size_t r = 0; r < SHARES; r++) {
		gap_ring_clear(&cpu.ring);
		memset(slots, 0, sizeof(slots));
		for (size_t i = 0; i < 6; i++) {
			struct gap *gap = add(100);

			gap->evidence.smi = shares[r].counted[i];
			gap->behind = shares[r].behind[i];
		}
		judge_ring(&cpu);
		for (size_t i = 0; i < 6; i++) {
			if (slots[i].evidence.smi != shares[r].shared[i])
				fail_msg("%s: gap %zu has %u", shares[r].name, i,
					 slots[i].evidence.smi);
			check(i, shares[r].shared[i] ? CAUSE_SMI : CAUSE_UNKNOWN, false);
		}
	}
}

/* Gaps that are judged at once are judged one after the other, as in the ring. */
TEST_F(start, NULL, test_at_once)
{
	struct judge_share share = { .spare = 0 };

	cpu.ring.detail = NULL;
	add(100)->evidence.smi = 2;
	add(100)->behind = true;
	add(100);
	add_steps(2, 100, 0);
	for (size_t i = 0; i < 3; i++)
		judge_one(&cpu, slots, details, i, &share);
	check(0, CAUSE_SMI, false);
	check(1, CAUSE_SMI, false);
	check(2, CAUSE_STEAL, true);
	assert_int_equal(cpu.window.cause_gaps[CAUSE_SMI], 2);
	assert_int_equal(cpu.window.cause_ticks[CAUSE_SMI], 200 * NS);
	assert_int_equal(cpu.window.cause_ticks[CAUSE_STEAL], 100 * NS);
}

/* The first of several longest gaps counts, whichever is judged first. */
TEST_F(start, NULL, test_longest)
{
	struct judge_share share = { .spare = 0 };
	struct gap late = { .start = 90000000, .ticks = 100 * NS };

	add(100);
	judge_one(&cpu, &late, details, 0, &share);
	assert_int_equal(cpu.worst.start, late.start);
	judge_ring(&cpu);
	assert_int_equal(cpu.worst.start, slots[0].start);
}
