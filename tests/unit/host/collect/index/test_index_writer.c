/* SPDX-License-Identifier: BSD-2-Clause */
/* What the writer promises to those who read beside it. */
#include "tests/unit/common/test.h"
#include "tests/unit/forward_lines.h"
#include "tests/unit/tree.h"

#include "host/collect/index/index_whole.h"
#include "host/collect/index/index_writer.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sqlite3.h>

#define HOUR_NS UINT64_C(3600000000000)

static int lock;
static _Atomic unsigned written, failures, asked;
static _Atomic bool holds; /* figures wait until it does not */
static uint64_t began;     /* of the last that was written */
static uint64_t quiet_ns, put_off_ns;
static bool forwards;

static int start(void **state)
{
	if (tree_open(state) != 0)
		return -1;
	lock = openat(tree_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	written = failures = asked = 0;
	quiet_ns = put_off_ns = 0;
	forwards = false;
	return lock < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	close(lock);
	return tree_close(state);
}

static void on_written(void *ctx, const struct index_entry *e)
{
	(void)ctx;
	began = e->began;
	written++;
}

static char *no_figures(void *ctx, const struct index_entry *e)
{
	(void)ctx, (void)e;
	asked++;
	while (holds)
		usleep(1000);
	return strdup("");
}

static void on_state(void *ctx, int error)
{
	(void)ctx;
	failures += error != 0;
}

static struct index_writer *new_writer(bool is_whole)
{
	struct index_writer_setup s = { .dir = tree_fd,
					.lock = lock,
					.is_whole = is_whole,
					.forwards = forwards,
					.written = on_written,
					.figures = no_figures,
					.quiet_ns = quiet_ns,
					.put_off_ns = put_off_ns,
					.state = on_state };
	struct index_writer *w;

	assert_int_equal(index_db_open(tree_fd, forwards, &s.db), 0);
	w = index_writer_new(&s);
	assert_non_null(w);
	return w;
}

static void put(struct index_writer *w, uint64_t sid, bool is_news)
{
	const struct index_entry e = { .sid = sid, .at = 1 };

	index_writer_put(w, &e, is_news);
}

static size_t rows(void)
{
	struct index_table t;
	size_t count;

	assert_int_equal(index_db_read(tree_fd, &t), 0);
	count = t.count;
	index_free(&t);
	return count;
}

/* Between an acknowledgement and what it is about nobody relies on the index. */
TEST_F(start, teardown, test_whole)
{
	struct index_writer *w = new_writer(true);

	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_CLAIMED);
	index_writer_hold(w);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_NOT);
	put(w, 1, true);
	index_writer_flush(w);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_NOT);
	index_writer_release(w);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_CLAIMED);
	assert_int_equal(rows(), 1);
	assert_int_equal(written, 1);
	index_writer_free(w);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_MARKED);
}

TEST_F(start, teardown, test_not_whole_from_the_start)
{
	struct index_writer *w = new_writer(false);

	put(w, 1, false);
	index_writer_flush(w);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_NOT);
	assert_int_equal(rows(), 1);
	assert_int_equal(written, 0);
	index_writer_free(w);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_NOT);
}

/* What cannot be written waits, in its order, and is not relied on. */
TEST_F(start, teardown, test_locked)
{
	struct index_writer *w;
	sqlite3 *sql;

	/* Or it would have it locked itself, to look for what lacks figures. */
	quiet_ns = put_off_ns = HOUR_NS;
	w = new_writer(true);
	assert_int_equal(sqlite3_open(tree_path(INDEX_NAME), &sql), SQLITE_OK);
	assert_int_equal(sqlite3_exec(sql, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	put(w, 1, true);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_NOT);
	index_writer_flush(w);
	assert_int_equal(failures, 1);
	assert_int_equal(written, 0);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_NOT);
	put(w, 2, true);
	index_writer_drop(w, 1);
	assert_int_equal(sqlite3_exec(sql, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(sql), SQLITE_OK);
	while (written != 2)
		usleep(1000);
	index_writer_flush(w);
	assert_int_equal(rows(), 1);
	index_writer_free(w);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_MARKED);
}

/* Made again, it lacks what only the collector knows: it is asked for that. */
TEST_F(start, teardown, test_removed)
{
	struct index_writer *w = new_writer(true);

	assert_false(index_writer_owes(w));
	unlink(tree_path(INDEX_NAME));
	put(w, 2, true);
	index_writer_flush(w);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_NOT);
	assert_true(index_writer_owes(w));
	put(w, 1, false);
	put(w, 2, false);
	index_writer_release(w);
	index_writer_flush(w);
	assert_false(index_writer_owes(w));
	assert_int_equal(rows(), 2);
	assert_int_equal(written, 1);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_CLAIMED);
	index_writer_free(w);
}

/* Who is asked to forward it learns when it began, not when it ended. */
TEST_F(start, teardown, test_began)
{
	struct index_entry e = { .sid = 1, .at = 100 };
	struct index_writer *w = new_writer(true);

	index_writer_put(w, &e, true);
	index_writer_flush(w);
	assert_int_equal(began, 100);
	e.at = 300;
	index_writer_put(w, &e, true);
	index_writer_flush(w);
	assert_int_equal(began, 100);
	index_writer_free(w);
}

/* ---- Figures ---- */

/* The latest run of a machine, which lacks them. */
static void put_ended(struct index_writer *w, uint64_t sid)
{
	struct index_entry e = { .sid = sid, .at = 1, .summary.ended = true };

	snprintf(e.summary.uuid, sizeof(e.summary.uuid), "machine %u", (unsigned)sid);
	index_writer_put(w, &e, false);
	index_writer_flush(w);
}

static void await_asked(unsigned times)
{
	while (asked < times)
		usleep(1000);
}

/* Runs arrive all the time: none of their files is read meanwhile. */
TEST_F(start, teardown, test_figures_wait)
{
	struct index_writer *w;

	quiet_ns = put_off_ns = HOUR_NS;
	w = new_writer(true);
	for (uint64_t sid = 1; sid <= 50; sid++)
		put_ended(w, sid);
	index_writer_free(w);
	assert_int_equal(asked, 0);
	assert_int_equal(rows(), 50);
}

/* After each run, not only the first time. */
static void assert_asked(void)
{
	struct index_writer *w = new_writer(true);

	put_ended(w, 1);
	await_asked(1);
	put_ended(w, 2);
	await_asked(2);
	index_writer_free(w);
}

TEST_F(start, teardown, test_figures_when_it_is_quiet)
{
	put_off_ns = HOUR_NS;
	assert_asked();
}

TEST_F(start, teardown, test_figures_though_it_is_never_quiet)
{
	quiet_ns = HOUR_NS;
	assert_asked();
}

/* ---- On the way to an engine ---- */

static char states[10000];

static const char *read_states(void)
{
	FILE *to = fmemopen(states, sizeof(states), "w");

	assert_non_null(to);
	*states = '\0';
	assert_int_equal(index_db_print(tree_fd, "machine 1", to), 0);
	fclose(to);
	return forward_lines(states);
}

static void put_state(struct index_writer *w, const char *why)
{
	struct index_forward f = { .sid = 1, .state = INDEX_FORWARD_WAITING, .next = 7 };

	strcpy(f.why, why);
	index_writer_forward(w, &f, false);
}

/* It does not concern which runs there are. */
TEST_F(start, teardown, test_state_that_is_not_written_yet)
{
	struct index_writer *w;

	forwards = holds = true;
	put_off_ns = HOUR_NS;
	w = new_writer(true);
	put_ended(w, 1);
	await_asked(1);
	put_state(w, "it is busy");
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_CLAIMED);
	put(w, 2, false);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_NOT);
	holds = false;
	index_writer_flush(w);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_CLAIMED);
	assert_string_equal(read_states(), "0000000000000001 waiting 7 it is busy\n");
	index_writer_free(w);
	assert_int_equal(index_whole_is(tree_fd), INDEX_WHOLE_MARKED);
}

/* Made again, it has what the list in the folder has, and what comes then. */
TEST_F(start, teardown, test_states_of_one_that_was_removed)
{
	struct index_writer *w;

	forwards = true;
	w = new_writer(true);
	put_ended(w, 1);
	put_state(w, "it is busy");
	index_writer_flush(w);
	tree_write(INDEX_FORWARDED, "0000000000000001 refused\n");
	unlink(tree_path(INDEX_NAME));
	put_ended(w, 1);
	assert_string_equal(read_states(), "0000000000000001 waiting 0 \n");
	index_writer_reopen(w);
	index_writer_flush(w);
	assert_string_equal(read_states(), "0000000000000001 refused 0 \n");
	put_state(w, "it is busy");
	index_writer_flush(w);
	assert_string_equal(read_states(), "0000000000000001 waiting 7 it is busy\n");
	index_writer_free(w);
}
