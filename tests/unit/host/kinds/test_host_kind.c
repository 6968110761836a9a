/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of kinds and modes: each type is in it once, and keeps what it is given. */
#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/modes/host_mode.h"

#include "core/lib/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static void test_once(void **state)
{
	const struct host_kind *kind;
	unsigned seen = 0;

	(void)state;
	for (size_t n = 0; (kind = host_kind_at(n)); n++) {
		/* A second part of a page. */
		if (!kind->keep) {
			assert_true(seen >> kind->type & 1);
			continue;
		}
		assert_false(seen >> kind->type & 1);
		seen |= 1u << kind->type;
		assert_ptr_equal(host_kind_of(kind->type), kind);
	}
	/* These frame a run, and belong to no stage. */
	assert_null(host_kind_of(RECORD_BEGIN));
	assert_null(host_kind_of(RECORD_LOG));
	assert_null(host_kind_of(RECORD_END));
}

/* Of a stage that is not named, each is kept, and once. */
static void test_keeps(void **state)
{
	static const struct reader_run received = { .sid = 1 };
	const struct host_kind *kind;

	(void)state;
	for (size_t n = 0; (kind = host_kind_at(n)); n++) {
		union record record;
		struct result *run;

		if (!kind->keep)
			continue;
		run = result_new(&received);
		memset(&record, 0, sizeof(record));
		assert_true(kind->keep(run, &record));
		assert_int_equal(run->stages, 1);
		assert_string_equal(run->stage->name, "n/a");
		result_free(run);
	}
}

static void test_modes(void **state)
{
	const struct host_mode *mode;
	unsigned n = 0;

	(void)state;
	for (; (mode = host_mode_at(n)); n++) {
		assert_ptr_equal(mode->mode, mode_at(n));
		assert_non_null(mode->cores);
		assert_non_null(mode->checks);
		assert_non_null(mode->predict);
	}
	assert_int_equal(n, MODES);
	assert_null(mode_at(n));
}

/* By what it has, where the begin record is lost; of a run that has nothing, the default. */
static void test_mode_of_run(void **state)
{
	static const struct reader_run received = { .sid = 1 };
	struct result *run = result_new(&received);
	union record record;

	(void)state;
	assert_ptr_equal(result_mode(run), &host_mode_gaps);
	assert_false(result_is_measured(run));
	run->begin.config = "mode=stretch";
	assert_ptr_equal(result_mode(run), &host_mode_stretch);
	run->begin.config = NULL;
	memset(&record, 0, sizeof(record));
	host_kind_of(RECORD_STRETCH)->keep(run, &record);
	assert_ptr_equal(result_mode(run), &host_mode_stretch);
	assert_true(result_is_measured(run));
	result_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_keeps),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_mode_of_run),
	};

	return cmocka_run_group_tests_name("host_kind", tests, NULL, NULL);
}
