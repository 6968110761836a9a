/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The summary of a run: one record, computed from its other records as they are made or read, and
 * the sentences of it that people read at the end.
 */
#pragma once

#include "core/config/config.h"
#include "core/gaps/cpu.h"
#include "core/records/record.h"
#include "core/table/table_lines.h"

#include <stdint.h>

#define SUMMARY_STAGES_MAX 48
#define SUMMARY_LIMITS_MAX 160

struct summary {
	struct record_summary record; /* its strings are those of the records that were added */
	uint32_t lost; /* causes, bit by bit, of gaps that found no place in a core's list */
	char stages[SUMMARY_STAGES_MAX], limits[SUMMARY_LIMITS_MAX];
};

/* A run begins; config may be NULL: no limits. */
void summary_begin(struct summary *s, const struct record_begin *begin,
		   const struct config *config);

/* A stage begins. */
void summary_stage(struct summary *s, const char *stage);

/* A core at the end of a stage; with mode=stretch its quanta in a phase. */
void summary_cpu(struct summary *s, const struct record_cpu *cpu);
void summary_stretch(struct summary *s, const struct record_stretch *stretch);

/* The core whose record was just added, where its gaps are at hand: of what cause is which. */
void summary_gaps(struct summary *s, const struct cpu *cpu, uint64_t hz);

/* The run is over, by its `end`. */
void summary_end(struct summary *s, const struct record_end *end);

/* Print the record for people: what was measured on what, and by which limits. No verdict. */
void summary_print(const struct record_summary *s, uint64_t sid, table_line *line, void *ctx);
