/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling core's evidence: SErrors counted by the handler, and counts of the monitors. */
#include "arch/evidence.h"

#include "arch/arch.h"
#include "core/lib/pack32.h"
#include "core/lib/ticks.h"
#include "counters/counters_now.h"
#include "hypervisor.h"
#include "percpu.h"

static void arm(void *hz)
{
	pmu_arm(&percpu_self()->counters.pmu, &pmu_regs_real, current_el(), *(const uint64_t *)hz);
}

static void open_stolen(void *stolen)
{
	uint64_t at = hypervisor_stolen_time(hypervisor_found());
	struct stolen_time *time = (struct stolen_time *)(uintptr_t)at;

	if (!arch_map_device(at, sizeof(*time)))
		return;
	counters_stolen_now(time);
	stolen_open(stolen, time);
}

/* Takes one MRS per counter, and one load for a hypervisor's structure. */
static void read_counters(struct cpu *cpu)
{
	struct counters *c = cpu->counters;

	counters_now(&c->pmu, &c->now);
	if (c->stolen.at) {
		c->stolen_now = counters_stolen_now(c->stolen.at);
		c->now.took = clock_now() - c->now.clock;
	}
}

static void make_steps(struct cpu *cpu, struct gap_steps *steps)
{
	struct counters *c = cpu->counters;

	pmu_steps(&c->pmu, &c->now, steps);
	if (c->stolen.at) {
		steps->count[PMU_COLUMN_STOLEN] = pack32(stolen_step(&c->stolen, c->stolen_now));
		steps->columns |= 1u << PMU_COLUMN_STOLEN;
	}
}

static void weigh_steps(struct cpu *cpu, const struct gap_steps *steps,
			const struct gap_evidence *counted, struct evidence *e)
{
	struct pmu *pmu = &((struct counters *)cpu->counters)->pmu;

	pmu_weigh(pmu, steps, e);
	if (steps->columns >> PMU_COLUMN_STOLEN & 1) {
		e->have |= EVIDENCE(STEAL);
		e->step[EVIDENCE_STEAL] = ticks_from_ns(
			pack32_unpack(steps->count[PMU_COLUMN_STOLEN]), pmu->hz);
	}
	attribution_add_counts(e, EVIDENCE(MCE), counted);
}

void arch_evidence_detect(struct cpu *cpu, uint64_t hz, bool clear_logs)
{
	struct counters *c = &percpu_self()->counters;
	struct pmu *pmu = &c->pmu;

	(void)clear_logs;
#define BLIND_INTERRUPT(name) cpu->blind.name = true;
#define BLIND_ERROR(name)
#define COUNTED(id, name, from, kind, ...) BLIND_##kind(name)
#include "core/cause/counted_rows.h"
	c->stolen.at = NULL;
	arch_try(open_stolen, &c->stolen);
	/* A higher exception level may reserve the monitors (MDCR_EL3.TPM, MDCR_EL2.TPM). */
	if (!arch_try(arm, &hz))
		pmu->slots = pmu->columns = pmu->events = pmu->armed = 0;
	pmu->context.hypervisor = hypervisor_below(hypervisor_found(), pmu->level);
	pmu->context.armed = c->stolen.at ? EVIDENCE(STEAL) : 0;
	cpu->context = &pmu->context;
	cpu->counters = c;
	cpu->read_counters = pmu->slots || c->stolen.at ? read_counters : NULL;
	cpu->make_steps = make_steps;
	cpu->weigh_steps = weigh_steps;
}

void arch_evidence_learn(struct cpu *cpu, spans_sample *sample)
{
	if (cpu->read_counters)
		pmu_learn_from(&((struct counters *)cpu->counters)->pmu, cpu, sample);
}

bool arch_evidence_measures(void)
{
	return hypervisor_found()->steals || pmu_there(&pmu_regs_real);
}

void arch_evidence_count(struct cpu *cpu, struct evidence *e)
{
	pmu_count(&((struct counters *)cpu->counters)->pmu, e);
}

void arch_evidence_logs(struct cpu *cpu)
{
	cpu->throttled = cpu->mce_banks = 0;
}

void arch_evidence_restore(struct cpu *cpu)
{
	struct counters *c = cpu->counters;

	pmu_restore(&c->pmu);
	cpu->read_counters = NULL;
}

void arch_evidence_names(const struct cpu *cpu, const char *names[], const char *busy[],
			 size_t room)
{
	const struct counters *c = cpu->counters;
	size_t count = 0;

	names[0] = busy[0] = busy[1] = NULL;
	if (!c)
		return;
	names[count++] = "serror_count";
	if (c->stolen.at)
		names[count++] = "steal_clock";
	names[count + pmu_names(&c->pmu, names + count, room - 1 - count)] = NULL;
	busy[0] = c->pmu.busy ? "cycles" : NULL;
}
