/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the counters that are evidence of a gap. On the slow path, hence inline. */
#pragma once

#include "evidence_now.h"
#include "core/gaps/cpu.h"

#include <stdint.h>

/* A counter as it stands. */
static inline uint32_t evidence_handler(const struct cpu_counter *c)
{
	return (uint32_t)*c->count;
}

/* Steps of a counter up to `now`; later calls count from there. */
static inline uint32_t evidence_step(struct cpu_counter *c, uint32_t now)
{
	uint32_t last = c->last;

	c->last = now;
	return now - last;
}

/* Code for the counts that registers have, and for those that handlers keep. */
#define EVIDENCE_REGISTER_REGISTER(code) code
#define EVIDENCE_REGISTER_HANDLER(code)
#define EVIDENCE_HANDLER_REGISTER(code)
#define EVIDENCE_HANDLER_HANDLER(code) code

/* Read all counts of a kind. */
static inline void evidence_registers(const struct cpu *cpu, struct gap_evidence *now)
{
#define COUNTED(id, name, from, ...) \
	EVIDENCE_REGISTER_##from(now->name = evidence_register(&cpu->name);)
#include "core/cause/counted_rows.h"
}

static inline void evidence_handlers(const struct cpu *cpu, struct gap_evidence *now)
{
#define COUNTED(id, name, from, ...) \
	EVIDENCE_HANDLER_##from(now->name = evidence_handler(&cpu->name);)
#include "core/cause/counted_rows.h"
}

/* Add their steps since they were last read. */
static inline void evidence_add_registers(struct cpu *cpu, struct gap_evidence *to)
{
#define COUNTED(id, name, from, ...) \
	EVIDENCE_REGISTER_##from(    \
		to->name += evidence_step(&cpu->name, evidence_register(&cpu->name));)
#include "core/cause/counted_rows.h"
}

static inline void evidence_add_handlers(struct cpu *cpu, struct gap_evidence *to)
{
#define COUNTED(id, name, from, ...) \
	EVIDENCE_HANDLER_##from(     \
		to->name += evidence_step(&cpu->name, evidence_handler(&cpu->name));)
#include "core/cause/counted_rows.h"
}

/* Take the steps of the counters that measure, so that they are no gap's. */
static inline void evidence_forget_steps(struct cpu *cpu)
{
	struct gap_steps nobodys;

	if (!cpu->read_counters)
		return;
	cpu->read_counters(cpu);
	cpu->make_steps(cpu, &nobodys);
}
