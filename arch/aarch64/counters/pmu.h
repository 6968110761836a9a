/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core's evidence besides exceptions. The performance monitors count cycles by exception level,
 * and instructions. Source: Arm ARM (DDI 0487), D11 (PMUv3) and D17.5. A counter is believed once
 * it exists, has accepted a written value, and has moved; for cycles, the loop's rate must have
 * been learned as well.
 *
 * Stolen time is the ns that the core was ready to run while its hypervisor ran something else.
 * Source: Arm DEN0057A, PV_TIME_ST, which gives each core the address of a structure of its own.
 *
 * All functions work on the calling core.
 */
#pragma once

#include "arch/spans.h"
#include "core/cause/attribution.h"
#include "core/gaps/gap.h"
#include "core/lib/pack32.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMU_EVENTS 6 /* event counters that are known here, from 0 */

enum pmu_reg {
	PMU_DFR0,         /* ID_AA64DFR0_EL1 */
	PMU_PFR0,         /* ID_AA64PFR0_EL1 */
	PMU_EVENTS_THERE, /* low halves of PMCEID0_EL0 and PMCEID1_EL0: events up to 0x3f */
	PMU_MDCR_EL2,
	PMU_PMCR,
	PMU_ENABLE,  /* PMCNTENSET_EL0 */
	PMU_DISABLE, /* PMCNTENCLR_EL0 */
	PMU_SILENCE, /* PMINTENCLR_EL1 */
	PMU_CYCLES,  /* PMCCNTR_EL0 */
	PMU_CYCLES_FILTER,
	PMU_EVENT,                               /* PMEVCNTR<n>_EL0, PMU_EVENTS of them */
	PMU_EVENT_TYPE = PMU_EVENT + PMU_EVENTS, /* PMEVTYPER<n>_EL0 */
	PMU_REGS = PMU_EVENT_TYPE + PMU_EVENTS
};

struct pmu;

/* Little-endian; 64 bytes of it are the core's. */
struct stolen_time {
	uint32_t revision;   /* 0 */
	uint32_t attributes; /* 0 */
	uint64_t ns;         /* written in a single access */
};

/* A reading of all counters. */
struct pmu_now {
	uint32_t event[PMU_EVENTS];
	uint64_t clock, cycles;
	uint64_t stolen; /* ns */
	uint64_t took;   /* ticks from the clock's read to the last counter's */
};

struct pmu_regs {
	uint64_t (*read)(enum pmu_reg reg);
	void (*write)(enum pmu_reg reg, uint64_t value);
	void (*now)(const struct pmu *p, struct pmu_now *now);
};

/* The real registers of the calling core. */
extern const struct pmu_regs pmu_regs_real;

#define PMU_SLOTS 6

/* One counter: a row of the table in pmu.c. */
struct pmu_slot {
	uint8_t row;
	uint8_t number; /* event counter, from 0; 31: the cycle counter */
	uint32_t last;  /* value of an event counter: 32 bits, as its steps have */
};

/* Columns of struct gap_steps: those of the slots, of which two may share one, and stolen time. */
#define PMU_COLUMN_CYCLES 0                 /* cycle counter, packed */
#define PMU_COLUMN_STOLEN (GAP_COLUMNS - 1) /* ns, packed */

_Static_assert(PMU_SLOTS - 1 <= PMU_COLUMN_STOLEN, "two slots may share a column");

struct pmu {
	const struct pmu_regs *regs;
	unsigned level; /* exception level of the probe: 1 or 2 */
	uint64_t hz;
	struct evidence_context context;
	struct pmu_slot slot[PMU_SLOTS]; /* `slots` of them are ours; the cycle counter is first */
	unsigned slots;
	bool armed;               /* registers were written */
	bool busy;                /* the cycle counter is in use by others: left alone */
	uint64_t saved[PMU_REGS]; /* register values before arming */
	unsigned columns;         /* number of slots with a column of their own */
	uint32_t events;          /* event counters are read from 0 up to the highest of ours */
	/* Event counters of stalls, if there are two: `back` is added to `front`. */
	struct {
		bool two;
		uint8_t front, back;
	} stalls;
	const volatile struct stolen_time *stolen; /* NULL: none */
	uint64_t stolen_last;                      /* ns */
	/* The last reading. */
	struct pmu_now now;
	uint64_t clock_last, cycles_last, took_last, took_min; /* ticks */
	struct gap_steps learned_from;                         /* steps of the last pmu_step() */
	/*
	 * Ticks per cycle, 2^-30, learned from the spans in which most was counted, those that
	 * follow each other as one piece.
	 */
	uint32_t rate;
	struct {
		uint64_t span, cycles;
		uint32_t least, most; /* bounds of the spans' rates */
		uint32_t spans, pieces;
		bool open; /* the next may continue the last piece */
	} learned;
};

/* PMUv3 exists, by its ID register. */
bool pmu_there(const struct pmu_regs *regs);

/*
 * Find and arm the counters of the core, at this exception level. If there are none, or one does
 * not count, nothing is changed. This may fault if software at a higher level reserves the
 * counters; then call nothing but pmu_restore() for *p.
 */
void pmu_arm(struct pmu *p, const struct pmu_regs *regs, unsigned level, uint64_t hz);

/* Put back what pmu_arm() replaced, as far as it came. */
void pmu_restore(struct pmu *p);

/* Count stolen time from now on, after pmu_arm(); false: the structure's format is unknown. */
bool pmu_open_stolen(struct pmu *p, const volatile struct stolen_time *at);

/*
 * Compute the steps from the last reading to this one. This is the longest piece of the slow path,
 * so everything that can wait is left to pmu_weigh().
 */
static inline void pmu_steps(struct pmu *p, struct pmu_now *now, struct gap_steps *s)
{
	uint32_t *count = &s->count[1];
	struct pmu_slot *end = &p->slot[p->columns];

	if (__builtin_expect(p->stalls.two, false))
		now->event[p->stalls.front] += now->event[p->stalls.back];
	for (struct pmu_slot *c = &p->slot[1]; c < end; c++) {
		uint32_t event = now->event[c->number];

		*count++ = event - c->last;
		c->last = event;
	}
	s->span = pack32(now->clock - p->clock_last);
	s->count[PMU_COLUMN_CYCLES] = pack32(now->cycles - p->cycles_last);
	p->clock_last = now->clock;
	p->cycles_last = now->cycles;
	s->unsteady = gap_unsteady(now->took, &p->took_min, &p->took_last);
	s->columns = (uint8_t) ~(1u << PMU_COLUMN_STOLEN);
	if (p->stolen) {
		s->count[PMU_COLUMN_STOLEN] = pack32(now->stolen - p->stolen_last);
		p->stolen_last = now->stolen;
		s->columns |= 1u << PMU_COLUMN_STOLEN;
	}
}

/* Convert steps into *e, whose gap is set: span, slack, have and steps. Call in the gaps' order. */
void pmu_weigh(struct pmu *p, const struct gap_steps *s, struct evidence *e);

/* pmu_steps() and pmu_weigh() since the last reading. */
void pmu_step(struct pmu *p, struct evidence *e);

/*
 * Steps since the last reading, over less than 2^32 cycles, unconverted, of the counters that are
 * believed: cycles and instructions, and the core's clock, as cycles (APERF) in ns (MPERF).
 */
void pmu_count(struct pmu *p, struct evidence *e);

/* Learn from spans of sampling that sample(cpu, ...) makes: without a gap, if there are any. */
void pmu_learn_from(struct pmu *p, struct cpu *cpu, spans_sample *sample);

/* Get the names of the counters that are believed; returns their number, at most max. */
size_t pmu_names(const struct pmu *p, const char **names, size_t max);
