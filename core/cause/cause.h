/* SPDX-License-Identifier: BSD-2-Clause */
/* Causes of gaps, by name. */
#pragma once

#include <stdbool.h>

enum cause {
#define COUNTED(id, ...) CAUSE_##id,
#include "counted_rows.h"
	CAUSE_EL3,        /* exception level 3: firmware */
	CAUSE_HYPERVISOR, /* exception level 2 */
	CAUSE_SERROR,
	CAUSE_STEAL,   /* the hypervisor ran something else, and reports it */
	CAUSE_STOPPED, /* the core's clock stood still */
	CAUSE_STALL,   /* clock running, nothing retired */
	CAUSE_UNKNOWN, /* not known from the evidence */
	CAUSES
};

/* The name used in records and tables: "smi", "nmi", ... "unknown". */
const char *cause_name(enum cause cause);

/* The cause with this name; false if there is none. */
bool cause_parse(const char *name, enum cause *cause);
