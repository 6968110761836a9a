/* SPDX-License-Identifier: BSD-2-Clause */
/* An exception anywhere in a run is reported at once, and the run comes to its end. */
#include "mocked.h"
#include "mocked_storage.h"

#include <string.h>

#include "tests/unit/common/test.h"

static const struct mocked_run *start(const char *config, const struct mocked_fault *fault)
{
	const struct mocked m = { .config = config, .cores = 3, .fault = *fault };

	return mocked_start(&m);
}

static const json_t *check_fault(const struct mocked_run *r)
{
	const json_t *f = mocked_record(r, "fault", 0), *total;

	assert_int_equal(mocked_count(r, "fault"), 1);
	assert_string_equal(mocked_string(f, "kind"), "exception");
	assert_string_equal(mocked_string(f, "what"), "general protection");
	assert_int_equal(mocked_number(f, "vector"), 13);
	assert_int_equal(mocked_number(f, "pc") - mocked_number(f, "image"), 0x1234);
	assert_int_equal(mocked_count(r, "end"), 1);
	/* The fault is printed at once, before the rest of the run's end. */
	assert_non_null(strstr(r->text, "fault: general protection"));
	assert_true(strstr(r->text, "fault: ") < strstr(r->text, "\"type\":\"fault\""));
	assert_true(strstr(r->text, "\"type\":\"fault\"") < strstr(r->text, "\"type\":\"end\""));
	total = json_object_get(json_object_get(mocked_record(r, "end", 0), "records"), "fault");
	assert_int_equal(json_integer_value(total), 1);
	return f;
}

/*
 * Another core faults in a window: the fault is printed at once, and the others go on. The gap that
 * it recorded before is sent.
 */
TEST(test_another_core_in_a_window)
{
	const struct mocked_gap gap = { .at_ns = 1500 * MOCKED_MS, .ns = 20000, .cores = 2 };
	const struct mocked_run *r =
		MOCKED(.config = "duration=4s max=1s then=qemu-exit\n", .cores = 3, .gap = &gap,
		       .gaps = 1,
		       .fault = { .wanted = true, .core = 1, .at_ns = 1900 * MOCKED_MS });
	const json_t *f = check_fault(r);
	const char *first = strstr(r->text, "\n  1/4  ");

	assert_int_equal(mocked_number(f, "cpu"), 1);
	assert_string_equal(mocked_string(f, "stage"), "handoff");
	assert_true(first && strstr(r->text, "fault: general protection") < first);
	assert_int_equal(mocked_count(r, "window"), 4);
	assert_int_equal(mocked_count(r, "cpu"), 2);
	assert_int_equal(mocked_count(r, "gap"), 1);
	assert_int_equal(mocked_number(mocked_record(r, "gap", 0), "cpu"), 1);
	assert_true(mocked_logged(r, "cpu 1 (APIC id 2) was lost"));
	assert_true(mocked_reason(r, "cpu 1 was lost"));
	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	assert_int_equal(r->code, 3);
}

TEST(test_the_boot_core_while_preparing)
{
	const struct mocked_fault fault = { .wanted = true, .step = "reading the options" };
	const struct mocked_run *r = start("duration=2s then=qemu-exit\n", &fault);
	const json_t *f = check_fault(r);

	assert_true(json_is_null(json_object_get(f, "stage")));
	assert_string_equal(mocked_string(f, "doing"), "reading the options");
	assert_true(mocked_reason(r, "a fault ended the run"));
	assert_string_equal(mocked_string(mocked_record(r, "end", 0), "verdict"), "error");
}

/* With Secure Boot, an unsigned configuration must not choose what is written to. */
TEST(test_serial_is_not_used_before_it_is_checked)
{
	const struct mocked_fault fault = { .wanted = true, .step = "reading the options" };
	/* The scratch register of that port would be COM1's data register. */
	const struct mocked_run *r = start("serial=0x3f1 duration=2s then=qemu-exit\n", &fault);

	check_fault(r);
	assert_int_equal(r->text[0], '\n');
}

/* The boot core faults in a window: `then` takes effect, too. */
TEST(test_then_is_obeyed)
{
	static const struct {
		const char *config;
		enum mocked_end end;
	} rows[] = {
		{ "duration=2s countdown=0 then=reset\n", MOCKED_RESET },
		{ "duration=2s max=1s then=qemu-exit\n", MOCKED_QEMU_EXIT },
		{ "duration=2s countdown=0 then=halt\n", MOCKED_HALTED },
		{ "duration=2s countdown=0 then=shutdown\n", MOCKED_OFF },
	};
	const struct mocked_fault fault = { .wanted = true, .core = 0, .at_ns = 1900 * MOCKED_MS };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct mocked_run *r = start(rows[i].config, &fault);

		assert_int_equal(mocked_number(check_fault(r), "cpu"), 0);
		assert_true(mocked_reason(r, "an exception ended the run"));
		assert_int_equal(r->end, rows[i].end);
		assert_int_equal(r->code, r->end == MOCKED_QEMU_EXIT ? 3 : 0);
	}
}

/* The next start finds the faults in the firmware's variables, and writes them to a file. */
TEST(test_last_words_are_kept)
{
	struct mocked_storage *s = mocked_storage_new();
	const struct mocked m = {
		.config = "duration=1s save=file then=qemu-exit\n",
		.cores = 2,
		.fault = { .wanted = true, .at_ns = 1600 * MOCKED_MS },
		.storage = s,
	};
	const struct mocked again = { .config = m.config, .storage = s };
	const struct mocked_run *r = mocked_start(&m);
	json_t *saved;

	check_fault(r);
	assert_int_equal(r->end, MOCKED_RESET);
	mocked_start(&again);
	saved = mocked_file_records(mocked_file(s, ".jsonl"), false);
	mocked_check_same(saved, r->records, "fault");
	mocked_check_totals(saved);
	mocked_storage_free(s);
}

/* The core that faults was started by the firmware. */
TEST(test_a_lent_core)
{
	const struct mocked_fault fault = { .wanted = true, .core = 2, .at_ns = 1900 * MOCKED_MS };
	const struct mocked_run *r = start(
		"duration=2s stages=firmware,bare max=1s then=qemu-exit\n", &fault);
	const json_t *f = check_fault(r);

	assert_int_equal(mocked_number(f, "cpu"), 2);
	assert_string_equal(mocked_string(f, "stage"), "firmware");
	assert_int_equal(mocked_count(r, "stage"), 2);
	assert_int_equal(r->code, 3);
}

/* An exception on the boot core ends the run in the current stage. */
TEST(test_the_boot_core_in_each_stage)
{
	static const struct {
		const char *stages, *step, *stage;
		uint64_t at_ns;
		bool knows_cpu; /* the firmware's handler does not */
		size_t begun;
	} rows[] = {
		{ "firmware,bare,handoff", NULL, "firmware", 1600 * MOCKED_MS, true, 1 },
		{ "firmware,bare,handoff", "calling a boot service between windows", "firmware",
		  1600 * MOCKED_MS, false, 1 },
		{ "firmware,bare,handoff", "giving the cores back to the firmware", "firmware",
		  1600 * MOCKED_MS, false, 1 },
		{ "bare,handoff", "enabling ACPI mode", "handoff", 1600 * MOCKED_MS, true, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct mocked_fault fault = { .wanted = true,
						    .at_ns = rows[i].at_ns,
						    .step = rows[i].step };
		char config[200] = "";
		const struct mocked_run *r;
		const json_t *f, *cpu;

		strcat(strcat(strcpy(config, "duration=1s then=qemu-exit stages="), rows[i].stages),
		       "\n");
		r = start(config, &fault);
		f = check_fault(r);
		cpu = json_object_get(f, "cpu");
		assert_string_equal(mocked_string(f, "stage"), rows[i].stage);
		assert_int_equal(json_is_null(cpu), !rows[i].knows_cpu);
		assert_int_equal(json_integer_value(cpu), 0);
		assert_int_equal(mocked_count(r, "stage"), rows[i].begun);
		assert_string_equal(mocked_string(mocked_record(r, "end", 0), "verdict"),
				    "incomplete");
		assert_int_equal(r->end, MOCKED_QEMU_EXIT);
		assert_int_equal(r->code, 3);
	}
}

/* ---- Calls of the firmware that do not return ---- */

#define RETURN "the firmware to return from a call"
#define LONG   "stages=firmware duration=3s then=qemu-exit\n"

static const struct mocked_run *start_hanging(const char *config, const char *step, uint64_t ns)
{
	const struct mocked m = { .config = config,
				  .cores = 2,
				  .s5 = true,
				  .hang = { true, 1600 * MOCKED_MS, step, ns } };

	return mocked_start(&m);
}

static void check_wait(const struct mocked_run *r, const char *doing)
{
	const json_t *f = mocked_record(r, "fault", 0);

	assert_int_equal(mocked_count(r, "fault"), 1);
	assert_string_equal(mocked_string(f, "kind"), "wait");
	assert_string_equal(mocked_string(f, "what"), RETURN);
	assert_int_equal(mocked_number(f, "cpu"), 0);
	assert_string_equal(mocked_string(f, "doing"), doing);
	assert_true(json_is_null(json_object_get(f, "pc")));
	assert_non_null(strstr(r->text, "fault: waited in vain for " RETURN " on cpu 0\n"));
}

/*
 * The boot core hangs in a firmware call: a timer ends the run, and its measurements are reported.
 */
TEST(test_a_call_that_does_not_return)
{
	static const struct {
		const char *config, *step;
		unsigned code;
		unsigned windows;
		enum mocked_end end;
	} rows[] = {
		{ LONG, "calling a boot service between windows", 3, 1, MOCKED_QEMU_EXIT },
		{ "stages=firmware,bare duration=3s then=qemu-exit\n",
		  "giving the cores back to the firmware", 3, 3, MOCKED_QEMU_EXIT },
		{ "duration=3s countdown=1h then=reset\n", NULL, 2, 0, MOCKED_RESET_ALONE },
		{ "duration=3s countdown=1h then=shutdown\n", NULL, 2, 0, MOCKED_OFF_ALONE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct mocked_run *r = start_hanging(rows[i].config, rows[i].step, 0);
		const char *doing = mocked_string(mocked_record(r, "fault", 0), "doing");
		unsigned windows = 0;

		check_wait(r, rows[i].step ? rows[i].step : doing);
		assert_string_equal(mocked_string(mocked_record(r, "end", 0), "verdict"),
				    rows[i].code == 2 ? "error" : "incomplete");
		assert_true(mocked_reason(r, "the firmware has not returned from a call"));
		for (const char *at = r->text; (at = strstr(at, "/3  ")); at++)
			windows++;
		assert_int_equal(windows, rows[i].windows);
		assert_int_equal(r->end, rows[i].end);
		if (r->end == MOCKED_QEMU_EXIT)
			assert_int_equal(r->code, rows[i].code);
	}
}

/* A late call is reported; the run continues, and has a log. */
TEST(test_a_call_that_returns_late)
{
	const struct mocked_run *r = start_hanging(
		"stages=firmware duration=3s countdown=0 then=halt\n",
		"calling a boot service between windows", 100 * MOCKED_S);

	check_wait(r, "calling a boot service between windows");
	assert_int_equal(mocked_count(r, "window"), 3);
	assert_true(mocked_logged(
		r, "the firmware has returned from the call that was waited for in vain"));
	assert_string_equal(mocked_string(mocked_record(r, "end", 0), "verdict"), "none");
}

TEST(test_a_call_that_takes_long_and_returns)
{
	const struct mocked_run *r = start_hanging(LONG, "calling a boot service between windows",
						   50 * MOCKED_S);

	assert_int_equal(mocked_count(r, "fault"), 0);
	assert_int_equal(mocked_count(r, "window"), 3);
}

/* A window, and a page that waits for a key, are both longer than a call may take. */
TEST(test_what_takes_long_is_no_call)
{
	for (unsigned makes_up = 0; makes_up < 2; makes_up++) {
		const struct mocked_run *r =
			MOCKED(.config = "stages=firmware duration=100s window=100s countdown=1s "
					 "then=exit\n",
			       .cores = 2, .screen = true, .makes_up = makes_up);

		assert_int_equal(r->end, MOCKED_RETURNED);
		assert_true(r->ended_ns > 160 * MOCKED_S);
		assert_int_equal(mocked_count(r, "window"), 1);
		assert_int_equal(mocked_count(r, "fault"), 0);
		assert_null(strstr(r->text, "fault: "));
	}
}
