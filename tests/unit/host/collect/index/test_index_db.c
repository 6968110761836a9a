/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a collector: what comes back, whatever its file went through. */
#define _GNU_SOURCE /* memmem */
#include "tests/unit/common/test.h"
#include "tests/unit/forward_lines.h"
#include "tests/unit/tree.h"

#include "host/collect/index/index_db.h"
#include "host/collect/index/index_whole.h"
#include "host/store/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>

#define RUNS 60

static struct index_entry entry(uint64_t sid, uint64_t lines, uint64_t at)
{
	struct index_entry e = { .sid = sid, .at = at, .from = "192.0.2.1" };

	e.summary.lines = lines;
	e.summary.ended = true;
	snprintf(e.summary.uuid, sizeof(e.summary.uuid), "node-%" PRIu64, sid % 7);
	strcpy(e.summary.product, "Box \"2\"\\");
	strcpy(e.summary.verdict, "pass");
	return e;
}

static void touch(uint64_t sid)
{
	char name[STORE_NAME_MAX];

	store_name(name, sid);
	tree_write(name, "");
}

static struct index_db *opened_db; /* a thread's */
static bool forwards;

static struct index_db *opened(void)
{
	struct index_db *db;

	assert_int_equal(index_db_open(tree_fd, forwards, &db), 0);
	return db;
}

static int change(struct index_db *db, const struct index_entry *e, bool is_gone)
{
	struct index_db_changes all = STAILQ_HEAD_INITIALIZER(all);
	struct index_db_change one = { .what = is_gone ? INDEX_DB_GONE : INDEX_DB_PUT,
				       .entry = *e };

	STAILQ_INSERT_TAIL(&all, &one, next);
	return index_db_write(db, &all);
}

static void add(const struct index_entry *e)
{
	struct index_db *db = opened();

	assert_int_equal(change(db, e, false), 0);
	index_db_close(db);
}

static struct index_table read_it(void)
{
	struct index_table t;

	assert_int_equal(index_db_read(tree_fd, &t), 0);
	return t;
}

TEST_F(tree_open, tree_close, test_there_and_back)
{
	struct index_entry e = entry(UINT64_MAX, 7, 1700000000);
	struct index_table t;

	e.is_own = true;
	add(&e);
	t = read_it();
	assert_int_equal(t.count, 1);
	assert_int_equal(t.entry[0].sid, UINT64_MAX);
	assert_int_equal(t.entry[0].summary.lines, 7);
	assert_string_equal(t.entry[0].summary.product, "Box \"2\"\\");
	assert_string_equal(t.entry[0].from, "192.0.2.1");
	assert_true(t.entry[0].is_own);
	index_free(&t);
}

/* Where and when it began, whose it is, and its address if there is no other. */
TEST_F(tree_open, tree_close, test_what_a_run_keeps)
{
	struct index_entry first = entry(5, 1, 100), other = entry(6, 1, 200),
			   last = entry(5, 9, 300);
	struct index_table t;

	first.is_own = true;
	*last.from = '\0';
	add(&first);
	add(&other);
	add(&last);
	t = read_it();
	assert_int_equal(t.count, 2);
	assert_int_equal(t.entry[0].place, 1);
	assert_int_equal(t.entry[1].place, 2);
	assert_int_equal(t.entry[0].began, 100);
	assert_int_equal(t.entry[0].at, 300);
	assert_int_equal(t.entry[0].summary.lines, 9);
	assert_true(t.entry[0].is_own);
	assert_false(t.entry[1].is_own);
	assert_string_equal(t.entry[0].from, "192.0.2.1");
	index_free(&t);
}

TEST_F(tree_open, tree_close, test_removed)
{
	struct index_entry e = entry(5, 1, 100), other = entry(6, 1, 200);
	struct index_db *db;
	struct index_table t;

	add(&e);
	add(&other);
	db = opened();
	assert_int_equal(change(db, &e, true), 0);
	index_db_close(db);
	t = read_it();
	assert_int_equal(t.count, 1);
	assert_int_equal(t.entry[0].sid, 6);
	index_free(&t);
}

/* Its order, and then the runs that it does not have; what has no file is not taken over. */
TEST_F(tree_open, tree_close, test_made_of_an_old_one_and_the_files)
{
	struct index_table t;

	tree_write(INDEX_LINES, "{\"sid\":\"0000000000000009\",\"at\":500,\"ended\":true,"
				"\"own_key\":true,\"from\":\"192.0.2.9\"}\n"
				"{\"sid\":\"0000000000000003\",\"at\":400,\"ended\":true}\n"
				"{\"sid\":\"0000000000000004\",\"at\":450,\"ended\":true}\n"
				"{\"sid\":\"00");
	touch(9);
	touch(3);
	touch(1);
	/* By its time it would be the first. */
	assert_int_equal(utimensat(tree_fd, "0000000000000001.jsonl",
				   (struct timespec[]){ { .tv_sec = 9 }, { .tv_sec = 9 } }, 0),
			 0);
	index_db_close(opened());
	t = read_it();
	assert_int_equal(t.count, 3);
	assert_int_equal(index_find(&t, 9)->place, 1);
	assert_int_equal(index_find(&t, 9)->began, 500);
	assert_true(index_find(&t, 9)->is_own);
	assert_string_equal(index_find(&t, 9)->from, "192.0.2.9");
	assert_int_equal(index_find(&t, 3)->place, 2);
	assert_int_equal(index_find(&t, 1)->place, 3);
	assert_true(index_find(&t, 1)->is_guessed);
	assert_false(index_find(&t, 3)->is_guessed);
	index_free(&t);
	/* Once: what it has later counts. */
	tree_write(INDEX_LINES, "{\"sid\":\"0000000000000001\",\"at\":7,\"ended\":true}\n");
	index_db_close(opened());
	t = read_it();
	assert_true(index_find(&t, 1)->is_guessed);
	index_free(&t);
}

/* ---- Damage ---- */

static char whole[1 << 20], bad[sizeof(whole)];
static size_t whole_bytes;

static size_t load(const char *name, char *to)
{
	FILE *f = fopen(tree_path(name), "r");
	size_t bytes;

	assert_non_null(f);
	bytes = fread(to, 1, sizeof(whole), f);
	fclose(f);
	return bytes;
}

/* Runs with their files. */
static void make_many(void)
{
	struct index_db *db = opened();

	for (uint64_t sid = 1; sid <= RUNS; sid++) {
		struct index_entry e = entry(sid, sid * sid, 1000 + sid);

		touch(sid);
		assert_int_equal(change(db, &e, false), 0);
	}
	index_db_close(db);
	whole_bytes = load(INDEX_NAME, whole);
	assert_true(whole_bytes > 8 * 4096 && whole_bytes < sizeof(whole));
}

static void check_rows(const struct index_table *t)
{
	assert_int_equal(t->count, RUNS);
	for (uint64_t sid = 1; sid <= RUNS; sid++) {
		assert_int_equal(t->entry[sid - 1].sid, sid);
		assert_int_equal(t->entry[sid - 1].summary.lines, sid * sid);
		assert_int_equal(t->entry[sid - 1].place, sid);
	}
}

/* Who reads has all of it or nothing; who writes has a sound one again, with every run. */
static void check_damaged(void)
{
	struct index_db *db;
	struct index_table t;

	if (index_db_read(tree_fd, &t) == 0)
		check_rows(&t);
	index_free(&t);
	index_db_close(opened());
	t = read_it();
	assert_int_equal(t.count, RUNS);
	index_free(&t);
	/* It can be written to as well: what finds a row is sound. */
	db = opened();
	for (uint64_t sid = 1; sid <= RUNS; sid++) {
		struct index_entry e = entry(sid, sid, 1);

		assert_int_equal(change(db, &e, false), 0);
	}
	index_db_close(db);
	unlink(tree_path(INDEX_NAME ".bad"));
}

TEST_F(tree_open, tree_close, test_any_page_of_rubbish)
{
	unsigned damaged = 0;

	make_many();
	for (size_t at = 0; at < whole_bytes; at += 4096) {
		for (unsigned fill = 0; fill < 3; fill++) {
			struct index_table t;

			memcpy(bad, whole, whole_bytes);
			for (size_t i = 0; i < 4096; i++)
				bad[at + i] = fill == 2 ? (char)(i * 2654435761u >> 7)
					      : fill    ? (char)0xff
							: 0;
			tree_write_bytes(INDEX_NAME, bad, whole_bytes);
			damaged += index_db_read(tree_fd, &t) != 0;
			index_free(&t);
			check_damaged();
		}
	}
	assert_true(damaged > 10);
}

/* In the middle of a row SQLite sees nothing. */
TEST_F(tree_open, tree_close, test_a_byte_of_a_row)
{
	struct index_table t;
	char *at;

	make_many();
	at = memmem(whole, whole_bytes, "\"lines\":2500,", 13);
	assert_non_null(at);
	at[8] = '3';
	tree_write_bytes(INDEX_NAME, whole, whole_bytes);
	assert_int_equal(index_db_read(tree_fd, &t), INDEX_DB_DAMAGED);
	check_damaged();
}

TEST_F(tree_open, tree_close, test_cut_anywhere)
{
	make_many();
	for (size_t bytes = 0; bytes < whole_bytes; bytes += bytes < 200 ? 7 : 1531) {
		tree_write_bytes(INDEX_NAME, whole, bytes);
		check_damaged();
	}
}

static void run_sql(const char *statements)
{
	sqlite3 *sql;

	assert_int_equal(sqlite3_open(tree_path(INDEX_NAME), &sql), SQLITE_OK);
	assert_int_equal(sqlite3_exec(sql, statements, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(sql), SQLITE_OK);
}

/* It is set aside, and unharmed. */
TEST_F(tree_open, tree_close, test_of_another_application)
{
	static const char *const others[] = {
		"CREATE TABLE runs(sid); INSERT INTO runs VALUES(1)",
		"PRAGMA application_id=7",
		"CREATE TABLE notes(text)",
		"CREATE TABLE notes(text); PRAGMA user_version=1",
	};
	struct index_table t;

	touch(1);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		run_sql(others[i]);
		whole_bytes = load(INDEX_NAME, whole);
		assert_int_equal(index_db_read(tree_fd, &t), INDEX_DB_DAMAGED);
		index_db_close(opened());
		assert_int_equal(load(INDEX_NAME ".bad", bad), whole_bytes);
		assert_memory_equal(bad, whole, whole_bytes);
		t = read_it();
		assert_int_equal(t.count, 1);
		index_free(&t);
		unlink(tree_path(INDEX_NAME));
	}
}

TEST_F(tree_open, tree_close, test_of_another_version)
{
	static const char *const changes[] = {
		"PRAGMA user_version=3",
		"PRAGMA user_version=1",
		"DROP TABLE forwarding",
		"DROP TABLE forwarding; CREATE TABLE forwarding(place); PRAGMA user_version=1",
		"ALTER TABLE runs ADD COLUMN more",
		"CREATE VIEW runs2 AS SELECT * FROM runs",
		"DROP INDEX machines",
	};
	struct index_table t;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		index_db_close(opened());
		run_sql(changes[i]);
		assert_int_equal(index_db_read(tree_fd, &t), INDEX_DB_DAMAGED);
		index_db_close(opened());
		t = read_it();
		index_free(&t);
		assert_int_equal(access(tree_path(INDEX_NAME ".bad"), F_OK), 0);
	}
}

static void put_in_place(unsigned kind, const char *path)
{
	switch (kind) {
	case 0:
		assert_int_equal(mkdir(path, 0700), 0);
		break;
	case 1:
		assert_int_equal(mkfifo(path, 0600), 0);
		break;
	default:
		assert_int_equal(symlink("elsewhere", path), 0);
	}
}

/* Nobody waits for a FIFO, and what a link leads to stays as it was. */
TEST_F(tree_open, tree_close, test_no_file)
{
	static const char *const names[] = { INDEX_NAME, INDEX_NAME "-wal", INDEX_NAME "-shm",
					     INDEX_NAME "-journal" };
	struct index_table t;

	touch(1);
	tree_write("elsewhere", "mine");
	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		for (unsigned kind = 0; kind < 3; kind++) {
			unlink(tree_path(names[n]));
			put_in_place(kind, tree_path(names[n]));
			assert_int_not_equal(index_db_read(tree_fd, &t), 0);
			index_db_close(opened());
			t = read_it();
			assert_int_equal(t.count, 1);
			index_free(&t);
			assert_string_equal(tree_read("elsewhere"), "mine");
		}
	}
}

TEST_F(tree_open, tree_close, test_none)
{
	struct index_table t;

	assert_int_equal(index_db_read(tree_fd, &t), ENOENT);
	assert_int_not_equal(access(tree_path(INDEX_NAME), F_OK), 0);
	/* Then the one of old counts, if there is one. */
	tree_write(INDEX_LINES, "{\"sid\":\"0000000000000001\",\"at\":7,\"ended\":true}\n");
	assert_int_equal(index_db_read_some(tree_fd, &t), 0);
	assert_int_equal(t.count, 1);
	index_free(&t);
}

/* Neither waits for longer than a few seconds. */
TEST_F(tree_open, tree_close, test_locked)
{
	struct index_entry e = entry(1, 1, 1);
	struct index_db *db = opened(), *other;
	struct index_table t;
	sqlite3 *sql;

	assert_int_equal(sqlite3_open(tree_path(INDEX_NAME), &sql), SQLITE_OK);
	assert_int_equal(sqlite3_exec(sql, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(change(db, &e, false), EBUSY);
	/* In WAL mode who reads does not mind. */
	t = read_it();
	assert_int_equal(t.count, 0);
	assert_int_equal(sqlite3_exec(sql, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(change(db, &e, false), 0);
	index_db_close(db);
	assert_int_equal(sqlite3_exec(sql,
				      "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; "
				      "DELETE FROM runs; COMMIT",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(index_db_open(tree_fd, forwards, &other), EBUSY);
	assert_null(other);
	assert_int_equal(index_db_read(tree_fd, &t), EBUSY);
	assert_int_equal(sqlite3_close(sql), SQLITE_OK);
	assert_int_not_equal(access(tree_path(INDEX_NAME ".bad"), F_OK), 0);
}

/* In the middle of a transaction, and of none while it is open again. */
TEST_F(tree_open, tree_close, test_open_again_beside_a_reader)
{
	struct index_entry e = entry(1, 1, 1);
	struct index_db *db = opened(), *again;
	struct index_table t;
	sqlite3 *sql;

	assert_int_equal(change(db, &e, false), 0);
	index_db_let_go(db);
	assert_int_equal(sqlite3_open(tree_path(INDEX_NAME), &sql), SQLITE_OK);
	assert_int_equal(sqlite3_exec(sql, "BEGIN; SELECT * FROM runs", NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(index_db_open(tree_fd, forwards, &again), 0);
	assert_false(index_db_was_made(again));
	e = entry(2, 2, 1);
	assert_int_equal(change(again, &e, false), 0);
	assert_int_equal(sqlite3_exec(sql, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(sql), SQLITE_OK);
	index_db_close(again);
	assert_int_not_equal(access(tree_path(INDEX_NAME "-wal"), F_OK), 0);
	t = read_it();
	assert_int_equal(t.count, 2);
	index_free(&t);
}

/* One at a time, each in a thread beside a lock that is held for a moment. */
static void *write_one(void *ctx)
{
	struct index_entry e = entry(1, 1, 1);
	int *error = ctx;

	*error = change(opened_db, &e, false);
	return NULL;
}

static void *read_all(void *ctx)
{
	struct index_table t;
	int *error = ctx;

	*error = index_db_read(tree_fd, &t);
	if (!*error)
		index_free(&t);
	return NULL;
}

static void *open_it(void *ctx)
{
	struct index_db *db;
	int *error = ctx;

	*error = index_db_open(tree_fd, forwards, &db);
	index_db_close(db);
	return NULL;
}

#define HELD_NS   100000000
#define HELD_MOST UINT64_C(1000000000) /* half of what is waited for: BUSY_MS */

/* False: this machine kept it for so long that the other may well have given up. */
static bool goes_on_after(const char *lock, void *(*work)(void *), int *error)
{
	struct timespec before, after;
	pthread_t thread;
	sqlite3 *sql;

	assert_int_equal(sqlite3_open(tree_path(INDEX_NAME), &sql), SQLITE_OK);
	assert_int_equal(sqlite3_exec(sql, lock, NULL, NULL, NULL), SQLITE_OK);
	clock_gettime(CLOCK_MONOTONIC, &before);
	assert_int_equal(pthread_create(&thread, NULL, work, error), 0);
	nanosleep(&(struct timespec){ .tv_nsec = HELD_NS }, NULL);
	sqlite3_close(sql);
	clock_gettime(CLOCK_MONOTONIC, &after);
	pthread_join(thread, NULL);
	return (uint64_t)(after.tv_sec - before.tv_sec) * 1000000000u + (uint64_t)after.tv_nsec -
		       (uint64_t)before.tv_nsec <
	       HELD_MOST;
}

static void assert_goes_on(const char *lock, void *(*work)(void *))
{
	int error = 0;

	while (!goes_on_after(lock, work, &error))
		;
	assert_int_equal(error, 0);
}

/* Another process holds a lock for a moment: nobody gives up for that. */
TEST_F(tree_open, tree_close, test_locked_for_a_moment)
{
	opened_db = opened();
	assert_goes_on("BEGIN IMMEDIATE", write_one);
	index_db_close(opened_db);
	assert_goes_on("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE", read_all);
	assert_goes_on("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE", open_it);
}

TEST_F(tree_open, tree_close, test_gone_while_open)
{
	struct index_db *db = opened();

	assert_true(index_db_is_there(db));
	unlink(tree_path(INDEX_NAME));
	assert_false(index_db_is_there(db));
	tree_write(INDEX_NAME, "another");
	assert_false(index_db_is_there(db));
	index_db_close(db);
}

/* Beside one that writes, and of what one that was killed has left. */
TEST_F(tree_open, tree_close, test_read_beside_a_writer)
{
	struct index_db *db = opened();
	struct index_entry e = entry(1, 1, 1);
	struct index_table t;

	assert_int_equal(change(db, &e, false), 0);
	t = read_it();
	assert_int_equal(t.count, 1);
	index_free(&t);
	index_db_close(db);
	/* Its log is in the file, and nothing else is left. */
	assert_int_not_equal(access(tree_path(INDEX_NAME "-wal"), F_OK), 0);
	t = read_it();
	assert_int_not_equal(access(tree_path(INDEX_NAME "-shm"), F_OK), 0);
	assert_int_equal(t.count, 1);
	index_free(&t);
}

static void assert_found(struct index_db_finder *f, uint64_t sid, uint64_t lines)
{
	struct index_entry e;

	assert_int_equal(index_db_finder_find(f, sid, &e), 0);
	assert_int_equal(e.sid, sid);
	assert_int_equal(e.summary.lines, lines);
}

/* One run after the other, also beside one that writes. */
TEST_F(tree_open, tree_close, test_finder)
{
	struct index_entry e = entry(UINT64_MAX - 1, 77, 9);
	struct index_db_finder *f;
	struct index_db *db;

	assert_null(index_db_finder_new(tree_fd));
	assert_int_equal(index_db_finder_find(NULL, 1, &e), ENOENT);
	make_many();
	db = opened();
	f = index_db_finder_new(tree_fd);
	assert_non_null(f);
	assert_found(f, 7, 49);
	assert_found(f, RUNS, RUNS * RUNS);
	assert_int_equal(index_db_finder_find(f, RUNS + 1, &e), ENOENT);
	e = entry(UINT64_MAX - 1, 77, 9);
	assert_int_equal(change(db, &e, false), 0);
	assert_found(f, UINT64_MAX - 1, 77);
	index_db_finder_free(f);
	index_db_close(db);
	run_sql("UPDATE runs SET crc = crc + 1 WHERE sid = 5");
	f = index_db_finder_new(tree_fd);
	assert_int_equal(index_db_finder_find(f, 5, &e), INDEX_DB_DAMAGED);
	assert_found(f, 7, 49);
	index_db_finder_free(f);
}

/* ---- One machine ---- */

static char said[1 << 16];

/* What is printed of a machine, in which order ever. */
static int ask(const char *uuid)
{
	FILE *to = fmemopen(said, sizeof(said), "w");
	int error;

	assert_non_null(to);
	*said = '\0';
	error = index_db_print(tree_fd, uuid, to);
	fclose(to);
	return error;
}

static unsigned count(const char *word)
{
	unsigned n = 0;

	for (const char *at = said; (at = strstr(at, word)); at += strlen(word))
		n++;
	return n;
}

static struct index_entry peer(uint64_t sid, const char *uuid, uint8_t config)
{
	struct index_entry e = entry(sid, 1, 100);

	strcpy(e.summary.uuid, uuid);
	e.summary.facts.known = true;
	memset(e.summary.facts.config, config, SHA256_BYTES);
	return e;
}

static void put_peers(struct index_db *db)
{
	struct index_entry all[] = {
		peer(1, "a", 1), peer(2, "b", 2), peer(3, "c", 2), peer(4, "c", 1), peer(5, "d", 1),
		peer(6, "d", 3), peer(7, "e", 4), peer(8, "A", 2), peer(9, "f", 5), peer(10, "", 6),
	};

	all[5].summary.ended = false;
	strcpy(all[6].summary.bios, "other");
	all[8].summary.mode = &mode_stretch;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		touch(all[i].sid);
		assert_int_equal(change(db, &all[i], false), 0);
	}
}

/* Not claimed, so who asks needs all, and asks once more. */
TEST_F(tree_open, tree_close, test_machine_of_an_index_that_may_lack_some)
{
	struct index_db *db = opened();

	put_peers(db);
	index_db_close(db);
	assert_int_equal(ask("a"), 0);
	assert_string_equal(said, "");
	assert_int_equal(ask(""), 0);
	assert_string_equal(said, "");
	assert_int_equal(ask(NULL), 0);
	assert_int_equal(count("\"sid\""), 10);
	assert_int_equal(count(INDEX_WHOLE), 0);
	assert_int_equal(count(INDEX_PEERS), 0);
}

#define ONES "0101010101010101010101010101010101010101010101010101010101010101"
#define TWOS "0202020202020202020202020202020202020202020202020202020202020202"

/* Latest runs that have ended, of its product, BIOS and mode. */
TEST_F(tree_open, tree_close, test_machine_and_its_peers)
{
	struct index_db *db = opened();
	struct index_entry gone = { .sid = 4 };

	put_peers(db);
	index_db_close(db);
	index_whole_mark(tree_fd);
	assert_int_equal(ask("a"), 0);
	assert_int_equal(count("\"sid\""), 3);
	assert_int_equal(count(INDEX_WHOLE "\n"), 1);
	assert_int_equal(count(INDEX_PEERS), 2);
	assert_int_equal(count(INDEX_PEERS ONES " 2 c\n"), 1);
	assert_int_equal(count(INDEX_PEERS TWOS " 1 b\n"), 1);
	/* Where the latest is removed, the one before it counts. */
	db = opened();
	assert_int_equal(change(db, &gone, true), 0);
	index_db_close(db);
	index_whole_mark(tree_fd);
	assert_int_equal(ask("a"), 0);
	assert_int_equal(count(INDEX_PEERS ONES " 1 d\n"), 1);
	assert_int_equal(count(INDEX_PEERS TWOS " 2 b\n"), 1);
	/* A file that comes or goes shows. */
	touch(77);
	assert_int_equal(ask("a"), 0);
	assert_int_equal(count(INDEX_WHOLE), 0);
}

TEST_F(tree_open, tree_close, test_claimed)
{
	struct index_db *db = opened();
	int lock = open(tree_path("lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_NOT);
	index_whole_claim(lock, true);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_CLAIMED);
	put_peers(db);
	assert_int_equal(ask("e"), 0);
	assert_int_equal(count("\"sid\""), 2);
	assert_int_equal(count(INDEX_WHOLE "\n"), 1);
	index_whole_claim(lock, false);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_NOT);
	index_whole_claim(lock, true);
	close(lock);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_NOT);
	index_db_close(db);
}

/* All of it or an error, whatever page of the file is lost. */
TEST_F(tree_open, tree_close, test_machine_of_rubbish)
{
	unsigned damaged = 0;

	make_many();
	for (size_t at = 0; at < whole_bytes; at += 4096) {
		memcpy(bad, whole, whole_bytes);
		memset(bad + at, at % 3 ? 0xff : 0, 4096);
		tree_write_bytes(INDEX_NAME, bad, whole_bytes);
		index_whole_mark(tree_fd);
		for (unsigned n = 0; n < 7; n++) {
			char uuid[16];

			snprintf(uuid, sizeof(uuid), "node-%u", n);
			if (ask(uuid) != 0) {
				damaged++;
				continue;
			}
			assert_int_equal(count(INDEX_WHOLE "\n"), 1);
			assert_int_equal(count("\"sid\""), RUNS / 7 + (n && n <= RUNS % 7));
		}
	}
	assert_true(damaged > 10);
}

/* ---- On the way to an engine ---- */

static int start_forwarding(void **state)
{
	forwards = true;
	return tree_open(state);
}

static int stop_forwarding(void **state)
{
	forwards = false;
	return tree_close(state);
}

#define DONE "0000000000000001 taken\n0000000000000002 refused\n0000000000000003 empty\n"
#define LATE 1900000000

/* Of one machine, of which the last has not ended. */
static void put_runs(struct index_db *db, uint64_t runs)
{
	for (uint64_t sid = 1; sid <= runs; sid++) {
		struct index_entry e = entry(sid, 1, 100 + sid);

		strcpy(e.summary.uuid, "box");
		e.summary.ended = sid != runs;
		touch(sid);
		assert_int_equal(change(db, &e, false), 0);
	}
}

static int change_forward(struct index_db *db, enum index_db_what what, uint64_t sid,
			  enum index_forward_state state, const char *why)
{
	struct index_db_changes all = STAILQ_HEAD_INITIALIZER(all);
	struct index_db_change one = {
		.what = what,
		.forward = { .sid = sid, .state = state, .next = *why ? LATE + sid : 0 }
	};

	strcpy(one.forward.why, why);
	STAILQ_INSERT_TAIL(&all, &one, next);
	return index_db_write(db, &all);
}

static const char *ask_forward(const char *uuid)
{
	FILE *to = fmemopen(said, sizeof(said), "w");
	int error;

	assert_non_null(to);
	*said = '\0';
	error = index_db_print(tree_fd, uuid, to);
	fclose(to);
	return error ? index_db_why(error) : forward_lines(said);
}

static void open_and_close(void)
{
	index_db_close(opened());
}

/* Runs that have ended have a state; what is in the list in the folder is from there. */
TEST_F(start_forwarding, stop_forwarding, test_forwarding)
{
	struct index_db *db = opened();

	put_runs(db, 5);
	assert_string_equal(ask_forward("BOX"), "0000000000000001 waiting 0 \n"
						"0000000000000002 waiting 0 \n"
						"0000000000000003 waiting 0 \n"
						"0000000000000004 waiting 0 \n");
	assert_string_equal(ask_forward("another"), "");
	index_db_close(db);
	tree_write(INDEX_FORWARDED, DONE "0000000000000004 tak\n0000000000000004 taken");
	open_and_close();
	assert_string_equal(ask_forward("box"), "0000000000000001 accepted 0 \n"
						"0000000000000002 refused 0 \n"
						"0000000000000003 empty 0 \n"
						"0000000000000004 waiting 0 \n");
	/* The last line of a run counts, and what is not in the list was not accepted. */
	tree_write(INDEX_FORWARDED, "0000000000000002 refused\n0000000000000002 taken\n");
	open_and_close();
	assert_string_equal(ask_forward("box"), "0000000000000001 waiting 0 \n"
						"0000000000000002 accepted 0 \n"
						"0000000000000003 waiting 0 \n"
						"0000000000000004 waiting 0 \n");
	/* Who does not forward has nothing that waits. */
	forwards = false;
	open_and_close();
	assert_string_equal(ask_forward("box"), "");
}

/* Reasons stay over the next start; what holds up all is for those that have none. */
TEST_F(start_forwarding, stop_forwarding, test_reasons)
{
	struct index_db *db = opened();

	put_runs(db, 5);
	assert_int_equal(change_forward(db, INDEX_DB_FORWARD, 1, INDEX_FORWARD_ACCEPTED, ""), 0);
	assert_int_equal(
		change_forward(db, INDEX_DB_FORWARD, 2, INDEX_FORWARD_REFUSED, "too\nmany"), 0);
	assert_int_equal(change_forward(db, INDEX_DB_FORWARD, 3, INDEX_FORWARD_WAITING, "500"), 0);
	assert_int_equal(change_forward(db, INDEX_DB_FORWARD, 77, INDEX_FORWARD_WAITING, "500"), 0);
	assert_int_equal(change_forward(db, INDEX_DB_FORWARD_ALL, 8, INDEX_FORWARD_WAITING, "away"),
			 0);
	assert_string_equal(ask_forward("box"), "0000000000000001 accepted 0 \n"
						"0000000000000002 refused 1900000002 too?many\n"
						"0000000000000003 waiting 1900000003 500\n"
						"0000000000000004 waiting 1900000008 away\n");
	assert_int_equal(change_forward(db, INDEX_DB_FORWARD_ALL, 0, INDEX_FORWARD_WAITING, ""), 0);
	assert_int_equal(count("away"), 1);
	assert_non_null(strstr(ask_forward("box"), "4 waiting 0 \n"));
	assert_int_equal(change_forward(db, INDEX_DB_FORWARD_ALL, 8, INDEX_FORWARD_WAITING, "away"),
			 0);
	index_db_close(db);
	tree_write(INDEX_FORWARDED, "0000000000000001 taken\n0000000000000002 refused\n");
	db = opened();
	assert_string_equal(ask_forward("box"), "0000000000000001 accepted 0 \n"
						"0000000000000002 refused 1900000002 too?many\n"
						"0000000000000003 waiting 1900000003 500\n"
						"0000000000000004 waiting 0 \n");
	/* What else becomes known of a run does not change it; a run that goes takes it along. */
	put_runs(db, 5);
	assert_int_equal(count("\n"), 4);
	assert_int_equal(change(db, &(struct index_entry){ .sid = 3 }, true), 0);
	assert_string_equal(ask_forward("box"), "0000000000000001 accepted 0 \n"
						"0000000000000002 refused 1900000002 too?many\n"
						"0000000000000004 waiting 0 \n");
	index_db_close(db);
}

/* The last one's place is given again. */
TEST_F(start_forwarding, stop_forwarding, test_place_of_a_run_that_is_gone)
{
	struct index_db *db = opened();

	put_runs(db, 3);
	assert_int_equal(change_forward(db, INDEX_DB_FORWARD, 2, INDEX_FORWARD_ACCEPTED, ""), 0);
	assert_int_equal(change(db, &(struct index_entry){ .sid = 2 }, true), 0);
	assert_int_equal(change(db, &(struct index_entry){ .sid = 3 }, true), 0);
	index_db_close(db);
	db = opened();
	put_runs(db, 5);
	assert_string_equal(ask_forward("box"), "0000000000000001 waiting 0 \n"
						"0000000000000002 waiting 0 \n"
						"0000000000000003 waiting 0 \n"
						"0000000000000004 waiting 0 \n");
	index_db_close(db);
}

/* One that begins to forward, or whose index is made again, has the states of all its runs. */
TEST_F(start_forwarding, stop_forwarding, test_made_again_with_the_list)
{
	static const char states[] = "0000000000000001 accepted 0 \n"
				     "0000000000000002 refused 0 \n"
				     "0000000000000003 empty 0 \n"
				     "0000000000000004 waiting 0 \n";
	struct index_db *db;

	forwards = false;
	db = opened();
	put_runs(db, 5);
	index_db_close(db);
	assert_string_equal(ask_forward("box"), "");
	forwards = true;
	tree_write(INDEX_FORWARDED, DONE);
	open_and_close();
	assert_string_equal(ask_forward("box"), states);
	/* All that it is made of. */
	tree_write(INDEX_LINES, "");
	for (unsigned sid = 1; sid < 5; sid++) {
		char line[100];
		int fd = open(tree_path(INDEX_LINES), O_WRONLY | O_APPEND);
		int bytes = snprintf(line, sizeof(line),
				     "{\"sid\":\"%016x\",\"uuid\":\"box\",\"at\":%u,"
				     "\"ended\":true}\n",
				     sid, sid);

		assert_int_equal(write(fd, line, (size_t)bytes), bytes);
		close(fd);
	}
	unlink(tree_path(INDEX_NAME));
	open_and_close();
	assert_string_equal(ask_forward("box"), states);
	tree_write(INDEX_NAME, "rubbish, and long enough to be seen as that by whoever opens it");
	open_and_close();
	assert_string_equal(ask_forward("box"), states);
	assert_int_equal(access(tree_path(INDEX_NAME ".bad"), F_OK), 0);
}

/* It becomes one of this: nothing of what it has is lost. */
TEST_F(start_forwarding, stop_forwarding, test_of_the_former_version)
{
	struct index_db *db = opened();
	struct index_table t;

	put_runs(db, 5);
	index_db_close(db);
	run_sql("DROP TABLE forwarding; PRAGMA user_version=1");
	tree_write(INDEX_FORWARDED, DONE);
	/* Who reads takes the runs' files until then. */
	assert_int_equal(index_db_read(tree_fd, &t), INDEX_DB_DAMAGED);
	open_and_close();
	t = read_it();
	assert_int_equal(t.count, 5);
	for (size_t i = 0; i < t.count; i++) {
		assert_int_equal(t.entry[i].place, i + 1);
		assert_int_equal(t.entry[i].began, 101 + i);
		assert_false(t.entry[i].is_guessed);
		assert_string_equal(t.entry[i].from, "192.0.2.1");
	}
	index_free(&t);
	assert_string_equal(ask_forward("box"), "0000000000000001 accepted 0 \n"
						"0000000000000002 refused 0 \n"
						"0000000000000003 empty 0 \n"
						"0000000000000004 waiting 0 \n");
	assert_int_not_equal(access(tree_path(INDEX_NAME ".bad"), F_OK), 0);
}

/* What is no state, or not as it was written, is not shown, and not kept. */
TEST_F(start_forwarding, stop_forwarding, test_damaged_states)
{
	static const char *const changes[] = {
		"UPDATE forwarding SET why = 'mine' WHERE place = 4",
		"UPDATE forwarding SET next = 7 WHERE place = 4",
		"UPDATE forwarding SET state = 'accepted' WHERE place = 4",
		"UPDATE forwarding SET state = 'done' WHERE place = 4",
		"INSERT OR REPLACE INTO forwarding SELECT 3, state, next, why, crc FROM forwarding "
		"WHERE place = 4",
	};
	struct index_db *db = opened();

	put_runs(db, 5);
	index_db_close(db);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		run_sql(changes[i]);
		assert_string_equal(ask_forward("box"), index_db_why(INDEX_DB_DAMAGED));
		open_and_close();
		assert_int_equal(access(tree_path(INDEX_NAME ".bad"), F_OK), 0);
		unlink(tree_path(INDEX_NAME ".bad"));
		unlink(tree_path(INDEX_NAME));
		db = opened();
		put_runs(db, 5);
		index_db_close(db);
	}
}

static char waiting[200];

static void add_waiting(void *ctx, const struct index_entry *e, enum index_forward_state state)
{
	size_t used = strlen(waiting);

	(void)ctx;
	snprintf(waiting + used, sizeof(waiting) - used, "%" PRIu64 " %s %" PRIu64 "\n", e->sid,
		 index_forward_name(state), e->began);
}

static void none_waiting(void *ctx)
{
	(void)ctx;
	*waiting = '\0';
}

TEST_F(start_forwarding, stop_forwarding, test_what_is_to_be_sent)
{
	struct index_db *db = opened();

	put_runs(db, 7);
	index_db_close(db);
	tree_write(INDEX_FORWARDED, DONE);
	open_and_close();
	none_waiting(NULL);
	assert_int_equal(index_db_read_waiting(tree_fd, add_waiting, none_waiting, NULL), 0);
	assert_string_equal(waiting, "2 refused 102\n4 waiting 104\n5 waiting 105\n"
				     "6 waiting 106\n");
	unlink(tree_path(INDEX_NAME));
	assert_int_equal(index_db_read_waiting(tree_fd, add_waiting, none_waiting, NULL), ENOENT);
}
