/* SPDX-License-Identifier: BSD-2-Clause */
/* An exception anywhere in a run is reported at once, and the run comes to its end. */
#include "mocked.h"

#include <string.h>

#include "tests/unit/common/test.h"

static struct mocked_run *start(const char *config, const struct mocked_fault *fault)
{
	const struct mocked m = { .config = config, .cores = 3, .fault = *fault };

	return mocked_start(&m);
}

static const json_t *check_fault(const struct mocked_run *r)
{
	const json_t *f = mocked_record(r, "fault", 0);

	assert_int_equal(mocked_count(r, "fault"), 1);
	assert_string_equal(mocked_string(f, "kind"), "exception");
	assert_string_equal(mocked_string(f, "what"), "general protection");
	assert_int_equal(mocked_number(f, "vector"), 13);
	assert_int_equal(mocked_number(f, "pc") - mocked_number(f, "image"), 0x1234);
	assert_non_null(strstr(r->text, "fault: general protection"));
	assert_int_equal(mocked_count(r, "end"), 1);
	return f;
}

TEST(test_no_fault_no_words)
{
	const struct mocked_fault none = { .wanted = false };
	struct mocked_run *r = start("duration=500ms then=qemu-exit\n", &none);

	assert_int_equal(mocked_count(r, "fault"), 0);
	assert_null(strstr(r->text, "fault: "));
	mocked_free(r);
}

/* Another core takes it in a window: the others go on, and the verdict is incomplete. */
TEST(test_another_core_in_a_window)
{
	const struct mocked_fault fault = { .wanted = true, .core = 1, .at_ns = 1900 * MOCKED_MS };
	struct mocked_run *r = start("duration=2s max=1s then=qemu-exit\n", &fault);
	const json_t *f = check_fault(r);

	assert_int_equal(mocked_number(f, "cpu"), 1);
	assert_string_equal(mocked_string(f, "stage"), "handoff");
	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	assert_int_equal(r->code, 3);
	mocked_free(r);
}

TEST(test_the_boot_core_in_a_window)
{
	const struct mocked_fault fault = { .wanted = true, .core = 0, .at_ns = 1900 * MOCKED_MS };
	struct mocked_run *r = start("duration=2s max=1s then=qemu-exit\n", &fault);
	const json_t *f = check_fault(r);

	assert_int_equal(mocked_number(f, "cpu"), 0);
	assert_true(mocked_reason(r, "an exception ended the run"));
	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	assert_int_equal(r->code, 3);
	mocked_free(r);
}

TEST(test_the_boot_core_while_preparing)
{
	const struct mocked_fault fault = { .wanted = true, .step = "reading the options" };
	struct mocked_run *r = start("duration=2s then=qemu-exit\n", &fault);
	const json_t *f = check_fault(r);

	assert_true(json_is_null(json_object_get(f, "stage")));
	assert_string_equal(mocked_string(f, "doing"), "reading the options");
	assert_true(mocked_reason(r, "a fault ended the run"));
	assert_string_equal(mocked_string(mocked_record(r, "end", 0), "verdict"), "error");
	mocked_free(r);
}

/* `then` is obeyed behind a fault, too. */
TEST(test_then_is_obeyed)
{
	static const struct {
		const char *config;
		enum mocked_end end;
	} rows[] = {
		{ "duration=2s countdown=0 then=reset\n", MOCKED_RESET },
		{ "duration=2s then=qemu-exit\n", MOCKED_QEMU_EXIT },
		{ "duration=2s countdown=0 then=halt\n", MOCKED_HALTED },
	};
	const struct mocked_fault fault = { .wanted = true, .core = 0, .at_ns = 1900 * MOCKED_MS };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mocked_run *r = start(rows[i].config, &fault);

		check_fault(r);
		assert_int_equal(r->end, rows[i].end);
		mocked_free(r);
	}
}

/* On cores that the firmware has lent. */
TEST(test_a_lent_core)
{
	const struct mocked_fault fault = { .wanted = true, .core = 2, .at_ns = 1900 * MOCKED_MS };
	struct mocked_run *r = start("duration=2s stages=firmware,bare max=1s then=qemu-exit\n",
				     &fault);
	const json_t *f = check_fault(r);

	assert_int_equal(mocked_number(f, "cpu"), 2);
	assert_string_equal(mocked_string(f, "stage"), "firmware");
	assert_int_equal(r->code, 3);
	mocked_free(r);
}
