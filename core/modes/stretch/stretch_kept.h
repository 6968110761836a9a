/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run in mode=stretch keeps of all cores, a kernel at a time, and its report of that. */
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

/* "alone" "all" "siblings" "victims" */
const char *stretch_phase_name(enum stretch_phase phase);

#define STRETCH_SLOT 256 /* most quanta of which a median is made */

enum stretch_role { STRETCH_RESTS, STRETCH_WORKS, STRETCH_MEASURES };

/* One core. Its own while it works, the boot core's between slots. */
struct stretch_core {
	uint8_t role;     /* enum stretch_role, in the next slot */
	uint8_t warm_ups; /* quanta to go before its first slot */
	uint64_t key;     /* by which cores are sorted */
	struct stretch_best quickest;
	uint64_t best; /* ticks above which S is 1: P1 alone, as soon as a kernel is through */
	struct stretch_sums phase[STRETCH_PHASES];
	/* Turns in which throttling was logged: when each ended, enum evidence_throttle. */
	uint64_t throttled[STRETCH_TURNS][2];
	uint32_t throttles;
	uint32_t used;               /* of these: */
	uint64_t slot[STRETCH_SLOT]; /* the last slot's quanta, ticks without gaps */
};

struct stretch_kept {
	struct stretch_core *core; /* per core of the platform, behind this */
	struct interfere interfere;
};

/*
 * Report a kernel as records and text. Past TABLE_ALL cores, text and links that have a limit on
 * gaps get the TABLE_WORST worst of a phase, by p99.9. whole: no turn is missing, and medians can
 * be compared.
 */
void stretch_report(struct report *r, struct stretch_kept *s, enum config_kernel kernel,
		    bool whole);
