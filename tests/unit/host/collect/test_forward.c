/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs on their way to an engine: addresses, requests, answers, and points. The forwarder starts
 * its own program for the points of a run, which here is this one: it writes meaningless points
 * as many as the run's id.
 */
#include "tests/unit/http_server.h"
#include "tests/unit/stored.h"

#include "host/collect/forward.h"

#include <signal.h>
#include <sqlite3.h>

/* Run ids, by which this program makes points. */
enum sent_run { NOTHING = 2, LONG = 3, KILLED = 4, FAILED = 5, SHORT = 6 };

static const struct http_access no_access;

#define LONG_POINTS 60000 /* more than two requests' worth */

/* ---- points ---- */

static int print_points(const char *sid)
{
	unsigned run = (unsigned)strtoul(sid, NULL, 16);
	unsigned points = run == LONG ? LONG_POINTS : run == NOTHING ? 0 : 1;

	for (unsigned i = 0; i < points; i++)
		printf("noisefloor_gap,run=%u,number=%u len_ns=1000i 1700000000000000000\n", run,
		       i);
	fflush(stdout);
	if (run == KILLED)
		raise(SIGKILL);
	return run == FAILED ? 2 : 0;
}

/* ---- the store ---- */

static int take_state(void *ctx, sqlite3_stmt *row)
{
	const char *name = (const char *)sqlite3_column_text(row, 0);

	snprintf(ctx, 16, "%s", name ? name : "waiting");
	return 0;
}

static const char *state_of(uint64_t sid)
{
	static char state[16];
	char name[STORE_SID];

	snprintf(name, sizeof(name), "%016llx", (unsigned long long)sid);
	assert_int_equal(store_ask(stored, "SELECT forward_state FROM run WHERE sid=?1", name,
				   take_state, state),
			 0);
	return state;
}

static char to[80]; /* --forward's address */

static void start(void)
{
	stored_start();
	assert_true(http_server_start("/write?db=nf"));
	snprintf(to, sizeof(to), "influx:%s", server.url);
}

static void teardown(void)
{
	http_server_stop();
	stored_end();
}

/* This is far longer than anything that does happen takes. */
#define WAIT_FOR(condition)                                                         \
	do {                                                                        \
		for (unsigned n_ = 0; n_ < 60000 && !(condition); n_++)             \
			nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL); \
		if (!(condition))                                                   \
			fail_msg("%s: not within 600 s: it hangs", #condition);     \
	} while (0)

/* ---- addresses and requests ---- */

TEST(test_urls)
{
	static const char *const wrong[] = { "",
					     "http://",
					     "http://:1/",
					     "http://me:secret@a:1/",
					     "http://me@a:1/",
					     "a:1/",
					     "http://a:1/ x",
					     "http://a:1/\r\nX: y",
					     "http://a:12345678/",
					     "ftp://a:1/" };

	assert_true(http_is_url("http://collector.example:8086/write?db=x"));
	assert_true(http_is_url("https://collector.example/x"));
	assert_true(http_is_url("http://[2001:db8::1]:80/"));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (http_is_url(wrong[i]))
			fail_msg("%s is accepted", wrong[i]);
}

TEST(test_answers)
{
	static const int taken[] = { 200, 204 }, refused[] = { 400, 413, 422 },
			 later[] = { 0, 100, 302, 401, 403, 404, 429, 500, 503 };

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		assert_int_equal(forward_result(taken[i]), FORWARD_TAKEN);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_int_equal(forward_result(refused[i]), FORWARD_REFUSED);
	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++)
		assert_int_equal(forward_result(later[i]), FORWARD_LATER);
}

/* ---- the queue ---- */

static struct forward *started(void)
{
	struct forward *f = forward_start(to, tree, &no_access);

	assert_non_null(f);
	return f;
}

static struct forward_counts counts(struct forward *f)
{
	return forward_counts(f, stored);
}

static void add(uint64_t sid)
{
	struct store_run run = stored_run(sid, "box", "pass");

	stored_insert(stored, &run);
}

/* A long run is sent in requests that each hold whole lines. */
TEST_F(start, teardown, test_long)
{
	struct forward *f = started();

	add(NOTHING); /* is not sent */
	WAIT_FOR(strcmp(state_of(NOTHING), "accepted") == 0);
	assert_int_equal(server.requests, 0);
	add(LONG);
	WAIT_FOR(counts(f).taken == 2);
	assert_int_equal(server.newlines, LONG_POINTS);
	assert_true(server.requests > 2);
	assert_false(server.has_part);
	WAIT_FOR(strcmp(state_of(LONG), "accepted") == 0);
	forward_stop(f);
}

/* This also holds if the rest of its points is not read, which ends `show`. */
TEST_F(start, teardown, test_long_is_refused)
{
	struct forward *f = started();

	server.answer = "HTTP/1.1 400 Bad Request\r\n\r\n";
	add(LONG);
	WAIT_FOR(counts(f).refused == 1);
	assert_int_equal(server.requests, 1);
	forward_stop(f);
	assert_string_equal(state_of(LONG), "refused");
}

/* Truncated output, as when memory has run out, is not taken for all. */
TEST_F(start, teardown, test_points_are_cut)
{
	struct forward *f = started();

	add(KILLED);
	WAIT_FOR(server.requests >= 2); /* the request is repeated */
	add(FAILED);
	WAIT_FOR(server.requests >= 6);
	assert_int_equal(counts(f).taken, 0);
	assert_int_equal(counts(f).waiting, 2);
	forward_stop(f);
	assert_string_equal(state_of(KILLED), "waiting");
	assert_string_equal(state_of(FAILED), "waiting");
}

/* A run that waits for a time far ahead, on a clock that was wrong, is sent again at once. */
TEST_F(start, teardown, test_clock_is_set_back)
{
	struct forward *f = started();

	server.answer = "HTTP/1.1 400 Bad Request\r\n\r\n";
	add(SHORT);
	WAIT_FOR(strcmp(state_of(SHORT), "refused") == 0);
	server.answer = "HTTP/1.1 204 No Content\r\n\r\n";
	assert_int_equal(
		store_run_sql(stored, "UPDATE run SET forward_next_s=forward_next_s+86400"), 0);
	WAIT_FOR(strcmp(state_of(SHORT), "accepted") == 0);
	forward_stop(f);
}

/* A run is not sent over and over because its state cannot be stored, as on a full disk. */
TEST_F(start, teardown, test_state_is_not_stored)
{
	struct forward *f;

	assert_int_equal(store_run_sql(stored, "CREATE TRIGGER refuse BEFORE UPDATE OF "
					       "forward_state ON run BEGIN SELECT "
					       "RAISE(ABORT, ''); END"),
			 0);
	add(SHORT);
	f = started();
	WAIT_FOR(server.requests);
	nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
	assert_int_equal(server.requests, 1);
	forward_stop(f);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], FORWARD_POINTS) == 0)
		return print_points(argv[argc - 1]);
	return tests_main(argc, argv);
}
