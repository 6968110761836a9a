/* SPDX-License-Identifier: BSD-2-Clause */
/* Determines causes, and sums by cause, from counters' steps. */
#include "judge.h"

static void share_count(struct gap *row, size_t n, enum evidence_kind kind,
			struct judge_share *share)
{
	uint32_t *own = &row[n].evidence.of[kind], *spare = &share->spare[kind];
	size_t *giver = &share->giver[kind];

	if (!row[n].behind)
		*spare = 0;
	if (*own >= 2) {
		*spare += *own - 1;
		*giver = n;
	} else if (!*own && *spare) {
		while (row[*giver].evidence.of[kind] < 2)
			--*giver;
		row[*giver].evidence.of[kind]--;
		--*spare;
		*own = 1;
	}
}

void judge_share(struct gap *row, size_t n, struct judge_share *share)
{
#define SHARE_REGISTER(id) share_count(row, n, EVIDENCE_##id, share);
#define SHARE_HANDLER(id)
#define COUNTED(id, name, from, ...) SHARE_##from(id)
#include "core/cause/counted_rows.h"
}

/*
 * Update the longest gap; of equally long ones the first, as gaps are not judged in order if some
 * found the ring full.
 */
static void add_longest(struct gap *longest, const struct gap *gap)
{
	if (gap->ticks > longest->ticks ||
	    (gap->ticks == longest->ticks && (int64_t)(gap->start - longest->start) < 0))
		*longest = *gap;
}

/* Record a gap's attribution. NULL: nothing was measured, the cause is by counts alone. */
static void judge_add(struct cpu *cpu, struct gap *gap, union gap_detail *detail,
		      const struct attribution *why)
{
	struct cpu_sums *sums = &cpu->window;

	if (why) {
		gap->cause = why->cause;
		gap->holds = GAP_WHY;
		attribution_add(why, gap->ticks, sums->cause_ticks);
		attribution_keep(why, &detail->why);
	} else {
		gap->cause = (uint8_t)attribution_counted(cpu->context, &gap->evidence);
		gap->holds = GAP_NOTHING;
		sums->cause_ticks[gap->cause] += gap->ticks;
	}
	sums->cause_gaps[gap->cause]++;
	add_longest(&cpu->worst, gap);
}

/* Attribute one gap, or several as if they were one, by the steps. */
static void decide(struct cpu *cpu, const struct gap *gap, const struct gap_steps *steps,
		   struct attribution *why)
{
	struct evidence e = { .gap = gap->ticks };

	cpu->weigh_steps(cpu, steps, &gap->evidence, &e);
	attribution_decide(&e, why);
}

static void judge_alone(struct cpu *cpu, struct gap *gap, union gap_detail *detail)
{
	struct attribution why;

	if (!detail || gap->holds != GAP_STEPS || gap->followers) {
		judge_add(cpu, gap, detail, NULL);
		return;
	}
	decide(cpu, gap, &detail->steps, &why);
	judge_add(cpu, gap, detail, &why);
}

/* Judge gaps that share one reading: `count` of them, the first has the steps. */
static void judge_together(struct cpu *cpu, struct gap *gap, union gap_detail *detail, size_t count)
{
	struct gap sum = gap[0];
	struct attribution together, one;

	for (size_t i = 1; i < count; i++) {
		sum.ticks += gap[i].ticks;
		for (unsigned kind = 0; kind < EVIDENCE_COUNTED; kind++)
			sum.evidence.of[kind] += gap[i].evidence.of[kind];
	}
	decide(cpu, &sum, &detail->steps, &together);
	for (size_t i = 0; i < count; i++) {
		bool known = attribution_of_one(&together, sum.ticks, gap[i].ticks, &one);

		judge_add(cpu, &gap[i], &detail[i], known ? &one : NULL);
	}
}

/* The number of gaps from this one on that are judged together; 1 if the ring ends among them. */
static size_t count_together(const struct gap_ring *ring, size_t first)
{
	size_t count = (size_t)1 + ring->slot[first].followers;

	return ring->detail && ring->slot[first].holds == GAP_STEPS && count <= ring->used - first
		       ? count
		       : 1;
}

void judge_ring(struct cpu *cpu)
{
	struct gap_ring *ring = &cpu->ring;
	struct judge_share share = { 0 };
	size_t count;

	for (size_t i = ring->judged; i < ring->used; i++)
		judge_share(ring->slot, i, &share);
	for (size_t i = ring->judged; i < ring->used; i += count) {
		struct gap *gap = &ring->slot[i];
		union gap_detail *detail = ring->detail ? &ring->detail[i] : NULL;

		count = count_together(ring, i);
		if (count > 1)
			judge_together(cpu, gap, detail, count);
		else
			judge_alone(cpu, gap, detail);
	}
	ring->judged = ring->used;
}

void judge_one(struct cpu *cpu, struct gap *row, union gap_detail *detail, size_t n,
	       struct judge_share *share)
{
	judge_share(row, n, share);
	judge_alone(cpu, &row[n], &detail[n]);
}
