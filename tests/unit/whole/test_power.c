/* SPDX-License-Identifier: BSD-2-Clause */
/* The power is cut at each change of the volume and of the variables. */
#include "stored_run.h"

#define STARTS 4 /* at most, until the report is saved */

/* After the power cut, start until the report is saved. Returns how many runs measured. */
static size_t starts_again(const char *config)
{
	size_t begun = 0;

	storage->cut = 0;
	for (unsigned n = 0; n < STARTS; n++) {
		const struct mocked_run *r = start(config);
		enum mocked_end end = r->end;

		begun += mocked_count(r, "end");
		if (end == MOCKED_QEMU_EXIT)
			return begun;
		assert_int_equal(end, MOCKED_RESET);
	}
	fail_msg("it still restarts after %u starts", STARTS);
	return 0;
}

static void check_files(void)
{
	size_t runs = mocked_files(storage, ".jsonl");

	assert_true(runs >= 1 && runs <= 2);
	assert_int_equal(mocked_files(storage, ""), runs + mocked_files(storage, ".html"));
	for (unsigned i = 0; i < MOCKED_FILES; i++) {
		const struct mocked_content *c = &storage->file[i].kept;
		json_t *records;

		if (!c->is_there || !strstr(c->name, ".jsonl"))
			continue;
		records = mocked_file_records(c, false);
		mocked_check_totals(records);
	}
}

/* Cut the power at each change of a start with a copy of the storage. Returns their number. */
static unsigned cut_each(const char *config)
{
	struct mocked_storage *from = storage;
	enum mocked_end end = MOCKED_CUT;
	unsigned cut = 0;

	storage = mocked_storage_new();
	while (end == MOCKED_CUT) {
		mocked_storage_copy(storage, from);
		storage->cut = ++cut;
		end = start(config)->end;
		if (end != MOCKED_CUT)
			break;
		assert_in_range(starts_again(config), 0, 1);
		assert_true(mocked_is_clean(storage));
		check_files();
	}
	mocked_storage_free(storage);
	storage = from;
	return cut - 1;
}

TEST_F(new_storage, free_storage, test_power_cut_at_each_change)
{
	const char *config = SHORT "save=file " EXIT;

	/* Changes: the folder, the mark that a run has begun, the report, BootNext. */
	assert_in_range(cut_each(config), 4, 10);
	start_only(config, MOCKED_RESET);
	/* Changes: BootNext and the mark again, two files, and the report. */
	assert_in_range(cut_each(config), 5, 20);
}

/* Check that the file has all windows that the serial line has, except the last. */
static void check_torn(const struct mocked_run *r)
{
	json_t *saved, *windows, *window;
	size_t i, printed = 0;

	for (const char *at = r->text; (at = strstr(at, "/6  ")) != NULL; at++)
		printed++;
	if (!mocked_files(storage, ".jsonl")) {
		assert_int_equal(printed, 0);
		return;
	}
	saved = mocked_file_records(mocked_file(storage, ".jsonl"), true);
	windows = mocked_of_type(saved, "window");
	json_array_foreach(windows, i, window) assert_int_equal(mocked_number(window, "n"), i + 1);
	assert_true(json_array_size(windows) + 1 >= printed);
}

TEST(test_power_cut_in_stage_firmware_loses_the_last_window)
{
	enum mocked_end end = MOCKED_CUT;

	for (unsigned cut = 1; end == MOCKED_CUT; cut++) {
		const struct mocked_run *r;

		new_storage();
		storage->cut = cut;
		r = start("duration=3s window=500ms selftest=no stages=firmware " EXIT);
		end = r->end;
		check_torn(r);
		free_storage();
	}
}
