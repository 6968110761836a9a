/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The performance monitors of a mocked core of Arm's: it spends time at exception levels, or with
 * its clock off, and its counters see what their filters let through.
 */
#include "arch/aarch64/counters/pmu.c"

#include <setjmp.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define HZ     UINT64_C(62500000)
#define CYCLES 48 /* per tick */
#define SPAN   (HZ / 500)
#define SPANS  128

#define OFF 0 /* for a level: the core's clock stands still */

static struct core {
	uint64_t reg[PMU_REGS];
	uint64_t now; /* ticks */
	unsigned writes;
	unsigned cycles_per_tick;
	unsigned late;      /* ticks from a reading's cycles to its events */
	bool all_at_level3; /* the cycle counter goes on in level 3; firmware decides */
	bool hides_level2;  /* a hypervisor does not see its own events */
	bool dead;          /* event counters exist, and stand still */
	bool stalls;        /* the pipeline; else half of the cycles do */
	uint64_t unmoved;   /* events that exist, and stand still */
	unsigned trapped;   /* this write faults; 0: none does */
} core;

static jmp_buf fault;

static struct pmu pmu;

static bool counts(unsigned number, unsigned level)
{
	uint64_t filter =
		core.reg[number == CYCLE_COUNTER ? PMU_CYCLES_FILTER : PMU_EVENT_TYPE + number];

	if (!(core.reg[PMU_ENABLE] >> number & 1) || !(core.reg[PMU_PMCR] & PMCR_E) || !level ||
	    (core.dead && number != CYCLE_COUNTER))
		return false;
	if (level == 3)
		return number == CYCLE_COUNTER && core.all_at_level3 && !(filter & NOT_AT_LEVEL3) &&
		       !(core.reg[PMU_PMCR] & PMCR_DP);
	if (level == 2)
		return (filter & COUNT_LEVEL2) && !core.hides_level2;
	return true;
}

/* Event count over that many cycles. */
static uint64_t counted(uint64_t event, uint64_t cycles)
{
	uint64_t stalls = core.stalls ? cycles : cycles / 2;

	switch (event) {
	case INST_RETIRED:
		return core.stalls ? 0 : cycles / 4;
	case STALL:
		return stalls;
	case STALL_FRONTEND:
		return stalls / 4;
	case STALL_BACKEND:
		return stalls - stalls / 4;
	}
	return cycles;
}

static void spend(unsigned level, uint64_t ticks)
{
	uint64_t cycles = ticks * core.cycles_per_tick;

	core.now += ticks;
	if (counts(CYCLE_COUNTER, level))
		core.reg[PMU_CYCLES] += cycles;
	for (unsigned n = 0; n < PMU_EVENTS; n++) {
		uint64_t event = core.reg[PMU_EVENT_TYPE + n] & 0xffff;
		uint64_t *count = &core.reg[PMU_EVENT + n];

		if (counts(n, level) && !(core.unmoved >> event & 1))
			*count = (*count + counted(event, cycles)) & UINT32_MAX;
	}
}

static uint64_t mock_read(enum pmu_reg reg)
{
	if (reg == PMU_CYCLES || reg >= PMU_EVENT)
		spend(pmu.level, 1);
	return core.reg[reg];
}

static void mock_write(enum pmu_reg reg, uint64_t value)
{
	if (++core.writes == core.trapped)
		longjmp(fault, 1);
	if (reg == PMU_DISABLE)
		core.reg[PMU_ENABLE] &= ~value;
	else if (reg == PMU_ENABLE)
		core.reg[PMU_ENABLE] |= value;
	else
		core.reg[reg] = value;
}

/* Mock of counters_now(). */
static void mock_now(const struct pmu *p, struct pmu_now *now)
{
	now->clock = core.now;
	now->cycles = mock_read(PMU_CYCLES);
	spend(pmu.level, core.late);
	for (unsigned n = 0; n < p->events; n++)
		now->event[n] = (uint32_t)mock_read(PMU_EVENT + n);
	now->stolen = p->stolen ? p->stolen->ns : 0;
	now->took = core.now - now->clock;
}

static const struct pmu_regs regs = { mock_read, mock_write, mock_now };

/* Start with a core with so many event counters, which have been used before and are off. */
static void start(void)
{
	core = (struct core){ .now = 1000, .cycles_per_tick = CYCLES };
	core.reg[PMU_DFR0] = 0x4 << 8;
	core.reg[PMU_PFR0] = 0x1 << 12;
	core.reg[PMU_EVENTS_THERE] = 1u << CPU_CYCLES | 1u << INST_RETIRED;
	core.reg[PMU_PMCR] = 6 << 11 | PMCR_DP | PMCR_D;
	core.reg[PMU_MDCR_EL2] = MDCR_HPMD | 2;
	for (unsigned n = 0; n < PMU_EVENTS; n++)
		core.reg[PMU_EVENT + n] = UINT32_MAX - 1000 * n;
	pmu = (struct pmu){ .level = 0 };
}

/* Learn like arch_evidence_learn(); level 3 takes the ticks in `taken` from each span, in turn. */
static void learn_with(unsigned level, const uint64_t *taken, size_t count)
{
	struct evidence e = { .gap = 0 };

	pmu.level = level;
	pmu_arm(&pmu, &regs, level, HZ);
	pmu_step(&pmu, &e);
	assert_int_equal(pmu_span(&pmu), SPAN);
	for (unsigned n = 0; n < SPANS; n++) {
		uint64_t away = taken[n % count];

		spend(level, SPAN - away);
		spend(3, away);
		pmu_step(&pmu, &e);
		pmu_learn(&pmu, &e);
	}
}

static void learn(unsigned level)
{
	learn_with(level, (uint64_t[]){ 0 }, 1);
}

/* The cause of a gap of so many ticks after the loop. */
static const char *cause_of(unsigned level, uint64_t ticks, uint64_t loop)
{
	struct evidence e = { .gap = ticks };
	struct attribution a;

	spend(pmu.level, loop);
	spend(level, ticks);
	pmu_step(&pmu, &e);
	attribution_decide(&e, &a);
	return cause_name((enum cause)a.cause);
}

static void assert_names(const char *want)
{
	const char *names[PMU_SLOTS];
	size_t count = pmu_names(&pmu, names, PMU_SLOTS);
	char all[200] = "";

	for (size_t i = 0; i < count; i++) {
		strcat(all, i ? " " : "");
		strcat(all, names[i]);
	}
	assert_string_equal(all, want);
}

TEST_F(start, NULL, test_absent)
{
	static const uint64_t versions[] = { 0, 0xf };

	for (unsigned i = 0; i < 2; i++) {
		core.reg[PMU_DFR0] = versions[i] << 8;
		assert_false(pmu_there(&regs));
		learn(1);
		assert_int_equal(core.writes, 0);
		assert_names("");
		assert_string_equal(cause_of(2, 9000, 100000), "unknown");
	}
}

/* Counters in use by others are not disturbed. */
TEST_F(start, NULL, test_in_use)
{
	core.reg[PMU_ENABLE] = CYCLE_COUNTER_ON;
	core.reg[PMU_CYCLES_FILTER] = COUNT_LEVEL2;
	core.reg[PMU_PMCR] |= PMCR_E;
	pmu.level = 2;
	learn(2);
	assert_true(pmu.busy);
	assert_int_equal(core.writes, 0);
	start();
	core.reg[PMU_ENABLE] = 1; /* an event counter: another is taken */
	core.reg[PMU_EVENT_TYPE] = COUNT_LEVEL2;
	core.reg[PMU_PMCR] |= PMCR_E;
	learn(2);
	assert_names("cycles_all cycles instructions");
	assert_int_equal(core.reg[PMU_EVENT_TYPE], COUNT_LEVEL2);
	pmu_restore(&pmu);
	assert_int_equal(core.reg[PMU_ENABLE], 1);
}

/* After a reset the bits may be anything: a counter that does not count is nobody's. */
TEST_F(start, NULL, test_enabled_by_chance)
{
	for (unsigned enabled = 0; enabled < 2; enabled++) {
		start();
		core.reg[PMU_ENABLE] = CYCLE_COUNTER_ON | 0x3f;
		core.reg[PMU_PMCR] |= enabled ? PMCR_E : 0;
		/* The counters' filters exclude level 2, at which the test runs. */
		learn(2);
		assert_false(pmu.busy);
		assert_names("cycles_all cycles instructions");
		pmu_restore(&pmu);
		assert_int_equal(core.reg[PMU_ENABLE], CYCLE_COUNTER_ON | 0x3f);
		assert_int_equal(core.reg[PMU_PMCR] & PMCR_E, enabled ? PMCR_E : 0);
	}
}

TEST_F(start, NULL, test_put_back)
{
	struct core before;

	for (unsigned level = 1; level <= 2; level++) {
		start();
		before = core;
		learn(level);
		assert_int_not_equal(core.reg[PMU_PMCR], before.reg[PMU_PMCR]);
		pmu_restore(&pmu);
		assert_memory_equal(core.reg, before.reg, sizeof(uint64_t) * PMU_SILENCE);
		assert_memory_equal(&core.reg[PMU_CYCLES_FILTER], &before.reg[PMU_CYCLES_FILTER],
				    sizeof(uint64_t));
		assert_memory_equal(&core.reg[PMU_EVENT_TYPE], &before.reg[PMU_EVENT_TYPE],
				    sizeof(uint64_t) * PMU_EVENTS);
	}
}

/* A higher level reserves some of the registers: what was written before is restored. */
TEST_F(start, NULL, test_trapped)
{
	static struct core before;
	static unsigned level, n;
	static bool armed;

	for (level = 1; level <= 2; level++) {
		armed = false;
		for (n = 1; !armed; n++) {
			start();
			before = core;
			core.trapped = n;
			if (setjmp(fault) == 0) {
				pmu_arm(&pmu, &regs, level, HZ);
				armed = true;
			}
			core.trapped = 0;
			pmu_restore(&pmu);
			assert_int_equal(pmu.slots, 0);
			assert_memory_equal(core.reg, before.reg, sizeof(uint64_t) * PMU_SILENCE);
		}
		assert_true(n > 10);
	}
}

/* Stolen time counts from when it is opened; of another format, or misaligned, there is none. */
TEST_F(start, NULL, test_stolen)
{
	struct stolen_time time = { .ns = 5000 };
	struct evidence e = { .gap = 9000 };

	assert_false(pmu_open_stolen(&pmu, NULL));
	assert_false(pmu_open_stolen(&pmu, (void *)((uintptr_t)&time + 4)));
	time.revision = 1;
	assert_false(pmu_open_stolen(&pmu, &time));
	time = (struct stolen_time){ .attributes = 1, .ns = 5000 };
	assert_false(pmu_open_stolen(&pmu, &time));
	assert_null(pmu.stolen);
	time.attributes = 0;
	pmu_arm(&pmu, &regs, 1, HZ);
	assert_true(pmu_open_stolen(&pmu, &time));
	assert_int_equal(pmu.context.armed, EVIDENCE(STEAL));
	pmu_step(&pmu, &e);
	assert_int_equal(e.step[EVIDENCE_STEAL], 0);
	time.ns += 16000;
	pmu_step(&pmu, &e);
	assert_true(e.have & EVIDENCE(STEAL));
	assert_int_equal(e.step[EVIDENCE_STEAL], 1000);
	pmu_step(&pmu, &e);
	assert_int_equal(e.step[EVIDENCE_STEAL], 0);
}

/* A counter that exists but does not count is not used; the cycle counter does what it can. */
TEST_F(start, NULL, test_dead_events)
{
	core.dead = true;
	learn(2);
	assert_names("cycles");
	assert_int_equal(core.reg[PMU_ENABLE], CYCLE_COUNTER_ON);
	assert_string_equal(cause_of(3, 9000, 100000), "el3");
	assert_string_equal(cause_of(2, 9000, 100000), "unknown");
}

TEST_F(start, NULL, test_level2)
{
	learn(2);
	assert_names("cycles_all cycles instructions");
	assert_int_equal(core.reg[PMU_MDCR_EL2], 6);
	for (unsigned n = 0; n < 20; n++) {
		assert_string_equal(cause_of(3, 9000, 100000), "el3");
		assert_string_equal(cause_of(3, 100, 10000), "el3");
		/* The probe's own level went on: nothing below took it. */
		assert_string_equal(cause_of(2, 9000, 100000), "unknown");
	}
	core.cycles_per_tick = 0; /* cycles run, and nothing is retired: as good as no cycles */
	assert_string_equal(cause_of(2, 9000, 0), "el3");
}

/* Firmware that lets the cycle counter go on in level 3: then a stopped clock is another thing. */
TEST_F(start, NULL, test_level3_counted)
{
	core.all_at_level3 = true;
	learn(2);
	assert_string_equal(cause_of(3, 9000, 100000), "el3");
	assert_string_equal(cause_of(OFF, 9000, 100000), "stopped");
	assert_string_equal(cause_of(3, 9000, 100000), "el3");
}

TEST_F(start, NULL, test_no_level3)
{
	core.reg[PMU_PFR0] = 0;
	learn(2);
	assert_string_equal(cause_of(OFF, 9000, 100000), "stopped");
}

TEST_F(start, NULL, test_level1)
{
	learn(1);
	assert_names("cycles_all cycles cycles_to_level2 instructions");
	for (unsigned n = 0; n < 20; n++) {
		assert_string_equal(cause_of(2, 9000, 100000), "hypervisor");
		assert_string_equal(cause_of(2, 100, 10000), "hypervisor");
		assert_string_equal(cause_of(1, 9000, 100000), "unknown");
		/* A hypervisor may take the core, and its counters with it. */
		assert_string_equal(cause_of(3, 9000, 100000), "unknown");
	}
	core.hides_level2 = true;
	assert_string_equal(cause_of(2, 9000, 100000), "unknown");
	core.all_at_level3 = true;
	assert_string_equal(cause_of(3, 9000, 100000), "el3");
}

/* Counters are not read at one moment, nor always as far apart: an event may be ahead of cycles. */
TEST_F(start, NULL, test_read_apart)
{
	learn(1);
	for (unsigned n = 0; n < 20; n++) {
		core.late = n % 2;
		assert_string_equal(cause_of(2, 9000, 100000), "hypervisor");
	}
}

/* Event counters have 32 bits: some seconds of sampling, and gaps of half a second. */
TEST_F(start, NULL, test_wrap)
{
	learn(1);
	for (unsigned n = 0; n < 20; n++) {
		assert_string_equal(cause_of(2, HZ / 2, n * HZ / 3), "hypervisor");
		assert_string_equal(cause_of(2, HZ / 1000, n * HZ / 3), "hypervisor");
	}
	/* The gap is too long: the counters may have wrapped several times. */
	assert_string_equal(cause_of(2, 3 * HZ, HZ), "unknown");
	assert_string_equal(cause_of(2, HZ / 2, HZ), "hypervisor");
}

/* A frequency that changes is no cause; what is counted by level does not depend on it. */
TEST_F(start, NULL, test_frequency)
{
	learn(1);
	core.cycles_per_tick = CYCLES - 1;
	for (unsigned n = 0; n < 20; n++) {
		const char *cause = cause_of(1, 9000 * (n + 1), 100000);

		assert_string_equal(cause, "unknown");
		assert_string_equal(cause_of(2, 9000, 1000), "hypervisor");
	}
}

#define BIT(event) (UINT64_C(1) << (event))

/*
 * Stalls are counted by one event, or by two where that one is missing; else instructions alone
 * have to do.
 */
TEST_F(start, NULL, test_stalls)
{
	static const struct {
		uint64_t there, unmoved;
		const char *names;
	} cases[] = {
		{ BIT(STALL) | BIT(STALL_FRONTEND) | BIT(STALL_BACKEND), 0, " stalls" },
		{ BIT(STALL_FRONTEND) | BIT(STALL_BACKEND), 0, " stalls_frontend stalls_backend" },
		{ BIT(STALL_FRONTEND), 0, "" },
		{ BIT(STALL_BACKEND), 0, "" },
		/* QEMU has events that do not count. */
		{ BIT(STALL), BIT(STALL), "" },
		{ BIT(STALL_FRONTEND) | BIT(STALL_BACKEND), BIT(STALL_BACKEND), "" },
		{ BIT(STALL_FRONTEND) | BIT(STALL_BACKEND), BIT(STALL_FRONTEND), "" },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char names[100] = "cycles_all cycles instructions";

		start();
		core.reg[PMU_EVENTS_THERE] |= cases[i].there;
		core.unmoved = cases[i].unmoved;
		learn(2);
		assert_names(strcat(names, cases[i].names));
		assert_int_equal(pmu.context.loop_stalls / 64, cases[i].names[0] ? 511 : 0);
		for (unsigned n = 0; n < 20; n++) {
			core.stalls = false;
			spend(2, 10000 * n);
			core.stalls = true;
			assert_string_equal(cause_of(2, 9000, 0), "stall");
			core.stalls = false;
			assert_string_equal(cause_of(2, 9000, 100000), "unknown");
			assert_string_equal(cause_of(3, 9000, 100000), "el3");
		}
		pmu_restore(&pmu);
		assert_int_equal(core.reg[PMU_ENABLE], 0);
	}
}

#define ALL_OF_CLOCK (EVIDENCE(APERF) | EVIDENCE(MPERF))
#define ALL_OF_WORK  (EVIDENCE(CYCLES) | EVIDENCE(INSTRUCTIONS))

static void count_over(struct evidence *e, uint64_t own, uint64_t level3)
{
	pmu_count(&pmu, e);
	spend(pmu.level, own);
	spend(3, level3);
	pmu_count(&pmu, e);
}

/* The core's clock in ns, and cycles and instructions as they were counted. */
TEST_F(start, NULL, test_count)
{
	const uint64_t ns = 1000000000 / HZ;
	struct evidence e = { .have = 0 };

	for (unsigned level = 1; level <= 2; level++) {
		start();
		learn(level);
		count_over(&e, 10000, 0);
		assert_int_equal(e.have, ALL_OF_CLOCK | ALL_OF_WORK);
		assert_in_range(e.step[EVIDENCE_MPERF], 10000 * ns, 10010 * ns);
		assert_int_equal(e.step[EVIDENCE_APERF] * ns, e.step[EVIDENCE_MPERF] * CYCLES);
		assert_int_equal(e.step[EVIDENCE_CYCLES], e.step[EVIDENCE_APERF]);
		assert_int_equal(e.step[EVIDENCE_INSTRUCTIONS], e.step[EVIDENCE_CYCLES] / 4);
		core.cycles_per_tick = CYCLES / 2;
		count_over(&e, 10000, 5000);
		assert_in_range(e.step[EVIDENCE_MPERF], 15000 * ns, 15010 * ns);
		assert_in_range(e.step[EVIDENCE_APERF], 10000 * CYCLES / 2, 10010 * CYCLES / 2);
	}
}

/* Only counted time is attributed, once the counter is believed. */
TEST_F(start, NULL, test_count_less)
{
	struct evidence e = { .have = UINT32_MAX };

	core.reg[PMU_PMCR] = 0; /* no event counter */
	learn(2);
	count_over(&e, 10000, 0);
	assert_int_equal(e.have, ALL_OF_CLOCK | EVIDENCE(CYCLES));
	assert_int_equal(e.step[EVIDENCE_CYCLES], e.step[EVIDENCE_APERF]);
	start();
	pmu.level = 2;
	pmu_arm(&pmu, &regs, 2, HZ);
	count_over(&e, 10000, 0);
	assert_int_equal(e.have, 0);
	start();
	core.reg[PMU_DFR0] = 0;
	learn(2);
	count_over(&e, 10000, 0);
	assert_int_equal(e.have, 0);
}

/* Frequencies that differ between two spans are not believed against the clock. */
TEST_F(start, NULL, test_unsteady)
{
	pmu.level = 2;
	pmu_arm(&pmu, &regs, 2, HZ);
	for (unsigned n = 0; n < SPANS; n++) {
		struct evidence e = { .gap = 0 };

		core.cycles_per_tick = CYCLES + n;
		pmu_step(&pmu, &e);
		spend(2, SPAN);
		pmu_step(&pmu, &e);
		pmu_learn(&pmu, &e);
	}
	assert_string_equal(cause_of(3, 1000, 1000000), "unknown");
	assert_string_equal(cause_of(2, 1000, 1000000), "unknown");
}

/*
 * Firmware that takes the core from power on, as it does on real machines, each few ms for times
 * that differ: the causes are as if it began after the cores are known.
 */
TEST_F(start, NULL, test_noise_while_learning)
{
	static const uint64_t taken[] = { 30, 9000, 0, 60000, 250, 0, 0, 41, 31000, 7, 0 };

	for (size_t from = 0; from < 3; from++) {
		start();
		learn_with(2, taken + from, sizeof(taken) / sizeof(taken[0]) - from);
		assert_names("cycles_all cycles instructions");
		for (unsigned n = 0; n < 20; n++) {
			assert_string_equal(cause_of(3, 300, 280000), "el3");
			assert_string_equal(cause_of(3, 9000, 280000), "el3");
			assert_string_equal(cause_of(2, 9000, 280000), "unknown");
		}
	}
}

/* Firmware that takes the core for so many ticks, `period` after the last time. */
static struct {
	uint64_t ticks, period, next;
} noise;

/* calibrate_span(): a gap ends it, unless it goes on through all of them. */
static bool sample_among_noise(struct cpu *cpu, uint64_t ticks, bool through)
{
	uint64_t end = core.now + ticks;
	bool whole = true;

	(void)cpu;
	while (noise.next < end && (whole || through)) {
		spend(pmu.level, noise.next > core.now ? noise.next - core.now : 0);
		spend(3, noise.ticks);
		noise.next = core.now + noise.period;
		whole = false;
	}
	if (core.now < end && (whole || through))
		spend(pmu.level, end - core.now);
	return whole;
}

/* If firmware takes the core each ms or oftener, no span of 2 ms is without it. */
TEST_F(start, NULL, test_noise_in_each_span)
{
	static const struct {
		uint64_t ticks, period;
	} noises[] = { { 625, 62500 }, { 6250, 62500 }, { 63, 20000 }, { 3000, 120000 } };

	for (size_t i = 0; i < sizeof(noises) / sizeof(noises[0]); i++) {
		start();
		pmu.level = 2;
		pmu_arm(&pmu, &regs, 2, HZ);
		noise.ticks = noises[i].ticks;
		noise.period = noises[i].period;
		noise.next = core.now + noise.period / 2;
		pmu_learn_from(&pmu, NULL, sample_among_noise);
		assert_names("cycles_all cycles instructions");
		for (unsigned n = 0; n < 20; n++) {
			assert_string_equal(cause_of(3, 300, 60000), "el3");
			assert_string_equal(cause_of(3, 9000, 60000), "el3");
			assert_string_equal(cause_of(2, 9000, 60000), "unknown");
		}
	}
}

/* If all spans differ, no counter is believed. */
TEST_F(start, NULL, test_noise_in_all_that_is_learned)
{
	uint64_t taken[SPANS];

	for (unsigned n = 0; n < SPANS; n++)
		taken[n] = 10 + 7 * n;
	learn_with(2, taken, SPANS);
	assert_names("");
	assert_string_equal(cause_of(3, 9000, 280000), "unknown");
}
