/* SPDX-License-Identifier: BSD-2-Clause */
/* A run in one record: sums, the longest of each cause, and what nobody knows any more. */
#include "core/report/summary.h"

#include <string.h>

#include "tests/unit/kept_lines.h"

#define HZ UINT64_C(2000000000) /* two ticks a ns */
#define S  UINT64_C(1000000000)

static struct report_summary summary;
static struct cpu cpus[2];

static int start(void **state)
{
	static const struct record_begin begin = {
		.version = "1", .cpus = { .found = 3, .started = 2, .measured = 2 }
	};
	static const struct config_source source = { "test", false };
	static const char limits[] = "max=20us max_smi=0 threshold=2us";
	struct config config;

	(void)state;
	config_defaults(&config);
	assert_int_equal(config_apply(&config, &source, limits, strlen(limits), NULL, NULL), 0);
	memset(cpus, 0, sizeof(cpus));
	for (uint32_t i = 0; i < 2; i++)
		cpus[i] = (struct cpu){ .index = 4 + i };
	summary_begin(&summary, &begin, &config);
	forget_lines();
	return 0;
}

/* Add a gap of so many ns. */
static void plant(unsigned core, enum cause cause, uint64_t ns)
{
	struct cpu *cpu = &cpus[core];
	struct gap gap = { .ticks = 2 * ns, .cause = (uint8_t)cause };

	cpu->stage.gaps++;
	cpu->stage.cause_gaps[cause]++;
	cpu->stage.cause_ticks[cause] += gap.ticks;
	if (gap.ticks > cpu->stage.cause_max[cause])
		cpu->stage.cause_max[cause] = gap.ticks;
	if (gap.ticks > cpu->worst.ticks)
		cpu->worst = gap;
	cpu->stage.max = cpu->worst.ticks;
}

static void end_stage(const char *stage, unsigned core, uint64_t exposure)
{
	const struct cpu *cpu = &cpus[core];
	struct record_cpu record = { .stage = stage,
				     .cpu = cpu->index,
				     .exposure_ns = exposure,
				     .gaps = cpu->stage.gaps,
				     .max_ns = cpu->worst.ticks / 2,
				     .smi = { cpu->stage.cause_gaps[CAUSE_SMI], true },
				     .nmi = { 1, core == 0 } };

	for (unsigned c = 0; c < CAUSES; c++)
		record.cause[c] = (struct cause_sum){ cpu->stage.cause_gaps[c],
						      cpu->stage.cause_ticks[c] / 2 };
	summary_cpu(&summary, &record, cpu, HZ);
}

TEST_F(start, NULL, test_sums)
{
	const struct record_summary *r = &summary.record;

	summary_stage(&summary, "bare");
	plant(0, CAUSE_SMI, 150000);
	plant(0, CAUSE_SMI, 40000);
	plant(0, CAUSE_UNKNOWN, 3000);
	plant(1, CAUSE_SMI, 151000);
	end_stage("bare", 0, 2 * S);
	end_stage("bare", 1, S);
	assert_int_equal(r->exposure_ns.value, 3 * S);
	assert_int_equal(r->gaps.value, 4);
	assert_int_equal(r->cause[CAUSE_SMI].gaps, 3);
	assert_int_equal(r->cause[CAUSE_SMI].ns, 341000);
	assert_int_equal(r->longest_ns.value, 151000);
	assert_int_equal(r->longest_cpu.value, 5);
	assert_string_equal(r->longest_stage, "bare");
	assert_string_equal(r->longest_cause, "smi");
	assert_true(r->longest[CAUSE_SMI].known && r->longest[CAUSE_UNKNOWN].known);
	assert_int_equal(r->longest[CAUSE_SMI].value, 151000);
	assert_int_equal(r->longest[CAUSE_UNKNOWN].value, 3000);
	assert_false(r->longest[CAUSE_NMI].known);
	assert_true(r->smi.known);
	assert_int_equal(r->smi.value, 3);
	/* One core does not know it. */
	assert_false(r->nmi.known);
	assert_string_equal(r->limits, "max=20us max_smi=0");
	assert_string_equal(r->stages, "bare");
	assert_int_equal(r->threshold_ns, 2000);
	assert_int_equal(r->found, 3);
	assert_int_equal(r->measured, 2);
}

static void clear_cores(void)
{
	for (unsigned i = 0; i < 2; i++) {
		memset(&cpus[i].stage, 0, sizeof(cpus[i].stage));
		memset(&cpus[i].worst, 0, sizeof(cpus[i].worst));
	}
}

/* The longest gap may be of any stage. */
TEST_F(start, NULL, test_stages)
{
	const struct record_summary *r = &summary.record;

	summary_stage(&summary, "firmware");
	plant(0, CAUSE_SMI, 9000);
	end_stage("firmware", 0, S);
	clear_cores();
	summary_stage(&summary, "handoff");
	plant(0, CAUSE_STALL, 5000);
	end_stage("handoff", 0, 3 * S);
	assert_string_equal(r->stages, "firmware,handoff");
	assert_string_equal(r->longest_stage, "firmware");
	assert_string_equal(r->longest_cause, "smi");
	assert_int_equal(r->longest_ns.value, 9000);
	assert_int_equal(r->longest[CAUSE_STALL].value, 5000);
	assert_int_equal(r->longest[CAUSE_SMI].value, 9000);
}

TEST_F(start, NULL, test_nothing_happened)
{
	const struct record_summary *r = &summary.record;

	end_stage("bare", 0, S);
	assert_false(r->longest_ns.known || r->longest_cpu.known);
	assert_null(r->longest_stage);
	assert_null(r->longest_cause);
	assert_true(r->gaps.known && r->noise_ns.known && r->exposure_ns.known);
	assert_int_equal(r->gaps.value, 0);
	assert_int_equal(r->noise_ns.value, 0);
	assert_int_equal(r->exposure_ns.value, S);
	for (unsigned c = 0; c < CAUSES; c++)
		assert_false(r->longest[c].known);
}

/* Without any core all counts are unknown: 0 would be a claim. */
TEST_F(start, NULL, test_no_core_counted)
{
	const struct record_summary *r = &summary.record;

	summary_stage(&summary, "firmware");
	assert_false(r->exposure_ns.known || r->gaps.known || r->noise_ns.known);
	assert_false(r->longest_ns.known || r->longest_cpu.known);
	assert_false(r->smi.known || r->nmi.known || r->mce.known);
	end_stage("bare", 0, 0);
	assert_true(r->smi.known && r->nmi.known);
	assert_false(r->mce.known);
	end_stage("bare", 1, S);
	assert_false(r->nmi.known);
}

TEST_F(start, NULL, test_no_limits)
{
	static const struct record_begin begin = { .version = "1" };
	struct config config;

	config_defaults(&config);
	summary_begin(&summary, &begin, &config);
	assert_null(summary.record.limits);
	summary_begin(&summary, &begin, NULL);
	assert_null(summary.record.limits);
}

TEST_F(start, NULL, test_printed)
{
	static const struct record_end end = { .verdict = "pass", .sampled_ns = { 2 * S, true } };

	summary.record.hypervisor = "KVM";
	summary.record.began = "2026-11-25T11:22:33Z";
	summary_stage(&summary, "bare");
	plant(0, CAUSE_SMI, 150000);
	plant(0, CAUSE_SMI, 150000);
	plant(0, CAUSE_UNKNOWN, 3000);
	end_stage("bare", 0, 2 * S);
	summary_end(&summary, &end);
	summary_print(&summary.record, 0xabcdef, keep_line, NULL);
	assert_string_equal(kept_text, "limits: max=20us max_smi=0\n"
				       "sampled: 2.00 s in each stage, 2 of 3 cores, "
				       "stages bare, gaps from 2us on\n"
				       "hypervisor: KVM\n"
				       "run 0000000000abcdef of 2026-11-25T11:22:33Z\n"
				       "longest gap: 150 us, smi, cpu 4, stage bare\n"
				       "smi: 2 gaps, 300 us in all, longest 150 us\n"
				       "unknown: 1 gap, 3.00 us in all, longest 3.00 us\n");
}

TEST(test_ground)
{
	TEXT_DEFINE(t, 256);

	summary_print_platform(&t, &(struct record_begin){ .hypervisor = "KVMKVMKVM" });
	assert_non_null(strstr(t.buf, "hypervisor (KVMKVMKVM) is underneath"));
	assert_non_null(strstr(t.buf, "the host's"));
	for (unsigned i = 0; i < 2; i++) {
		text_reset(&t);
		summary_print_platform(&t, &(struct record_begin){ .hypervisor = i ? "" : NULL });
		assert_non_null(strstr(t.buf, "No hypervisor"));
		assert_null(strstr(t.buf, "host's"));
	}
	/* From inside an OS, neither is the main cause of gaps. */
	text_reset(&t);
	summary_print_platform(&t,
			       &(struct record_begin){ .hypervisor = "KVM", .os = "Linux 6.1" });
	assert_non_null(strstr(t.buf, "from inside Linux 6.1"));
	assert_null(strstr(t.buf, "host's"));
}

TEST(test_verdict)
{
	struct record_end end = { .verdict = "none" };
	TEXT_DEFINE(t, 256);

	summary_print_verdict(&t, &end);
	assert_string_equal(t.buf, "verdict: none");
	end.verdict = "fail";
	end.reasons[0] = "too long";
	text_reset(&t);
	summary_print_verdict(&t, &end);
	assert_string_equal(t.buf, "verdict: fail (too long)");
	for (size_t i = 0; i < RECORD_STRINGS; i++)
		end.reasons[i] = "x";
	text_reset(&t);
	summary_print_verdict(&t, &end);
	assert_string_equal(t.buf,
			    "verdict: fail (x; x; x; x; x; x; x; x; x; x; x; x; x; x; x; x)");
}

TEST(test_watched)
{
	struct record_end end = { .watched_ppm = { 998125, true } };
	TEXT_DEFINE(t, 256);

	summary_print_watched(&t, &end);
	assert_string_equal(t.buf, "watched 99.8125 % of the time, first to last window");
	end.watched_ppm.known = false;
	text_reset(&t);
	summary_print_watched(&t, &end);
	assert_string_equal(t.buf, "watched n/a % of the time, first to last window");
}
