/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probe was started from a volume that a reset loses: its results stay in the firmware's
 * variables until a lasting volume has them.
 */
#include "stored_run.h"

#define WHERE "fetched by `noisefloor boot fetch --delete` under Linux"

/* Start the machine from a stick: it saves the report of that run. */
static void fetch_by_stick(const struct mocked_run *of)
{
	const struct mocked_run *r;

	storage->medium = BOOT_PATH_LASTS;
	storage->loses_files = storage->no_volume = storage->read_only = false;
	r = start(SHORT EXIT);
	check_text(r, "harvest: the variable is removed", true);
	assert_int_equal(mocked_count(r, "begin"), 0);
	assert_true(mocked_is_clean(storage));
	check_saved(of);
}

static void use_ram_disk(void)
{
	storage->medium = BOOT_PATH_RAM_DISK;
	storage->loses_files = true;
}

/* An ISO by HTTP: its RAM disk accepts a file, but the next start downloads a new disk. */
TEST_F(new_storage, free_storage, test_a_ram_disk_leaves_its_report_in_the_variables)
{
	const struct mocked_run *r, *second;

	use_ram_disk();
	r = start(SHORT "then=reset\n");
	assert_int_equal(r->end, MOCKED_RESET);
	check_text(r, "save: it is on a RAM disk, which the next reset loses", true);
	check_text(r, WHERE, true);
	second = start(SHORT "then=reset\n");
	assert_int_equal(second->end, MOCKED_RETURNED);
	check_text(second, "harvest: the variable stays", true);
	check_text(second, WHERE, true);
	assert_int_equal(mocked_count(second, "begin"), 0);
	assert_int_equal(mocked_files(storage, ""), 0);
	storage->stays_on = false;
	fetch_by_stick(r);
}

/* A stick saves the report, whenever the power is cut. True if there was a report. */
static bool cut_ram_disk(unsigned first_cut, unsigned second_cut, enum mocked_end *end)
{
	const struct mocked_run *r, *second = NULL;
	bool waits;

	storage = mocked_storage_new();
	use_ram_disk();
	storage->cut = first_cut;
	r = start(SHORT "then=reset\n");
	*end = r->end;
	storage->cut = second_cut;
	waits = report_waits();
	if (waits && second_cut) {
		second = start(SHORT "then=reset\n");
		*end = second->end;
		storage->stays_on = false;
		storage->cut = 0;
	}
	if (waits)
		fetch_by_stick(r);
	mocked_storage_free(storage);
	return waits;
}

TEST(test_power_cut_at_each_change_of_a_ram_disk)
{
	enum mocked_end end = MOCKED_CUT;
	bool waits = false;

	for (unsigned cut = 1; end == MOCKED_CUT; cut++) {
		bool waited = waits;

		waits = cut_ram_disk(cut, 0, &end);
		assert_true(waits || !waited);
	}
	assert_true(waits);
	end = MOCKED_CUT;
	for (unsigned cut = 1; end == MOCKED_CUT; cut++)
		assert_true(cut_ram_disk(0, cut, &end));
	assert_int_equal(end, MOCKED_RETURNED);
}

/*
 * A RAM disk, a disk that may be memory, and one that cannot be written get no file: a stick saves
 * the report later.
 */
TEST(test_volumes_that_get_no_file)
{
	static const struct {
		enum boot_path_medium medium;
		bool loses_files, read_only;
		const char *config, *why;
	} rows[] = {
		{ BOOT_PATH_RAM_DISK, true, false, SHORT "stages=firmware " EXIT, WHERE },
		{ BOOT_PATH_UNPROVED, false, false, SHORT "stages=firmware " EXIT,
		  "save: the volume may be memory, which a reset loses" },
		{ BOOT_PATH_LASTS, false, true, SHORT "save=file " EXIT,
		  "save: the volume cannot be written to" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct mocked_run *r;

		new_storage();
		storage->medium = rows[i].medium;
		storage->loses_files = rows[i].loses_files;
		storage->read_only = rows[i].read_only;
		r = start(rows[i].config);
		check_text(r, "saved: ", false);
		check_text(r, rows[i].why, true);
		check_text(r, WHERE, true);
		assert_int_equal(mocked_files(storage, ""), 0);
		fetch_by_stick(r);
		free_storage();
	}
}

/*
 * A disk with a boot loader's device path, or a management controller's, may be memory: no file is
 * written to it, not even for a report that another start has left.
 */
TEST_F(new_storage, free_storage, test_a_disk_that_may_be_memory_leaves_its_report)
{
	const struct mocked_run *r;

	storage->medium = BOOT_PATH_UNPROVED;
	r = start(SHORT "save=file " EXIT);
	check_text(r, "save: the volume may be memory, which a reset loses", true);
	check_text(r, WHERE, true);
	for (unsigned n = 0; n < 2; n++) {
		const struct mocked_run *later = start(SHORT "save=file " EXIT);

		check_text(later, "harvest: no file: the volume may be memory", true);
		check_text(later, "harvest: the variable stays", true);
		assert_int_equal(mocked_count(later, "begin"), 0);
		assert_true(report_waits());
		assert_int_equal(mocked_files(storage, ""), 0);
	}
	fetch_by_stick(r);
}
