/* SPDX-License-Identifier: BSD-2-Clause */
/* What osnoise reports of one core, gathered: lines of figures and tracepoints. */
#pragma once

#include "tool_format.h"

#include <stdbool.h>
#include <stdint.h>

/* tracing_thresh 0 means this; older kernels, and rtla's documents, have 5 us. */
#define OSNOISE_THRESHOLD_NS     UINT64_C(1000)
#define OSNOISE_THRESHOLD_OLD_NS UINT64_C(5000)

/* A period's figures. */
struct osnoise_line {
	uint64_t runtime_us, noise_us, max_us;
	uint64_t count[TOOL_CAUSES];
	bool assumed; /* the runtime is */
};

/* A stretch of time that a tracepoint reports. */
struct osnoise_span {
	uint64_t start_ns, ns;
	enum tool_cause cause; /* not of a sample */
	char name[TOOL_NAME_MAX];
};

void osnoise_add_line(struct tool_core *core, const struct osnoise_line *l);
void osnoise_add_cause(struct tool_core *core, const struct osnoise_span *s);

/* One noise, with how many interferences; the causes since the last one belong to it. */
void osnoise_add_sample(struct tool_core *core, const struct osnoise_span *s,
			uint64_t interference);

/*
 * Combine what was read. Returns an upper bound of the threshold: the shortest
 * noise seen, or OSNOISE_THRESHOLD_OLD_NS.
 */
uint64_t osnoise_finish(struct tool *tool, struct tool_core *core);
