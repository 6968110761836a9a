/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The summary of a run: one record, computed from its other records as they are made or read, and
 * the sentences of it that people read at the end.
 */
#pragma once

#include "core/config/config.h"
#include "core/gaps/cpu.h"
#include "core/records/record.h"
#include "core/lib/lines.h"

#include <stdint.h>

#define SUMMARY_STAGES_MAX 48
#define SUMMARY_LIMITS_MAX 160

struct report_summary {
	bool no_smi; /* record_no_smi() of the run: tables and sentences lack them */
	struct record_summary record; /* its strings are those of the records that were added */
	uint32_t lost; /* causes, bit by bit, of gaps that found no place in a core's list */
	bool counted;  /* a core was added: without one nothing was measured */
	char stages[SUMMARY_STAGES_MAX], limits[SUMMARY_LIMITS_MAX];
	/* Each stage's cores taken together, in the order in which the stages began. */
	struct record_cpu total[STAGES];
	unsigned totals;
};

/* A run begins; config may be NULL: no limits. */
void summary_begin(struct report_summary *s, const struct record_begin *begin,
		   const struct config *config);

/* A stage begins. Its name outlives the run. */
void summary_stage(struct report_summary *s, const char *stage);

/* A core at the end of a stage. */
void summary_cpu(struct report_summary *s, const struct record_cpu *cpu);

/*
 * Print what each stage had, a line each; nothing for fewer than two:
 *
 *   bare      longest  12.3 us           1 gaps         1 SMI
 */
void summary_print_stages(const struct report_summary *s, lines_put *line, void *ctx);

/* The core whose record was just added, where its gaps are at hand: of what cause is which. */
void summary_gaps(struct report_summary *s, const struct cpu *cpu, uint64_t hz);

/* The run is over, by its `end`. */
void summary_end(struct report_summary *s, const struct record_end *end);

/* Print the record for people: what was measured on what, and by which limits. No verdict. */
void summary_print(const struct record_summary *s, uint64_t sid, lines_put *line, void *ctx);

/*
 * A sentence about what is between the probe and the machine:
 * where the gaps come from if an OS is above or a hypervisor underneath (NULL or "": none).
 */
void summary_print_platform(struct text *out, const struct record_begin *begin);

/* The share of time that was sampled: "watched 99.8125 % of the time, first to last window". */
void summary_print_watched(struct text *out, const struct record_end *end);

/*
 * The verdict line: "verdict: fail (max 152 us on cpu 1 exceeds the limit of 100 us)", "verdict:
 * pass, but 2 s of sampling is short of the 12 h that preset openshift requires".
 */
void summary_print_verdict(struct text *out, const struct record_end *end);
