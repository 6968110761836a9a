/* SPDX-License-Identifier: BSD-2-Clause */
/* The verdict: each limit at its edge, what cannot be judged, and what outranks what. */
#include "core/report/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define CPUS_MAX    20
#define SECOND      UINT64_C(1000000000) /* ticks and ns alike */
#define HOUR        (3600 * SECOND)
#define REASONS_MAX (RECORD_STRINGS - 1)

static struct cpu cpus[CPUS_MAX];
static struct platform platform;
static struct config config;
static struct verdict_reasons reasons;

static void start(void)
{
	memset(cpus, 0, sizeof(cpus));
	memset(&reasons, 0, sizeof(reasons));
	config_defaults(&config);
	platform = (struct platform){ .cpu = cpus, .cpus = 4, .hz = SECOND };
	for (uint32_t i = 0; i < CPUS_MAX; i++) {
		/* The numbers a person sees need not be positions. */
		cpus[i].index = 10 * i;
		cpus[i].position = i;
		cpus[i].wanted = cpus[i].measured = true;
		cpus[i].smi.readable = cpus[i].smi.moved = true;
		cpus[i].stage.length = SECOND;
	}
}

static void judge(enum verdict expected)
{
	memset(&reasons, 0, sizeof(reasons));
	verdict_judge(&reasons, &config, &platform);
	assert_int_equal(reasons.verdict, expected);
}

static void assert_reason(unsigned n, const char *part)
{
	assert_true(n < reasons.count);
	if (!strstr(reasons.text[n], part))
		fail_msg("reason %u is \"%s\", without \"%s\"", n, reasons.text[n], part);
}

TEST(test_names_and_exit_codes)
{
	static const struct {
		enum verdict verdict;
		const char *name;
		unsigned code;
	} rows[] = {
		{ VERDICT_NONE, "none", 0 },   { VERDICT_PASS, "pass", 0 },
		{ VERDICT_FAIL, "fail", 1 },   { VERDICT_INCOMPLETE, "incomplete", 3 },
		{ VERDICT_ERROR, "error", 2 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(verdict_name(rows[i].verdict), rows[i].name);
		assert_int_equal(verdict_exit_code(rows[i].verdict), rows[i].code);
	}
}

/* Without a limit nothing fails, whatever was measured or not. */
TEST_F(start, NULL, test_no_limits)
{
	cpus[0].stage.max = cpus[0].stage.noise = SECOND;
	cpus[1].measured = false;
	judge(VERDICT_NONE);
	assert_int_equal(reasons.count, 0);
}

/* The worst core is named, not the first. */
TEST_F(start, NULL, test_max)
{
	config.limit[LIMIT_MAX] = (struct config_limit){ true, 5000 };
	cpus[2].stage.max = 5001;
	cpus[3].stage.max = 5001;
	judge(VERDICT_FAIL);
	assert_int_equal(reasons.count, 1);
	assert_reason(0, "cpu 20 ");
	cpus[3].stage.max = 9000;
	judge(VERDICT_FAIL);
	assert_reason(0, "cpu 30 ");
	assert_reason(0, "9.00 us");
}

/* A counter that never moved is no proof of silence. */
TEST_F(start, NULL, test_max_smi_without_a_counter)
{
	config.limit[LIMIT_MAX_SMI] = (struct config_limit){ true, 0 };
	cpus[2].smi.moved = false;
	judge(VERDICT_INCOMPLETE);
	assert_int_equal(reasons.count, 1);
	assert_reason(0, "max_smi");
	/* One core above the limit fails the run, whatever the others have. */
	cpus[3].stage.smi = 5;
	judge(VERDICT_FAIL);
	assert_int_equal(reasons.count, 1);
	assert_reason(0, "cpu 30 ");
	cpus[3].stage.smi = 0;
	/* A core that was not to be measured is not judged. */
	cpus[2].measured = cpus[2].wanted = false;
	judge(VERDICT_PASS);
}

/* Fractions of a nanosecond count: three ticks make one. */
TEST_F(start, NULL, test_max_noise_within_a_nanosecond)
{
	platform.hz = 3 * SECOND;
	config.limit[LIMIT_MAX_NOISE] = (struct config_limit){ true, 1 };
	for (uint32_t i = 0; i < platform.cpus; i++)
		cpus[i].stage.length = 3 * SECOND;
	cpus[0].stage.noise = 3000;
	judge(VERDICT_PASS);
	cpus[0].stage.noise = 3001;
	judge(VERDICT_FAIL);
}

/* A day with hours of noise: the product with a million passes 64 bits. */
TEST_F(start, NULL, test_max_noise_of_long_runs)
{
	for (uint32_t i = 0; i < platform.cpus; i++)
		cpus[i].stage.length = 24 * HOUR;
	cpus[0].stage.noise = 12 * HOUR;
	config.limit[LIMIT_MAX_NOISE] = (struct config_limit){ true, 500000 };
	judge(VERDICT_PASS);
	cpus[0].stage.noise++;
	judge(VERDICT_FAIL);
	config.limit[LIMIT_MAX_NOISE].value = 500001;
	judge(VERDICT_PASS);
	for (uint64_t hours = 6; hours <= 24; hours++) {
		cpus[0].stage.noise = hours * HOUR;
		config.limit[LIMIT_MAX_NOISE].value = hours * 1000000 / 24 - 1;
		judge(VERDICT_FAIL);
	}
}

TEST_F(start, NULL, test_no_exposure)
{
	config.limit[LIMIT_MAX_NOISE] = (struct config_limit){ true, 1000000 };
	cpus[0].stage.length = 0;
	judge(VERDICT_INCOMPLETE);
	assert_int_equal(reasons.count, 1);
	assert_reason(0, "max_noise");
}

TEST_F(start, NULL, test_missing_core)
{
	config.limit[LIMIT_MAX] = (struct config_limit){ true, 5000 };
	cpus[1].measured = false;
	judge(VERDICT_INCOMPLETE);
	assert_int_equal(reasons.count, 1);
	assert_reason(0, "cpu 10 was not measured");
	/* A core that is not wanted is not judged, whatever it measured before it was lost. */
	cpus[1].wanted = false;
	cpus[1].stage.max = SECOND;
	judge(VERDICT_PASS);
}

/* Failed is failed, in whichever order it was found. */
TEST_F(start, NULL, test_fail_outranks_incomplete)
{
	config.limit[LIMIT_MAX] = (struct config_limit){ true, 5000 };
	config.limit[LIMIT_MAX_SMI] = (struct config_limit){ true, 0 };
	config.limit[LIMIT_MAX_NOISE] = (struct config_limit){ true, 10 };
	cpus[0].smi.moved = false;
	cpus[3].measured = false;
	judge(VERDICT_INCOMPLETE);
	cpus[0].stage.max = 6000;
	judge(VERDICT_FAIL);
	cpus[0].stage.max = 0;
	cpus[0].stage.noise = 11000;
	judge(VERDICT_FAIL);
	assert_int_equal(reasons.count, 3);

	memset(&reasons, 0, sizeof(reasons));
	verdict_cut_short(&reasons, "it ended early");
	verdict_judge(&reasons, &config, &platform);
	assert_int_equal(reasons.verdict, VERDICT_FAIL);
	verdict_cut_short(&reasons, "it ended early");
	assert_int_equal(reasons.verdict, VERDICT_FAIL);
}

/* Limits that hold do not make up for a run that was cut short. */
static void faulty_clock(enum verdict expected, uint64_t hidden_ns, uint64_t ahead_ns)
{
	memset(&reasons, 0, sizeof(reasons));
	verdict_judge(&reasons, &config, &platform);
	verdict_clock(&reasons, &config, &(struct verdict_clock_faults){ hidden_ns, ahead_ns });
	assert_int_equal(reasons.verdict, expected);
}

/* Time that no core could see may have held any gap, and one as long as itself. */
TEST_F(start, NULL, test_hidden_pause)
{
	faulty_clock(VERDICT_NONE, SECOND, 0);
	assert_int_equal(reasons.count, 0);
	config.limit[LIMIT_MAX] = (struct config_limit){ true, SECOND };
	faulty_clock(VERDICT_PASS, 0, 0);
	assert_int_equal(reasons.count, 0);
	faulty_clock(VERDICT_INCOMPLETE, SECOND, 0);
	assert_reason(0, "a hidden pause of at least 1.00 s");
	faulty_clock(VERDICT_FAIL, SECOND + 1, 0);
	assert_reason(0, "a hidden pause of at least 1.00 s");
	config.limit[LIMIT_MAX].set = false;
	config.limit[LIMIT_MAX_SMI] = (struct config_limit){ true, 0 };
	faulty_clock(VERDICT_INCOMPLETE, 1, 0);
}

static void set(const char *text)
{
	static const struct config_source source = { "test", true };

	config_defaults(&config);
	assert_int_equal(config_apply(&config, &source, text, strlen(text), NULL, NULL), 0);
}

/* Judge a run by these keys, the cores' maximum and the time that was sampled. */
static void remark(const char *keys, enum verdict expected, uint64_t max_ns, uint64_t sampled_ns)
{
	set(keys);
	cpus[1].stage.max = max_ns;
	judge(expected);
	verdict_remark(&reasons, &config, sampled_ns);
	assert_int_equal(reasons.verdict, expected);
}

static void assert_remark(const char *keys, uint64_t sampled_ns, const char *wanted)
{
	remark(keys, VERDICT_PASS, 5000, sampled_ns);
	assert_string_equal(reasons.remark, wanted);
	/* A remark is no reason, and does not change the exit code. */
	assert_int_equal(reasons.count, 0);
	assert_int_equal(verdict_exit_code(reasons.verdict), 0);
}

#define OPENSHIFT " of sampling is short of the 12 h that preset openshift requires"

TEST_F(start, NULL, test_remark)
{
	assert_remark("preset=openshift", 2 * SECOND, "2 s" OPENSHIFT);
	assert_remark("preset=openshift", 12 * HOUR - SECOND / 10, "43199 s" OPENSHIFT);
	/* The configured duration does not count, nor does it help. */
	assert_remark("preset=openshift duration=12h", 2 * SECOND, "2 s" OPENSHIFT);
	assert_remark("preset=openshift duration=2s", 12 * HOUR, "");
	assert_remark("preset=openshift", 12 * HOUR, "");
	assert_remark("preset=openshift", 13 * HOUR, "");
	/* The publisher's time is asked for, whatever the limit is. */
	assert_remark("preset=openshift max=10us", SECOND, "1 s" OPENSHIFT);
	assert_remark("max=50us preset=openshift", SECOND, "1 s" OPENSHIFT);
	assert_remark("preset=hft max=50us", SECOND,
		      "1 s of sampling is short of the 10 s that preset hft requires");
}

TEST_F(start, NULL, test_no_remark)
{
	/* A limit of one's own. */
	assert_remark("max=10us", SECOND, "");
	assert_remark("preset=openshift max=10us preset=none", SECOND, "");
	/* Other verdicts. */
	remark("preset=openshift", VERDICT_FAIL, 20000, SECOND);
	assert_string_equal(reasons.remark, "");
	remark("preset=hft", VERDICT_NONE, 5000, SECOND);
	assert_string_equal(reasons.remark, "");
	remark("preset=openshift max=none", VERDICT_NONE, 5000, SECOND);
	assert_string_equal(reasons.remark, "");
	cpus[3].measured = false;
	remark("preset=openshift", VERDICT_INCOMPLETE, 5000, SECOND);
	assert_string_equal(reasons.remark, "");
}

/* A worse verdict after the pass removes the remark. */
TEST_F(start, NULL, test_remark_of_a_pass_no_more)
{
	remark("preset=openshift", VERDICT_PASS, 5000, SECOND);
	assert_string_not_equal(reasons.remark, "");
	verdict_cut_short(&reasons, "it ended early");
	assert_int_equal(reasons.verdict, VERDICT_INCOMPLETE);
	assert_string_equal(reasons.remark, "");
}

TEST_F(start, NULL, test_no_remark_of_stretch)
{
	set("mode=stretch max_stretch=2 preset=hft");
	for (unsigned i = 0; i < platform.cpus; i++)
		cpus[i].tail = (struct maybe){ 1100000, true };
	judge(VERDICT_PASS);
	verdict_remark(&reasons, &config, SECOND);
	assert_string_equal(reasons.remark, "");
}

/* The worst of several records counts, each way. */
TEST(test_worst_fault)
{
	struct verdict_clock_faults f = { 0 };

	verdict_clock_faults_add(&f, &(struct record_pause){ .least_ns = 20, .most_ns = 90 });
	verdict_clock_faults_add(&f, &(struct record_pause){ .least_ns = 10, .most_ns = 95 });
	assert_int_equal(f.hidden_ns, 20);
	assert_int_equal(f.ahead_ns, 0);
	verdict_clock_faults_add(&f, &(struct record_pause){ .least_ns = 30, .forward = true });
	verdict_clock_faults_add(&f, &(struct record_pause){ .least_ns = 40, .forward = true });
	assert_int_equal(f.hidden_ns, 20);
	assert_int_equal(f.ahead_ns, 40);
	/* Many short ones are not one long one. */
	verdict_clock_faults_add(
		&f, &(struct record_pause){ 0, .least_ns = 900, .pauses = 9, .worst_ns = 25 });
	assert_int_equal(f.hidden_ns, 25);
}

/* A TSC that runs ahead hides nothing: no length is right, and counts are. */
TEST_F(start, NULL, test_clock_ahead)
{
	faulty_clock(VERDICT_NONE, 0, SECOND);
	assert_int_equal(reasons.count, 0);
	config.limit[LIMIT_MAX] = (struct config_limit){ true, 1000 };
	faulty_clock(VERDICT_INCOMPLETE, 0, SECOND);
	assert_reason(0, "the TSC ran ahead of another clock by at least 1.00 s");
	config.limit[LIMIT_MAX].set = false;
	config.limit[LIMIT_MAX_NOISE] = (struct config_limit){ true, 10 };
	faulty_clock(VERDICT_INCOMPLETE, 0, 1);
	config.limit[LIMIT_MAX_NOISE].set = false;
	config.limit[LIMIT_MAX_SMI] = (struct config_limit){ true, 0 };
	faulty_clock(VERDICT_PASS, 0, SECOND);
	assert_int_equal(reasons.count, 0);
	/* A limit that was exceeded before stays exceeded. */
	config.limit[LIMIT_MAX] = (struct config_limit){ true, 1000 };
	cpus[1].stage.smi = 1;
	faulty_clock(VERDICT_FAIL, 0, SECOND);
}

TEST_F(start, NULL, test_cut_short_stays)
{
	config.limit[LIMIT_MAX] = (struct config_limit){ true, 5000 };
	verdict_cut_short(&reasons, "it ended early");
	assert_int_equal(reasons.verdict, VERDICT_INCOMPLETE);
	verdict_judge(&reasons, &config, &platform);
	assert_int_equal(reasons.verdict, VERDICT_INCOMPLETE);
}

TEST_F(start, NULL, test_reasons_are_bounded)
{
	char longer[2 * VERDICT_REASON_MAX];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	for (unsigned i = 0; i < 3 * REASONS_MAX; i++)
		verdict_reason(&reasons, "%u %s", i, longer);
	assert_int_equal(reasons.count, REASONS_MAX);
	for (unsigned i = 0; i < REASONS_MAX; i++) {
		assert_int_equal(strlen(reasons.text[i]), VERDICT_REASON_MAX - 1);
		assert_int_equal(strtoul(reasons.text[i], NULL, 10), i);
	}
}

/* However many cores were lost before: a failed run has the reason for its failure. */
TEST_F(start, NULL, test_failure_finds_room_for_its_reason)
{
	bool reported = false;

	platform.cpus = CPUS_MAX;
	config.limit[LIMIT_MAX] = (struct config_limit){ true, 5000 };
	cpus[0].stage.max = 6000;
	for (unsigned i = 0; i < CPUS_MAX; i++)
		verdict_reason(&reasons, "cpu %u was lost during the run", i);
	verdict_judge(&reasons, &config, &platform);
	assert_int_equal(reasons.verdict, VERDICT_FAIL);
	assert_in_range(reasons.count, 1, REASONS_MAX);
	for (unsigned i = 0; i < reasons.count; i++)
		reported |= strstr(reasons.text[i], "max:") != NULL;
	assert_true(reported);
}
