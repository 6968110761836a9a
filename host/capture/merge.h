/* SPDX-License-Identifier: BSD-2-Clause */
/* The gaps in a report merged into events, as the probe merges them. */
#pragma once

#include "run.h"

#include "core/events/event.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Causes to take in, as bits 1 << cause. */
#define MERGE_ALL_CAUSES ((1u << CAUSES) - 1)

/* How far apart in time clocks of two cores may be: ns, at most the threshold. 0: not known. */
uint64_t merge_slack(const struct run *run, const struct run_stage *stage);

/*
 * Are all gaps of the stage in the report? A part of them would give a different result. If not,
 * *why has what is missing.
 */
bool merge_has_all(const struct run_stage *stage, struct text *why);

/* Gaps by start, as a merge wants them. */
void merge_sort(struct run_stage *stage);

/* Merge the sorted gaps of these causes; `sink` gets each event, including its `cause`. */
void merge_gaps(const struct run_stage *stage, uint32_t causes, uint64_t slack, event_sink *sink,
		void *ctx);
