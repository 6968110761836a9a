/* SPDX-License-Identifier: BSD-2-Clause */
/* From what was stored with gaps to their causes. */
#include "settle.h"

/* It stands in the sums with what was known at once. */
static void settle(struct cpu *cpu, struct gap *gap, const struct attribution *why)
{
	struct cpu_sums *sums = &cpu->window;

	sums->cause_gaps[gap->cause]--;
	sums->cause_ticks[gap->cause] -= gap->ticks;
	gap->cause = why->cause;
	sums->cause_gaps[gap->cause]++;
	attribution_add(why, gap->ticks, sums->cause_ticks);
	if (cpu->worst.start == gap->start)
		cpu->worst.cause = gap->cause;
}

static void settle_together(struct cpu *cpu, size_t first, size_t end, settle_decide *decide)
{
	struct gap_ring *ring = &cpu->ring;
	struct attribution together = ring->why[first];
	struct gap sum = ring->slot[first];

	for (size_t i = first + 1; i < end; i++) {
		sum.ticks += ring->slot[i].ticks;
		sum.evidence.mce += ring->slot[i].evidence.mce;
	}
	decide(cpu, &sum, &together);
	for (size_t i = first; i < end; i++) {
		struct attribution *one = &ring->why[i];

		one->rules = NULL;
		if (attribution_of_one(&together, sum.ticks, ring->slot[i].ticks, one))
			settle(cpu, &ring->slot[i], one);
	}
}

/* Returns the one to go on with. The ring may have had no room for all the followers. */
static size_t settle_from(struct cpu *cpu, size_t i, settle_decide *decide)
{
	struct gap_ring *ring = &cpu->ring;
	struct attribution *why = &ring->why[i];
	size_t end = i + 1 + why->followers;

	if (!why->rules)
		return i + 1;
	if (end > ring->used) {
		why->rules = NULL;
	} else if (why->followers) {
		settle_together(cpu, i, end, decide);
		return end;
	} else {
		decide(cpu, &ring->slot[i], why);
		settle(cpu, &ring->slot[i], why);
	}
	return i + 1;
}

void settle_gaps(struct cpu *cpu, size_t from, settle_decide *decide)
{
	for (size_t i = from; cpu->ring.why && i < cpu->ring.used;)
		i = settle_from(cpu, i, decide);
}
