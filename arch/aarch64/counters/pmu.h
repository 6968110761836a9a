/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Evidence from the performance monitors: cycles by exception level, and instructions. Source: Arm
 * ARM (DDI 0487), D11 (PMUv3) and D17.5. A counter is believed once it exists, has taken what was
 * written, and has moved; cycles moreover once the loop's rate of them was seen.
 *
 * All functions work on the calling core.
 */
#pragma once

#include "arch/spans.h"
#include "core/cause/attribution.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMU_EVENTS 6 /* event counters that are known here, from 0 */

enum pmu_reg {
	PMU_DFR0,         /* ID_AA64DFR0_EL1 */
	PMU_PFR0,         /* ID_AA64PFR0_EL1 */
	PMU_EVENTS_THERE, /* of PMCEID0_EL0 and PMCEID1_EL0 the low halves: events up to 0x3f */
	PMU_MDCR_EL2,
	PMU_PMCR,
	PMU_ENABLE,  /* PMCNTENSET_EL0 */
	PMU_DISABLE, /* PMCNTENCLR_EL0 */
	PMU_SILENCE, /* PMINTENCLR_EL1 */
	PMU_CYCLES,  /* PMCCNTR_EL0 */
	PMU_CYCLES_FILTER,
	PMU_EVENT,                               /* and the next: PMEVCNTR<n>_EL0 */
	PMU_EVENT_TYPE = PMU_EVENT + PMU_EVENTS, /* PMEVTYPER<n>_EL0 */
	PMU_REGS = PMU_EVENT_TYPE + PMU_EVENTS
};

struct pmu;

struct pmu_regs {
	uint64_t (*read)(enum pmu_reg reg);
	void (*write)(enum pmu_reg reg, uint64_t value);
	/* Since the last call: counters_read(). */
	void (*steps)(struct pmu *p, struct attribution_steps *s);
};

/* The calling core's own, which are a struct counters'. */
extern const struct pmu_regs pmu_regs_real;

#define PMU_SLOTS 6

/* One counter: a row of the table in pmu.c. */
struct pmu_slot {
	uint8_t row;
	uint8_t number; /* of the event counter; 31: the cycle counter */
};

struct pmu {
	const struct pmu_regs *regs;
	unsigned level; /* that we run at: 1 or 2 */
	uint64_t hz;
	struct evidence_context context;
	struct pmu_slot slot[PMU_SLOTS]; /* `slots` of them are ours; the cycle counter is first */
	unsigned slots;
	bool armed;
	bool busy;                /* somebody counts in the cycle counter: left alone */
	uint64_t saved[PMU_REGS]; /* what arming replaced */
	/* As last read; event counters are read from 0 up to the highest of ours. */
	uint64_t clock_last, cycles_last;
	uint32_t event_last[PMU_EVENTS], events;
	uint32_t took_last, took_min;          /* ticks */
	struct attribution_steps learned_from; /* the last of pmu_step() */
	/*
	 * Ticks per cycle, 2^-30, learned from the spans in which most was counted, those that
	 * follow each other as one piece.
	 */
	uint32_t rate;
	struct {
		uint64_t span, cycles;
		uint32_t least, most; /* of their rates */
		uint32_t spans, pieces;
		bool open; /* the next may continue the last piece */
	} learned;
};

/* PMUv3 exists, by its ID register. */
bool pmu_there(const struct pmu_regs *regs);

/*
 * Find the counters of the core, at that exception level, and arm them. Where there are none, or
 * one does not count, nothing is changed. It may fault where somebody keeps the counters for
 * himself, and then pmu_restore() must be called, or nothing else.
 */
void pmu_arm(struct pmu *p, const struct pmu_regs *regs, unsigned level, uint64_t hz);

/* Put back what pmu_arm() replaced. */
void pmu_restore(struct pmu *p);

/* What the steps show, into *e, whose gap is set: span, slack, have and steps. In their order. */
void pmu_weigh(struct pmu *p, const struct attribution_steps *s, struct evidence *e);

/* The same with the steps since the last reading. */
void pmu_step(struct pmu *p, struct evidence *e);

/*
 * Steps since the last reading, over less than 2^32 cycles, as they were counted, of what is
 * believed: cycles and instructions, and the core's clock, as cycles (APERF) in ns (MPERF).
 */
void pmu_count(struct pmu *p, struct evidence *e);

/* Ticks of the spans to learn from: short enough that some have nothing in them but the loop,
 * though the firmware interrupts it each few ms. */
uint64_t pmu_span(const struct pmu *p);

/* Learn from the last pmu_step(), over a span of nothing but sampling; the first one not. */
void pmu_learn(struct pmu *p, const struct evidence *e);

/* The same over spans that sample(cpu, ...) makes: those without a gap, if there are any. */
void pmu_learn_from(struct pmu *p, struct cpu *cpu, spans_sample *sample);

/* Names of what is believed; returns how many, at most max. */
size_t pmu_names(const struct pmu *p, const char **names, size_t max);
