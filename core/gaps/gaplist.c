/* SPDX-License-Identifier: BSD-2-Clause */
/* Each ring is in time order, so a heap of the cores' next gaps yields all gaps in time order. */
#include "gaplist.h"

#include "longest.h"

/* The n-th gap of a core: from the ring, then its longest gap if that found the ring full. */
static const struct gap *gap_at(const struct cpu *cpu, size_t n)
{
	const struct gap_ring *r = &cpu->ring;

	if (n < r->used)
		return &r->slot[n];
	if (n > r->used || !r->dropped || !cpu->worst.ticks)
		return NULL;
	if (r->used && cpu->worst.start <= r->slot[r->used - 1].start)
		return NULL;
	return &cpu->worst;
}

static bool earlier(const struct gaplist_head *a, const struct gaplist_head *b)
{
	return a->time < b->time || (a->time == b->time && a->position < b->position);
}

/* Restore the heap by moving head `i` down. */
static void sift_down(struct gaplist *l, uint32_t i)
{
	struct gaplist_head head = l->heap[i];
	uint32_t child;

	while ((child = 2 * i + 1) < l->heads) {
		if (child + 1 < l->heads && earlier(&l->heap[child + 1], &l->heap[child]))
			child++;
		if (!earlier(&l->heap[child], &head))
			break;
		l->heap[i] = l->heap[child];
		i = child;
	}
	l->heap[i] = head;
}

static const struct cpu *owner(const struct gaplist *l, const struct gaplist_head *head)
{
	return &l->platform->cpu[head->position];
}

/* Move a head to its core's next gap of a listed cause; false at the core's end. */
static bool gaplist_settle(const struct gaplist *l, struct gaplist_head *head)
{
	const struct cpu *cpu = owner(l, head);
	const struct gap *gap;

	for (; (gap = gap_at(cpu, head->next)); head->next++) {
		if (l->causes >> gap->cause & 1) {
			head->time = gaplist_time(cpu, gap);
			return true;
		}
	}
	return false;
}

/* Remove the root's gap. */
static void advance(struct gaplist *l)
{
	l->heap[0].next++;
	if (!gaplist_settle(l, &l->heap[0]))
		l->heap[0] = l->heap[--l->heads];
	if (l->heads)
		sift_down(l, 0);
}

void gaplist_begin(struct gaplist *l, const struct platform *p, struct gaplist_head *heap,
		   uint32_t causes)
{
	*l = (struct gaplist){ .platform = p, .heap = heap, .causes = causes };
	for (uint32_t i = 0; i < p->cpus; i++) {
		struct gaplist_head *head = &l->heap[l->heads];

		*head = (struct gaplist_head){ .position = i };
		if (gaplist_settle(l, head))
			l->heads++;
	}
	for (uint32_t i = l->heads / 2; i-- > 0;)
		sift_down(l, i);
}

bool gaplist_next(struct gaplist *l, const struct gap **gap, const struct cpu **cpu)
{
	if (!l->heads)
		return false;
	*cpu = owner(l, &l->heap[0]);
	*gap = gap_at(*cpu, l->heap[0].next);
	advance(l);
	return true;
}

uint64_t gaplist_complete_until(const struct platform *p)
{
	uint64_t until = UINT64_MAX;

	for (uint32_t i = 0; i < p->cpus; i++) {
		const struct cpu *cpu = &p->cpu[i];
		const struct gap_ring *r = &cpu->ring;
		uint64_t end = 0;

		if (!r->dropped)
			continue;
		if (r->used)
			end = gaplist_time(cpu, &r->slot[r->used - 1]) + r->slot[r->used - 1].ticks;
		if (end < until)
			until = end;
	}
	return until;
}

uint64_t gaplist_uncertainty(const struct platform *p)
{
	uint64_t bound[2] = { 0, 0 };
	struct longest largest = { .length = bound, .capacity = 2 };

	for (uint32_t i = 0; i < p->cpus; i++)
		if (p->cpu[i].measured && p->cpu[i].tsc_offset_bound.known)
			longest_add(&largest, p->cpu[i].tsc_offset_bound.value);
	return bound[0] + bound[1];
}

static void recall(const struct cpu *cpu, const struct gap *gap, struct attribution *why)
{
	attribution_recall(&cpu->ring.detail[gap - cpu->ring.slot].why, cpu->context->rules, why);
	why->counted = gap->evidence;
	why->cause = gap->cause;
}

/* EVIDENCE() bits of the counts that single gaps have. */
static uint32_t counts_of_gaps(const struct cpu *cpu)
{
	uint32_t have = 0;

#define HAVE_REGISTER(name)          cpu->name.moved && !cpu->blind.gaps
#define HAVE_HANDLER(name)           true
#define COUNTED(id, name, from, ...) have |= HAVE_##from(name) ? EVIDENCE(id) : 0;
#include "core/cause/counted_rows.h"
	return have;
}

bool gaplist_why(const struct cpu *cpu, const struct gap *gap, struct attribution *why)
{
	if (!cpu->context || (cpu->ring.detail && gap == &cpu->worst))
		return false;
	if (cpu->ring.detail && gap->holds == GAP_WHY)
		recall(cpu, gap, why);
	else
		attribution_decide_counts(cpu->context, counts_of_gaps(cpu), &gap->evidence,
					  gap->ticks, why);
	return true;
}
