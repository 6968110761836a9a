/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds of work with threads as cores: who does what, and a core that does not come back. */
#include "core/run/team.h"
#include "tests/unit/common/test.h"
#include "tests/unit/mock_platform.h"
#include "tests/unit/rounds.h"

#define ROUNDS  rounds(48, 192) /* a multiple of the other cores */
#define MINUTES (600 * MOCK_HZ) /* longer than any patience */

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
static _Atomic unsigned arrived, early, spoken;

static void speak(struct team *t, void *arg)
{
	uint32_t cpus = t->platform->cpus;

	(void)arg;
	if (atomic_load(&arrived) % cpus != 0)
		atomic_fetch_add(&early, 1);
	atomic_fetch_add(&spoken, 1);
}

static void gather_task(struct team *t, struct cpu *cpu, void *arg)
{
	unsigned before = atomic_load(&spoken);

	atomic_fetch_add(&arrived, 1);
	team_gather(t, cpu, arg ? speak : NULL, arg);
	if (atomic_load(&arrived) % t->platform->cpus != 0)
		atomic_fetch_add(&early, 1);
	if (arg && atomic_load(&spoken) == before)
		atomic_fetch_add(&early, 1);
}

TEST(test_gather)
{
	int word;

	for (uint32_t cpus = 1; cpus <= MOCK_CPUS; cpus++) {
		arrived = early = spoken = 0;
		gather_team(cpus);
		for (unsigned round = 1; round <= ROUNDS; round++) {
			team_do(&team, gather_task, round % 2 ? &word : NULL, 0);
			assert_int_equal(atomic_load(&arrived), round * cpus);
		}
		team_leave(&team);
		assert_int_equal(atomic_load(&early), 0);
		assert_int_equal(atomic_load(&spoken), ROUNDS / 2);
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

/*
 * One core hangs in the next round until it is let go. Time passes only once all
 * others have done their part, so that a thread that is merely slow is not lost.
 */
static struct cpu *deaf;
static bool deaf_in_gather; /* the others wait for it before they are done */
static _Atomic bool let_go, deaf_is_in;

static bool others_are_through(void)
{
	uint32_t round = atomic_load(&team.round);

	for (uint32_t i = 1; i < platform->cpus; i++) {
		struct cpu *cpu = &mock.cpu[i];

		if (cpu == deaf || !team_member(cpu))
			continue;
		if (atomic_load(deaf_in_gather ? &cpu->gathered : &cpu->finished) != round)
			return false;
	}
	return true;
}

static void pass_time(void)
{
	if (team_member(deaf) && (deaf_is_in || mock.asleep) && others_are_through())
		mock_pass(atomic_load(&mock.clock) + MINUTES);
}

static void deaf_task(struct team *t, struct cpu *cpu, void *arg)
{
	if (cpu == deaf)
		atomic_store(&deaf_is_in, true);
	while (cpu == deaf && !atomic_load(&let_go))
		sched_yield();
	if (deaf_in_gather && cpu != deaf)
		team_gather(t, cpu, NULL, NULL);
	count_task(t, cpu, arg);
}

static void lose_one(uint32_t cpus, uint32_t which, bool in_gather)
{
	memset(done, 0, sizeof(done));
	atomic_store(&let_go, false);
	atomic_store(&deaf_is_in, false);
	gather_team(cpus);
	deaf = &mock.cpu[which];
	deaf_in_gather = in_gather;
	team_do(&team, count_task, done, 0);
	mock.on_relax = pass_time;
	team_do(&team, deaf_task, done, 0);
	mock.on_relax = NULL;

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
	atomic_store(&let_go, true);
	team_leave(&team);
	assert_int_equal(lost_count, 1);
}

TEST(test_lost_core_is_reported_once)
{
	for (uint32_t which = 1; which < 4; which++) {
		lose_one(4, which, false);
		assert_goes_on_without(4);
	}
	lose_one(2, 1, false);
	assert_goes_on_without(2);
}

/* A core lost in the gathering does not block the others. */
TEST(test_core_lost_in_a_gathering)
{
	for (uint32_t which = 1; which < 4; which++) {
		lose_one(4, which, true);
		assert_goes_on_without(4);
	}
}

/* A core that sleeps through a round, and wakes when it has been given up, has no further part. */
TEST(test_core_that_wakes_too_late)
{
	memset(done, 0, sizeof(done));
	atomic_store(&deaf_is_in, false);
	gather_team(3);
	deaf = &mock.cpu[1];
	deaf_in_gather = false;
	atomic_store(&mock.asleep, deaf);
	while (!atomic_load(&mock.sleeps))
		sched_yield();
	mock.on_relax = pass_time;
	team_do(&team, count_task, done, 0);
	mock.on_relax = NULL;
	assert_int_equal(lost_count, 1);
	assert_ptr_equal(lost_cpu, deaf);
	assert_true(deaf->late);
	atomic_store(&mock.asleep, NULL);
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
		while (!atomic_load(&let_go))
			sched_yield();
	}
	count_task(t, cpu, arg);
}

TEST(test_faulted_core)
{
	uint64_t begin;

	memset(done, 0, sizeof(done));
	atomic_store(&let_go, false);
	gather_team(3);
	deaf = &mock.cpu[2];
	/* Looking does not move the clock here, so any wait for its patience would hang. */
	mock.step = 0;
	begin = mock_now();
	team_do(&team, count_task, done, 0);
	team_do(&team, fault_task, done, 0);
	assert_int_equal(lost_count, 1);
	assert_ptr_equal(lost_cpu, deaf);
	assert_false(deaf->late);
	assert_goes_on_without(3);
	assert_int_equal(mock_now(), begin);
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
