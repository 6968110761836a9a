/* SPDX-License-Identifier: BSD-2-Clause */
/* Totals by the rows of the record. */
#include "cpu_cores.h"

bool cpu_cores_read(struct cpu_cores *c, const struct result *run, const struct result_stage *stage,
		    const struct config *limits)
{
	*c = (struct cpu_cores){ .cpu = stage->cpu,
				 .count = stage->cpus,
				 .worst = stage->cpu,
				 .limits = limits,
				 .limit_ns = limits->limit[LIMIT_MAX].set
						     ? limits->limit[LIMIT_MAX].value
						     : 0,
				 .no_smi = run->ladder.no_smi };
	c->columns = record_columns(RECORD_CPU, c->no_smi, c->column);
	record_total_start(RECORD_CPU, &c->total);
	for (size_t i = 0; i < c->count; i++) {
		record_total_add(RECORD_CPU, &c->total, &c->cpu[i]);
		if (c->cpu[i].max_ns > c->worst->max_ns)
			c->worst = &c->cpu[i];
	}
	return c->count;
}
