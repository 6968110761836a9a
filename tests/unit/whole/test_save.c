/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results that survive: in files while boot services live, by way of the firmware's variables after
 * that. The storage is kept from start to start.
 */
#include "mocked.h"
#include "mocked_storage.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define SHORT      "duration=600ms window=200ms selftest=no "
#define EXIT       "then=qemu-exit\n"
#define LEFT_OUT   "left out of the saved report for lack of space: "
#define SAVED_GAPS 20 /* of each stage, in a report that waits in the variables */

static const struct mocked_gap gaps[] = {
	{ .at_ns = 1010 * MOCKED_MS, .ns = 3000, .cores = 1, .smi = 1, .every_ns = 10 * MOCKED_MS },
	{ .at_ns = 1017 * MOCKED_MS, .ns = 4000, .cores = 2, .every_ns = 30 * MOCKED_MS },
};

static struct mocked_storage *storage;

static int new_storage(void **state)
{
	(void)state;
	storage = mocked_storage_new();
	return 0;
}

static int free_storage(void **state)
{
	(void)state;
	mocked_storage_free(storage);
	return 0;
}

static struct mocked_run *start(const char *config)
{
	const struct mocked m = {
		.config = config,
		.cores = 2,
		.gap = gaps,
		.gaps = 2,
		.storage = storage,
	};

	return mocked_start(&m);
}

/* Start for what is left behind alone. */
static void start_only(const char *config, enum mocked_end end)
{
	struct mocked_run *r = start(config);

	assert_int_equal(r->end, end);
	mocked_free(r);
}

static void check_text(const struct mocked_run *r, const char *part, bool wanted)
{
	if ((strstr(r->text, part) != NULL) != wanted)
		fail_msg("\"%s\" is %s in:\n%s", part, wanted ? "not" : "", r->text);
}

static void check_page(const char *part)
{
	char *page = mocked_file_text(mocked_file(storage, ".html"));

	if (!strstr(page, part))
		fail_msg("no \"%s\" in:\n%s", part, page);
	free(page);
}

static json_t *saved_records(void)
{
	return mocked_file_records(mocked_file(storage, ".jsonl"));
}

static void check_same(const json_t *saved, const struct mocked_run *r, const char *const types[])
{
	for (size_t i = 0; types[i]; i++)
		mocked_check_same(saved, r->records, types[i]);
}

/* What a report in the variables has as the serial line has it. */
static const char *const exact[] = { "begin", "stage", "window", "cpu", "source", "pause", NULL };

static int64_t end_number(const json_t *records, const char *name)
{
	json_t *ends = mocked_joined(records, "end");
	int64_t number = mocked_number(json_array_get(ends, 0), name);

	json_decref(ends);
	return number;
}

static size_t count_of(const json_t *records, const char *type)
{
	json_t *found = mocked_joined(records, type);
	size_t count = json_array_size(found);

	json_decref(found);
	return count;
}

/* A saved report is whole, and ends as the run did. */
static void check_saved(const struct mocked_run *r)
{
	json_t *saved = saved_records();

	check_same(saved, r, exact);
	mocked_check_totals(saved);
	json_decref(saved);
}

/* ---- By way of the variables ---- */

TEST_F(new_storage, free_storage, test_the_file_equals_the_serial_line)
{
	struct mocked_run *r = start(SHORT "stages=bare,handoff save=file " EXIT);
	struct mocked_run *second;
	json_t *saved;

	assert_int_equal(r->end, MOCKED_RESET);
	check_text(r, "writes to its store in this run: 2; restarting to write the file", true);
	assert_true(mocked_has_variable(storage, "BootNext"));
	assert_int_equal(mocked_reports(storage), 1);
	second = start(SHORT "save=file " EXIT);
	assert_int_equal(second->end, MOCKED_QEMU_EXIT);
	check_text(second, "harvest: saved as", true);
	check_text(second, "harvest: the variables are removed", true);
	assert_int_equal(mocked_count(second, "begin"), 0);
	saved = saved_records();
	check_same(saved, r, exact);
	mocked_check_within(saved, r->records, "gap");
	mocked_check_within(saved, r->records, "event");
	assert_int_equal(count_of(saved, "gap"), 2 * SAVED_GAPS);
	assert_int_equal(end_number(saved, "gaps_unsent") + 2 * SAVED_GAPS,
			 end_number(r->records, "gaps_unsent") + (int64_t)mocked_count(r, "gap"));
	assert_int_equal(count_of(saved, "log"), mocked_count(r, "log") + 1);
	mocked_check_within(r->records, saved, "log");
	mocked_check_totals(saved);
	check_page("\n<h1>verdict: none</h1>\n");
	check_page("\nstage handoff\n");
	assert_true(mocked_is_clean(storage));
	json_decref(saved);
	mocked_free(second);
	mocked_free(r);
}

/* Its longest gaps are those that are saved. */
TEST_F(new_storage, free_storage, test_the_longest_gaps_are_saved)
{
	struct mocked_run *r = start("duration=3s selftest=no stages=bare save=file " EXIT);
	json_t *saved, *gap, *found;
	size_t i;

	start_only(SHORT EXIT, MOCKED_QEMU_EXIT);
	saved = saved_records();
	found = mocked_joined(saved, "gap");
	assert_int_equal(json_array_size(found), SAVED_GAPS);
	json_array_foreach(found, i, gap)
		assert_true(mocked_number(gap, "len_ns") >= (int64_t)gaps[1].ns);
	json_decref(found);
	json_decref(saved);
	mocked_free(r);
}

/* Into the records and onto the page. */
TEST_F(new_storage, free_storage, test_a_remark_is_saved)
{
	struct mocked_run *r = start(SHORT "preset=openshift max=1s save=file " EXIT), *second;
	const char *remark = mocked_string(mocked_record(r, "end", 0), "remark");
	json_t *saved, *ends;
	char line[200];

	assert_non_null(strstr(remark, " of sampling is short of the 12 h that preset openshift "
				       "requires"));
	second = start(EXIT);
	saved = saved_records();
	ends = mocked_joined(saved, "end");
	assert_string_equal(mocked_string(json_array_get(ends, 0), "remark"), remark);
	check_page(", but short</h1>\n");
	snprintf(line, sizeof(line), "<h2>%s</h2>\n", remark);
	check_page(line);
	snprintf(line, sizeof(line), ", but %s\n", remark);
	check_text(r, line, true);
	check_text(second, line, true);
	check_page(line);
	json_decref(ends);
	json_decref(saved);
	mocked_free(second);
	mocked_free(r);
}

TEST_F(new_storage, free_storage, test_nobody_asked_for_a_write_to_the_firmwares_store)
{
	struct mocked_run *r = start(SHORT EXIT);

	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	assert_int_equal(storage->changes, 0);
	check_text(r, "\nsave", false);
	assert_false(mocked_logged(r, "save"));
	mocked_free(r);
}

TEST_F(new_storage, free_storage, test_a_report_that_waits_is_harvested_and_nothing_is_measured)
{
	struct mocked_run *r = start(SHORT "save=nvram " EXIT), *second, *third;

	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	check_text(r, "they outlive a reset, and are fetched by", true);
	assert_int_equal(mocked_reports(storage), 1);
	assert_false(mocked_has_variable(storage, "BootNext"));
	assert_int_equal(mocked_files(storage, ""), 0);
	second = start(SHORT "save=nvram " EXIT);
	check_text(second, "harvest: saved as", true);
	assert_int_equal(mocked_count(second, "begin"), 0);
	assert_true(mocked_is_clean(storage));
	check_saved(r);
	/* Only now it measures. */
	third = start(SHORT "save=nvram " EXIT);
	assert_true(mocked_count(third, "begin") > 0);
	assert_int_equal(mocked_reports(storage), 1);
	mocked_free(third);
	mocked_free(second);
	mocked_free(r);
}

/* save=none measures all the same, and the report stays. */
TEST_F(new_storage, free_storage, test_save_none_leaves_a_report_alone)
{
	struct mocked_run *r;

	start_only(SHORT "save=nvram " EXIT, MOCKED_QEMU_EXIT);
	r = start(SHORT "save=none then=reset\n");
	assert_int_equal(r->end, MOCKED_RESET);
	assert_int_equal(mocked_count(r, "window"), 3);
	assert_int_equal(mocked_reports(storage), 1);
	assert_int_equal(storage->changes, 0);
	mocked_free(r);
}

/* It comes first in the boot order: it must not measure again, or the machine never would boot. */
TEST_F(new_storage, free_storage, test_after_the_harvest_the_machine_goes_on_with_its_boot_order)
{
	const char *config = SHORT "save=file then=reset\n";
	struct mocked_run *r;

	start_only(config, MOCKED_RESET);
	start_only(config, MOCKED_RETURNED);
	assert_true(mocked_is_clean(storage));
	r = start(config);
	assert_int_equal(r->end, MOCKED_RETURNED);
	check_text(r, "harvest: done already", true);
	assert_int_equal(mocked_count(r, "begin"), 0);
	mocked_free(r);
	/* After a reset it is the next start. */
	storage->stays_on = false;
	r = start(config);
	assert_true(mocked_count(r, "begin") > 0);
	mocked_free(r);
}

/* Nobody is waited for but the person who reads the result. */
TEST_F(new_storage, free_storage, test_a_key_ends_the_harvest)
{
	struct mocked m = { .config = SHORT "then=auto\n", .storage = storage };
	struct mocked_run *r;

	start_only(m.config, MOCKED_RESET);
	r = mocked_start(&m);
	check_text(r, "any key continues", true);
	assert_int_equal(r->end, MOCKED_HALTED);
	assert_true(mocked_is_clean(storage));
	mocked_free(r);

	start_only(m.config, MOCKED_RESET);
	m.key = ' ';
	m.key_at = 100 * MOCKED_S;
	r = mocked_start(&m);
	assert_int_equal(r->end, MOCKED_RETURNED);
	assert_true(r->ended_ns >= m.key_at);
	mocked_free(r);
}

/* ---- While boot services live ---- */

TEST_F(new_storage, free_storage, test_stage_firmware_writes_its_file_as_it_goes)
{
	static const char *const types[] = { "begin", "stage",  "window", "gap", "cpu", "event",
					     "log",   "source", "pause",  "end", NULL };
	struct mocked_run *r = start(SHORT "stages=firmware " EXIT);
	json_t *saved = saved_records();

	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	check_same(saved, r, types);
	mocked_check_totals(saved);
	check_page("\n<h1>verdict: none</h1>\n");
	check_text(r, "\nsaved: \\noisefloor\\20310506-", true);
	check_text(r, ", and a page beside it\n", true);
	assert_true(mocked_is_clean(storage));
	json_decref(saved);
	mocked_free(r);
}

/* The file of the stages after ExitBootServices has those before, too. */
TEST_F(new_storage, free_storage, test_a_ladder_has_a_file_of_each_side)
{
	struct mocked_run *r = start(SHORT "stages=firmware,bare save=file " EXIT);
	json_t *part = saved_records(), *all;
	const json_t *last = json_array_get(part, json_array_size(part) - 1);

	assert_int_equal(mocked_files(storage, "-firmware.jsonl"), 1);
	assert_int_equal(count_of(part, "stage"), 1);
	assert_string_equal(mocked_string(last, "type"), "log");
	assert_non_null(strstr(mocked_string(last, "text"), "ends here"));
	start_only(EXIT, MOCKED_QEMU_EXIT);
	assert_int_equal(mocked_files(storage, ".jsonl"), 2);
	assert_int_equal(mocked_files(storage, "-firmware.jsonl"), 1);
	all = mocked_file_records(mocked_file(storage, "01.jsonl"));
	check_same(all, r, exact);
	assert_int_equal(count_of(all, "stage"), 2);
	mocked_check_within(part, all, "window");
	json_decref(all);
	json_decref(part);
	mocked_free(r);
}

/* ---- Volumes ---- */

/* The run goes on, and has a log. */
static void check_logged(const char *config, const char *why)
{
	struct mocked_run *r = start(config);

	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	if (!mocked_logged(r, why))
		fail_msg("no \"%s\" in:\n%s", why, r->text);
	assert_int_equal(mocked_count(r, "window"), 3);
	assert_string_equal(mocked_string(mocked_record(r, "end", 0), "verdict"), "none");
	mocked_free(r);
}

TEST_F(new_storage, free_storage, test_a_full_volume_is_logged_and_the_run_goes_on)
{
	storage->volume_bytes = 5000;
	check_logged(SHORT "stages=firmware " EXIT, "save: the volume is full");
	assert_true(mocked_file(storage, ".jsonl")->bytes <= storage->volume_bytes);
}

TEST_F(new_storage, free_storage, test_a_write_that_is_short_is_a_full_volume)
{
	storage->most_written = 3000;
	check_logged(SHORT "stages=firmware " EXIT, "save: the volume is full");
}

TEST_F(new_storage, free_storage, test_a_volume_that_takes_no_file)
{
	storage->no_folder = true;
	check_logged(SHORT "stages=firmware " EXIT, "save: the volume does not take it");
	assert_int_equal(mocked_reports(storage), 1);
}

TEST_F(new_storage, free_storage, test_a_volume_that_is_read_only)
{
	storage->read_only = true;
	check_logged(SHORT "stages=firmware " EXIT, "save: the volume cannot be written to");
	assert_int_equal(mocked_files(storage, ""), 0);
}

/* The name exists, of another run: then the file has another. */
TEST_F(new_storage, free_storage, test_no_file_of_another_run_is_overwritten)
{
	const char *config = SHORT "stages=firmware " EXIT;

	storage->stands_still = true;
	start_only(config, MOCKED_QEMU_EXIT);
	start_only(config, MOCKED_QEMU_EXIT);
	assert_int_equal(mocked_files(storage, ".jsonl"), 2);
	assert_int_equal(mocked_files(storage, "-2.jsonl"), 1);
	assert_int_equal(mocked_files(storage, "-2.html"), 1);
}

/* The variables stay where no file holds what was written. */
static void check_stays(const char *why)
{
	struct mocked_run *r;

	start_only(SHORT "save=nvram " EXIT, MOCKED_QEMU_EXIT);
	r = start(EXIT);
	check_text(r, why, true);
	check_text(r, "harvest: the variables stay", true);
	check_text(r, "the variables are removed", false);
	assert_int_equal(mocked_reports(storage), 1);
	assert_int_equal(mocked_count(r, "begin"), 0);
	mocked_free(r);
}

TEST_F(new_storage, free_storage, test_a_harvest_without_space)
{
	storage->volume_bytes = 3000;
	check_stays("harvest: no file: the volume is full");
}

TEST_F(new_storage, free_storage, test_a_harvest_that_is_read_back_otherwise)
{
	storage->spoils = true;
	check_stays("harvest: no file: what is read back from it is not what was written");
}

TEST_F(new_storage, free_storage, test_a_harvest_without_a_volume)
{
	storage->no_volume = true;
	check_stays("harvest: no file: it was not loaded from a volume");
}

/* Over the network alone there is none; unless asked for, nothing is written to the flash. */
TEST_F(new_storage, free_storage, test_a_file_that_was_asked_for_and_has_no_volume)
{
	struct mocked_run *r;

	storage->no_volume = true;
	start_only(SHORT "then=reset\n", MOCKED_RESET);
	assert_true(mocked_is_clean(storage));
	r = start(SHORT "save=file " EXIT);
	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	check_text(r, "fetched by `noisefloor harvest --delete` under Linux", true);
	assert_int_equal(mocked_reports(storage), 1);
	assert_false(mocked_has_variable(storage, "BootNext"));
	mocked_free(r);
}

TEST_F(new_storage, free_storage, test_files_that_cannot_be_renamed)
{
	struct mocked_run *r = start(SHORT "save=file " EXIT), *second;

	storage->no_rename = true;
	second = start(EXIT);
	check_text(second, "harvest: the variables are removed", true);
	assert_true(mocked_is_clean(storage));
	check_saved(r);
	mocked_free(second);
	mocked_free(r);
}

/* ---- What starts next ---- */

/* No reset into nowhere: the report waits for the next start. */
static void check_waits(const char *why)
{
	struct mocked_run *r = start(SHORT "save=file " EXIT), *second;

	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	check_text(r, why, true);
	check_text(r, "restarting", false);
	assert_int_equal(mocked_reports(storage), 1);
	assert_false(mocked_has_variable(storage, "BootNext"));
	second = start(EXIT);
	check_text(second, "harvest: the variables are removed", true);
	check_saved(r);
	mocked_free(second);
	mocked_free(r);
}

TEST_F(new_storage, free_storage, test_a_boot_loaders_entry_is_not_booted_again)
{
	storage->by_loader = true;
	check_waits("leads to another program, such as a boot loader");
}

TEST_F(new_storage, free_storage, test_a_boot_next_that_is_lost)
{
	storage->loses_boot_next = true;
	check_waits("the firmware does not take BootNext: the next start of noisefloor");
}

TEST_F(new_storage, free_storage, test_a_firmware_that_does_not_know_what_it_started)
{
	storage->no_entry = true;
	check_logged(SHORT "save=file " EXIT, "does not report which boot entry started this");
	assert_int_equal(mocked_reports(storage), 0);
}

/* The firmware loses its variables: nothing is measured for ever. */
TEST_F(new_storage, free_storage, test_runs_that_leave_no_report_end)
{
	const char *config = SHORT "then=reset save=file\n";
	struct mocked_run *r;

	storage->loses_variables = true;
	for (unsigned i = 0; i < 2; i++)
		start_only(config, MOCKED_RESET);
	r = start(config);
	check_text(r, "harvest: 2 runs in a row have left no report", true);
	assert_int_equal(r->end, MOCKED_RETURNED);
	assert_int_equal(mocked_count(r, "begin"), 0);
	mocked_free(r);
}

/* ---- The store ---- */

TEST_F(new_storage, free_storage, test_a_store_without_room)
{
	storage->store_bytes = 600;
	check_logged(SHORT "save=file " EXIT, "the firmware's store has no room");
	assert_true(mocked_is_clean(storage));
	storage->store_bytes = 0;
	start_only(SHORT "save=nvram " EXIT, MOCKED_QEMU_EXIT);
	assert_int_equal(mocked_reports(storage), 1);
}

/* A small one takes a report that has less in it, and it is whole. */
TEST_F(new_storage, free_storage, test_a_small_store_has_less)
{
	struct mocked_run *r, *second;
	json_t *saved, *logs, *log;
	bool noted = false;
	size_t i;

	storage->store_bytes = 1700;
	r = start(SHORT "save=file " EXIT);
	assert_int_equal(r->end, MOCKED_RESET);
	second = start(EXIT);
	saved = saved_records();
	mocked_check_totals(saved);
	mocked_check_same(saved, r->records, "stage");
	logs = mocked_joined(saved, "log");
	json_array_foreach(logs, i, log) if (strstr(mocked_string(log, "text"), LEFT_OUT))
		noted = true;
	assert_true(noted);
	assert_true(count_of(saved, "gap") < SAVED_GAPS);
	json_decref(logs);
	json_decref(saved);
	mocked_free(second);
	mocked_free(r);
}
