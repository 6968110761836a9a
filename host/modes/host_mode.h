/* SPDX-License-Identifier: BSD-2-Clause */
/* The host tool's functions for each mode of a run, beside core/config/mode.h. */
#pragma once

#include "core/config/mode.h"
#include "core/lib/cpulist.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>

struct checks;         /* host/forms/checks.h */
struct result_stage;   /* host/capture/result.h */
struct result_verdict; /* host/capture/result.h */

struct host_mode {
	const struct mode *mode;
	enum record_type record; /* a stage has one or more of each core that was measured */
	size_t cpu;              /* offset of the core's number there, a uint32_t; 0: none */
	/* Add a check for each core of the stage, by the limits in force. NULL: none. */
	void (*checks)(struct checks *c, const struct result_verdict *v,
		       const struct result_stage *stage);
};

/* The mode of a number, enum config_mode; NULL past the last. */
const struct host_mode *host_mode_at(unsigned n);

/* True if the stage has records of what the mode measured. Adds their cores to *list, if given. */
bool host_mode_cores(const struct host_mode *mode, const struct result_stage *stage,
		     struct cpulist *list);
