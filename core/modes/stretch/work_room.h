/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run in mode=stretch keeps of all cores, a kernel at a time. */
#pragma once

#include "core/config/config.h"
#include "core/gaps/cpu.h"
#include "core/kinds/interfere/interfere.h"
#include "core/kinds/stretch/stretch.h"

#include <stdbool.h>
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

/* What a kernel does in a quantum: so many of these. */
struct stretch_unit {
	uint64_t count;
	const char *name; /* "adds" */
};

/* Of what is free, at most, for the rings that single cores have; that of `dram` may take a
 * quarter.
 */
#define WORK_OWN_SHARE 8

/* The ring of `dram` that some cores read together: each goes on where the last of them was. */
struct work_round {
	void *ring; /* as large as that of arch_work_lay() */
	uint64_t quanta;
} __attribute__((aligned(CPU_LINE)));

struct work_room {
	/*
	 * Run one quantum on the calling core. best: ticks of the quickest so far; in what a
	 * part of the quantum takes `threshold` ticks longer than its share of that, there is a
	 * gap. 0: none is looked for.
	 */
	void (*quantum)(struct cpu *cpu, enum config_kernel kernel, uint64_t best,
			uint64_t threshold, struct stretch_quantum *q);
	const struct stretch_unit *unit; /* by kernel */
	uint32_t kernels;                /* 1 << enum config_kernel: those that all cores have */
	const char *lacks[KERNELS];      /* why that kernel is missing; NULL: the processor's */
	unsigned cache_bits; /* cores whose APIC ids differ in so many low bits share a cache; 0:
				not known */
	/*
	 * Before the first quantum: the core at that position has rings of its own in `own`, which
	 * are `own_bytes` of zeros on a page boundary, and is on that round. NULL: as
	 * arch_work_lay() has it, where cores share what they read. own_bytes is 0 where the caches
	 * are not known.
	 */
	void (*settle)(uint32_t position, void *own, struct work_round *round);
	uint64_t own_bytes;
	struct stretch_core *core; /* per core of the platform */
	struct interfere interfere;
};
