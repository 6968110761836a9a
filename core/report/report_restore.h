/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A saved run as the state that it left: what the last page on the screen is drawn from, without
 * the machine that measured it. Times are in ns: a tick is one.
 */
#pragma once

#include "report.h"

#include "core/records/compact.h"

#include <stdbool.h>
#include <stdint.h>

struct report_restored {
	struct config config; /* the run's, as its `begin` has it */
	struct record_begin begin;
	struct platform platform; /* the cores of the last stage, with sums and histograms */
	struct verdict_reasons reasons;
	struct report report; /* stage and summary */
	uint64_t sid;
	uint32_t cpus_max;
};

/*
 * Read the whole report. `cpu` has room for cpus_max cores and is all zeros; of a stage with more,
 * the rest is left out. Strings are those of the report. False: it has no `begin`; else *out is
 * complete, the verdict VERDICT_INCOMPLETE where the run broke off.
 */
bool report_restore(struct compact_reader *from, struct cpu *cpu, uint32_t cpus_max,
		    struct report_restored *out);

/*
 * For the kinds of records: the core of that number, which may be new; NULL: there is no room for
 * it.
 */
struct cpu *report_restore_core(struct report_restored *out, uint32_t index);
