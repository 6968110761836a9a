/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of kinds: each type is in it once, and keeps what it is given; and modes by kinds. */
#include "host/capture/result.h"
#include "host/kinds/host_kind.h"

#include "core/lib/mem.h"

#include <stdio.h>

#include "tests/unit/common/test.h"

TEST(test_once)
{
	const struct host_kind *kind;
	unsigned seen = 0;

	for (size_t n = 0; (kind = host_kind_at(n)); n++) {
		assert_false(seen >> kind->type & 1);
		seen |= 1u << kind->type;
		assert_ptr_equal(host_kind_of(kind->type), kind);
	}
	/* These frame a run, and belong to no stage. */
	assert_null(host_kind_of(RECORD_BEGIN));
	assert_null(host_kind_of(RECORD_LOG));
	assert_null(host_kind_of(RECORD_END));
}

/* Records of a stage without a name are stored, each once. */
TEST(test_keeps)
{
	const struct host_kind *kind;

	for (size_t n = 0; (kind = host_kind_at(n)); n++) {
		union record record;
		struct result *run;

		run = result_new(1);
		memset(&record, 0, sizeof(record));
		assert_true(result_stage_keep(run, kind->type, &record));
		assert_int_equal(run->stages, 1);
		assert_string_equal(run->stage->name, "n/a");
		result_free(run);
	}
}

/*
 * Records of a kind without a function of its own: one per stage and service, and not per calling
 * core.
 */
TEST(test_keys)
{
	struct result *run = result_new(1);
	union record record = { .service = { .stage = "bare", .service = "get_time" } };

	assert_true(result_stage_keep(run, RECORD_SERVICE, &record));
	record.service.cpu = 3;
	assert_false(result_stage_keep(run, RECORD_SERVICE, &record));
	record.service.service = "stall";
	assert_true(result_stage_keep(run, RECORD_SERVICE, &record));
	record.service.stage = "acpi";
	assert_true(result_stage_keep(run, RECORD_SERVICE, &record));
	record.service.service = NULL;
	assert_true(result_stage_keep(run, RECORD_SERVICE, &record));
	assert_false(result_stage_keep(run, RECORD_SERVICE, &record));
	assert_int_equal(run->stages, 2);
	assert_int_equal(service_records_of(&run->stage[0]).count, 2);
	assert_int_equal(service_records_of(&run->stage[1]).count, 2);
	assert_string_equal(service_records_of(&run->stage[0]).at[1].service, "stall");
	result_free(run);
}

/* Keys differ by a number, too. */
TEST(test_keys_of_cores)
{
	struct result *run = result_new(1);
	union record record = { .stretch = { .stage = "bare", .kernel = "adds", .phase = "all" } };

	assert_true(result_stage_keep(run, RECORD_STRETCH, &record));
	assert_false(result_stage_keep(run, RECORD_STRETCH, &record));
	record.stretch.cpu = 1;
	assert_true(result_stage_keep(run, RECORD_STRETCH, &record));
	assert_int_equal(stretch_records_of(run->stage).count, 2);
	result_free(run);
}

/* Each mode has one kind, and a check unless it measures nothing. */
TEST(test_modes)
{
	const struct host_kind *kind;
	unsigned modes = 0;

	for (size_t n = 0; (kind = host_kind_at(n)); n++) {
		modes += kind->mode != NULL;
		assert_true(!kind->checks == (!kind->mode || kind->mode == &mode_survey));
		for (size_t k = 0; kind->mode && k < n; k++)
			assert_ptr_not_equal(host_kind_at(k)->mode, kind->mode);
	}
	assert_int_equal(modes, MODES);
}

/*
 * Without a begin record, the mode follows from the records; a run without any has the default
 * mode.
 */
TEST(test_mode_of_run)
{
	struct result *run = result_new(1);
	union record record;

	assert_ptr_equal(result_mode(run), &mode_gaps);
	assert_false(result_is_measured(run));
	run->begin.config = "mode=stretch";
	assert_ptr_equal(result_mode(run), &mode_stretch);
	run->begin.config = NULL;
	memset(&record, 0, sizeof(record));
	assert_true(result_stage_keep(run, RECORD_STRETCH, &record));
	assert_ptr_equal(result_mode(run), &mode_stretch);
	assert_true(result_is_measured(run));
	result_free(run);
}
