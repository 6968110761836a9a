/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The summary of a run: one record, computed from the other records while they are made or read;
 * and sentences from it that are printed at the end.
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
	bool no_smi;                  /* record_no_smi() of the run: no SMI columns and sentences */
	struct record_summary record; /* its strings belong to the added records */
	char stages[SUMMARY_STAGES_MAX], limits[SUMMARY_LIMITS_MAX];
	struct record_cpu all; /* the total of all cores and stages */
	/* The total of each stage's cores, in the order in which stages began. */
	struct record_cpu total[STAGES];
	unsigned totals;
};

/* A run begins. */
void summary_begin(struct report_summary *s, const struct record_begin *begin,
		   const struct config *config);

/* A stage begins. Its name must outlive the run. */
void summary_stage(struct report_summary *s, const char *stage);

/* Add a core at the end of a stage: its record, and the sums of which it was made. */
void summary_cpu(struct report_summary *s, const struct record_cpu *record, const struct cpu *cpu);

/*
 * Print a line for each stage; nothing if there are fewer than two:
 *
 *   bare      longest  12.3 us           1 gaps         1 SMI
 */
void summary_print_stages(const struct report_summary *s, lines_put *line, void *ctx);

/* The run ends, with its `end` record. */
void summary_end(struct report_summary *s, const struct record_end *end);

/*
 * Print the record for people: what was measured, on which machine, with which limits. No verdict.
 */
void summary_print(const struct record_summary *s, uint64_t sid, lines_put *line, void *ctx);

/*
 * Append a sentence about an OS above or a hypervisor below the probe (NULL or "": none), from
 * which gaps may come.
 */
void summary_print_platform(struct text *out, const struct record_begin *begin);

/*
 * Append the share of time that was sampled: "watched 99.8125 % of the time, first to last window".
 */
void summary_print_watched(struct text *out, const struct record_end *end);

/*
 * Append the verdict: "verdict: fail (max 152 us on cpu 1 exceeds the limit of 100 us)", "verdict:
 * pass, but 2 s of sampling is short of the 12 h that preset openshift requires".
 */
void summary_print_verdict(struct text *out, const struct record_end *end);
