/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs on their way to an engine: addresses, requests, answers, and the queue. The forwarder starts
 * its own program for the points of a run, which here is this one: it writes meaningless points
 * as many as the run's id.
 */
#define _GNU_SOURCE /* memmem */
#include "tests/unit/common/test.h"
#include "tests/unit/tree.h"

#include "host/collect/forward.h"
#include "host/collect/index/forwarded.h"
#include "host/collect/index/index_db.h"
#include "host/store/index.h"
#include "host/collect/service/listen.h"
#include "host/collect/engine/http.h"
#include "host/collect/points.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>

#define MIB ((size_t)1 << 20)

/* Run ids; the points that this program, makes of them. */
enum sent_run { ONE = 1, NOTHING = 2, LONG = 3, KILLED = 4 };

static const struct http_access no_access;

#define LONG_POINTS 60000 /* more than two requests' worth */

/* ---- points ---- */

static int print_points(const char *path)
{
	unsigned run = (unsigned)strtoul(strrchr(path, '/') + 1, NULL, 16);
	unsigned points = run == LONG ? LONG_POINTS : run == NOTHING ? 0 : 1;

	for (unsigned i = 0; i < points; i++)
		printf("noisefloor_gap,run=%u,number=%u len_ns=1000i 1700000000000000000\n", run,
		       i);
	fflush(stdout);
	if (run == KILLED)
		raise(SIGKILL);
	return 3;
}

/* ---- an engine ---- */

static struct {
	int fd;
	char to[80]; /* --forward's address */
	pthread_t thread;
	const char *answer;          /* NULL: it closes without one */
	const char *_Atomic failing; /* it fails for points that have this; NULL: for none */
	_Atomic unsigned requests;
	_Atomic size_t bytes; /* of bodies */
	_Atomic unsigned newlines;
	_Atomic bool over, bad, holds; /* the last: its answer back */
	char head[2000];               /* of the last request */
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
	const char *answer = engine.answer, *failing = engine.failing;

	engine.bytes += left;
	/* It ends where a line ends. */
	engine.bad |= left == 0;
	while (left) {
		ssize_t n = recv(client, body, left < MIB ? left : MIB, 0);

		if (n <= 0)
			break;
		left -= (size_t)n;
		if (failing && memmem(body, (size_t)n, failing, strlen(failing)))
			answer = "HTTP/1.1 500 Internal\r\n\r\n";
		for (ssize_t i = 0; i < n; i++)
			engine.newlines += body[i] == '\n';
		engine.bad |= !left && body[n - 1] != '\n';
	}
	engine.requests++;
	while (engine.holds)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
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

/* ---- what is reported ---- */

/* The last words about each run, and about all. */
static struct {
	pthread_mutex_t mutex;
	struct index_forward of[32], all;
	unsigned reports, all_reports;
} reported = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void on_state(void *ctx, const struct index_forward *s, bool all)
{
	assert_ptr_equal(ctx, &reported);
	pthread_mutex_lock(&reported.mutex);
	*(all ? &reported.all : &reported.of[s->sid]) = *s;
	(*(all ? &reported.all_reports : &reported.reports))++;
	pthread_mutex_unlock(&reported.mutex);
}

static struct index_forward last_of(const struct index_forward *s)
{
	struct index_forward found;

	pthread_mutex_lock(&reported.mutex);
	found = *s;
	pthread_mutex_unlock(&reported.mutex);
	return found;
}

static struct index_forward state_of(uint64_t sid)
{
	return last_of(&reported.of[sid]);
}

static struct index_forward state_of_all(void)
{
	return last_of(&reported.all);
}

static void clear_states(void)
{
	pthread_mutex_lock(&reported.mutex);
	memset(reported.of, 0, sizeof(reported.of));
	reported.all = (struct index_forward){ .sid = 0 };
	reported.reports = reported.all_reports = 0;
	pthread_mutex_unlock(&reported.mutex);
}

/* ---- the queue's folder ---- */

static int index_dir;

static int start(void **state)
{
	char why[200];

	if (tree_make(state) != 0)
		return -1;
	memset(&engine, 0, sizeof(engine));
	clear_states();
	engine.answer = "HTTP/1.1 204 No Content\r\n\r\n";
	engine.fd = listen_open("127.0.0.1:0", SOCK_STREAM, why, sizeof(why));
	snprintf(engine.to, sizeof(engine.to), "influx:http://127.0.0.1:%u/write?db=nf",
		 listen_port(engine.fd));
	return pthread_create(&engine.thread, NULL, run_engine, NULL);
}

static int teardown(void **state)
{
	engine.over = true;
	pthread_join(engine.thread, NULL);
	close(engine.fd);
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

TEST_F(start, teardown, test_targets)
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
	char text[600] = "http://a:1/";
	struct http_target t;

	assert_true(http_target("http://collector.example:8086/write?db=x", &t));
	assert_string_equal(t.host, "collector.example");
	assert_string_equal(t.port, "8086");
	assert_string_equal(t.path, "/write?db=x");
	assert_true(http_target("https://collector.example/x", &t));
	assert_string_equal(t.port, "443");
	assert_string_equal(t.path, "/x");
	assert_true(http_target("http://[2001:db8::1]:80/", &t));
	assert_string_equal(t.host, "2001:db8::1");
	assert_string_equal(t.path, "/");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (http_target(wrong[i], &t))
			fail_msg("%s is accepted", wrong[i]);
	}
	memset(text + strlen(text), 'x', 500);
	assert_false(http_target(text, &t));
}

static enum forward_result post(struct http *h, const struct http_target *t)
{
	const struct http_request r = {
		.type = "text/plain", .body = "a b=1\n", .bytes = 6, .seconds = 30
	};
	struct http_answer a;

	http_post(h, t, &r, &a);
	assert_int_equal(!a.status, *a.why != '\0');
	return forward_result(a.status);
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
		{ "HTTP/1.1 401 Unauthorized\r\n\r\n", FORWARD_AWAY },
		{ "HTTP/1.1 404 Not Found\r\n\r\n", FORWARD_AWAY },
		{ "HTTP/1.1 429 Too Many\r\n\r\n", FORWARD_AWAY },
		{ "HTTP/1.1 500 Internal\r\n\r\n", FORWARD_LATER },
		{ "HTTP/1.1 503 Busy\r\n\r\n", FORWARD_LATER },
		{ "HTTP/1.1 100 Continue\r\n\r\n", FORWARD_AWAY },
		{ "SSH-2.0-OpenSSH\r\n", FORWARD_AWAY },
		{ "HTTP/1.1\r\n", FORWARD_AWAY },
		{ "\n", FORWARD_AWAY },
		{ NULL, FORWARD_AWAY },
	};
	char why[HTTP_SHOWN];
	struct http *h = http_open("test", &no_access, why);
	struct http_target t;

	assert_non_null(h);
	assert_true(http_target(engine.to + strlen("influx:"), &t));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		engine.answer = cases[i].answer;
		assert_int_equal(post(h, &t), cases[i].result);
		assert_int_equal(engine.requests, i + 1);
	}
	assert_non_null(strstr(engine.head, "POST /write?db=nf HTTP/1.1\r\nHost: 127.0.0.1:"));
	assert_non_null(strstr(engine.head, "\r\nContent-Length: 6\r\n"));
	/* Nobody listens there. */
	assert_true(http_target("http://127.0.0.1:1/", &t));
	assert_int_equal(post(h, &t), FORWARD_AWAY);
	http_close(h);
}

/* ---- the queue ---- */

/* As the collector's, after what the list has. */
static struct index_db *open_index(void)
{
	int dir = open(tree, O_RDONLY | O_DIRECTORY);
	struct index_db *db;

	assert_int_equal(index_db_open(dir, true, &db), 0);
	index_dir = dir;
	return db;
}

static void close_index(struct index_db *db)
{
	index_db_close(db);
	close(index_dir);
}

static void add_dated(uint64_t sid, bool ended, uint64_t at)
{
	struct index_db_changes all = STAILQ_HEAD_INITIALIZER(all);
	struct index_db_change one = {
		.entry = { .sid = sid, .at = at, .summary = { .ended = ended, .uuid = "box" } }
	};
	struct index_db *db = open_index();

	STAILQ_INSERT_TAIL(&all, &one, next);
	assert_int_equal(index_db_write(db, &all), 0);
	close_index(db);
}

static void add_to_index(uint64_t sid, bool ended)
{
	add_dated(sid, ended, 1700000000);
}

static struct forward *start_for(const char *to, const char *dir)
{
	const struct forward_setup setup = {
		.to = to, .dir = dir, .access = &no_access, .state = on_state, .ctx = &reported
	};

	return forward_start(&setup);
}

static struct forward *started(void)
{
	close_index(open_index());
	return start_for(engine.to, tree);
}

static void add(struct forward *f, uint64_t sid)
{
	forward_add(f, &(struct index_entry){ .sid = sid });
}

static uint64_t now_s(void)
{
	return (uint64_t)time(NULL);
}

TEST_F(start, teardown, test_bad_address)
{
	assert_null(start_for("http://a:1/", tree));
	assert_null(start_for("influx:ftp://a/", tree));
	assert_null(start_for(engine.to, tree_path("none")));
}

TEST_F(start, teardown, test_taken)
{
	struct forward *f = started();

	assert_non_null(f);
	assert_int_equal(forward_counts(f).waiting, 0);
	add_to_index(ONE, true);
	add(f, ONE);
	WAIT_FOR(forward_counts(f).taken == 1);
	assert_int_equal(engine.newlines, 1);
	assert_string_equal(tree_read("forwarded"), "0000000000000001 taken\n");
	forward_stop(f);
}

/* What a run has is sent in requests that each hold whole lines. */
TEST_F(start, teardown, test_long)
{
	struct forward *f = started();

	add(f, LONG);
	WAIT_FOR(forward_counts(f).taken == 1);
	assert_int_equal(engine.newlines, LONG_POINTS);
	assert_true(engine.requests > 2);
	assert_false(engine.bad);
	forward_stop(f);
}

/*
 * A run without points is not sent. One that the engine rejects is sent again when that is asked
 * for, and after the next start; --keep may remove it meanwhile.
 */
TEST_F(start, teardown, test_refused)
{
	struct forward *f;
	struct forwarded done;
	uint64_t before = now_s();
	int dir;

	add_to_index(ONE, true);
	add_to_index(NOTHING, true);
	f = started();
	engine.answer = "HTTP/1.1 400 Bad Request\r\n\r\n";
	WAIT_FOR(forward_counts(f).refused == 1 && forward_counts(f).empty == 1);
	assert_int_equal(engine.requests, 1);
	assert_int_equal(forward_counts(f).waiting, 1);
	forward_reopen(f);
	WAIT_FOR(engine.requests == 2);
	forward_stop(f);
	assert_string_equal(tree_read("forwarded"),
			    "0000000000000001 refused\n0000000000000002 empty\n");
	dir = open(tree, O_RDONLY | O_DIRECTORY);
	assert_int_equal(forwarded_read(dir, &done), 0);
	assert_int_equal(done.count, 2);
	assert_int_equal(forwarded_state(&done, ONE), INDEX_FORWARD_REFUSED);
	assert_int_equal(forwarded_state(&done, NOTHING), INDEX_FORWARD_EMPTY);
	assert_int_equal(forwarded_state(&done, LONG), INDEX_FORWARD_WAITING);
	forwarded_free(&done);
	close(dir);
	assert_int_equal(state_of(NOTHING).state, INDEX_FORWARD_EMPTY);
	assert_int_equal(state_of(NOTHING).next, 0);
	assert_int_equal(state_of(ONE).state, INDEX_FORWARD_REFUSED);
	assert_string_equal(state_of(ONE).why, "HTTP status 400");
	assert_in_range(state_of(ONE).next, before + 3600, now_s() + 3600);
	/* The engine's limit was raised. */
	engine.answer = "HTTP/1.1 204 No Content\r\n\r\n";
	f = started();
	WAIT_FOR(forward_counts(f).taken == 1);
	assert_int_equal(forward_counts(f).waiting, 0);
	forward_stop(f);
	assert_int_equal(state_of(ONE).state, INDEX_FORWARD_ACCEPTED);
	assert_string_equal(state_of(ONE).why, "");
	assert_int_equal(state_of(ONE).next, 0);
	f = started();
	assert_int_equal(forward_counts(f).waiting, 0);
	forward_stop(f);
	assert_int_equal(engine.requests, 3);
}

/* The run before others, and between them, that the engine fails for keeps none waiting. */
TEST_F(start, teardown, test_failing_run)
{
	struct forward *f;
	uint64_t before = now_s();

	engine.failing = "run=1,";
	for (uint64_t sid = 0; sid < 30; sid++)
		if (sid != NOTHING && sid != LONG && sid != KILLED)
			add_to_index(sid, true);
	f = started();
	WAIT_FOR(forward_counts(f).taken == 26);
	assert_int_equal(forward_counts(f).waiting, 1);
	assert_int_equal(forward_counts(f).refused, 0);
	assert_int_equal(state_of(ONE).state, INDEX_FORWARD_WAITING);
	assert_string_equal(state_of(ONE).why, "HTTP status 500");
	assert_true(state_of(ONE).next >= before);
	/* It is tried again, and taken when the engine does not fail any more. */
	engine.failing = NULL;
	WAIT_FOR(forward_counts(f).taken == 27);
	forward_stop(f);
	assert_non_null(strstr(tree_read("forwarded"), "0000000000000001 taken\n"));
	assert_int_equal(state_of(ONE).state, INDEX_FORWARD_ACCEPTED);
}

/* What holds up all is not any one's fault, and no more once one is taken. */
TEST_F(start, teardown, test_engine_that_is_away)
{
	uint64_t before = now_s();
	struct forward *f;

	add_to_index(ONE, true);
	engine.answer = "HTTP/1.1 401 Unauthorized\r\n\r\n";
	f = started();
	WAIT_FOR(*state_of_all().why);
	assert_string_equal(state_of_all().why, "HTTP status 401");
	assert_true(state_of_all().next > before);
	assert_int_equal(reported.reports, 0);
	engine.answer = "HTTP/1.1 204 No Content\r\n\r\n";
	WAIT_FOR(forward_counts(f).taken == 1);
	assert_string_equal(state_of_all().why, "");
	assert_int_equal(state_of_all().next, 0);
	assert_int_equal(state_of(ONE).state, INDEX_FORWARD_ACCEPTED);
	forward_stop(f);
}

/* Who took its reports may be gone when the order to stop has been given. */
TEST_F(start, teardown, test_no_reports_after_the_order_to_stop)
{
	struct forward *f;

	add_to_index(ONE, true);
	engine.holds = true;
	f = started();
	WAIT_FOR(engine.requests == 1);
	forward_quit(f);
	engine.holds = false;
	/* It is in the list all the same. */
	WAIT_FOR(forward_counts(f).taken == 1);
	forward_stop(f);
	assert_string_equal(tree_read("forwarded"), "0000000000000001 taken\n");
	assert_int_equal(reported.reports + reported.all_reports, 0);
}

/* Even where the rest of its points is not read any more, and `show` ends by that. */
TEST_F(start, teardown, test_long_is_refused)
{
	struct forward *f = started();

	engine.answer = "HTTP/1.1 400 Bad Request\r\n\r\n";
	add(f, LONG);
	WAIT_FOR(forward_counts(f).refused == 1);
	assert_int_equal(engine.requests, 1);
	assert_string_equal(tree_read("forwarded"), "0000000000000003 refused\n");
	forward_stop(f);
}

/* The index has no time of it, as `merge` writes it of a file whose time is 0. */
TEST_F(start, teardown, test_without_a_time)
{
	struct forward *f;

	add_dated(ONE, true, 0);
	f = started();
	WAIT_FOR(forward_counts(f).taken == 1);
	forward_stop(f);
}

/* What was not printed to the end is not taken for all. */
TEST_F(start, teardown, test_show_is_killed)
{
	struct forward *f = started();

	add(f, KILLED);
	WAIT_FOR(engine.requests >= 2); /* it is tried again */
	assert_int_equal(forward_counts(f).taken, 0);
	assert_int_equal(forward_counts(f).waiting, 1);
	forward_stop(f);
	assert_string_equal(tree_read("forwarded"), "");
}

/* The engine is away; the order to stop is heard all the same, and the next start goes on. */
TEST_F(start, teardown, test_waits_and_goes_on)
{
	struct forward *f;

	engine.answer = "HTTP/1.1 503 Busy\r\n\r\n";
	add_to_index(ONE, true);
	add_to_index(5, true);
	add_to_index(6, false);
	tree_write("forwarded", "0000000000000005 taken\nrubbish\n1\n00000000000000");
	f = started();
	assert_int_equal(forward_counts(f).waiting, 1);
	WAIT_FOR(engine.requests >= 1);
	forward_stop(f);
	engine.answer = "HTTP/1.1 204 No Content\r\n\r\n";
	f = started();
	WAIT_FOR(forward_counts(f).taken == 1);
	assert_int_equal(forward_counts(f).waiting, 0);
	forward_stop(f);
	/* And it is the last time. */
	f = started();
	assert_int_equal(forward_counts(f).waiting, 0);
	forward_stop(f);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], POINTS_NAME) == 0)
		return print_points(argv[argc - 1]);
	return tests_main(argc, argv);
}
