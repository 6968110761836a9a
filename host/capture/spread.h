/* SPDX-License-Identifier: BSD-2-Clause */
/* How the events of a stage come, by its windows: host/statistics/dispersion.h. */
#pragma once

#include "result_stage.h"

#include "host/statistics/dispersion.h"

/* What a window record counts. */
enum spread_counter { SPREAD_GAPS, SPREAD_SMI, SPREAD_NMI };

/*
 * Events of all cores, divided by `cores`: where a count is the mean of the cores, an SMI that
 * stops all of them is one event. By the gaps, where a window does not know the counter.
 */
struct dispersion spread_of_counter(const struct result_stage *stage, enum spread_counter counter,
				    size_t cores);

/* Events by their times, one after the other. */
struct spread {
	struct spread_window *window; /* by start */
	size_t windows;
};

void spread_start(struct spread *s, const struct result_stage *stage);
void spread_add(struct spread *s, uint64_t t_ns);

/* And frees it. */
struct dispersion spread_end(struct spread *s, size_t cores);

/*
 * The gaps of these causes (RESULT_STAGE_ALL_CAUSES) that are longer than `over_ns`, by their
 * records. False where there are fewer than `count` records: so many gaps there are.
 */
bool spread_of_gaps(struct dispersion *d, const struct result_stage *stage, uint32_t causes,
		    uint64_t over_ns, uint64_t count);
