/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling core's evidence, from the table of counters to its struct cpu. */
#include "arch/evidence.h"

#include "arch/arch.h"
#include "asm.h"
#include "core/lib/mem.h"
#include "counters.h"
#include "percpu.h"

static void find_register(struct cpu_counter *to, const struct counters *c, enum evidence_kind kind)
{
	const struct counter_slot *slot = counters_armed(c, kind);
	uint64_t v = 0;

	to->msr = slot ? slot->msr : 0;
	to->readable = slot && c->regs->rdmsr(slot->msr, &v);
	to->last = (uint32_t)v;
	to->moved = to->last != 0 || (slot && slot->proved);
}

static void find_registers(struct cpu *cpu, const struct counters *c)
{
#define COUNTED(id, name, from, ...) \
	EVIDENCE_REGISTER_##from(find_register(&cpu->name, c, EVIDENCE_##id);)
#include "core/cause/counted_rows.h"
}

static void read_counters(struct cpu *cpu)
{
	counters_read(cpu->counters);
}

static void make_steps(struct cpu *cpu, struct gap_steps *steps)
{
	counters_steps(cpu->counters, steps);
}

static void weigh_steps(struct cpu *cpu, const struct gap_steps *steps,
			const struct gap_evidence *counted, struct evidence *e)
{
	counters_weigh(cpu->counters, steps, e);
	counters_counted(cpu->counters, cpu_knows(cpu), counted, e);
}

void arch_evidence_count(struct cpu *cpu, struct evidence *e)
{
	counters_step(cpu->counters, e);
}

/* Read it as the firmware left it: it may set clocks apart without a gap. */
static void read_adjust(struct cpu *cpu)
{
	const struct counters *c = cpu->counters;
	const struct counter_slot *slot = counters_armed(c, EVIDENCE_TSC_ADJUST);

	cpu->tsc_adjust.known = slot && c->regs->rdmsr(slot->msr, &cpu->tsc_adjust.value);
}

void arch_evidence_detect(struct cpu *cpu, uint64_t hz, bool clear_logs)
{
	struct percpu *p = percpu_self();
	struct counters *c = &p->counters;

	arch_identify(&p->identity);
	counters_detect(c, &regs_real, &p->identity, hz, &p->steal);
	counters_arm(c, clear_logs);
	find_registers(cpu, c);
	cpu->context = &c->context;
	cpu->counters = c;
	cpu->read_counters = c->columns ? read_counters : NULL;
	cpu->make_steps = make_steps;
	cpu->weigh_steps = weigh_steps;
	read_adjust(cpu);
}

void arch_evidence_learn(struct cpu *cpu, spans_sample *sample)
{
	if (cpu->read_counters)
		counters_learn_from(cpu->counters, cpu, sample);
}

bool arch_evidence_measures(void)
{
	struct arch_identity id;

	arch_identify(&id);
	return counters_possible(&regs_real, &id);
}

void arch_evidence_logs(struct cpu *cpu)
{
	struct counters *c = cpu->counters;

	counters_logs(c);
	cpu->throttled = c->throttled;
	cpu->mce_banks = c->banks;
	c->throttled = c->banks = 0;
	read_adjust(cpu);
}

void arch_evidence_restore(struct cpu *cpu)
{
	counters_restore(cpu->counters);
	cpu->read_counters = NULL;
}

void arch_evidence_names(const struct cpu *cpu, const char *names[], const char *busy[],
			 size_t room)
{
	const struct counters *c = cpu->counters;

	names[0] = busy[0] = NULL;
	if (!c)
		return;
	names[counters_believed(c, cpu_knows(cpu), names, room - 1)] = NULL;
	busy[counters_names(c, COUNTER_BUSY, busy, room - 1)] = NULL;
}
