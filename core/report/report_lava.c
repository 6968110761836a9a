/* SPDX-License-Identifier: BSD-2-Clause */
/* A test case per core and stage, and one for the run: those of `noisefloor show --format lava`. */
#include "report_lava.h"

#include "lava.h"

#include "core/lib/arith.h"

static void put(struct report *r, const char *group, const char *name, enum lava_result result,
		struct maybe ns)
{
	TEXT_DEFINE(t, LAVA_LINE_MAX);

	lava_signal(&t, group, name, result, ns);
	report_print(r, &t);
}

void report_lava_cpus(struct report *r, size_t count)
{
	static const enum lava_result results[] = {
		[VERDICT_NONE] = LAVA_SKIP,          [VERDICT_PASS] = LAVA_PASS,
		[VERDICT_FAIL] = LAVA_FAIL,          [VERDICT_ERROR] = LAVA_UNKNOWN,
		[VERDICT_INCOMPLETE] = LAVA_UNKNOWN,
	};

	for (size_t i = 0; r->config->lava && i < count; i++) {
		const struct record_cpu *cpu = &r->cpus[i];
		struct verdict_reasons reasons;
		TEXT_DEFINE(name, 16);

		verdict_judge_core(&reasons, r->config, cpu);
		r->lava_failed |= reasons.verdict == VERDICT_FAIL;
		r->lava_max_ns = (struct maybe){ arith_max(r->lava_max_ns.value, cpu->max_ns),
						 true };
		text_add(&name, "cpu %u", (unsigned)cpu->cpu);
		put(r, r->stage, name.buf, results[reasons.verdict],
		    (struct maybe){ cpu->max_ns, true });
	}
}

/* A failure of no core is the run's. */
void report_lava_end(struct report *r, const struct verdict_reasons *reasons)
{
	enum lava_result result = LAVA_PASS;

	if (reasons->verdict == VERDICT_INCOMPLETE || reasons->verdict == VERDICT_ERROR)
		result = LAVA_UNKNOWN;
	else if (reasons->verdict == VERDICT_FAIL && !r->lava_failed)
		result = LAVA_FAIL;
	if (r->config->lava)
		put(r, "run", "complete", result, r->lava_max_ns);
}
