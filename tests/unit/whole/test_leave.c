/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of the program, by `then` and the behaviour of the firmware's ResetSystem. */
#include "mocked.h"

#include <string.h>

#include "tests/unit/common/test.h"

#define RUN   "duration=300ms window=100ms "
#define ALIVE RUN "stages=firmware "

struct row {
	const char *config;
	enum mocked_reset reset;
	const char *problem;
	enum mocked_end end;
	const char *why;   /* report on ResetSystem; NULL: nothing */
	const char *fault; /* kind of the only fault record; NULL: there is none */
	bool s5;
};

static void check(const struct row *row)
{
	const struct mocked_run *r = MOCKED(.config = row->config, .cores = 2, .reset = row->reset,
					    .reset_problem = row->problem, .s5 = row->s5);
	const char *printed = strstr(r->text, "the firmware's ResetSystem ");
	const json_t *end = mocked_record(r, "end", 0), *fault;

	assert_int_equal(r->end, row->end);
	/* ResetSystem has four seconds, other calls a minute. */
	if (row->end == MOCKED_RESET_ALONE)
		assert_true(r->ended_ns < 20 * MOCKED_S);
	assert_int_equal(printed != NULL, row->why != NULL);
	if (row->why)
		assert_non_null(strstr(printed, row->why));
	assert_int_equal(mocked_count(r, "fault"), row->fault != NULL);
	if (row->fault) {
		fault = mocked_record(r, "fault", 0);
		assert_string_equal(mocked_string(fault, "kind"), row->fault);
		assert_string_equal(mocked_string(fault, "doing"), "calling ResetSystem");
	}
	/* The end record is written before. */
	assert_int_equal(mocked_count(r, "end"), 1);
	assert_string_equal(mocked_string(end, "verdict"), "none");
	assert_int_equal(mocked_number(json_object_get(end, "records"), "fault"), 0);
}

static void check_all(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check(&rows[i]);
}

#define CHECK(rows) check_all(rows, sizeof(rows) / sizeof(rows[0]))

/* clang-format off */
/* The firmware comes first, and nothing that it does keeps the machine from its reset. */
TEST(test_a_reset)
{
	static const struct row rows[] = {
		{ RUN "then=reset\n", .end = MOCKED_RESET },
		{ RUN "then=reset\n", .reset = MOCKED_RETURNS,
		  .end = MOCKED_RESET_ALONE, .why = "returned" },
		{ RUN "then=reset\n", .reset = MOCKED_FAULTS,
		  .end = MOCKED_RESET_ALONE, .why = "took an exception (general protection)" },
		{ RUN "then=reset\n", .reset = MOCKED_SPINS,
		  .end = MOCKED_RESET_ALONE, .why = "did not return within 4 s" },
		{ RUN "then=reset\n", .problem = "is missing",
		  .end = MOCKED_RESET_ALONE, .why = "is missing" },
	};

	CHECK(rows);
}

/* The firmware's timer ends a call that spins, and its handlers one that faults. */
TEST(test_a_reset_while_boot_services_are_alive)
{
	static const struct row rows[] = {
		{ ALIVE "then=reset\n", .end = MOCKED_RESET },
		{ ALIVE "then=reset\n", .reset = MOCKED_RETURNS,
		  .end = MOCKED_RESET_ALONE, .why = "returned" },
		{ ALIVE "then=reset\n", .reset = MOCKED_FAULTS,
		  .end = MOCKED_RESET_ALONE, .fault = "exception" },
		{ ALIVE "then=reset\n", .reset = MOCKED_SPINS,
		  .end = MOCKED_RESET_ALONE, .fault = "wait" },
		{ ALIVE "then=reset\n", .problem = "is missing",
		  .end = MOCKED_RESET_ALONE, .why = "is missing" },
	};

	CHECK(rows);
}

/*
 * The machine is switched off by ACPI, without the firmware, once the firmware is gone; before that
 * by the firmware.
 */
TEST(test_off)
{
	static const struct row rows[] = {
		{ RUN "then=shutdown\n", .end = MOCKED_OFF_ALONE, .s5 = true },
		{ RUN "then=shutdown\n", .reset = MOCKED_SPINS,
		  .end = MOCKED_OFF_ALONE, .s5 = true },
		{ RUN "then=shutdown\n", .reset = MOCKED_FAULTS,
		  .end = MOCKED_OFF_ALONE, .s5 = true },
		{ RUN "then=shutdown\n", .end = MOCKED_OFF },
		{ ALIVE "then=shutdown\n", .end = MOCKED_OFF, .s5 = true },
		{ ALIVE "then=shutdown\n", .problem = "is missing",
		  .end = MOCKED_OFF_ALONE, .why = "is missing", .s5 = true },
		/* A machine without any means stays on, halted, and the report has it. */
		{ RUN "then=shutdown\n", .reset = MOCKED_RETURNS,
		  .end = MOCKED_HALTED, .why = "returned: the machine is switched off without it" },
	};

	CHECK(rows);
}

TEST(test_the_other_ways)
{
	static const struct row rows[] = {
		{ RUN "then=halt\n", .end = MOCKED_HALTED },
		{ RUN "then=exit\n", .end = MOCKED_HALTED },
		{ RUN "\n", .end = MOCKED_HALTED },
		{ ALIVE "then=exit\n", .end = MOCKED_RETURNED },
		{ ALIVE "\n", .end = MOCKED_RETURNED },
	};

	CHECK(rows);
}
/* clang-format on */

/* An OS that has started the program is started again in place of a reset, after faults, too. */
TEST(test_an_os_that_is_started_again)
{
	static const struct {
		const char *config;
		struct mocked_fault fault;
		enum mocked_end end;
	} rows[] = {
		{ RUN "then=reset\n", { 0 }, MOCKED_RESUMED },
		{ RUN "\n", { 0 }, MOCKED_RESUMED },
		{ RUN "then=halt\n", { 0 }, MOCKED_HALTED },
		{ RUN "max=1ns\n", { 0 }, MOCKED_RESUMED },
		{ RUN "\n", { .wanted = true, .step = "looking at the machine" }, MOCKED_RESUMED },
		{ RUN "\n",
		  { .wanted = true, .step = "starting the other cores" },
		  MOCKED_RESUMED },
		{ RUN "\n", { .wanted = true, .step = "ending the run" }, MOCKED_RESUMED },
		{ "duration=2s countdown=0\n",
		  { .wanted = true, .core = 0, .at_ns = 1900 * MOCKED_MS },
		  MOCKED_RESUMED },
		{ "duration=2s countdown=0\n",
		  { .wanted = true, .core = 1, .at_ns = 1900 * MOCKED_MS },
		  MOCKED_RESUMED },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct mocked_run *r = MOCKED(.config = rows[i].config, .cores = 2,
						    .fault = rows[i].fault, .resumes = true);

		assert_int_equal(r->end, rows[i].end);
		assert_int_equal(mocked_count(r, "fault"), rows[i].fault.wanted);
		assert_null(strstr(r->text, "ResetSystem"));
	}
}

/* Another core breaks off a boot core that makes no step, a third one sleeps, and the run ends. */
TEST(test_a_boot_core_that_hangs)
{
	static const struct {
		const char *step, *stage;
	} rows[] = { { NULL, "linux" }, { "enabling ACPI mode", "handoff" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct mocked_run *r =
			MOCKED(.config = "duration=2s countdown=0\n", .cores = 3, .resumes = true,
			       .after_linux = !rows[i].step, .patience = 2,
			       .fault = { .wanted = true,
					  .hangs = true,
					  .step = rows[i].step,
					  .at_ns = rows[i].step ? 0 : 1900 * MOCKED_MS });
		const json_t *f = mocked_record(r, "fault", 0);

		assert_int_equal(r->end, MOCKED_RESUMED);
		assert_int_equal(mocked_count(r, "fault"), 1);
		assert_string_equal(mocked_string(f, "kind"), "wait");
		assert_int_equal(mocked_number(f, "cpu"), 0);
		assert_string_equal(mocked_string(f, "stage"), rows[i].stage);
		assert_non_null(strstr(r->text, "waited in vain for the next step on cpu 0"));
		assert_true(mocked_reason(r, "an exception ended the run"));
	}
}

/*
 * The boot core waits for a core that hangs, in a round that may take ten seconds: its own watchdog
 * stays silent.
 */
TEST(test_a_boot_core_that_waits)
{
	const struct mocked_run *r = MOCKED(.config = "duration=2s countdown=0\n", .cores = 3,
					    .resumes = true, .patience = 11,
					    .fault = { .wanted = true, .hangs = true, .core = 2 });

	assert_int_equal(r->end, MOCKED_RESUMED);
	assert_true(mocked_reason(r, "cpu 2 was lost during the run"));
	assert_true(mocked_logged(r, "cpu 2 (APIC id 4) was lost"));
	assert_int_equal(mocked_number(mocked_record(r, "fault", 0), "cpu"), 2);
	assert_string_equal(mocked_string(mocked_record(r, "fault", 0), "what"),
			    "a core that does not come back");
	assert_false(mocked_reason(r, "an exception ended the run"));
}

/* If no OS is started afterwards, no core watches. */
TEST(test_a_boot_core_that_nobody_watches)
{
	const struct mocked_fault hang = { .wanted = true,
					   .hangs = true,
					   .at_ns = 1900 * MOCKED_MS };
	static const struct {
		const char *config;
		bool resumes;
	} rows[] = { { "duration=2s countdown=0 then=halt\n", true },
		     { "duration=2s countdown=0 then=reset\n", false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct mocked_run *r = MOCKED(.config = rows[i].config, .cores = 2,
						    .resumes = rows[i].resumes, .patience = 2,
						    .fault = hang);

		assert_int_equal(r->end, MOCKED_HANGS);
	}
}

/* Firmware that refuses ExitBootServices: the verdict is an error, and the firmware goes on. */
TEST(test_a_firmware_that_does_not_let_go)
{
	const struct mocked_run *r = MOCKED(.config = RUN "then=exit\n", .cores = 2,
					    .no_exit = true);

	assert_int_equal(r->end, MOCKED_RETURNED);
	assert_int_equal(r->code, 2);
	assert_true(mocked_logged(r, "the firmware refuses ExitBootServices"));
}
