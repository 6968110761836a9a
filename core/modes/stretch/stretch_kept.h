/* SPDX-License-Identifier: BSD-2-Clause */
/* State of all cores in mode=stretch, a kernel at a time, and its report. */
#pragma once

#include "core/kinds/interfere/interfere.h"
#include "core/kinds/stretch/stretch.h"
#include "core/report/report.h"

#include <stdint.h>

_Static_assert(INTERFERE_TURNS == STRETCH_TURNS, "each turn has a slot of each pair");

enum stretch_phase {
	STRETCH_ALONE,    /* one core works, all others rest */
	STRETCH_ALL,      /* all work */
	STRETCH_SIBLINGS, /* the threads of one core work */
	STRETCH_VICTIMS,  /* the core and a group of others work: interfere.h */
	STRETCH_PHASES
};

#define STRETCH_SLOT 256 /* most quanta in the median of a slot */

enum stretch_role { STRETCH_RESTS, STRETCH_WORKS, STRETCH_MEASURES };

/*
 * One core's data. Only the core itself writes it during a slot, only the boot core between slots.
 */
struct stretch_core {
	uint8_t role;     /* enum stretch_role, in the next slot */
	uint8_t warm_ups; /* quanta that it still runs before its first slot */
	uint64_t key;     /* sort key of cores */
	struct stretch_best quickest;
	uint64_t best; /* ticks of a quantum with S = 1: P1 of `alone`; for the report */
	struct stretch_sums phase[STRETCH_PHASES];
	/*
	 * Turns in which throttling was logged: the tick at which each ended, and enum
	 * evidence_throttle.
	 */
	uint64_t throttled[STRETCH_TURNS][2];
	uint32_t throttles;
	uint32_t used;               /* entries of `slot` in use */
	uint64_t slot[STRETCH_SLOT]; /* the last slot's quanta, ticks without gaps */
};

struct stretch_kept {
	struct interfere interfere;
	struct stretch_core core[]; /* per core of the platform */
};

/*
 * Report a kernel as records and text, and note each core's worst p99.9 for the verdict. With more
 * than TABLE_ALL cores, the text, and links with a limit on gaps, have only the TABLE_WORST worst
 * cores of a phase, by p99.9. whole: no turn is missing, so medians can be compared.
 */
void stretch_report(struct report *r, struct stretch_kept *s, enum config_kernel kernel,
		    bool whole);
