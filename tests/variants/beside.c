/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In place of arch/work.c: core 1 takes four times as long after another has worked.
 */
#include "arch/work.h"

struct work_room *lay_product(void *memory, uint32_t cpus, void *ring, uint64_t ring_bytes,
			      void (*count)(struct cpu *cpu, struct evidence *e));

#define arch_work_lay lay_product
#include "arch/work.c"
#undef arch_work_lay

#define SLOWED 1 /* position */
#define MORE   3 /* quanta */

static void run_slowed(struct cpu *cpu, enum config_kernel kernel, uint64_t best,
		       uint64_t threshold, struct work_quantum *q)
{
	static uint32_t latest;
	bool beside = latest != cpu->position;
	struct work_quantum more;

	latest = cpu->position;
	run_quantum(cpu, kernel, best, threshold, q);
	for (unsigned i = 0; beside && cpu->position == SLOWED && i < MORE; i++) {
		run_quantum(cpu, kernel, best, threshold, &more);
		q->ticks += more.ticks;
		q->gaps += more.gaps;
	}
}

struct work_room *arch_work_lay(void *memory, uint32_t cpus, void *ring, uint64_t ring_bytes,
				void (*count)(struct cpu *cpu, struct evidence *e))
{
	struct work_room *s = lay_product(memory, cpus, ring, ring_bytes, count);

	s->quantum = run_slowed;
	return s;
}
