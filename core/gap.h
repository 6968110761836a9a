/* SPDX-License-Identifier: BSD-2-Clause */
/* One gap as the measuring core stores it, and the bounded ring it goes into. */
#ifndef CORE_GAP_H
#define CORE_GAP_H

#include "cause.h"

#include <stddef.h>
#include <stdint.h>

/* Counter steps across one gap. Whether a counter can be trusted is known per core, not per gap. */
struct gap_evidence {
	uint32_t smi;
	uint32_t nmi;
};

/* What the steps say. On the slow path of a gap, hence inline. */
static inline enum cause gap_cause(const struct gap_evidence *e)
{
	if (e->smi)
		return CAUSE_SMI;
	return e->nmi ? CAUSE_NMI : CAUSE_UNKNOWN;
}

struct gap {
	uint64_t start; /* TSC of the last sample before the gap */
	uint64_t ticks; /* length */
	struct gap_evidence evidence;
};

/* Gaps in time order. When full, further gaps are counted in `dropped`. */
struct gap_ring {
	struct gap *slot;
	size_t capacity;
	size_t used;
	uint64_t dropped;
};

#endif
