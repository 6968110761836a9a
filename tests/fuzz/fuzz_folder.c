/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A collector's folder as anybody may have left it. The first byte selects what the index is, the
 * second what two of the runs' files are: a file, a folder, a link, a FIFO. Its top bit asks for
 * lines that are signed. Then their contents follow, which form feeds part: the index, and the
 * files of runs 1, 2 and 3.
 */
#include "host/collect/collect.h"
#include "host/store/index_order.h"
#include "host/collect/run_writer.h"
#include "host/store/files.h"

#include "tests/fuzz/folder.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define INPUT_MAX ((size_t)1 << 17)
#define RUNS      3
#define UUID      "00000000-0000-0000-0000-000000000001"
#define JUNIT     "junit.xml"

static struct run_writer opened; /* once: its table of files is large */

static void remove_folder(void)
{
	unlinkat(dir, "lock", 0);
	rmdir(folder);
	run_writer_close(&opened);
}

static void start(void)
{
	const char *what;

	folder_start("fuzz_folder");
	atexit(remove_folder);
	insist(run_writer_open(&opened, folder, &what));
}

static void make_all(const uint8_t *kinds, const char *text, size_t bytes)
{
	const char *end = text + bytes;
	size_t count;
	const char *at = folder_part(&text, end, &count);
	char name[STORE_NAME_MAX];

	folder_make(INDEX_LINES, kinds[0] % FOLDER_KINDS, at, count);
	for (uint64_t sid = 1; sid <= RUNS; sid++) {
		at = folder_part(&text, end, &count);
		store_name(name, sid);
		folder_make_run(name, sid == RUNS ? A_FILE : (kinds[1] >> 2 * sid) % FOLDER_KINDS,
				kinds[1] & 0x80, at, count);
	}
}

static void remove_all(void)
{
	char name[STORE_NAME_MAX];

	for (uint64_t sid = 1; sid <= RUNS; sid++) {
		store_name(name, sid);
		folder_remove(name);
		snprintf(name, sizeof(name), "%016llx.cut", (unsigned long long)sid);
		unlinkat(dir, name, 0);
	}
	folder_remove(INDEX_LINES);
	unlinkat(dir, JUNIT, 0);
}

static void check_summary(const struct summary *s)
{
	input_assert_showable(s->uuid, sizeof(s->uuid));
	input_assert_showable(s->product, sizeof(s->product));
	input_assert_showable(s->bios, sizeof(s->bios));
	input_assert_showable(s->began, sizeof(s->began));
	input_assert_showable(s->verdict, sizeof(s->verdict));
	input_assert_showable(s->reason, sizeof(s->reason));
}

/* Sorted, each run once; in the order, each run that has a file has a rank of its own. */
static void check_index(void)
{
	struct index_table t;
	size_t ranks = 0;

	if (index_read(dir, &t) != 0) {
		index_free(&t);
		return;
	}
	for (size_t i = 0; i < t.count; i++) {
		insist(!i || t.entry[i - 1].sid < t.entry[i].sid);
		insist(index_find(&t, t.entry[i].sid) == &t.entry[i]);
		check_summary(&t.entry[i].summary);
		input_assert_showable(t.entry[i].from, sizeof(t.entry[i].from));
	}
	insist(index_order(&t, dir) == 0 && t.count == RUNS);
	for (size_t i = 0; i < RUNS; i++) {
		insist(t.entry[i].sid == i + 1 && t.entry[i].rank < RUNS);
		ranks |= (size_t)1 << t.entry[i].rank;
	}
	insist(ranks == (1u << RUNS) - 1);
	index_free(&t);
}

/* As a collector that is started again: what it finds in a file is what is left of it. */
static void check_store(void)
{
	const struct receiver_store ops = run_writer_ops(&opened);
	struct store_progress before, found, after;

	for (uint64_t sid = 1; sid <= RUNS; sid++) {
		int error = store_read(dir, sid, &before);

		check_summary(&before.summary);
		insist(before.summary.begin.bad <= before.summary.lines);
		insist(before.next ==
		       before.summary.lines + before.summary.lost - before.summary.begin.bad);
		insist(before.summary.lost <= before.next);
		if (ops.find(ops.ctx, sid, &found) != 0)
			continue;
		insist(!error && memcmp(&before, &found, sizeof(found)) == 0);
		insist(store_read(dir, sid, &after) == 0);
		insist(memcmp(&after, &found, sizeof(found)) == 0);
	}
}

/* One more entry, behind a torn line: it is found again, and those before it are. */
static void check_adding(void)
{
	struct index_entry e = { .sid = UINT64_MAX, .at = 1, .summary = { .lines = UINT32_MAX } };
	struct index_table before, after;
	int fd = index_open(dir, INDEX_LINES);

	if (fd < 0)
		return;
	insist(index_read(dir, &before) == 0);
	if (lseek(fd, 0, SEEK_END) >= 0) {
		insist(index_add(fd, &e) == 0 && index_read(dir, &after) == 0);
		insist(index_find(&after, UINT64_MAX));
		insist(after.count == before.count + !index_find(&before, UINT64_MAX));
		index_free(&after);
	}
	index_free(&before);
	close(fd);
}

static void run_all(void)
{
	char uuid[] = UUID, form[] = "--format", d[] = "--dir";

	for (unsigned as_json = 0; as_json < 2; as_json++) {
		json_t *printed = NULL, **json = as_json ? &printed : NULL;
		char word[5];
		char *fleet[] = { "fleet", form, word, folder, NULL };
		char *status[] = { "status", form, word, d, folder, uuid, NULL };

		strcpy(word, as_json ? "json" : "text");
		folder_run(&fleet_subcommand, 4, fleet, json);
		json_decref(printed);
		folder_run(&status_subcommand, 6, status, json);
		json_decref(printed);
	}
}

static void write_junit(void)
{
	char path[sizeof(folder) + sizeof(JUNIT) + 1];

	snprintf(path, sizeof(path), "%s/" JUNIT, folder);
	collect_junit_write(dir, NULL, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	if (bytes < 2 || bytes > INPUT_MAX)
		return 0;
	if (dir < 0)
		start();
	make_all(data, (const char *)data + 2, bytes - 2);
	check_index();
	run_all();
	write_junit();
	check_store();
	check_adding();
	remove_all();
	return 0;
}
