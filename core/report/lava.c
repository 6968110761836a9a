/* SPDX-License-Identifier: BSD-2-Clause */
/* Test cases for LAVA. */
#include "lava.h"

#define ID_PART_MAX 64

/* An id has no space, which ends it, and no '>', which ends the signal. */
static void add_id(struct text *t, const char *part)
{
	for (unsigned n = 0; part[n] && n < ID_PART_MAX; n++)
		text_char(t, text_is_plain(part[n]) ? part[n] : '-');
}

void lava_signal(struct text *t, const char *group, const char *name, enum lava_result result,
		 struct maybe ns)
{
	static const char *const words[] = { [LAVA_PASS] = "pass",
					     [LAVA_FAIL] = "fail",
					     [LAVA_SKIP] = "skip",
					     [LAVA_UNKNOWN] = "unknown" };

	text_add(t, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=");
	add_id(t, group);
	text_char(t, '-');
	add_id(t, name);
	text_add(t, " RESULT=%s", words[result]);
	if (ns.known)
		text_add(t, " UNITS=us MEASUREMENT=%llu.%03llu",
			 (unsigned long long)(ns.value / 1000),
			 (unsigned long long)(ns.value % 1000));
	text_char(t, '>');
}

/* ---- A test case per core and stage, and one for the run ---- */

static void lava_put(struct report *r, const char *group, const char *name, enum lava_result result,
		     struct maybe ns)
{
	TEXT_DEFINE(t, LAVA_LINE_MAX);

	lava_signal(&t, group, name, result, ns);
	report_print(r, &t);
}

void lava_cpus(struct report *r, size_t count)
{
	static const enum lava_result results[] = {
		[VERDICT_NONE] = LAVA_SKIP,          [VERDICT_PASS] = LAVA_PASS,
		[VERDICT_FAIL] = LAVA_FAIL,          [VERDICT_ERROR] = LAVA_UNKNOWN,
		[VERDICT_INCOMPLETE] = LAVA_UNKNOWN,
	};

	for (size_t i = 0; r->config->lava && i < count; i++) {
		const struct record_cpu *cpu = &r->scratch.cpus[i];
		struct verdict_reasons reasons;
		struct verdict_core core;
		TEXT_DEFINE(name, 16);

		verdict_core_of(cpu, &core);
		verdict_judge_core(&reasons, r->config, &core);
		r->lava_failed |= reasons.verdict == VERDICT_FAIL;
		text_add(&name, "cpu %u", (unsigned)cpu->cpu);
		lava_put(r, r->stage, name.buf, results[reasons.verdict],
			 (struct maybe){ cpu->max_ns, true });
	}
}

/* A failure that no core has is the run's. */
void lava_end(struct report *r, const struct verdict_reasons *reasons)
{
	enum lava_result result = LAVA_PASS;
	TEXT_DEFINE(name, LAVA_LINE_MAX);

	if (reasons->verdict == VERDICT_INCOMPLETE || reasons->verdict == VERDICT_ERROR)
		result = LAVA_UNKNOWN;
	else if (reasons->verdict == VERDICT_FAIL && !r->lava_failed)
		result = LAVA_FAIL;
	if (!r->config->lava)
		return;
	lava_put(r, "run", "complete", result,
		 (struct maybe){ r->summary.record.longest_ns.value, r->summary.counted });
	if (reasons->verdict != VERDICT_PASS || !r->config->preset)
		return;
	text_add(&name, LAVA_LENGTH, r->config->preset->name);
	lava_put(r, "run", name.buf, reasons->remark[0] ? LAVA_SKIP : LAVA_PASS,
		 (struct maybe){ 0, false });
}
