/* SPDX-License-Identifier: BSD-2-Clause */
/* One gap as the measuring core stores it, and the bounded ring it goes into. */
#pragma once

#include "core/cause/attribution.h"

#include <stddef.h>
#include <stdint.h>

/* Counter steps across one gap. Whether a counter can be trusted is known per core, not per gap. */
struct gap_evidence {
	uint32_t smi, nmi, mce;
};

/* The cause by the steps alone. */
static inline enum cause gap_counted_cause(const struct gap_evidence *e)
{
	return attribution_counted(e->smi, e->nmi, e->mce);
}

struct gap {
	uint64_t start; /* TSC of the last sample before the gap */
	uint64_t ticks; /* length */
	struct gap_evidence evidence;
	uint8_t cause; /* enum cause */
};

/* Gaps in time order. When full, further gaps are counted in `dropped`. */
struct gap_ring {
	struct gap *slot;
	struct attribution *why; /* of each slot; NULL where nothing but counts is known */
	size_t capacity;
	size_t used;
	uint64_t dropped;
};
