/* SPDX-License-Identifier: BSD-2-Clause */
/* One window on one core: the wait for its start, the hot loop, and a way aside for each gap. */
#include "probe.h"

#include "arch.h"
#include "core/mem.h"
#include "evidence.h"
#include "sampling.h"

/* Steps up to the window's first sample, those inside it, and where counting goes on. */
static void count_steps(struct cpu *cpu, uint32_t smi_before, uint32_t nmi_before)
{
	struct cpu_sums *sums = &cpu->window;

	cpu->smi.last = evidence_smi_now(cpu);
	cpu->nmi_last = evidence_nmi_now(cpu);
	cpu->mce_last = evidence_mce_now(cpu);
	sums->smi_out = cpu->smi_window - smi_before;
	sums->nmi_out = cpu->nmi_window - nmi_before;
	sums->smi = cpu->smi.last - cpu->smi_window;
	sums->nmi = cpu->nmi_last - cpu->nmi_window;
	sums->mce = cpu->mce_last - cpu->mce_window;
	cpu->smi.moved = cpu->smi.moved || cpu->smi.last != 0;
}

static void end_for_all(struct window_plan *plan)
{
	plan->end = 0;
	for (uint32_t i = 0; i < plan->cpus; i++)
		plan->cpu[i].end = 0;
}

void probe_before_window(struct cpu *cpu)
{
	cpu->smi.last = evidence_smi_now(cpu);
	cpu->nmi_last = evidence_nmi_now(cpu);
	cpu->mce_last = evidence_mce_now(cpu);
	if (cpu->measure)
		cpu->measure(cpu, NULL, NULL);
}

void probe_window(struct cpu *cpu, struct window_plan *plan)
{
	struct excursion x = { 0 };
	/* With a TSC of its own, a core needs an end of its own. */
	const _Atomic uint64_t *end = cpu->tsc_offset ? &cpu->end : &plan->end;
	uint32_t smi_before = cpu->smi.last, nmi_before = cpu->nmi_last;

	excursion_init(&x, cpu, plan->threshold);
	memset(&cpu->window, 0, sizeof(cpu->window));
	sampling(cpu, plan, end, &x);
	if (x.stop)
		end_for_all(plan);
	count_steps(cpu, smi_before, nmi_before);
	cpu->window.length = cpu->window_end - cpu->window_start;
	/* The pieces' costs are typical ones: what is left is gaps, at the least. */
	if (cpu->window.slow > cpu->window.length - cpu->window.noise)
		cpu->window.slow = cpu->window.length - cpu->window.noise;
	cpu->unmasked |= !arch_interrupts_masked();
}
