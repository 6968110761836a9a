/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole runs on machines that are not at hand: their leaves are a test's, their registers and
 * clocks run as the real ones do. MOCK_CPUS and MOCK_GAPS are defined before.
 *
 * Each core has a TSC of its own for its registers; time for the run is mock_platform.h's.
 */
#pragma once

#include "counters/counters.h"
#include "core/lib/ticks.h"
#include "core/run/run.h"
#include "identify.h"
#include "tests/unit/common/test.h"
#include "tests/unit/mock_platform.h"

#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#define MHZ         UINT64_C(1000000)
#define BIT(n)      (UINT64_C(1) << (n))
#define SMI_NS      UINT64_C(150000)
#define READ_TICKS  20
#define WINDOWS     3
#define SMI_WINDOW  2
#define REGS_MAX    24
#define HPET_HZ     UINT64_C(24000000)
#define PM_TIMER_HZ UINT64_C(3579545)

enum make { INTEL, INTEL_OLD, AMD };

struct machine {
	const char *name;
	enum make make; /* make, which decides on the registers */
	uint64_t hz;    /* true rate of the TSC */
	uint32_t cores; /* threads */
	enum verdict clean;
	enum cause cause; /* cause of an SMI */
};

static const struct machine *machine;
/* The clocks beside the TSC. */
static struct {
	bool no_hpet, no_pm_timer;
	unsigned pm_timer_bits;
} played_clocks = { .pm_timer_bits = 24 };
static struct cpuid (*played_leaf)(uint32_t leaf, uint32_t subleaf);
/* Registers that stand still, behind those that run; NULL: there are none. */
static bool (*played_msr)(uint32_t msr, uint64_t *value);

/* Activity of one core, and its registers. */
struct core {
	uint64_t tsc; /* ticks so far */
	uint64_t in_smm, smis;
	struct {
		uint32_t msr;
		uint64_t value; /* counters: excess over the real count */
	} reg[REGS_MAX];
	unsigned regs;
	struct arch_identity id;
	struct counters counters;
};

static struct core cores[MOCK_CPUS];
static _Thread_local struct core *core;

static struct cpuid mock_cpuid(uint32_t leaf, uint32_t subleaf)
{
	return played_leaf(leaf, subleaf);
}

static uint64_t *find(uint32_t msr)
{
	for (unsigned i = 0; i < core->regs; i++)
		if (core->reg[i].msr == msr)
			return &core->reg[i].value;
	return NULL;
}

/* Instructions: a quarter of a cycle's in the loop, two thirds in SMM; cycles are 3/2 of ticks. */
static uint64_t instructions(void)
{
	return (core->tsc - core->in_smm) * 3 / 8 + core->in_smm;
}

static uint64_t amd_counted(uint32_t msr)
{
	switch (*find(msr - 1) & 0x4000ff) {
	case 0x400076:
		return core->tsc * 3 / 2;
	case 0x4000c0:
		return instructions();
	case 0x40002b:
		return core->smis;
	default:
		return 0;
	}
}

/* SMM freezes the fixed counters, where that was armed; it is armed before the first SMI. */
static uint64_t counted(uint32_t msr)
{
	uint64_t unfrozen = core->tsc - core->in_smm;

	switch (msr) {
	case 0xe7:
		return core->tsc;
	case 0xe8:
		return core->tsc * 3 / 2;
	case 0x309:
		return unfrozen * 3 / 8;
	case 0x30a:
		return unfrozen * 3 / 2;
	case 0x30b:
		return unfrozen;
	case 0x34:
		return core->smis;
	default:
		return msr >= 0xc0010201u && msr <= 0xc001020bu && msr & 1 ? amd_counted(msr) : 0;
	}
}

static bool mock_rdmsr(uint32_t msr, uint64_t *value)
{
	uint64_t *ahead = find(msr);

	core->tsc += READ_TICKS;
	*value = ahead ? *ahead + counted(msr) : 0;
	return ahead || (played_msr && played_msr(msr, value));
}

static bool mock_wrmsr(uint32_t msr, uint64_t value)
{
	uint64_t *ahead = find(msr);

	core->tsc += READ_TICKS;
	if (ahead && msr != 0x34)
		*ahead = value - counted(msr);
	return ahead && msr != 0x34;
}

static uint64_t mock_clock(void)
{
	return core->tsc;
}

static const struct regs mock_regs = { mock_cpuid, mock_rdmsr, mock_wrmsr, mock_clock };

static void add(uint32_t msr, uint64_t value)
{
	assert_true(core->regs < REGS_MAX);
	core->reg[core->regs].msr = msr;
	core->reg[core->regs++].value = value;
}

static void lay_registers(void)
{
	static const uint32_t intel[] = {
		0x34, 0xe7, 0xe8, 0x309, 0x30a, 0x30b, 0x38d, 0x38f, 0x1d9
	};

	if (machine->make == INTEL) {
		for (size_t i = 0; i < sizeof(intel) / sizeof(intel[0]); i++)
			add(intel[i], 0);
		add(0x345, BIT(12));
		*find(0x34) = 610; /* before the run */
		for (uint32_t i = 0; i < 8; i++)
			add(0x186 + i, 0);
	}
	if (machine->make != AMD)
		return;
	add(0xe7, 0);
	add(0xe8, 0);
	add(0xc0000301u, 0);
	for (uint32_t i = 0; i < 12; i++)
		add(0xc0010200u + i, 0);
}

/* calibrate_span(), of which no gap comes. */
static bool sample(struct cpu *cpu, uint64_t ticks, bool through)
{
	(void)cpu, (void)through;
	core->tsc += ticks;
	return true;
}

/* arch_evidence_detect() and arch_evidence_learn(), on this core's registers. */
static void prepare(struct cpu *cpu)
{
	const struct counter_slot *smi;
	struct counters *c;
	uint64_t v = 0;

	core = &cores[cpu->position];
	lay_registers();
	c = &core->counters;
	identify(&mock_regs, &core->id);
	counters_detect(c, &mock_regs, &core->id, mock.platform.hz, NULL);
	counters_arm(c, false);
	smi = counters_armed(c, EVIDENCE_SMI);
	cpu->smi.msr = smi ? smi->msr : 0;
	cpu->smi.readable = smi && mock_rdmsr(smi->msr, &v);
	cpu->smi.last = (uint32_t)v;
	cpu->smi.moved = cpu->smi.last != 0 || (smi && smi->proved);
	cpu->context = &c->context;
	cpu->counters = c;
	if (c->columns)
		counters_learn_from(c, cpu, sample);
}

static uint32_t smis_since(struct cpu *cpu)
{
	uint64_t v = 0;
	uint32_t last = cpu->smi.last;

	if (cpu->smi.readable)
		mock_rdmsr(cpu->smi.msr, &v);
	cpu->smi.last = (uint32_t)v;
	return cpu->smi.last - last;
}

/* One SMI interrupts all cores at once, and is handled as sampling.c does. */
static void interrupt(struct cpu *cpu, struct platform_window *plan)
{
	uint64_t ticks = SMI_NS * (machine->hz / 1000) / MHZ;
	struct gap_evidence evidence = { 0 };
	struct evidence e = { .gap = ticks };
	struct attribution why;

	counters_step(&core->counters, &e);
	core->tsc += machine->hz / 2;
	core->tsc += ticks;
	core->in_smm += ticks;
	core->smis++;
	evidence.smi = smis_since(cpu);
	counters_step(&core->counters, &e);
	counters_counted(&core->counters, cpu_knows(cpu), &evidence, &e);
	attribution_decide(&e, &why);
	/* Threads other than cmocka's must not use its assertions. */
	if (why.cause != machine->cause || mock_cause(&evidence) != machine->cause)
		abort();
	mock_gap(cpu, plan, plan->start + (plan->end - plan->start) / 2, ticks, &evidence);
}

/*
 * The time from the boot core's store of the start until the last core has seen it: the cache line
 * goes from one core to the next.
 */
#define SEEN_NS UINT64_C(120) /* each */

static uint64_t seen;
static unsigned late;

static void before_window(struct cpu *cpu)
{
	if (cpu->position != 0)
		return;
	mock_pass(mock.clock + machine->cores * SEEN_NS * machine->hz / NS_PER_S);
	seen = mock.clock;
}

static bool with_smi;
static unsigned window[MOCK_CPUS];

static void on_window(struct cpu *cpu, struct platform_window *plan)
{
	core = &cores[cpu->position];
	if (cpu->position == 0)
		late += (int64_t)(plan->start - seen) < 0;
	if (++window[cpu->position] == SMI_WINDOW && with_smi)
		interrupt(cpu, plan);
}

/* HPET and PM timer of exact rates: the TSC is what may not have the one it reports. */
static bool read_clock(struct platform *p, unsigned n, struct clockwatch_reading *r)
{
	uint64_t mask = (UINT64_C(1) << p->clock[n].bits) - 1;
	unsigned __int128 ticks;

	r->before = p->now();
	ticks = r->before;
	r->after = p->now();
	r->value = (uint64_t)(ticks * p->clock[n].hz / machine->hz) & mask;
	return true;
}

/* 512 threads that wait must sleep, or none gets far. */
static sem_t rest[MOCK_CPUS];

static void idle(const struct cpu *self)
{
	(void)self;
	while (mock_self && sem_wait(&rest[mock_self->position]))
		;
}

static void wake(const struct cpu *cpu)
{
	sem_post(&rest[cpu->position]);
}

static uint64_t rate(void)
{
	struct tsc_rate_source source[ARCH_CLOCK_SOURCES + 2];
	unsigned n = identify_clock(&mock_regs, source);
	struct tsc_rate chosen;

	if (!played_clocks.no_hpet)
		source[n++] = (struct tsc_rate_source){ "hpet", machine->hz + 900,
							TSC_RATE_MEASURED };
	if (!played_clocks.no_pm_timer)
		source[n++] = (struct tsc_rate_source){ "pmtimer", machine->hz - 900,
							TSC_RATE_MEASURED };
	tsc_rate_choose(&chosen, source, n);
	return chosen.hz;
}

static struct config config;
static struct report report;
static struct run run;

static void keep_line(void *ctx, const char *line, size_t bytes)
{
	(void)ctx, (void)line, (void)bytes;
}

static void lay_clocks(struct platform *p)
{
	p->clocks = 0;
	if (!played_clocks.no_hpet)
		p->clock[p->clocks++] = (struct clockwatch_clock){ "hpet", HPET_HZ, 32 };
	if (!played_clocks.no_pm_timer)
		p->clock[p->clocks++] = (struct clockwatch_clock){ "pmtimer", PM_TIMER_HZ,
								   played_clocks.pm_timer_bits };
}

static void lay(void *memory)
{
	struct platform *p = mock_lay(machine->cores);

	memset(cores, 0, sizeof(cores));
	memset(window, 0, sizeof(window));
	memset(&report, 0, sizeof(report));
	memset(&run, 0, sizeof(run));
	for (uint32_t i = 0; i < machine->cores; i++) {
		cores[i].tsc = 1000 * MHZ + i;
		sem_destroy(&rest[i]);
		sem_init(&rest[i], 0, 0);
	}
	p->hz = rate();
	p->idle = idle;
	p->wake = wake;
	p->prepare = prepare;
	p->before_window = before_window;
	p->read_clock = read_clock;
	lay_clocks(p);
	mock.on_window = on_window;
	config_defaults(&config);
	config.duration_ns = WINDOWS * NS_PER_S;
	config.limit[LIMIT_MAX] = (struct config_limit){ true, 20000 };
	config.limit[LIMIT_MAX_SMI] = (struct config_limit){ true, 0 };
	report = (struct report){
		.config = &config,
		.platform = p,
		.line = keep_line,
	};
	report_lay(&report, memory, machine->cores);
	run.config = &config;
	run.platform = p;
	run.report = &report;
}

static void check_verdict(enum verdict want)
{
	if (run.reasons.verdict == want)
		return;
	fail_msg("%s: %s, not %s: %s", machine->name, verdict_name(run.reasons.verdict),
		 verdict_name(want), run.reasons.count ? run.reasons.text[0] : "");
}

static void prepare_task(struct team *team, struct cpu *cpu, void *arg)
{
	(void)arg;
	team->platform->prepare(cpu);
}

/* run_prepare() without the self-tests: 511 times 256 exchanges between threads take minutes. */
static void prepare_run(void)
{
	struct platform *p = run.platform;

	for (uint32_t i = 0; i < p->cpus; i++)
		p->cpu[i].measured = true;
	for (unsigned i = 0; i < p->clocks; i++)
		clockwatch_begin(&run.watch[i], &p->clock[i], p->hz);
	team_start(&run.team, p);
	team_do(&run.team, prepare_task, NULL, 10 * p->hz);
}

static void do_run(enum verdict want)
{
	void *memory = calloc(1, report_room(machine->cores));

	assert_non_null(memory);
	lay(memory);
	prepare_run();
	run_stage(&run, "handoff");
	run_finish(&run);
	run_judge(&run);
	check_verdict(want);
	free(memory);
}

/* The length is the real one to 100 ppm, on each core. */
static void check_length(void)
{
	for (uint32_t i = 0; i < machine->cores; i++) {
		const struct cpu *cpu = &mock.cpu[i];

		assert_int_equal(cpu->stage.gaps, 1);
		assert_int_equal(cpu->stage.cause_gaps[machine->cause], 1);
		assert_in_range(ticks_to_ns(cpu->stage.max, mock.platform.hz), SMI_NS - 16,
				SMI_NS + 16);
	}
}
