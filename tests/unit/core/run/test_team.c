/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds of work: who does what, and a core that does not come back. */
#include "core/run/team.h"
#include "tests/unit/common/test.h"
#include "tests/unit/mock_platform.h"
#include "tests/unit/rounds.h"

#define ROUNDS rounds(48, 192) /* a multiple of the other cores */

static struct team team;
static struct platform *platform;
static unsigned lost_count;
static const struct cpu *lost_cpu;

static void lost(void *ctx, const struct cpu *cpu)
{
	assert_ptr_equal(ctx, &team);
	lost_count++;
	lost_cpu = cpu;
}

static void gather_team(uint32_t cpus)
{
	platform = mock_lay(cpus);
	mock.relax = MOCK_HZ / 100;
	for (uint32_t i = 0; i < cpus; i++)
		mock.cpu[i].measured = true;
	memset(&team, 0, sizeof(team));
	lost_count = 0;
	lost_cpu = NULL;
	team.lost = lost;
	team.lost_ctx = &team;
	team_start(&team, platform);
}

/* Number of tasks that each core did. A core writes its own; the boot core reads between rounds. */
static unsigned done[MOCK_CPUS];

static void count_task(struct team *t, struct cpu *cpu, void *arg)
{
	if (t == &team && arg == done)
		done[cpu->position]++;
}

static const struct cpu *chosen;

static bool is_chosen(const struct cpu *cpu, const void *arg)
{
	assert_ptr_equal(arg, done);
	return cpu == chosen;
}

static void team_do_one(uint32_t position)
{
	chosen = &mock.cpu[position];
	team_do_some(&team, is_chosen, count_task, done, 0);
}

static void assert_done(uint32_t cpus, unsigned times)
{
	for (uint32_t i = 0; i < cpus; i++)
		assert_int_equal(done[i], times);
}

TEST(test_all_do_each_round_once)
{
	for (uint32_t cpus = 1; cpus <= MOCK_CPUS; cpus++) {
		memset(done, 0, sizeof(done));
		gather_team(cpus);
		for (unsigned round = 1; round <= ROUNDS; round++) {
			team_do(&team, count_task, done, round);
			assert_done(cpus, round);
			assert_int_equal(atomic_load(&team.longest), round);
		}
		team_leave(&team);
		assert_done(cpus, ROUNDS);
		assert_int_equal(lost_count, 0);
	}
}

TEST(test_rounds_with_one_other)
{
	enum { CPUS = 5 };

	memset(done, 0, sizeof(done));
	gather_team(CPUS);
	for (unsigned round = 0; round < ROUNDS; round++)
		team_do_one(1 + round % (CPUS - 1));
	assert_int_equal(done[0], ROUNDS);
	for (uint32_t i = 1; i < CPUS; i++)
		assert_int_equal(done[i], ROUNDS / (CPUS - 1));
	/* Cores that rested in those rounds take part in the next. */
	team_do(&team, count_task, done, 0);
	for (uint32_t i = 1; i < CPUS; i++)
		assert_int_equal(done[i], ROUNDS / (CPUS - 1) + 1);
	team_leave(&team);
	assert_int_equal(lost_count, 0);
}

/* Cores leave the gathering only after all have arrived and the boot core has spoken. */
static unsigned arrived, early, spoken;

static void speak(struct team *t, void *arg)
{
	uint32_t cpus = t->platform->cpus;

	(void)arg;
	if (arrived % cpus != 0)
		early++;
	spoken++;
}

static void gather_task(struct team *t, struct cpu *cpu, void *arg)
{
	unsigned before = spoken;

	arrived++;
	team_gather(t, cpu, arg ? speak : NULL, arg);
	if (arrived % t->platform->cpus != 0)
		early++;
	if (arg && spoken == before)
		early++;
}

TEST(test_gather)
{
	int word;

	for (uint32_t cpus = 1; cpus <= MOCK_CPUS; cpus++) {
		arrived = early = spoken = 0;
		gather_team(cpus);
		for (unsigned round = 1; round <= ROUNDS; round++) {
			team_do(&team, gather_task, round % 2 ? &word : NULL, 0);
			assert_int_equal(arrived, round * cpus);
		}
		team_leave(&team);
		assert_int_equal(early, 0);
		assert_int_equal(spoken, ROUNDS / 2);
		assert_int_equal(lost_count, 0);
	}
}

/* An NMI on each core, at the last moment before it is let on. */
static void strike(struct team *t, void *arg)
{
	(void)arg;
	for (uint32_t i = 0; i < t->platform->cpus; i++)
		mock.nmi[i] += i;
}

static void strike_task(struct team *t, struct cpu *cpu, void *arg)
{
	team_gather(t, cpu, strike, arg);
}

/* Counts during the wait are known to have come before the window. */
TEST(test_counters_are_read_while_waiting)
{
	gather_team(MOCK_CPUS);
	for (unsigned round = 1; round <= ROUNDS; round++) {
		team_do(&team, strike_task, NULL, 0);
		for (uint32_t i = 1; i < MOCK_CPUS; i++)
			assert_int_equal(mock.cpu[i].nmi.last, round * i);
	}
	team_leave(&team);
}

/* One core hangs in the next round until it is let go. */
static struct cpu *deaf;
static bool deaf_in_gather; /* the others wait for it before they are done */
static bool let_go;

static void wait_until_let_go(void)
{
	while (!let_go)
		mock_work(MOCK_HZ);
}

static void deaf_task(struct team *t, struct cpu *cpu, void *arg)
{
	if (cpu == deaf)
		wait_until_let_go();
	if (deaf_in_gather && cpu != deaf)
		team_gather(t, cpu, NULL, NULL);
	count_task(t, cpu, arg);
}

static void lose_one(uint32_t cpus, uint32_t which, bool in_gather)
{
	memset(done, 0, sizeof(done));
	let_go = false;
	gather_team(cpus);
	deaf = &mock.cpu[which];
	deaf_in_gather = in_gather;
	team_do(&team, count_task, done, 0);
	team_do(&team, deaf_task, done, 0);

	assert_int_equal(lost_count, 1);
	assert_ptr_equal(lost_cpu, deaf);
	assert_false(deaf->measured);
	assert_false(team_member(deaf));
}

static void assert_goes_on_without(uint32_t cpus)
{
	for (unsigned round = 0; round < 10; round++)
		team_do(&team, count_task, done, 0);
	for (uint32_t i = 0; i < cpus; i++)
		if (&mock.cpu[i] != deaf)
			assert_int_equal(done[i], 12);
	assert_int_equal(done[deaf->position], 1);
	assert_int_equal(lost_count, 1);
	for (uint32_t i = 0; i < cpus; i++)
		assert_int_equal(mock.cpu[i].measured, &mock.cpu[i] != deaf);
	let_go = true;
	team_leave(&team);
	assert_int_equal(lost_count, 1);
}

/* A core lost in the gathering does not block the others, either. */
TEST(test_lost_core_is_reported_once)
{
	for (unsigned in_gather = 0; in_gather < 2; in_gather++)
		for (uint32_t which = 1; which < 4; which++) {
			lose_one(4, which, in_gather);
			assert_goes_on_without(4);
		}
	lose_one(2, 1, false);
	assert_goes_on_without(2);
}

static void wake_all_but_the_deaf(const struct cpu *cpu)
{
	if (cpu != deaf)
		mock_wake(cpu);
}

/* A core that sleeps through a round, and wakes when it has been given up, has no further part. */
TEST(test_core_that_wakes_too_late)
{
	memset(done, 0, sizeof(done));
	gather_team(3);
	deaf = &mock.cpu[1];
	mock_relax(); /* all others rest */
	platform->wake = wake_all_but_the_deaf;
	team_do(&team, count_task, done, 0);
	assert_int_equal(lost_count, 1);
	assert_ptr_equal(lost_cpu, deaf);
	assert_true(deaf->late);
	platform->wake = mock_wake;
	mock_wake(deaf);
	for (unsigned round = 0; round < ROUNDS; round++)
		team_do(&team, count_task, done, 0);
	team_leave(&team);
	assert_int_equal(done[0], 1 + ROUNDS);
	assert_int_equal(done[1], 0);
	assert_int_equal(done[2], 1 + ROUNDS);
	assert_int_equal(lost_count, 1);
}

/* A core that took an exception reports it itself: nobody waits for it. */
static void fault_task(struct team *t, struct cpu *cpu, void *arg)
{
	if (cpu == deaf) {
		atomic_store(&cpu->state, CPU_FAULTED);
		wait_until_let_go();
	}
	count_task(t, cpu, arg);
}

TEST(test_faulted_core)
{
	uint64_t begin;

	memset(done, 0, sizeof(done));
	let_go = false;
	gather_team(3);
	deaf = &mock.cpu[2];
	begin = mock_clock();
	team_do(&team, count_task, done, 0);
	team_do(&team, fault_task, done, 0);
	assert_int_equal(lost_count, 1);
	assert_ptr_equal(lost_cpu, deaf);
	assert_false(deaf->late);
	assert_goes_on_without(3);
	assert_true(mock_clock() - begin < 10 * MOCK_HZ);
}

/* An exception at rest is handled, too: the next round knows, whoever takes part. */
TEST(test_core_that_faults_at_rest)
{
	gather_team(3);
	team_do(&team, count_task, done, 0);
	atomic_store(&mock.cpu[1].state, CPU_FAULTED);
	team_do_one(2);
	assert_int_equal(lost_count, 1);
	assert_ptr_equal(lost_cpu, &mock.cpu[1]);
	assert_false(mock.cpu[1].measured);
	team_leave(&team);
}

/* Only cores that are to work are woken. */
static unsigned woken[MOCK_CPUS];

static void wake(const struct cpu *cpu)
{
	woken[cpu->position]++;
	mock_wake(cpu);
}

TEST(test_wakes_whom_it_needs)
{
	memset(woken, 0, sizeof(woken));
	memset(done, 0, sizeof(done));
	gather_team(3);
	platform->wake = wake;
	team_do(&team, count_task, done, 0);
	assert_int_equal(woken[1], 1);
	assert_int_equal(woken[2], 1);
	team_do_one(2);
	assert_int_equal(woken[1], 1);
	assert_int_equal(woken[2], 2);
	team_leave(&team);
	assert_int_equal(woken[0], 0);
	assert_int_equal(woken[1], 2);
	assert_int_equal(woken[2], 3);
}
