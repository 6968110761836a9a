/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results survive a reset: in files while boot services live, later in the firmware's variables.
 * The storage is kept from start to start.
 */
#include "stored_run.h"

#include <stdlib.h>
#include <string.h>

#define LEFT_OUT   "left out of the saved report for lack of space: "
#define SAVED_GAPS 20 /* gaps of each stage in a report in the variables */

static int64_t end_number(const json_t *records, const char *name)
{
	json_t *ends = mocked_of_type(records, "end");
	int64_t number = mocked_number(json_array_get(ends, 0), name);

	return number;
}

/* ---- Through the variables ---- */

TEST_F(new_storage, free_storage, test_the_file_equals_the_serial_line)
{
	const struct mocked_run *r = start(SHORT "stages=bare,handoff save=file " EXIT);
	const struct mocked_run *second;
	json_t *saved;

	assert_int_equal(r->end, MOCKED_RESET);
	check_text(r, "writes to its store in this run: 2; restarting to write the file", true);
	assert_non_null(mocked_variable(storage, "BootNext"));
	assert_true(report_waits());
	second = start(SHORT "save=file " EXIT);
	assert_int_equal(second->end, MOCKED_QEMU_EXIT);
	check_text(second, "harvest: saved as", true);
	check_text(second, "harvest: the variable is removed", true);
	assert_int_equal(mocked_count(second, "begin"), 0);
	saved = saved_records();
	check_same(saved, r, exact);
	mocked_check_within(saved, r->records, "gap");
	mocked_check_within(saved, r->records, "event");
	assert_int_equal(count_of(saved, "gap"), 2 * SAVED_GAPS);
	assert_int_equal(end_number(saved, "gaps_unsent") + 2 * SAVED_GAPS,
			 end_number(r->records, "gaps_unsent") + (int64_t)mocked_count(r, "gap"));
	mocked_check_same(saved, r->records, "log");
	mocked_check_totals(saved);
	check_page("\n<h1>verdict: none</h1>\n");
	check_page("\nstage handoff\n");
	assert_true(mocked_is_clean(storage));
}

/* A report in the variables has the longest gaps. */
TEST_F(new_storage, free_storage, test_the_longest_gaps_are_saved)
{
	json_t *saved, *gap, *found;
	size_t i;

	start_only("duration=3s selftest=no stages=bare save=file " EXIT, MOCKED_RESET);
	start_only(SHORT EXIT, MOCKED_QEMU_EXIT);
	saved = saved_records();
	found = mocked_of_type(saved, "gap");
	assert_int_equal(json_array_size(found), SAVED_GAPS);
	json_array_foreach(found, i, gap)
		assert_true(mocked_number(gap, "len_ns") >= (int64_t)gaps[1].ns);
}

/* The remark is in the saved records, and on the page. */
TEST_F(new_storage, free_storage, test_a_remark_is_saved)
{
	const struct mocked_run *r = start(SHORT "preset=openshift max=1s save=file " EXIT),
				*second;
	const char *remark = mocked_string(mocked_record(r, "end", 0), "remark");
	json_t *saved, *ends;
	char line[200];

	assert_non_null(strstr(remark, " of sampling is short of the 12 h that preset openshift "
				       "requires"));
	second = start(EXIT);
	saved = saved_records();
	ends = mocked_of_type(saved, "end");
	assert_string_equal(mocked_string(json_array_get(ends, 0), "remark"), remark);
	check_page(", but short</h1>\n");
	snprintf(line, sizeof(line), "<h2>%s</h2>\n", remark);
	check_page(line);
	snprintf(line, sizeof(line), ", but %s\n", remark);
	check_text(r, line, true);
	check_text(second, line, true);
	check_page(line);
}

TEST_F(new_storage, free_storage, test_nobody_asked_for_a_write_to_the_firmwares_store)
{
	const struct mocked_run *r = start(SHORT EXIT);

	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	assert_int_equal(storage->changes, 0);
	check_text(r, "\nsave", false);
	assert_false(mocked_logged(r, "save"));
}

TEST_F(new_storage, free_storage, test_a_report_that_waits_is_harvested_and_nothing_is_measured)
{
	const struct mocked_run *r = start(SHORT "save=nvram " EXIT), *second, *third;

	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	check_text(r, "they outlive a reset, and are fetched by", true);
	assert_true(report_waits());
	assert_null(mocked_variable(storage, "BootNext"));
	assert_int_equal(mocked_files(storage, ""), 0);
	second = start(SHORT "save=nvram " EXIT);
	check_text(second, "harvest: saved as", true);
	assert_int_equal(mocked_count(second, "begin"), 0);
	assert_true(mocked_is_clean(storage));
	check_saved(r);
	/* The report is gone: only now does a run measure. */
	third = start(SHORT "save=nvram " EXIT);
	assert_true(mocked_count(third, "begin") > 0);
	assert_true(report_waits());
}

/* With save=none the run measures, and the report stays in the variables. */
TEST_F(new_storage, free_storage, test_save_none_leaves_a_report_alone)
{
	const struct mocked_run *r;

	start_only(SHORT "save=nvram " EXIT, MOCKED_QEMU_EXIT);
	r = start(SHORT "save=none then=reset\n");
	assert_int_equal(r->end, MOCKED_RESET);
	assert_int_equal(mocked_count(r, "window"), 3);
	assert_true(report_waits());
	assert_int_equal(storage->changes, 0);
}

/* The probe is first in the boot order: if it measured again, the machine would never boot. */
TEST_F(new_storage, free_storage, test_after_the_harvest_the_machine_goes_on_with_its_boot_order)
{
	const char *config = SHORT "save=file then=reset\n";
	const struct mocked_run *r;

	start_only(config, MOCKED_RESET);
	start_only(config, MOCKED_RETURNED);
	assert_true(mocked_is_clean(storage));
	r = start(config);
	assert_int_equal(r->end, MOCKED_RETURNED);
	check_text(r, "harvest: done already", true);
	assert_int_equal(mocked_count(r, "begin"), 0);
	/* The next start, after the reset. */
	storage->stays_on = false;
	r = start(config);
	assert_true(mocked_count(r, "begin") > 0);
}

/* Only the result page waits for a key. */
TEST_F(new_storage, free_storage, test_a_key_ends_the_harvest)
{
	struct mocked m = { .config = SHORT "then=auto\n", .storage = storage };
	const struct mocked_run *r;

	start_only(m.config, MOCKED_RESET);
	r = mocked_start(&m);
	check_text(r, "any key continues", true);
	assert_int_equal(r->end, MOCKED_HALTED);
	assert_true(mocked_is_clean(storage));

	start_only(m.config, MOCKED_RESET);
	m.key = ' ';
	m.key_at = 100 * MOCKED_S;
	r = mocked_start(&m);
	assert_int_equal(r->end, MOCKED_RETURNED);
	assert_true(r->ended_ns >= m.key_at);
}

/* ---- What starts next ---- */

/* Check that the machine does not reset, and that the report waits for the next start. */
static void check_waits(const char *why)
{
	const struct mocked_run *r = start(SHORT "save=file " EXIT), *second;

	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	check_text(r, why, true);
	check_text(r, "restarting", false);
	assert_true(report_waits());
	assert_null(mocked_variable(storage, "BootNext"));
	second = start(EXIT);
	check_text(second, "harvest: the variable is removed", true);
	check_saved(r);
}

TEST_F(new_storage, free_storage, test_a_boot_loaders_entry_is_not_booted_again)
{
	storage->by_loader = true;
	check_waits("leads to another program, such as a boot loader");
}

TEST_F(new_storage, free_storage, test_a_boot_next_that_is_lost)
{
	storage->loses = "BootNext";
	check_waits("the firmware does not take BootNext: the next start of noisefloor");
}

TEST_F(new_storage, free_storage, test_a_firmware_that_does_not_know_what_it_started)
{
	storage->no_entry = true;
	check_logged(SHORT "save=file " EXIT, "does not report which boot entry started this");
	assert_false(report_waits());
}

/* If the firmware loses its variables, the probe does not measure again and again. */
TEST_F(new_storage, free_storage, test_runs_that_leave_no_report_end)
{
	const char *config = SHORT "then=reset save=file\n";
	const struct mocked_run *r;

	storage->loses_variables = true;
	for (unsigned i = 0; i < 2; i++)
		start_only(config, MOCKED_RESET);
	r = start(config);
	check_text(r, "harvest: 2 runs in a row have left no report", true);
	assert_int_equal(r->end, MOCKED_RETURNED);
	assert_int_equal(mocked_count(r, "begin"), 0);
}

/* A variable counts them where no volume can. */
TEST_F(new_storage, free_storage, test_runs_without_a_volume_that_leave_no_report_end)
{
	struct mocked_variable *pending = &storage->variable[0];
	const struct mocked_run *r;

	storage->no_volume = true;
	pending->is_there = true;
	pending->owner = DOOR_OURS;
	pending->lasting = DOOR_BOOT;
	strcpy(pending->name, "NoisefloorPending");
	pending->bytes = 1;
	pending->data[0] = 2;
	r = start(SHORT "save=file " EXIT);
	check_text(r, "harvest: 2 runs in a row have left no report", true);
	assert_int_equal(mocked_count(r, "begin"), 0);
}

/* ---- The store ---- */

TEST_F(new_storage, free_storage, test_a_store_without_room)
{
	storage->store_bytes = 600;
	check_logged(SHORT "save=file " EXIT, "the firmware's store has no room");
	assert_true(mocked_is_clean(storage));
	storage->store_bytes = 0;
	start_only(SHORT "save=nvram " EXIT, MOCKED_QEMU_EXIT);
	assert_true(report_waits());
}

TEST_F(new_storage, free_storage, test_a_report_that_is_lost)
{
	const struct mocked_run *r;

	storage->loses = MOCKED_REPORT;
	r = start(SHORT "save=nvram " EXIT);
	check_text(r, "save: the firmware took the variable and has lost it", true);
	check_text(r, "saved in the firmware's variables", false);
	assert_false(report_waits());
}

/* Only what is damaged is removed: a report that cannot be read may be whole. */
TEST_F(new_storage, free_storage, test_a_report_that_is_none)
{
	static const struct {
		size_t byte, bytes; /* byte: changed; bytes: left over */
		const char *hides, *keeps, *why;
		bool stays, measures;
	} rows[] = {
		{ 40, 0, NULL, NULL, "variables is damaged: removed", false, false },
		{ 40, 0, NULL, MOCKED_REPORT, "variables is damaged: it cannot be removed", true,
		  false },
		{ 0, 20, NULL, NULL, "variables is truncated: removed", false, false },
		{ 3, 0, NULL, NULL, "a report of another version of noisefloor", true, true },
		{ 0, 0, MOCKED_REPORT, NULL, "variables cannot be read", true, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct mocked_run *r;
		struct mocked_variable *v;

		start_only(SHORT "save=nvram " EXIT, MOCKED_QEMU_EXIT);
		v = mocked_variable(storage, MOCKED_REPORT);
		v->data[rows[i].byte] ^= rows[i].byte != 0;
		v->bytes = rows[i].bytes ? rows[i].bytes : v->bytes;
		storage->hides = rows[i].hides;
		storage->keeps = rows[i].keeps;
		r = start(SHORT EXIT);
		check_text(r, rows[i].why, true);
		assert_int_equal(mocked_count(r, "begin") > 0, rows[i].measures);
		assert_int_equal(report_waits(), rows[i].stays);
		memset(storage->variable, 0, sizeof(storage->variable));
	}
}

/* In a small store, the report has fewer records, and is complete. A quarter stays free. */
TEST_F(new_storage, free_storage, test_a_small_store_has_less)
{
	const struct mocked_run *r;
	json_t *saved, *logs, *log;
	bool noted = false;
	size_t i;

	storage->store_bytes = 2200;
	r = start(SHORT "save=file " EXIT);
	assert_int_equal(r->end, MOCKED_RESET);
	assert_in_range(mocked_variable(storage, MOCKED_REPORT)->bytes, 512, 2200 * 3 / 4);
	start_only(EXIT, MOCKED_QEMU_EXIT);
	saved = saved_records();
	mocked_check_totals(saved);
	mocked_check_same(saved, r->records, "stage");
	logs = mocked_of_type(saved, "log");
	json_array_foreach(logs, i, log) if (strstr(mocked_string(log, "text"), LEFT_OUT))
		noted = true;
	assert_true(noted);
	assert_true(count_of(saved, "gap") < SAVED_GAPS);
}
