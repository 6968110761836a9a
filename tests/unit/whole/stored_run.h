/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of what runs leave behind. Each test has a new storage. */
#pragma once

#include "mocked.h"
#include "mocked_storage.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define SHORT "duration=600ms window=200ms selftest=no "
#define EXIT  "then=qemu-exit\n"

static struct mocked_storage *storage;

static inline void new_storage(void)
{
	storage = mocked_storage_new();
}

static inline void free_storage(void)
{
	mocked_storage_free(storage);
}

static const struct mocked_gap gaps[] = {
	{ .at_ns = 1010 * MOCKED_MS, .ns = 3000, .cores = 1, .smi = 1, .every_ns = 10 * MOCKED_MS },
	{ .at_ns = 1017 * MOCKED_MS, .ns = 4000, .cores = 2, .every_ns = 30 * MOCKED_MS },
};

static inline const struct mocked_run *start(const char *config)
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

/* True if a report waits in the variables. */
static inline bool report_waits(void)
{
	return mocked_variable(storage, MOCKED_REPORT) != NULL;
}

/* Run, and check only how the run ends: the caller looks at the storage. */
static inline void start_only(const char *config, enum mocked_end end)
{
	const struct mocked_run *r = start(config);

	assert_int_equal(r->end, end);
}

static inline void check_page(const char *part)
{
	char *page = mocked_file_text(mocked_file(storage, ".html"));

	if (!strstr(page, part))
		fail_msg("no \"%s\" in:\n%s", part, page);
	free(page);
}

/* Run, and check that the run measures to its end, and logs `why`. */
static inline void check_logged(const char *config, const char *why)
{
	const struct mocked_run *r = start(config);

	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	if (!mocked_logged(r, why))
		fail_msg("no \"%s\" in:\n%s", why, r->text);
	assert_int_equal(mocked_count(r, "window"), 3);
	assert_string_equal(mocked_string(mocked_record(r, "end", 0), "verdict"), "none");
}

static inline void check_text(const struct mocked_run *r, const char *part, bool wanted)
{
	if ((strstr(r->text, part) != NULL) != wanted)
		fail_msg("\"%s\" is %s in:\n%s", part, wanted ? "not" : "", r->text);
}

static inline json_t *saved_records(void)
{
	return mocked_file_records(mocked_file(storage, ".jsonl"), false);
}

static inline size_t count_of(const json_t *records, const char *type)
{
	return json_array_size(mocked_of_type(records, type));
}

/* Check that the records of these types, up to NULL, equal those on the serial line. */
static inline void check_same(const json_t *saved, const struct mocked_run *r,
			      const char *const types[])
{
	for (size_t i = 0; types[i]; i++)
		mocked_check_same(saved, r->records, types[i]);
}

/* The types whose records a report in the variables has exactly as the serial line has them. */
static const char *const exact[] = { "begin", "stage", "window", "cpu", "source", "pause", NULL };

/* Check that the only file has the report of that run, which was in the variables before. */
static inline void check_saved(const struct mocked_run *r)
{
	json_t *saved = saved_records();

	check_same(saved, r, exact);
	mocked_check_totals(saved);
}
