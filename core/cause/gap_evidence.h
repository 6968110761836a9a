/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts across a gap. Whether a count can be trusted is known per core, not per gap. */
#pragma once

#include <stdint.h>

enum {
	GAP_EVIDENCE_COUNTS = 0
#define COUNTED(...) +1
#include "counted_rows.h"
};

struct gap_evidence {
	union {
		struct {
#define COUNTED(id, name, ...) uint32_t name;
#include "counted_rows.h"
		};
		uint32_t of[GAP_EVIDENCE_COUNTS]; /* by kind */
	};
};
