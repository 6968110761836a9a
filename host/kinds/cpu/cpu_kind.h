/* SPDX-License-Identifier: BSD-2-Clause */
/* A stage's cores, and their totals; and the parts of the kind `cpu` that have files of their own.
 */
#pragma once

#include "host/capture/result.h"
#include "host/diff/diff.h"
#include "host/kinds/host_kind.h"

#include "core/config/config.h"
#include "core/records/record_field.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct cpu_cores {
	const struct record_cpu *cpu; /* by number */
	size_t count;
	struct record_cpu total;
	const struct record_cpu *worst; /* has the longest gap */
	bool no_smi;                    /* record_no_smi() of the run */
	const struct record_field *column[RECORD_FIELDS_MAX];
	size_t columns;
	const struct config *limits;
	uint64_t limit_ns; /* on a gap's length, for drawing; 0: none */
};

/* False: the stage has none. */
bool cpu_cores_read(struct cpu_cores *c, const struct result *run, const struct result_stage *stage,
		    const struct config *limits);

/* The stage at a glance, and a table of its cores: host_kind.page. */
void cpu_page(FILE *f, const struct result *run, struct result_stage *stage,
	      const struct config *limits);
void cpu_page_table(FILE *f, const struct result *run, struct result_stage *stage,
		    const struct config *limits);

/* How rates have changed. */
host_kind_diff cpu_diff;
