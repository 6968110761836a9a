/* SPDX-License-Identifier: BSD-2-Clause */
/* A saved run, taken in record by record. */
#include "report_restore.h"

#include "core/lib/mem.h"
#include "core/records/record_kind.h"

#define NS_HZ UINT64_C(1000000000)

struct cpu *report_restore_core(struct report_restored *out, uint32_t index)
{
	struct platform *p = &out->platform;
	uint32_t i = 0;

	while (i < p->cpus && p->cpu[i].index != index)
		i++;
	if (i == out->cpus_max)
		return NULL;
	if (i == p->cpus) {
		p->cpu[i].index = index;
		p->cpu[i].position = p->cpus++;
		p->cpu[i].measured = true;
	}
	return &p->cpu[i];
}

static void drop_line(void *ctx, const char *line, size_t bytes)
{
	(void)ctx, (void)line, (void)bytes;
}

bool report_restore(struct compact_reader *from, struct cpu *cpu, uint32_t cpus_max,
		    struct report_restored *out)
{
	enum record_type type;
	union record record;
	bool begun = false;

	memset(out, 0, sizeof(*out));
	out->platform.cpu = cpu;
	out->platform.hz = NS_HZ;
	out->cpus_max = cpus_max;
	out->report.config = &out->config;
	out->report.platform = &out->platform;
	out->report.line = drop_line;
	out->reasons.verdict = VERDICT_INCOMPLETE;
	out->sid = from->head.sid;
	from->at = COMPACT_HEAD;
	from->bad = false;
	while (compact_next(from, &type, &record) == COMPACT_OK) {
		begun = begun || type == RECORD_BEGIN;
		if (!begun)
			continue;
		if (record_kind_of(type)->restore)
			record_kind_of(type)->restore(out, &record);
		if (record_kind_of(type)->report)
			record_kind_of(type)->report(&out->report, &record);
	}
	return begun;
}
