/* SPDX-License-Identifier: BSD-2-Clause */
/* A saved run as the state that its last page is drawn from. */
#include "core/gaps/hist.h"
#include "core/report/report_saved.h"

#include "tests/unit/common/test.h"
#include "tests/unit/saved_records.h"

#include <string.h>

#define CPUS 2u
#define S    UINT64_C(1000000000)

static struct compact_reader reader;
static struct report_restored restored;
static struct cpu cpus[CPUS];
static uint64_t pairs[HIST_BUCKETS][2];
static uint8_t room[1 << 16];

static int start(void **state)
{
	(void)state;
	memset(cpus, 0, sizeof(cpus));
	saved_start(room, sizeof(room));
	return 0;
}

static void add_begin(void)
{
	const struct record_begin begin = {
		.version = "1",
		.machine = { .product = "X1" },
		.config = "duration=2s threshold=2us max=20us some_day=yes key=<set>"
	};

	add(RECORD_BEGIN, &begin);
}

static void add_stage(const char *name, uint32_t cores, uint64_t max_ns)
{
	/* The low edge of the bucket of 2 us may be below 2 us. */
	static const uint64_t hist[][2] = { { 1990, 3 }, { 150000, 1 } };
	const struct record_stage stage = { .stage = name };

	add(RECORD_STAGE, &stage);
	for (uint32_t i = 0; i < cores; i++) {
		const struct record_cpu cpu = { .stage = name,
						.cpu = 7 + i,
						.exposure_ns = S,
						.noise_ns = 160000,
						.max_ns = max_ns + i,
						.gaps = 4,
						.smi = { 1, true },
						.histogram = { hist, 2 } };

		add(RECORD_CPU, &cpu);
	}
}

static void add_end(void)
{
	const struct record_summary summary = { .version = "1",
						.limits = "max=20us",
						.verdict = "fail",
						.longest_ns = { 150001, true },
						.longest_cause = "smi" };
	const struct record_end end = { .verdict = "fail", .reasons = { "max: too long", "two" } };

	add(RECORD_SUMMARY, &summary);
	add(RECORD_END, &end);
}

static bool restore(void)
{
	static const struct compact_head head = { .sid = SID };

	reader = (struct compact_reader){ .pairs = pairs, .pair_cap = HIST_BUCKETS };
	assert_int_equal(compact_open(&reader, room, compact_finish(&writer, &head)), COMPACT_OK);
	return report_restore(&reader, cpus, CPUS, &restored);
}

TEST_F(start, teardown, test_whole)
{
	const struct report *r = &restored.report;

	add_begin();
	add_stage("bare", 2, 90000);
	add_stage("handoff", 2, 150000);
	add_end();
	assert_true(restore());
	assert_true(restored.begun);
	assert_int_equal(restored.sid, SID);
	assert_string_equal(restored.begin.machine.product, "X1");
	assert_true(restored.config.limit[LIMIT_MAX].set);
	assert_int_equal(restored.config.limit[LIMIT_MAX].value, 20000);
	assert_int_equal(restored.config.duration_ns, 2 * S);
	assert_int_equal(restored.reasons.verdict, VERDICT_FAIL);
	assert_int_equal(restored.reasons.count, 2);
	assert_string_equal(restored.reasons.text[1], "two");
	assert_string_equal(r->stage, "handoff");
	assert_int_equal(r->summary.totals, 2);
	assert_int_equal(restored.platform.cpus, 2);
	assert_int_equal(cpus[1].index, 8);
	assert_int_equal(cpus[1].stage.max, 150001);
	assert_int_equal(cpus[1].stage.gaps, 4);
	assert_int_equal(cpus[1].hist.count[hist_bucket(2000)], 3);
	assert_int_equal(cpus[1].hist.count[hist_bucket(150000)], 1);
	assert_string_equal(r->summary.record.limits, "max=20us");
	assert_int_equal(r->summary.record.longest_ns.value, 150001);
}

/* What broke off has no summary of its own: it is made of what is there. */
TEST_F(start, teardown, test_broken_off)
{
	const struct record_summary *s = &restored.report.summary.record;

	add_begin();
	add_stage("bare", 2, 90000);
	assert_true(restore());
	assert_int_equal(restored.reasons.verdict, VERDICT_INCOMPLETE);
	assert_string_equal(s->limits, "max=20us");
	assert_string_equal(s->stages, "bare");
	assert_int_equal(s->longest_ns.value, 90001);
	assert_int_equal(s->longest_cpu.value, 8);
	assert_null(s->longest_cause);
	assert_int_equal(s->gaps.value, 8);
}

TEST_F(start, teardown, test_more_cores_than_there_is_room_for)
{
	add_begin();
	add_stage("bare", 3, 90000);
	add_end();
	assert_true(restore());
	assert_int_equal(restored.platform.cpus, CPUS);
	assert_int_equal(restored.cpus, 3);
	assert_int_equal(restored.report.summary.total[0].gaps, 12);
}

TEST_F(start, teardown, test_stretch)
{
	const struct record_stage stage = { .stage = "handoff" };

	add_begin();
	add(RECORD_STAGE, &stage);
	for (uint64_t i = 0; i < 4; i++) {
		const struct record_stretch stretch = { .stage = "handoff",
							.kernel = "adds",
							.phase = "alone",
							.cpu = (uint32_t)i % 3,
							.p999 = 50000 - 10000 * i };

		add(RECORD_STRETCH, &stretch);
	}
	assert_true(restore());
	assert_int_equal(restored.platform.cpus, CPUS);
	assert_int_equal(cpus[0].tail.value, 1050000);
	assert_int_equal(cpus[1].tail.value, 1040000);
	assert_int_equal(restored.report.summary.record.stretch.value, 1050000);
}

TEST_F(start, teardown, test_nothing)
{
	const struct record_end end = { .verdict = "error" };

	add(RECORD_END, &end);
	assert_true(restore());
	assert_false(restored.begun);
	assert_int_equal(restored.reasons.verdict, VERDICT_ERROR);
}
