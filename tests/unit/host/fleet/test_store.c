/* SPDX-License-Identifier: BSD-2-Clause */
/* The store: what is read back from it, and what is reported of a damaged one. */
#include "tests/unit/run_lines.h"
#include "tests/unit/stored.h"
#include "tests/unit/tree.h"

#include "host/capture/reader.h"
#include "host/fleet/store/store.h"

#include "core/lib/crc32c.h"
#include "core/lib/splitmix.h"

#include <sqlite3.h>
#include <stdlib.h>

#define SID UINT64_C(0xfedcba9876543210)

static char text[1 << 16];

/* Leave the store as after a power cut: nothing is moved out of the log when it is closed. */
static void leave_log(struct store *s)
{
	sqlite3_db_config(store_sql(s), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

static void flip(const char *name, off_t at)
{
	int fd = open(tree_path(name), O_RDWR);
	uint8_t byte;

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= 4;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

static void take_text(void *ctx, const char *bytes, size_t count)
{
	memcpy(text + *(size_t *)ctx, bytes, count);
	*(size_t *)ctx += count;
}

/* A file from elsewhere may have lines of any length, each with its checksum. */
TEST(test_long_lines)
{
	static const struct {
		size_t bytes;
		bool read;
	} rows[] = { { 1136, true },
		     { READER_LINE_MAX - 1, true },
		     { READER_LINE_MAX, false },
		     { 200000, false } };
	static char line[200001];
	struct line read;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t marked = rows[i].bytes - LINE_CHECKSUM_BYTES;
		int head = snprintf(line, sizeof(line),
				    "{\"nf\":1,\"sid\":\"%016llx\",\"seq\":1,\"type\":\"log\"",
				    (unsigned long long)SID);

		memset(line + head, 'x', marked - (size_t)head);
		snprintf(line + marked, sizeof(line) - marked, ",\"crc\":\"%08x\"}",
			 crc32c(line, marked));
		assert_int_equal(store_line_read(line, rows[i].bytes, SID, &read), rows[i].read);
	}
}

TEST_F(stored_start, stored_end, test_row)
{
	struct store_run run = stored_run(SID, "Box-1", "pass"), found;

	memset(run.summary.facts.config, 0xa5, SHA256_BYTES);
	run.next = UINT64_MAX;
	run.summary.lines = 7;
	run.summary.mode = mode_at(1);
	run.summary.facts.worst[LIMIT_MAX] = (struct verdict_worst){ 5, 3, true };
	run.summary.facts.sampled_ns = (struct maybe){ 0, true };
	run.summary.facts.attest.state = ATTEST_FACTS_GOOD;
	run.summary.begin = (struct summary_begin){ .rows = 9, .lines = 2, .more = true };
	run.summary.judged = (struct summary_judged){ true, VERDICT_FAIL, "because" };
	strcpy(run.owner, "00000000-0000-0000-0000-000000000001");
	strcpy(run.host, "2001:db8::1");
	stored_insert(stored, &run);
	assert_int_equal(store_find(stored, SID, &found), 0);
	assert_null(store_row_differs(store_row_run, &run, &found));
	assert_null(store_row_differs(store_row_progress, &run, &found));
	assert_string_equal(found.host, run.host);
	assert_string_equal(found.owner, run.owner);
	assert_ptr_equal(found.summary.mode, mode_at(1));
	assert_int_equal(found.summary.judged.verdict, VERDICT_FAIL);
	assert_string_equal(summary_reason(&found.summary), "because");
	assert_int_equal(found.summary.facts.attest.state, ATTEST_FACTS_GOOD);
	assert_int_equal(store_find(stored, 1, &found), ENOENT);
	found = run;
	found.summary.lost++;
	assert_string_equal(store_row_differs(store_row_progress, &run, &found), "lost");
}

/* Any contents of the database are read as values that can be shown, and of the right kind. */
TEST_F(stored_start, stored_end, test_hostile_rows)
{
	struct store_run run = stored_run(1, "box", "pass");

	stored_insert(stored, &run);
	assert_int_equal(store_run_sql(stored,
				       "UPDATE run SET uuid=x'1b5b324aff00', product=zeroblob(999),"
				       " ended=-5, begin_more=2, node_verdict=17, mode='x',"
				       " policy_verdict='good', attest_state='x', attest_key='zz',"
				       " begin_lines=1000, config=1.5"),
			 0);
	assert_int_equal(store_find(stored, 1, &run), 0);
	assert_null(strchr(run.summary.uuid, '\x1b'));
	assert_null(run.summary.mode);
	assert_false(run.summary.ended);
	assert_true(run.summary.begin.more == true);
	assert_int_equal(run.summary.judged.verdict, VERDICT_ERROR);
	assert_int_equal(run.summary.facts.attest.state, ATTEST_FACTS_UNKNOWN);
}

/* One process holds it; others read. */
TEST_F(stored_start, stored_end, test_held)
{
	char why[STORE_WHY];

	assert_null(store_open(tree, STORE_HOLD, why));
	assert_non_null(strstr(why, "/runs.sqlite: another collector uses it"));
	store_close(stored_open(tree, STORE_READ));
	assert_false(store_is_gone(stored));
	unlink(tree_path("runs.sqlite"));
	assert_true(store_is_gone(stored));
	tree_write("runs.sqlite", "");
	assert_true(store_is_gone(stored));
}

/* Other users may not read a collector's store. */
TEST_F(tree_make, tree_remove, test_permissions)
{
	struct stat status;
	char sub[TREE_PATH_MAX], why[STORE_WHY];
	struct store *s;

	snprintf(sub, sizeof(sub), "%s", tree_path("new"));
	umask(0);
	s = store_open(sub, STORE_HOLD, why);
	assert_non_null(s);
	assert_int_equal(stat(sub, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	for (unsigned i = 0; i < 3; i++) {
		static const char *const names[] = { "new/runs.sqlite", "new/runs.sqlite-wal",
						     "new/runs.sqlite-shm" };

		assert_int_equal(stat(tree_path(names[i]), &status), 0);
		assert_int_equal(status.st_mode & 0777, 0600);
	}
	umask(022);
	store_close(s);
}

static void assert_refused(enum store_use use, const char *reason)
{
	char why[STORE_WHY];

	assert_null(store_open(tree, use, why));
	if (!strstr(why, "/runs.sqlite: ") || !strstr(why, reason))
		fail_msg("no `%s` in `%s`", reason, why);
}

TEST_F(tree_make, tree_remove, test_what_is_no_store)
{
	assert_refused(STORE_READ, "No such file");
	memset(text, 'x', sizeof(text));
	for (enum store_use use = STORE_READ; use <= STORE_HOLD; use = (enum store_use)(use + 2)) {
		tree_write_bytes("runs.sqlite", text, sizeof(text));
		assert_refused(use, "it is damaged, or not a database");
	}
	unlink(tree_path("runs.sqlite"));
	stored_change(tree, "PRAGMA user_version=1000");
	assert_refused(STORE_READ, "it has version 1000; accepted: ");
	assert_refused(STORE_HOLD, "it has version 1000; accepted: ");
	unlink(tree_path("runs.sqlite"));
	tree_write("runs.sqlite", "");
	assert_refused(STORE_READ, "it is not a collector's database");
	/* An empty file may become a new store. */
	store_close(stored_open(tree, STORE_HOLD));
	store_close(stored_open(tree, STORE_READ));
	assert_int_equal(truncate(tree_path("runs.sqlite"), 20000), 0);
	assert_refused(STORE_HOLD, "damaged");
}

/* A chunk with a wrong bit is left out and named; the others are read. */
TEST_F(stored_start, stored_end, test_damaged_chunk)
{
	struct store_chunks chunks = { .take = take_text };
	size_t bytes = 0, length = run_lines(text, SID, 3, "box", "pass");
	struct store_run run;
	static char lines[1 << 16];

	memcpy(lines, text, length);
	stored_lines(stored, SID, lines, length);
	assert_int_equal(store_find(stored, SID, &run), 0);
	assert_int_equal(run.summary.lines, 5);
	chunks.ctx = &bytes;
	assert_int_equal(store_chunks(stored, run.id, &chunks), 0);
	assert_int_equal(bytes, length);
	assert_memory_equal(text, lines, length);
	assert_int_equal(chunks.damaged, 0);
	assert_int_equal(store_begin(stored), 0);
	assert_int_equal(store_append(stored, run.id, &(struct store_lines){ 5, 1, "more\n", 5 }),
			 0);
	assert_int_equal(store_run_sql(stored, "UPDATE chunk SET crc32c = crc32c ^ 1 WHERE seq=0"),
			 STORE_DAMAGED);
	assert_int_equal(store_run_sql(stored, "UPDATE chunk SET crc32c = crc32c + 1 WHERE seq=0"),
			 0);
	assert_int_equal(store_commit(stored), 0);
	bytes = 0;
	assert_int_equal(store_chunks(stored, run.id, &chunks), 0);
	assert_int_equal(bytes, 5);
	assert_memory_equal(text, "more\n", 5);
	assert_int_equal(chunks.damaged, 1);
	assert_int_equal(chunks.first, 0);
}

static char whole[STORE_CHUNK];

static void take_whole(void *ctx, const char *bytes, size_t count)
{
	assert_int_equal(count, sizeof(whole));
	assert_memory_equal(bytes, whole, sizeof(whole));
	++*(unsigned *)ctx;
}

/* A full chunk of bytes that zstd makes longer. */
TEST_F(stored_start, stored_end, test_full_chunk)
{
	unsigned taken = 0;
	struct store_chunks chunks = { .take = take_whole, .ctx = &taken };
	struct store_lines lines = { .lines = 1, .text = whole, .bytes = sizeof(whole) };
	struct store_run run = stored_run(1, "box", "");
	uint64_t seed = 1;

	for (size_t i = 0; i < sizeof(whole); i++)
		whole[i] = (char)splitmix_next(&seed);
	whole[sizeof(whole) - 1] = '\n';
	stored_insert(stored, &run);
	stored_append(stored, run.id, lines);
	assert_int_equal(store_chunks(stored, run.id, &chunks), 0);
	assert_int_equal(taken, 1);
	assert_int_equal(chunks.damaged, 0);
}

/* True if a chunk that was stored as these bytes is left out. */
static bool is_left_out(struct store *s, const char *hex)
{
	size_t bytes = 0;
	struct store_chunks chunks = { .take = take_text, .ctx = &bytes };
	char query[500];

	snprintf(query, sizeof(query), "UPDATE chunk SET zstd=%s", hex);
	assert_int_equal(store_run_sql(s, query), 0);
	assert_int_equal(store_chunks(s, 1, &chunks), 0);
	return chunks.damaged == 1 && !bytes;
}

/*
 * Chunks as `zstd --no-check | xxd -p` prints them: the first and the last contain "x" and a line
 * feed, and 300,000 line feeds, which are more than a chunk holds.
 */
TEST_F(stored_start, stored_end, test_hostile_zstd)
{
	struct store_run run = stored_run(1, "box", "");

	stored_insert(stored, &run);
	stored_append(stored, run.id, (struct store_lines){ 0, 1, "x\n", 2 });
	assert_false(is_left_out(stored, "X'28b52ffd0058110000780a'"));
	assert_true(is_left_out(stored, "X'28b52ffd0058110000780b'"));
	assert_true(is_left_out(stored, "X'28b52ffd005811000078'"));
	assert_true(is_left_out(stored, "''"));
	assert_true(is_left_out(stored, "zeroblob(16777216)"));
	assert_true(
		is_left_out(stored, "X'28b52ffd0058540000100a0a0100fbff39c0020200100a039f040a'"));
}

/* A row that another writer has changed meanwhile is not overwritten. */
TEST_F(stored_start, stored_end, test_changed)
{
	struct store_run run = stored_run(1, "box", ""), before;

	stored_insert(stored, &run);
	before = run;
	run.next = 5;
	assert_int_equal(store_begin(stored), 0);
	assert_int_equal(store_advance(stored, &before, &run), 0);
	assert_int_equal(store_advance(stored, &before, &run), STORE_CHANGED);
	assert_int_equal(store_append(stored, run.id, &(struct store_lines){ 0, 1, "x\n", 2 }), 0);
	assert_int_equal(store_append(stored, run.id, &(struct store_lines){ 0, 1, "y\n", 2 }),
			 STORE_DAMAGED);
	store_rollback(stored);
	assert_int_equal(store_find(stored, 1, &run), 0);
	assert_int_equal(run.next, 0);
	run.id = 77;
	assert_int_equal(store_begin(stored), 0);
	assert_int_equal(store_put(stored, &run), STORE_CHANGED);
	store_rollback(stored);
}

/* A machine's latest run is the last begun of those that have ended, in whatever order. */
TEST_F(stored_start, stored_end, test_latest)
{
	struct store_run run[3];
	uint64_t id;

	for (unsigned i = 0; i < 3; i++) {
		run[i] = stored_run(i + 1, i == 1 ? "BOX" : "box", "");
		stored_insert(stored, &run[i]);
	}
	for (unsigned i = 0; i < 3; i++) {
		static const unsigned order[] = { 1, 0, 2 }, latest[] = { 1, 1, 2 };

		run[order[i]].summary.ended = true;
		assert_int_equal(store_begin(stored), 0);
		assert_int_equal(store_put(stored, &run[order[i]]), 0);
		assert_int_equal(store_commit(stored), 0);
		assert_int_equal(store_number(stored, "SELECT id FROM latest", &id), 0);
		assert_int_equal(id, run[latest[i]].id);
	}
}

/* ---- The log ---- */

static struct store_wal wal_of(void)
{
	struct store_wal wal;

	assert_int_equal(store_wal_read(tree_path("runs.sqlite"), &wal), 0);
	return wal;
}

#define FRAME (24 + STORE_WAL_PAGE)

/* Each commit is a run of its own. Returns the number of frames. */
static uint64_t write_log(unsigned commits)
{
	struct store *s = stored_open(tree, STORE_HOLD);
	struct store_wal wal;

	store_run_sql(s, "PRAGMA wal_checkpoint(TRUNCATE)");
	for (unsigned i = 0; i < commits; i++) {
		struct store_run run = stored_run(i + 1, "", "pass");

		stored_insert(s, &run);
	}
	leave_log(s);
	store_close(s);
	wal = wal_of();
	assert_true(wal.frames >= commits);
	assert_int_equal(wal.commits, 0);
	return wal.frames;
}

TEST_F(tree_make, tree_remove, test_log)
{
	uint64_t frames = write_log(20), runs;
	struct store_wal wal;
	struct store *s;

	/* The last frame may be from a crash: nothing after it shows that it was promised. */
	flip("runs.sqlite-wal", (off_t)(32 + (frames - 1) * FRAME + 100));
	wal = wal_of();
	assert_int_equal(wal.frames, frames - 1);
	assert_int_equal(wal.commits, 0);
	/* A damaged frame in the middle is followed by commits. */
	flip("runs.sqlite-wal", (off_t)(32 + frames / 2 * FRAME + 100));
	wal = wal_of();
	assert_int_equal(wal.frames, frames / 2);
	assert_true(wal.commits >= 5);
	/* Runs stored before that frame are served. */
	s = stored_open(tree, STORE_HOLD);
	assert_int_equal(store_number(s, "SELECT count(*) FROM run", &runs), 0);
	assert_in_range(runs, 1, 15);
	store_close(s);
}

TEST_F(tree_make, tree_remove, test_header_of_the_log)
{
	write_log(5);
	for (off_t at = 0; at < 32; at += 4) {
		flip("runs.sqlite-wal", at);
		assert_int_equal(wal_of().frames, 0);
		assert_true(wal_of().commits >= 4);
		flip("runs.sqlite-wal", at);
	}
	assert_int_equal(wal_of().commits, 0);
}

/* A log that was begun anew has, behind its own frames, those of the log before. */
TEST_F(tree_make, tree_remove, test_log_begun_anew)
{
	struct store *s = stored_open(tree, STORE_HOLD);
	struct store_run run;

	for (unsigned i = 0; i < 20; i++) {
		run = stored_run(i + 1, "", "pass");
		stored_insert(s, &run);
	}
	store_run_sql(s, "PRAGMA wal_checkpoint(RESTART)");
	run = stored_run(99, "", "pass");
	stored_insert(s, &run);
	leave_log(s);
	store_close(s);
	assert_true(wal_of().frames < 20);
	assert_int_equal(wal_of().commits, 0);
}

/* ---- Attested runs that were held back until a later one of their key had been received ---- */

/* A run that ended at `ended_s`, with a quote by the key `key`. */
static struct store_run quoted(uint64_t sid, uint64_t ended_s, uint8_t key, uint32_t resets,
			       uint32_t restarts, uint64_t clock_ms)
{
	struct store_run run = stored_run(sid, "Box-1", "pass");
	struct attest_facts *f = &run.summary.facts.attest;

	run.ended_s = ended_s;
	f->state = ATTEST_FACTS_GOOD;
	memset(f->key, key, sizeof(f->key));
	f->resets = resets;
	f->restarts = restarts;
	f->clock_ms = clock_ms;
	return run;
}

TEST_F(stored_start, stored_end, test_overtaken)
{
	static const struct {
		uint64_t ended_s;
		uint8_t key;
		uint32_t resets, restarts;
		uint64_t clock_ms;
		bool is_overtaken;
	} rows[] = {
		{ 200, 1, 5, 2, 1000, false }, /* the quote that is there */
		{ 200, 1, 5, 2, 1001, false },
		{ 200, 1, 5, 3, 0, false },
		{ 200, 1, 6, 0, 0, false },
		{ 200, 1, 5, 2, 999, true },
		{ 200, 1, 5, 1, 9000, true },
		{ 200, 1, 4, 9, 9000, true },
		{ 100, 1, 4, 9, 9000, false }, /* received in the same second */
		{ 99, 1, 4, 9, 9000, false },
		{ 200, 2, 4, 9, 9000, false },
		{ 200, 1, UINT32_MAX, UINT32_MAX, INT64_MAX, false },
	};
	struct store_run there = quoted(1, 100, 1, 5, 2, 1000), bad = quoted(2, 100, 2, 9, 9, 9);

	bad.summary.facts.attest.state = ATTEST_FACTS_BAD;
	stored_insert(stored, &there);
	stored_insert(stored, &bad);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct store_run run = quoted(3 + i, rows[i].ended_s, rows[i].key, rows[i].resets,
					      rows[i].restarts, rows[i].clock_ms);

		runs_judge(NULL, stored, &run);
		assert_int_equal(run.summary.facts.attest.is_overtaken, rows[i].is_overtaken);
	}
}
