/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attribution in three steps: how much of the gap counters account for, which plain facts follow,
 * and the first row of the table that fits them.
 */
#include "attribution.h"

#include "attribution_rules.h"

#include "core/lib/mem.h"
#include "core/lib/pack32.h"

#include <stddef.h>

static uint32_t when(bool holds, enum attribution_fact fact)
{
	return holds ? fact : 0u;
}

static uint32_t facts_counted(const struct evidence *e)
{
	uint32_t counted = 0;

#define FACTS_INTERRUPT(id) id
#define FACTS_ERROR(id)     (id | ERROR)
#define COUNTED(id, name, from, kind, ...) \
	counted |= evidence_has_counted(e, EVIDENCE_##id) ? FACTS_##kind(id) : 0;
#include "counted_rows.h"
	return counted | when(evidence_has(e, EVIDENCE_SMI) && !(counted & SMI), NO_SMI) |
	       when(e->context->hypervisor != HYPERVISOR_NONE, GUEST) |
	       when(evidence_has(e, EVIDENCE_STEAL), STEAL_CLOCK);
}

static uint32_t facts_measured(const struct evidence_shares *m, uint64_t gap)
{
	return when(m->clock_known, CLOCK_KNOWN) | when(m->frozen_known, FROZEN_KNOWN) |
	       when(m->frozen_known && evidence_is_most(m->frozen, gap), FROZEN_MOST) |
	       when(!evidence_is_little(m->frozen, gap), FROZEN_SOME) |
	       when(m->frozen_known && m->frozen == 0, FROZEN_NONE) |
	       when(m->clock_known && evidence_is_most(m->stopped, gap), STOPPED_MOST) |
	       when(!evidence_is_little(m->stopped, gap), STOPPED_PART) |
	       when(evidence_is_most(m->stolen, gap), STOLEN_MOST) |
	       when(!evidence_is_little(m->stolen, gap), STOLEN_PART) | when(m->idle, IDLE) |
	       when(m->busy, BUSY) | when(m->written, WRITTEN) | when(m->excess, EXCESS) |
	       when(m->blurred, BLURRED) | m->facts;
}

static bool proved(const struct attribution_rules *rules, enum cause cause, uint32_t facts)
{
	const struct attribution_proof *p = &rules->proof[cause];

	return (facts & p->all) == p->all && !(facts & p->none);
}

/* The last row has no conditions. */
static const struct attribution_row *find_row(const struct attribution_rules *rules, uint32_t facts)
{
	const struct attribution_row *r = rules->row;

	while ((facts & r->all) != r->all || (facts & r->none) || !proved(rules, r->cause, facts))
		r++;
	return r;
}

/* Assign each measured part to its cause if that is proved; the rest gets the row's cause. */
static void split(struct attribution *a, const struct evidence_shares *m, uint32_t facts,
		  uint64_t gap)
{
	const uint64_t measured[ATTRIBUTION_PARTS] = { m->frozen, m->stopped, m->stolen, m->below };
	uint64_t ticks[CAUSES] = { 0 };
	uint64_t left = gap;

	for (unsigned p = 0; p < ATTRIBUTION_PARTS; p++) {
		if (proved(a->rules, a->rules->part[p].cause, facts))
			a->part[p] = arith_min(measured[p], left);
		left -= a->part[p];
	}
	attribution_add(a, gap, ticks);
	a->cause = a->rest;
	for (unsigned c = 0; c < CAUSES; c++) {
		if (ticks[c] > ticks[a->cause])
			a->cause = (uint8_t)c;
	}
}

static uint32_t step32(const struct evidence *e, enum evidence_kind kind)
{
	return evidence_has(e, kind) ? (uint32_t)arith_min(e->step[kind], UINT32_MAX) : 0;
}

/* Store the numbers that a sentence needs after the evidence is gone. */
static void keep_numbers(struct attribution *a, const struct evidence *e,
			 const struct evidence_shares *m)
{
#define COUNTED(id, name, ...) a->counted.name = step32(e, EVIDENCE_##id);
#include "counted_rows.h"
	a->tsc_step = m->written ? (int64_t)e->step[EVIDENCE_TSC_ADJUST] : 0;
	a->retired = (uint32_t)arith_min(m->retired, UINT32_MAX);
	a->hypervisor = (uint8_t)e->context->hypervisor;
}

void attribution_decide(const struct evidence *e, struct attribution *a)
{
	const struct attribution_rules *rules = e->context->rules;
	struct evidence_shares m = rules->measure(e);
	uint32_t facts = facts_counted(e) | facts_measured(&m, e->gap);
	const struct attribution_row *row = find_row(rules, facts);

	*a = (struct attribution){
		.rules = rules,
		.row = (uint8_t)(row - rules->row),
		.rest = row->cause,
		/*
		 * Evidence that the core provides is not missing, even if this gap was not read
		 * alone.
		 */
		.missing = row->wants & (uint16_t) ~(e->have | e->context->armed),
	};
	keep_numbers(a, e, &m);
	split(a, &m, facts, e->gap);
}

bool attribution_of_one(const struct attribution *together, uint64_t total, uint64_t gap,
			struct attribution *one)
{
	uint64_t others = total - together->part[PART_STOLEN];

	if (together->rest != CAUSE_STEAL || others > gap || !evidence_is_most(gap - others, gap))
		return false;
	*one = *together;
	memset(one->part, 0, sizeof(one->part));
	one->cause = CAUSE_STEAL;
	return true;
}

void attribution_add(const struct attribution *a, uint64_t gap, uint64_t ticks[CAUSES])
{
	for (unsigned p = 0; p < ATTRIBUTION_PARTS; p++) {
		if (a->part[p])
			ticks[a->rules->part[p].cause] += a->part[p];
		gap -= a->part[p];
	}
	ticks[a->rest] += gap;
}

void attribution_add_counts(struct evidence *e, uint32_t have, const struct gap_evidence *counted)
{
	e->have |= have;
#define COUNTED(id, name, ...) e->step[EVIDENCE_##id] = counted->name;
#include "counted_rows.h"
}

void attribution_decide_counts(const struct evidence_context *context, uint32_t have,
			       const struct gap_evidence *counted, uint64_t gap,
			       struct attribution *a)
{
	struct evidence e = { .context = context, .gap = gap };

	attribution_add_counts(&e, have, counted);
	attribution_decide(&e, a);
}

enum cause attribution_counted(const struct evidence_context *context,
			       const struct gap_evidence *counted)
{
	enum cause error = context ? context->rules->error : CAUSE_MCE, cause = CAUSE_UNKNOWN;
	int heaviest = -1;

#define CAUSE_OF_INTERRUPT(id) CAUSE_##id
#define CAUSE_OF_ERROR(id)     error
#define COUNTED(id, name, from, kind, weight, ...)  \
	if (counted->name && (weight) > heaviest) { \
		heaviest = weight;                  \
		cause = CAUSE_OF_##kind(id);        \
	}
#include "counted_rows.h"
	return cause;
}

void attribution_keep(const struct attribution *a, struct attribution_kept *kept)
{
	*kept = (struct attribution_kept){
		.tsc_step = pack32_signed(a->tsc_step),
		.retired = a->retired,
		.missing = a->missing,
		.rest = a->rest,
		.row = a->row,
		.hypervisor = a->hypervisor,
	};
	for (unsigned p = 0; p < ATTRIBUTION_PARTS; p++)
		kept->part[p] = pack32(a->part[p]);
}

void attribution_recall(const struct attribution_kept *kept, const struct attribution_rules *rules,
			struct attribution *a)
{
	*a = (struct attribution){
		.rules = rules,
		.tsc_step = pack32_unpack_signed(kept->tsc_step),
		.retired = kept->retired,
		.missing = kept->missing,
		.rest = kept->rest,
		.row = kept->row,
		.hypervisor = kept->hypervisor,
	};
	for (unsigned p = 0; p < ATTRIBUTION_PARTS; p++)
		a->part[p] = pack32_unpack(kept->part[p]);
}
