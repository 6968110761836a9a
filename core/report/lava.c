/* SPDX-License-Identifier: BSD-2-Clause */
/* Test cases for LAVA: one per core and stage, and one for the run. */
#include "report.h"

#include "report_words.h"

#define LAVA_LINE_MAX 256

/*
 * A space would end the id, and '>' the signal: both become '-'. A measurement that is not known is
 * left out.
 */
static void lava_print(struct report *r, const char *group, const char *name, const char *result,
		       struct maybe ns)
{
	TEXT_DEFINE(t, LAVA_LINE_MAX);

	text_add(&t, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=%s-", group);
	for (; *name; name++)
		text_char(&t, text_is_plain(*name) ? *name : '-');
	text_add(&t, " RESULT=%s", result);
	if (ns.known)
		text_add(&t, " UNITS=us MEASUREMENT=%llu.%03llu",
			 (unsigned long long)(ns.value / 1000),
			 (unsigned long long)(ns.value % 1000));
	text_char(&t, '>');
	report_print(r, &t);
}

void report_lava_cpus(struct report *r, size_t count)
{
	static const char *const results[VERDICTS] = {
		[VERDICT_NONE] = "skip",          [VERDICT_PASS] = "pass",
		[VERDICT_FAIL] = "fail",          [VERDICT_ERROR] = "unknown",
		[VERDICT_INCOMPLETE] = "unknown",
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
		lava_print(r, r->stage, name.buf, results[reasons.verdict],
			   (struct maybe){ cpu->max_ns, true });
	}
}

/* A failure that no core has is the run's. */
void report_lava_end(struct report *r, const struct verdict_reasons *reasons)
{
	const struct record_summary *s = &r->summary.record;
	const char *result = "pass";
	TEXT_DEFINE(name, LAVA_LINE_MAX);

	if (!r->config->lava)
		return;
	if (reasons->verdict == VERDICT_INCOMPLETE || reasons->verdict == VERDICT_ERROR)
		result = "unknown";
	else if (reasons->verdict == VERDICT_FAIL && !r->lava_failed)
		result = "fail";
	lava_print(r, "run", "complete", result,
		   (struct maybe){ s->longest_ns.value, s->exposure_ns.known });
	if (reasons->verdict != VERDICT_PASS || !r->config->preset)
		return;
	text_add(&name, LAVA_LENGTH, r->config->preset->name);
	lava_print(r, "run", name.buf, reasons->remark[0] ? "skip" : "pass",
		   (struct maybe){ 0, false });
}
