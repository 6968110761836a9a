/* SPDX-License-Identifier: BSD-2-Clause */
/* The power is cut at each change of the volume and of the variables. */
#include "mocked.h"
#include "mocked_storage.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define SHORT  "duration=400ms window=200ms selftest=no "
#define EXIT   "then=qemu-exit\n"
#define STARTS 4 /* at most, until the report is saved */

static const struct mocked_gap gap = {
	.at_ns = 1010 * MOCKED_MS,
	.ns = 3000,
	.cores = 1,
	.smi = 1,
	.every_ns = 10 * MOCKED_MS,
};

static const struct mocked_run *start(struct mocked_storage *s, const char *config)
{
	const struct mocked m = { .config = config, .gap = &gap, .gaps = 1, .storage = s };

	return mocked_start(&m);
}

/* After the power cut, start until the report is saved. Returns how many runs measured. */
static size_t starts_again(struct mocked_storage *s, const char *config)
{
	size_t begun = 0;

	s->cut = 0;
	for (unsigned n = 0; n < STARTS; n++) {
		const struct mocked_run *r = start(s, config);
		enum mocked_end end = r->end;

		begun += mocked_count(r, "end");
		if (end == MOCKED_QEMU_EXIT)
			return begun;
		assert_int_equal(end, MOCKED_RESET);
	}
	fail_msg("it still restarts after %u starts", STARTS);
	return 0;
}

static void check_files(const struct mocked_storage *s)
{
	size_t runs = mocked_files(s, ".jsonl");

	assert_true(runs >= 1 && runs <= 2);
	assert_int_equal(mocked_files(s, ""), runs + mocked_files(s, ".html"));
	for (unsigned i = 0; i < MOCKED_FILES; i++) {
		const struct mocked_content *c = &s->file[i].kept;
		json_t *records;

		if (!c->is_there || !strstr(c->name, ".jsonl"))
			continue;
		records = mocked_file_records(c);
		mocked_check_totals(records);
	}
}

/* Cut the power at each change of a start with a copy of `from`. Returns the number of changes. */
static unsigned cut_each(const struct mocked_storage *from, const char *config)
{
	struct mocked_storage *s = mocked_storage_new();
	enum mocked_end end = MOCKED_CUT;
	unsigned cut = 0;

	while (end == MOCKED_CUT) {
		const struct mocked_run *r;

		mocked_storage_copy(s, from);
		s->cut = ++cut;
		r = start(s, config);
		end = r->end;
		if (end != MOCKED_CUT)
			break;
		assert_in_range(starts_again(s, config), 0, 1);
		assert_true(mocked_is_clean(s));
		check_files(s);
	}
	mocked_storage_free(s);
	return cut - 1;
}

TEST(test_power_cut_at_each_change)
{
	const char *config = SHORT "save=file " EXIT;
	struct mocked_storage *s = mocked_storage_new();
	const struct mocked_run *r;

	/* Changes: the folder, the mark that a run has begun, the report, BootNext. */
	assert_in_range(cut_each(s, config), 4, 10);
	r = start(s, config);
	assert_int_equal(r->end, MOCKED_RESET);
	/* Changes: BootNext and the mark again, two files, and the report. */
	assert_in_range(cut_each(s, config), 5, 20);
	mocked_storage_free(s);
}

/* Check that the file has all windows that the serial line has, except the last. */
static void check_torn(const struct mocked_storage *s, const struct mocked_run *r)
{
	json_t *saved, *windows, *window;
	size_t i, printed = 0;

	for (const char *at = r->text; (at = strstr(at, "/6  ")) != NULL; at++)
		printed++;
	if (!mocked_files(s, ".jsonl")) {
		assert_int_equal(printed, 0);
		return;
	}
	saved = mocked_torn_records(mocked_file(s, ".jsonl"));
	windows = mocked_joined(saved, "window");
	json_array_foreach(windows, i, window) assert_int_equal(mocked_number(window, "n"), i + 1);
	assert_true(json_array_size(windows) + 1 >= printed);
}

TEST(test_power_cut_in_stage_firmware_loses_the_last_window)
{
	enum mocked_end end = MOCKED_CUT;

	for (unsigned cut = 1; end == MOCKED_CUT; cut++) {
		struct mocked_storage *s = mocked_storage_new();
		const struct mocked_run *r;

		s->cut = cut;
		r = start(s, "duration=3s window=500ms selftest=no stages=firmware " EXIT);
		end = r->end;
		check_torn(s, r);
		mocked_storage_free(s);
	}
}

static unsigned printed_windows(const struct mocked_run *r)
{
	unsigned printed = 0;

	for (const char *at = r->text; (at = strstr(at, "/60  ")) != NULL; at++)
		printed++;
	return printed;
}

/* Check that the second start saved the checkpoint of the first, and then measured. */
static void check_broken_off(const struct mocked_storage *s, const struct mocked_run *first,
			     const struct mocked_run *second)
{
	json_t *saved = mocked_file_records(mocked_file(s, ".jsonl"));
	json_t *windows = mocked_joined(saved, "window"), *cpus = mocked_joined(saved, "cpu");
	json_t *ends = mocked_joined(saved, "end"), *window;
	unsigned printed = printed_windows(first);
	int64_t kept = 0;
	size_t i;

	json_array_foreach(windows, i, window) kept += mocked_number(window, "windows");
	assert_in_range(kept, printed > 20 ? printed - 20 : 1, printed);
	assert_int_equal(json_array_size(cpus), 1);
	/* The exposure is a little less than the windows: gaps take time. */
	assert_in_range(mocked_number(json_array_get(cpus, 0), "exposure_ns"),
			kept * MOCKED_S - MOCKED_MS, kept * MOCKED_S);
	assert_int_equal(json_array_size(ends), 0);
	assert_true(mocked_count(second, "begin") > 0);
}

/* A checkpoint is complete, whenever the power is cut, and its file has the samples until then. */
TEST(test_a_checkpoint_outlives_a_power_cut)
{
	const char *config = "duration=60s window=1s selftest=no save=file checkpoint=10s " EXIT;
	enum mocked_end end = MOCKED_CUT;
	unsigned broken_off = 0;

	for (unsigned cut = 1; end == MOCKED_CUT; cut++) {
		struct mocked_storage *s = mocked_storage_new();
		const struct mocked_run *first, *second;

		s->cut = cut;
		first = start(s, config);
		end = first->end;
		s->cut = 0;
		second = start(s, config);
		if (strstr(second->text, "the run broke off: this is what its last checkpoint "
					 "held")) {
			broken_off++;
			check_broken_off(s, first, second);
		} else {
			assert_true(end != MOCKED_CUT || printed_windows(first) <= 11 ||
				    strstr(first->text, "\nverdict: "));
		}
		mocked_storage_free(s);
	}
	/* Cut the power at each of six checkpoints but the first, and at the report. */
	assert_int_equal(broken_off, 6);
}
