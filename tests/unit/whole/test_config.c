/* SPDX-License-Identifier: BSD-2-Clause */
/* A configuration with a mistake: the run does not start, and the mistake is reported. */
#include "mocked.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

static void check_error(const struct mocked_run *r)
{
	assert_string_equal(mocked_string(mocked_record(r, "end", 0), "verdict"), "error");
	assert_true(mocked_reason(r, "the run did not start"));
	assert_int_equal(mocked_count(r, "window"), 0);
	assert_int_equal(mocked_count(r, "begin"), 0);
	assert_false(r->left);
}

TEST(test_a_bad_key_stops_the_run_before_it_starts)
{
	static const struct {
		const char *config, *found, *accepted;
	} rows[] = {
		{ "duration=5", "duration=5", "unit" },
		{ "duration=0s", "duration=0s", "accept" },
		{ "durration=5s", "durration", "duration" },
		{ "cpus=9", "9", "0-3" },
		{ "threshold=1ns", "threshold=1ns", "accepted" },
		{ "window=soon", "window=soon", "ns us ms s m h d" },
		{ "live=maybe", "maybe", "yes" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char config[100] = "";
		struct mocked m = { .config = config, .cores = 4 };
		const struct mocked_run *r;

		strcat(strcpy(config, rows[i].config), "\nthen=qemu-exit\n");
		r = mocked_start(&m);
		check_error(r);
		assert_int_equal(r->end, MOCKED_QEMU_EXIT);
		assert_int_equal(r->code, 2);
		assert_true(mocked_logged(r, "noisefloor.conf:1:"));
		assert_true(mocked_logged(r, rows[i].found));
		assert_true(mocked_logged(r, rows[i].accepted));
	}
}

TEST(test_stages_that_a_start_does_not_have)
{
	const struct mocked_run *r = MOCKED(.config = "stages=handoff,linux then=qemu-exit\n");

	check_error(r);
	assert_true(mocked_logged(r, "noisefloor.conf:1: stages=linux measures what"));
	r = MOCKED(.config = "stages=handoff,linux then=qemu-exit\n", .after_linux = true);
	check_error(r);
	assert_true(mocked_logged(r, "noisefloor.conf:1: stages= measures what firmware has left"));
}

/* A threshold above the loop's own interval is no mistake. */
TEST(test_the_least_threshold)
{
	const struct mocked_run *r =
		MOCKED(.config = "duration=500ms threshold=50ns then=qemu-exit\n");

	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	assert_int_equal(r->code, 0);
	assert_int_equal(mocked_count(r, "window"), 1);
}

static size_t errors(const struct mocked_run *r)
{
	json_t *logs = mocked_of_type(r->records, "log"), *log;
	size_t i, count = 0;

	json_array_foreach(logs, i, log) count += !strcmp(mocked_string(log, "level"), "error");
	return count;
}

/* Such a configuration is not applied, so the program returns to the firmware. */
TEST(test_a_huge_or_binary_configuration_is_one_error)
{
	enum { HUGE = 1 << 20, BINARY = 4096 };
	char *huge = malloc(HUGE), *binary = malloc(BINARY);
	const struct {
		const char *config;
		size_t bytes;
	} rows[] = { { huge, HUGE }, { binary, BINARY } };

	assert_true(huge && binary);
	for (size_t i = 0; i < HUGE; i++)
		huge[i] = "a=b\n"[i % 4];
	for (size_t i = 0; i < BINARY; i++)
		binary[i] = (char)i;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct mocked_run *r = MOCKED(.config = rows[i].config,
						    .config_bytes = rows[i].bytes);

		check_error(r);
		assert_int_equal(r->end, MOCKED_RETURNED);
		assert_int_equal(r->code, 2);
		assert_int_equal(errors(r), 1);
	}
	free(huge);
	free(binary);
}

/* The mistake is reported where the port is by default, and nothing is written to memory. */
TEST(test_serial_port_is_no_memory)
{
	const struct mocked_run *r =
		MOCKED(.config = "duration=300ms serial=mmio32:0x100000 then=qemu-exit\n");

	check_error(r);
	assert_int_equal(r->code, 2);
	assert_true(mocked_logged(r, "serial= is memory, by the firmware's map; accepted: a "
				     "device's registers"));
}
