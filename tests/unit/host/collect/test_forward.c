/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs on their way to an engine: addresses, requests, answers, and points. The forwarder starts
 * its own program for the points of a run, which here is this one: it writes meaningless points
 * as many as the run's id.
 */
#include "tests/unit/common/test.h"
#include "tests/unit/stored.h"
#include "tests/unit/tree.h"

#include "host/collect/forward.h"
#include "host/collect/service/service.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sqlite3.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>

#define MIB ((size_t)1 << 20)

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

/* ---- an engine ---- */

static struct {
	int fd;
	char to[80]; /* --forward's address */
	pthread_t thread;
	const char *answer; /* NULL: it closes without one */
	_Atomic unsigned requests;
	_Atomic size_t bytes; /* of bodies */
	_Atomic unsigned newlines;
	_Atomic bool over, bad;
	char head[2000]; /* of the last request */
} engine;

static size_t read_head(int client)
{
	size_t used = 0;
	ssize_t n;

	memset(engine.head, 0, sizeof(engine.head));
	while (!strstr(engine.head, "\r\n\r\n") && used < sizeof(engine.head) - 1) {
		n = recv(client, engine.head + used, 1, 0);
		if (n <= 0)
			return 0;
		used += (size_t)n;
	}
	return strtoul(strstr(engine.head, "Content-Length: ") + strlen("Content-Length: "), NULL,
		       10);
}

static void serve(int client)
{
	static char body[MIB];
	size_t left = read_head(client);
	const char *answer = engine.answer;

	engine.bytes += left;
	/* It ends where a line ends. */
	engine.bad |= left == 0;
	while (left) {
		ssize_t n = recv(client, body, left < MIB ? left : MIB, 0);

		if (n <= 0)
			break;
		left -= (size_t)n;
		for (ssize_t i = 0; i < n; i++)
			engine.newlines += body[i] == '\n';
		engine.bad |= !left && body[n - 1] != '\n';
	}
	engine.requests++;
	if (answer)
		send(client, answer, strlen(answer), MSG_NOSIGNAL);
}

static void *run_engine(void *ctx)
{
	(void)ctx;
	while (!engine.over) {
		int client;

		if (poll(&(struct pollfd){ .fd = engine.fd, .events = POLLIN }, 1, 20) <= 0)
			continue;
		client = accept(engine.fd, NULL, NULL);
		serve(client);
		close(client);
	}
	return NULL;
}

/* ---- the store ---- */

static struct store *store;

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
	assert_int_equal(store_ask(store, "SELECT forward_state FROM run WHERE sid=?1", name,
				   take_state, state),
			 0);
	return state;
}

static int start(void **state)
{
	char why[200];

	if (tree_make(state) != 0)
		return -1;
	memset(&engine, 0, sizeof(engine));
	store = stored_open(tree, STORE_HOLD);
	engine.answer = "HTTP/1.1 204 No Content\r\n\r\n";
	engine.fd = service_listen("127.0.0.1:0", SOCK_STREAM, why, sizeof(why));
	snprintf(engine.to, sizeof(engine.to), "influx:http://127.0.0.1:%u/write?db=nf",
		 service_port(engine.fd));
	return pthread_create(&engine.thread, NULL, run_engine, NULL);
}

static int teardown(void **state)
{
	engine.over = true;
	pthread_join(engine.thread, NULL);
	close(engine.fd);
	store_close(store);
	return tree_remove(state);
}

/* Nothing that happens at all takes nearly as long. */
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

static enum forward_result post(struct http *h, const char *url)
{
	char why[HTTP_WHY];

	return forward_result(http_post(h, url, "a b=1\n", 6, 30, why));
}

TEST_F(start, teardown, test_answers)
{
	static const struct {
		const char *answer;
		enum forward_result result;
	} cases[] = {
		{ "HTTP/1.1 204 No Content\r\n\r\n", FORWARD_TAKEN },
		{ "HTTP/1.0 200 OK\r\n\r\n", FORWARD_TAKEN },
		{ "HTTP/1.1 400 Bad Request\r\n\r\n", FORWARD_REFUSED },
		{ "HTTP/1.1 413 Too Large\r\n\r\n", FORWARD_REFUSED },
		{ "HTTP/1.1 422 Unprocessable\r\n\r\n", FORWARD_REFUSED },
		{ "HTTP/1.1 401 Unauthorized\r\n\r\n", FORWARD_LATER },
		{ "HTTP/1.1 404 Not Found\r\n\r\n", FORWARD_LATER },
		{ "HTTP/1.1 429 Too Many\r\n\r\n", FORWARD_LATER },
		{ "HTTP/1.1 500 Internal\r\n\r\n", FORWARD_LATER },
		{ "HTTP/1.1 503 Busy\r\n\r\n", FORWARD_LATER },
		{ "HTTP/1.1 100 Continue\r\n\r\n", FORWARD_LATER },
		{ "SSH-2.0-OpenSSH\r\n", FORWARD_LATER },
		{ "HTTP/1.1\r\n", FORWARD_LATER },
		{ "\n", FORWARD_LATER },
		{ NULL, FORWARD_LATER },
	};
	char why[HTTP_WHY];
	struct http *h = http_open(&no_access, why);

	assert_non_null(h);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		engine.answer = cases[i].answer;
		assert_int_equal(post(h, engine.to + strlen("influx:")), cases[i].result);
		assert_int_equal(engine.requests, i + 1);
	}
	assert_non_null(strstr(engine.head, "POST /write?db=nf HTTP/1.1\r\nHost: 127.0.0.1:"));
	assert_non_null(strstr(engine.head, "\r\nContent-Length: 6\r\n"));
	/* Nobody listens there. */
	assert_int_equal(post(h, "http://127.0.0.1:1/"), FORWARD_LATER);
	http_close(h);
}

/* ---- the queue ---- */

static struct forward *started(void)
{
	struct forward *f = forward_start(engine.to, tree, &no_access);

	assert_non_null(f);
	return f;
}

static struct forward_counts counts(struct forward *f)
{
	return forward_counts(f, store);
}

static void add(uint64_t sid)
{
	struct store_run run = stored_run(sid, "box", "pass");

	stored_insert(store, &run);
}

/* What a run has is sent in requests that each hold whole lines. */
TEST_F(start, teardown, test_long)
{
	struct forward *f = started();

	add(NOTHING); /* is not sent */
	WAIT_FOR(strcmp(state_of(NOTHING), "accepted") == 0);
	assert_int_equal(engine.requests, 0);
	add(LONG);
	WAIT_FOR(counts(f).taken == 2);
	assert_int_equal(engine.newlines, LONG_POINTS);
	assert_true(engine.requests > 2);
	assert_false(engine.bad);
	WAIT_FOR(strcmp(state_of(LONG), "accepted") == 0);
	forward_stop(f);
}

/* Even where the rest of its points is not read any more, and `show` ends by that. */
TEST_F(start, teardown, test_long_is_refused)
{
	struct forward *f = started();

	engine.answer = "HTTP/1.1 400 Bad Request\r\n\r\n";
	add(LONG);
	WAIT_FOR(counts(f).refused == 1);
	assert_int_equal(engine.requests, 1);
	forward_stop(f);
	assert_string_equal(state_of(LONG), "refused");
}

/* What was not printed to the end, as when memory has run out, is not taken for all. */
TEST_F(start, teardown, test_points_are_cut)
{
	struct forward *f = started();

	add(KILLED);
	WAIT_FOR(engine.requests >= 2); /* it is tried again */
	add(FAILED);
	WAIT_FOR(engine.requests >= 6);
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

	engine.answer = "HTTP/1.1 400 Bad Request\r\n\r\n";
	add(SHORT);
	WAIT_FOR(strcmp(state_of(SHORT), "refused") == 0);
	engine.answer = "HTTP/1.1 204 No Content\r\n\r\n";
	assert_int_equal(store_run_sql(store, "UPDATE run SET forward_next_s=forward_next_s+86400"),
			 0);
	WAIT_FOR(strcmp(state_of(SHORT), "accepted") == 0);
	forward_stop(f);
}

/* A run is not sent over and over because its state cannot be stored, as on a full disk. */
TEST_F(start, teardown, test_state_is_not_stored)
{
	struct forward *f;

	assert_int_equal(store_run_sql(store, "CREATE TRIGGER refuse BEFORE UPDATE OF "
					      "forward_state ON run BEGIN SELECT "
					      "RAISE(ABORT, ''); END"),
			 0);
	add(SHORT);
	f = started();
	WAIT_FOR(engine.requests);
	nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
	assert_int_equal(engine.requests, 1);
	forward_stop(f);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], FORWARD_POINTS) == 0)
		return print_points(argv[argc - 1]);
	return tests_main(argc, argv);
}
