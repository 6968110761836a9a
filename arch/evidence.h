/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the counters that are evidence of a gap. Inline because the slow path is timed. */
#pragma once

#include "evidence_now.h"
#include "core/gaps/cpu.h"

#include <stdint.h>

/* Read the current count of a handler. */
static inline uint32_t evidence_handler(const struct cpu_counter *c)
{
	return (uint32_t)*c->count;
}

/* Returns the counter's step from the last reading to `now`, which becomes the last reading. */
static inline uint32_t evidence_step(struct cpu_counter *c, uint32_t now)
{
	uint32_t last = c->last;

	c->last = now;
	return now - last;
}

/*
 * EVIDENCE_REGISTER_x(code) is `code` for counts in registers, EVIDENCE_HANDLER_x(code) for counts
 * of handlers, x being the row's kind.
 */
#define EVIDENCE_REGISTER_REGISTER(code) code
#define EVIDENCE_REGISTER_HANDLER(code)
#define EVIDENCE_HANDLER_REGISTER(code)
#define EVIDENCE_HANDLER_HANDLER(code) code

/* Read all counts in registers, or of handlers. */
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

/* Add their steps since the last reading. */
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

/* Discard the steps of counters that measure, so that no gap gets them. */
static inline void evidence_forget_steps(struct cpu *cpu)
{
	struct gap_steps nobodys;

	if (!cpu->read_counters)
		return;
	cpu->read_counters(cpu);
	cpu->make_steps(cpu, &nobodys);
}
