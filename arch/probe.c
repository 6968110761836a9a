/* SPDX-License-Identifier: BSD-2-Clause */
/* One window on one core: the wait for its start, the hot loop, and a way aside for each gap. */
#include "probe.h"

#include "arch.h"
#include "core/lib/mem.h"
#include "clock_now.h"
#include "evidence.h"
#include "sampling.h"

static void read_counts(struct cpu *cpu)
{
	struct gap_evidence nobodys = { 0 };

	evidence_add_registers(cpu, &nobodys);
	evidence_add_handlers(cpu, &nobodys);
}

/* Steps up to the window's first sample, and those inside it: counting goes on from there. */
static void count_steps(struct cpu *cpu, const struct gap_evidence *before)
{
#define COUNTED(id, name, ...)                                   \
	cpu->window.name##_out = cpu->name.start - before->name; \
	cpu->window.name = cpu->name.last - cpu->name.start;
#include "core/cause/counted_rows.h"
}

static void end_for_all(struct platform_window *plan)
{
	plan->end = 0;
	for (uint32_t i = 0; i < plan->cpus; i++)
		plan->cpu[i].end = 0;
}

void probe_before_window(struct cpu *cpu)
{
	read_counts(cpu);
	evidence_forget_steps(cpu);
}

void probe_window(struct cpu *cpu, struct platform_window *plan)
{
	struct sampling_excursion x = { 0 };
	/* With a TSC of its own, a core needs an end of its own. */
	const _Atomic uint64_t *end = cpu->tsc_offset ? &cpu->end : &plan->end;
	const struct gap_evidence before = {
#define COUNTED(id, name, ...) .name = cpu->name.last,
#include "core/cause/counted_rows.h"
	};

	sampling_init(&x, cpu, plan->threshold);
	memset(&cpu->window, 0, sizeof(cpu->window));
	sampling(cpu, plan, end, &x);
	if (x.stop)
		end_for_all(plan);
	if (!x.past)
		read_counts(cpu);
	count_steps(cpu, &before);
	judge_ring(cpu);
#define COUNTED(id, name, from, ...) \
	EVIDENCE_REGISTER_##from(cpu->name.moved |= cpu->name.last != 0;)
#include "core/cause/counted_rows.h"
	cpu->window.length = cpu->window_end - cpu->window_start;
	/* The pieces' costs are typical ones: what is left is gaps, at the least. */
	if (cpu->window.slow > cpu->window.length - cpu->window.noise)
		cpu->window.slow = cpu->window.length - cpu->window.noise;
}

void probe_window_masked(struct cpu *cpu, struct platform_window *plan)
{
	probe_window(cpu, plan);
	cpu->unmasked |= !arch_interrupts_masked();
}

#define DELAY_GAPS 8 /* others may come on top */

/* True if a gap covers the delay except for an eighth at each end. */
static bool covered(const struct gap_ring *ring, const struct sampling_excursion *x, uint64_t delay)
{
	uint64_t slack = delay / 8;

	for (size_t i = 0; x->delayed_until && i < ring->used; i++) {
		const struct gap *g = &ring->slot[i];

		if (g->start <= x->delayed_from + slack &&
		    g->start + g->ticks + slack >= x->delayed_until)
			return true;
	}
	return false;
}

bool probe_delay(struct cpu *cpu, uint64_t ticks)
{
	struct platform_window plan = { .start = clock_now() - (uint64_t)cpu->tsc_offset,
					.threshold = ticks / 2 + 1,
					.stop = UINT64_MAX,
					.stop_total = UINT64_MAX };
	struct sampling_excursion x = { .delay = ticks };
	struct gap slots[DELAY_GAPS];
	struct gap_ring ring = cpu->ring;
	bool found;

	sampling_init(&x, cpu, plan.threshold);
	/* Pieces before the delay have no limit: reading a counter may take longer, as an exit. */
	x.limit[PIECE_SMI] = x.limit[PIECE_START] = INT64_MAX;
	cpu->ring = (struct gap_ring){ .slot = slots, .capacity = DELAY_GAPS };
	sampling(cpu, &plan, &plan.end, &x);
	found = covered(&cpu->ring, &x, ticks);
	cpu->ring = ring;
	sampling_forget(cpu);
	return found;
}
