/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an engine answers that is asked for machines, where form feeds part the answers; who comes
 * for metrics, when, with what, on sockets of our own. The first byte selects which.
 */
#define _GNU_SOURCE /* accept4 */
#include "host/collect/collect.h"
#include "host/collect/engine/engine.h"
#include "host/collect/engine/http.h"

#include "tests/fuzz/input.h"
#include "tests/fuzz/take.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define BODY_MAX ((size_t)1 << 16)

enum what { METRICS, INFLUX, VICTORIA, WHATS };

static struct {
	enum what what;
	bool many; /* there are more machines than places */
	bool over;
	sem_t end; /* the metrics' thread has seen all of the input */
} net;

/* ---- An engine, in place of host/collect/engine/http.c ---- */

struct http {
	int unused;
};

static struct http only;

bool http_target(const char *url, struct http_target *to)
{
	snprintf(to->path, sizeof(to->path), "%s", strchr(strstr(url, "//") + 2, '/'));
	return true;
}

const char *http_unsupported(const char *url)
{
	(void)url;
	return NULL;
}

void http_shown(const char *url, char to[HTTP_SHOWN])
{
	snprintf(to, HTTP_SHOWN, "%s", url);
}

struct http *http_open(const char *program, const struct http_access *access, char why[HTTP_SHOWN])
{
	(void)program, (void)access, (void)why;
	return &only;
}

void http_close(struct http *h)
{
	insist(h == &only);
}

/* The input up to a form feed is the answer to one query. */
void http_post(struct http *h, const struct http_target *to, const struct http_request *r,
	       struct http_answer *a)
{
	insist(h == &only && *to->path && strlen(r->body) == r->bytes && r->most);
	*a = (struct http_answer){ .status = 200, .body = malloc(BODY_MAX) };
	insist(a->body);
	while (take_more() && *take.at != '\f' && a->bytes < BODY_MAX - 1)
		a->body[a->bytes++] = (char)take_byte();
	if (take_more())
		take_byte();
	a->body[a->bytes] = '\0';
}

/* ---- Sockets ---- */

int accept4(int fd, struct sockaddr *address, socklen_t *bytes, int flags)
{
	(void)fd, (void)address, (void)bytes;
	insist(flags & SOCK_CLOEXEC);
	if (take_byte() == 1) {
		errno = EMFILE;
		return -1;
	}
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

/* Its length, then what is asked; of 0 bytes whether it has hung up or there is none yet. */
ssize_t recv(int fd, void *to, size_t most, int flags)
{
	size_t wanted = take_byte(), n = 0;

	(void)fd;
	insist(flags & MSG_DONTWAIT);
	if (!wanted && take_byte() & 1) {
		errno = EAGAIN;
		return -1;
	}
	while (n < wanted && n < most && take_more())
		((uint8_t *)to)[n++] = take_byte();
	return (ssize_t)n;
}

/* All, half of it, nothing for now, or it has hung up. */
ssize_t send(int fd, const void *what, size_t bytes, int flags)
{
	unsigned how = take_byte() % 4;

	(void)fd;
	insist(what && bytes && flags & MSG_DONTWAIT && flags & MSG_NOSIGNAL);
	if (how < 2)
		return (ssize_t)(how ? (bytes + 1) / 2 : bytes);
	errno = how == 2 ? EAGAIN : EPIPE;
	return -1;
}

int shutdown(int fd, int how)
{
	(void)fd, (void)how;
	return 0;
}

/* A bit for the socket that listens, and one for the client that has something to ask. */
int poll(struct pollfd *at, nfds_t count, int ms)
{
	uint8_t who;

	(void)ms;
	insist(count >= 1 && count <= 129);
	for (nfds_t i = 0; i < count; i++) {
		insist(at[i].fd >= 0 && (!i || at[i].fd != at[0].fd));
		at[i].revents = 0;
	}
	if (!take_more()) {
		if (!net.over)
			sem_post(&net.end);
		net.over = true;
		usleep(100);
		return 0;
	}
	who = take_byte();
	if (who & 1)
		at[0].revents = POLLIN;
	if (who & 2 && count > 1)
		at[1 + take_byte() % (count - 1)].revents = POLLIN;
	return 1;
}

/* ---- An engine's machines ---- */

static void check_node(const struct fleet_node *n)
{
	const struct summary *s = &n->run.summary;

	input_assert_showable(s->uuid, sizeof(s->uuid));
	input_assert_showable(s->product, sizeof(s->product));
	input_assert_showable(s->bios, sizeof(s->bios));
	input_assert_showable(s->began, sizeof(s->began));
	input_assert_showable(s->verdict, sizeof(s->verdict));
	input_assert_showable(n->of.stage, sizeof(n->of.stage));
	insist(n->of.sources <= FIGURES_SOURCES);
	for (size_t i = 0; i < FIGURES_SOURCES; i++) {
		input_assert_showable(n->of.source[i].cause, sizeof(n->of.source[i].cause));
		insist(!*n->of.source[i].cause == (i >= n->of.sources));
	}
	for (unsigned f = 0; f < FIGURES; f++)
		insist(n->of.value[f] >= 0);
}

static void ask_engine(void)
{
	const struct engine_choice from = { .url = net.what == INFLUX
							   ? "http://192.0.2.1:8086/query?db=x"
							   : "http://192.0.2.1:8428/api/v1/query" };
	struct engine_nodes n = { .node = NULL };

	if (engine_read("fuzz", &from,
			take_byte() & 1 ? "00000000-0000-0000-0000-000000000001" : NULL, &n))
		for (size_t i = 0; i < n.count; i++)
			check_node(&n.node[i]);
	free(n.node);
}

/* ---- Who comes for metrics ---- */

static void serve(void)
{
	struct verdicts verdicts = { .dir = -1, .nodes.left_out = net.many };
	struct metrics *m;

	net.over = false;
	sem_init(&net.end, 0, 0);
	m = collect_metrics_start(NULL, open("/dev/null", O_RDWR | O_CLOEXEC), &verdicts, 1);
	insist(m);
	sem_wait(&net.end);
	collect_metrics_stop(m);
	sem_destroy(&net.end);
}

/* The lowest that is free: nothing stays open. */
static int next_fd(void)
{
	int fd = dup(STDERR_FILENO);

	close(fd);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static void (*const run[WHATS])(void) = { serve, ask_engine, ask_engine };
	static FILE *none;
	unsigned how;
	int before;

	if (!none)
		stderr = none = fopen("/dev/null", "w");
	insist(none);
	before = next_fd();
	take_from(data, bytes);
	how = take_byte();
	net.what = how % WHATS;
	net.many = how / WHATS & 1;
	run[net.what]();
	insist(next_fd() == before);
	return 0;
}
