/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that a run writes while boot services live, and those with an earlier run's report. */
#include "stored_run.h"

/* ---- While boot services live ---- */

TEST_F(new_storage, free_storage, test_stage_firmware_writes_its_file_as_it_goes)
{
	static const char *const types[] = { "begin", "stage",  "window", "gap", "cpu", "event",
					     "log",   "source", "pause",  "end", NULL };
	const struct mocked_run *r = start(SHORT "stages=firmware " EXIT);
	json_t *saved = saved_records();

	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	check_same(saved, r, types);
	mocked_check_totals(saved);
	check_page("\n<h1>verdict: none</h1>\n");
	check_text(r, "\nsaved: \\noisefloor\\20310506-", true);
	check_text(r, ", and a page beside it\n", true);
	assert_true(mocked_is_clean(storage));
}

/* The file that is saved after ExitBootServices also has the stages before it. */
TEST_F(new_storage, free_storage, test_a_ladder_has_a_file_of_each_side)
{
	const struct mocked_run *r = start(SHORT "stages=firmware,bare save=file " EXIT);
	json_t *part = saved_records(), *all;
	const json_t *last = json_array_get(part, json_array_size(part) - 1);

	assert_int_equal(mocked_files(storage, "-firmware.jsonl"), 1);
	assert_int_equal(count_of(part, "stage"), 1);
	assert_string_equal(mocked_string(last, "type"), "log");
	assert_non_null(strstr(mocked_string(last, "text"), "ends here"));
	start_only(EXIT, MOCKED_QEMU_EXIT);
	assert_int_equal(mocked_files(storage, ".jsonl"), 2);
	assert_int_equal(mocked_files(storage, "-firmware.jsonl"), 1);
	all = mocked_file_records(mocked_file(storage, "-070000.jsonl"), false);
	check_same(all, r, exact);
	assert_int_equal(count_of(all, "stage"), 2);
	mocked_check_within(part, all, "window");
}

/* ---- Volumes ---- */

TEST_F(new_storage, free_storage, test_a_full_volume_is_logged_and_the_run_goes_on)
{
	storage->volume_bytes = 2000;
	check_logged(SHORT "stages=firmware " EXIT, "save: the volume is full");
	assert_true(mocked_file(storage, ".jsonl")->bytes <= storage->volume_bytes);
}

TEST_F(new_storage, free_storage, test_a_write_that_is_short_is_a_full_volume)
{
	storage->most_written = 1000;
	check_logged(SHORT "stages=firmware " EXIT, "save: the volume is full");
}

TEST_F(new_storage, free_storage, test_a_volume_that_takes_no_file)
{
	storage->no_folder = true;
	check_logged(SHORT "stages=firmware " EXIT, "save: the volume does not take it");
	assert_true(report_waits());
}

TEST_F(new_storage, free_storage, test_a_volume_that_is_read_only)
{
	storage->read_only = true;
	check_logged(SHORT "stages=firmware " EXIT, "save: the volume cannot be written to");
	assert_int_equal(mocked_files(storage, ""), 0);
}

/* If the name exists, from another run, the file has another name. */
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

/* Check that the variables stay if the file could not be written. */
static void check_stays(const char *why)
{
	const struct mocked_run *r;

	start_only(SHORT "save=nvram " EXIT, MOCKED_QEMU_EXIT);
	r = start(EXIT);
	check_text(r, why, true);
	check_text(r, "harvest: the variable stays", true);
	check_text(r, "the variable is removed", false);
	assert_true(report_waits());
	assert_int_equal(mocked_count(r, "begin"), 0);
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

/* Without a volume, nothing is written to the flash unless `save` asks for it. */
TEST_F(new_storage, free_storage, test_a_file_that_was_asked_for_and_has_no_volume)
{
	const struct mocked_run *r;

	storage->no_volume = true;
	start_only(SHORT "then=reset\n", MOCKED_RESET);
	assert_true(mocked_is_clean(storage));
	r = start(SHORT "save=file " EXIT);
	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	check_text(r, "fetched by `noisefloor boot fetch --delete` under Linux", true);
	assert_true(report_waits());
	assert_null(mocked_variable(storage, "BootNext"));
}

TEST_F(new_storage, free_storage, test_a_harvest_whose_page_cannot_be_written)
{
	const struct mocked_run *r = start(SHORT "save=file " EXIT), *second;

	storage->no_page = true;
	second = start(EXIT);
	check_text(second, "but its page for a browser cannot be written", true);
	check_text(second, "harvest: the variable is removed", true);
	assert_int_equal(mocked_files(storage, ".html"), 0);
	check_saved(r);
}
