/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An exact rank test. In a group, each slot is the call's with equal probability, and at most one
 * slot has more beside it than all others: so the call is first with a probability of at most 1 /
 * (controls + 1). A group in which all are equal, mostly 0, is left out: none can be first. Groups
 * are independent of each other, as each has its own random order, so the number of firsts is
 * binomial, or less. (Conditional sign test: Dixon, Mood, 1946.)
 */
#include "service.h"

#include "core/events/chance.h"

#define FEW_CALLS    30
#define FEW_CONTROLS SERVICE_CONTROLS_MAX
#define FAMILY       INT64_C(-2302) /* log10(0.005) in thousandths, rounded down */
#define TICKS_BITS   48             /* bits of a weight for ticks: a day of them */
#define SMIS_MAX     UINT64_C(0xffff)
#define LOG_ERROR    1 /* error of chance_log10(), thousandths */

unsigned service_controls(uint64_t calls)
{
	return calls < FEW_CALLS ? FEW_CONTROLS : 1;
}

static uint64_t end_of(const struct gap *g)
{
	return g->start + g->ticks;
}

void service_overlap(const struct cpu *cpu, const struct service_slot *slot, size_t count,
		     struct service_beside *beside)
{
	const struct gap *gap = cpu->ring.slot;
	size_t gaps = cpu->ring.used, from = 0;

	for (size_t s = 0; s < count; s++) {
		uint64_t start = slot[s].start + (uint64_t)cpu->tsc_offset;
		uint64_t end = slot[s].end + (uint64_t)cpu->tsc_offset;

		beside[s] = (struct service_beside){ NULL, 0 };
		while (from < gaps && end_of(&gap[from]) <= start)
			from++;
		for (size_t n = from; n < gaps && gap[n].start < end; n++) {
			if (!beside[s].longest || gap[n].ticks > beside[s].longest->ticks)
				beside[s].longest = &gap[n];
			beside[s].smi += gap[n].evidence.smi;
		}
	}
}

uint64_t service_weight(const struct service_beside *b)
{
	uint64_t ticks = b->longest ? b->longest->ticks : 0;
	uint64_t smi = b->smi > SMIS_MAX ? SMIS_MAX : b->smi;

	return smi << TICKS_BITS | (ticks >> TICKS_BITS ? (UINT64_C(1) << TICKS_BITS) - 1 : ticks);
}

void service_tally_add(struct service_tally *t, uint64_t call, const uint64_t *control,
		       unsigned controls)
{
	bool differ = false, first = true;

	for (unsigned i = 0; i < controls; i++) {
		differ |= control[i] != call;
		first &= control[i] < call;
	}
	t->groups += differ;
	t->first += differ && first;
}

int64_t service_chance(const struct service_tally *t, unsigned controls)
{
	if (!t->groups)
		return 0;
	return chance_of_hits(t->first, t->groups, chance_share(1, controls + 1));
}

bool service_is_significant(int64_t chance, uint64_t tests)
{
	return chance < FAMILY - chance_log10(tests) - LOG_ERROR;
}
