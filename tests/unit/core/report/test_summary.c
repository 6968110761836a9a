/* SPDX-License-Identifier: BSD-2-Clause */
/* A run in one record: sums, the longest gap, and what nobody knows any more. */
#include "core/report/summary.h"

#include "tests/unit/kept_lines.h"
#include "tests/unit/shown_run.h"

#define HZ UINT64_C(2000000000) /* two ticks a ns */
#define S  UINT64_C(1000000000)

static struct report_summary *const summary = &shown.report.summary;
static struct record_summary *const r = &shown.report.summary.record;

static void start(void)
{
	shown_begin(2, 640, 480);
	shown_configure("max=20us max_smi=0 threshold=2us");
	mock.platform.hz = HZ;
	shown.begin.cpus.found = 3;
	for (uint32_t i = 0; i < 2; i++)
		mock.platform.cpu[i].index = 4 + i;
	mock.platform.cpu[0].blind.mce = true;
	mock.platform.cpu[1].blind.nmi = true;
	forget_lines();
}

/* Plan a gap of so many ns. */
static void plant(unsigned core, enum cause cause, uint64_t ns)
{
	shown_gap(core, 1, 2 * ns, cause);
}

/* The stage is over, after a second. */
static void end_stage(void)
{
	shown_window();
	shown_window();
	report_stage_end(&shown.report);
}

TEST_F(start, shown_end, test_sums)
{
	shown_stage("bare");
	plant(0, CAUSE_SMI, 150000);
	plant(0, CAUSE_SMI, 40000);
	plant(0, CAUSE_UNKNOWN, 3000);
	plant(1, CAUSE_SMI, 151000);
	end_stage();
	assert_int_equal(r->exposure_ns.value, 2 * S);
	assert_int_equal(r->gaps.value, 4);
	assert_int_equal(r->cause[CAUSE_SMI].gaps, 3);
	assert_int_equal(r->cause[CAUSE_SMI].ns, 341000);
	assert_int_equal(r->longest_ns.value, 151000);
	assert_int_equal(r->longest_cpu.value, 5);
	assert_string_equal(r->longest_stage, "bare");
	assert_string_equal(r->longest_cause, "smi");
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

/* The longest gap may be of any stage. */
TEST_F(start, shown_end, test_stages)
{
	shown_stage("firmware");
	plant(0, CAUSE_SMI, 9000);
	end_stage();
	shown_stage("handoff");
	plant(0, CAUSE_STALL, 5000);
	end_stage();
	assert_string_equal(r->stages, "firmware,handoff");
	assert_string_equal(r->longest_stage, "firmware");
	assert_string_equal(r->longest_cause, "smi");
	assert_int_equal(r->longest_ns.value, 9000);
}

TEST_F(start, shown_end, test_nothing_happened)
{
	shown_stage("bare");
	end_stage();
	assert_false(r->longest_ns.known || r->longest_cpu.known);
	assert_null(r->longest_stage);
	assert_null(r->longest_cause);
	assert_true(r->gaps.known && r->noise_ns.known && r->exposure_ns.known);
	assert_int_equal(r->gaps.value, 0);
	assert_int_equal(r->noise_ns.value, 0);
	assert_int_equal(r->exposure_ns.value, 2 * S);
}

/* Without any core all counts are unknown: 0 would be a claim. */
TEST_F(start, shown_end, test_no_core_counted)
{
	shown_stage("firmware");
	report_stage_end(&shown.report);
	assert_false(r->exposure_ns.known || r->gaps.known || r->noise_ns.known);
	assert_false(r->longest_ns.known || r->longest_cpu.known);
	assert_false(r->smi.known || r->nmi.known || r->mce.known);
	shown_stage("bare");
	end_stage();
	assert_true(r->smi.known);
	assert_false(r->nmi.known || r->mce.known);
}

TEST_F(start, shown_end, test_no_limits)
{
	config_defaults(&shown.config);
	shown_stage("bare");
	assert_null(r->limits);
}

TEST_F(start, shown_end, test_printed)
{
	static const struct record_end end = { .verdict = "pass", .sampled_ns = { 2 * S, true } };

	shown.begin.hypervisor = "KVM";
	shown.begin.began = "2026-11-25T11:22:33Z";
	shown_stage("bare");
	plant(0, CAUSE_SMI, 150000);
	plant(0, CAUSE_SMI, 150000);
	plant(0, CAUSE_UNKNOWN, 3000);
	end_stage();
	summary_end(summary, &end);
	summary_print(r, 0xabcdef, keep_line, NULL);
	assert_string_equal(kept_text, "limits: max=20us max_smi=0\n"
				       "sampled: 2.00 s in each stage, 2 of 3 cores, "
				       "stages bare, gaps from 2us on\n"
				       "hypervisor: KVM\n"
				       "run 0000000000abcdef of 2026-11-25T11:22:33Z\n"
				       "longest gap: 150 us, smi, cpu 4, stage bare\n"
				       "smi: 2 gaps, 300 us in all\n"
				       "unknown: 1 gap, 3.00 us in all\n");
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
