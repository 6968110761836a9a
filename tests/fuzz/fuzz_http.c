/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both ends of HTTP, with sockets of our own: any answer, in pieces; what an engine answers that is
 * asked for machines, where form feeds part the answers; who comes for metrics, when, with what.
 * The first byte selects which.
 */
#define _GNU_SOURCE /* accept4 */
#include "host/collect/collect.h"
#include "host/collect/engine.h"
#include "host/collect/http.h"

#include "tests/fuzz/input.h"
#include "tests/fuzz/take.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define URL_MAX    600
#define ANSWER_MAX 600
#define BODY_MAX   ((size_t)1 << 16)
#define FILL       255

enum what { POST, METRICS, INFLUX, VICTORIA, WHATS };

static struct {
	enum what what;
	bool has_head, has_end;  /* of an engine's answer */
	char answer[ANSWER_MAX]; /* as it was given out */
	size_t bytes;
	bool over;
	sem_t end; /* the metrics' thread has seen all of the input */
} net;

/* ---- Sockets ---- */

int getaddrinfo(const char *host, const char *port, const struct addrinfo *wanted,
		struct addrinfo **found)
{
	static struct sockaddr_in address = { .sin_family = AF_INET };
	static struct addrinfo one = { .ai_family = AF_INET,
				       .ai_socktype = SOCK_STREAM,
				       .ai_addr = (struct sockaddr *)&address,
				       .ai_addrlen = sizeof(address) };

	(void)wanted;
	insist(*port && (!host || strlen(host) < 128));
	*found = &one;
	return 0;
}

void freeaddrinfo(struct addrinfo *found)
{
	(void)found;
}

int connect(int fd, const struct sockaddr *address, socklen_t bytes)
{
	(void)fd, (void)address, (void)bytes;
	net.has_head = net.has_end = false;
	return net.what == POST && take_byte() == 1 ? -1 : 0;
}

ssize_t send(int fd, const void *at, size_t bytes, int flags)
{
	uint8_t how = net.what == POST ? take_byte() : 0;

	(void)fd, (void)at;
	insist(flags & MSG_NOSIGNAL);
	if (how == 1 || !bytes)
		return -1;
	return how == 2 ? 1 : (ssize_t)bytes;
}

/* An engine's answer, up to a form feed. */
static ssize_t receive_body(char *at, size_t room)
{
	static const char head[] = "HTTP/1.0 200 OK\r\n\r\n";
	size_t n = 0;

	if (!net.has_head && room >= sizeof(head)) {
		net.has_head = true;
		memcpy(at, head, sizeof(head) - 1);
		return sizeof(head) - 1;
	}
	while (n < room && !net.has_end) {
		net.has_end = !take_more() || *take.at == '\f';
		at[n] = (char)take_byte();
		n += !net.has_end;
	}
	return (ssize_t)n;
}

/* A piece of the answer; none, and it is over; FILL: one byte in all of the room. */
ssize_t recv(int fd, void *at, size_t room, int flags)
{
	bool is_fill;
	size_t count;

	(void)fd, (void)flags;
	insist(room);
	if (net.what >= INFLUX)
		return receive_body(at, room);
	count = take_byte();
	is_fill = count == FILL;
	if (is_fill || count > room)
		count = room;
	for (size_t i = 0; i < count; i++) {
		((uint8_t *)at)[i] = is_fill && i ? *(uint8_t *)at : take_byte();
		if (net.bytes < ANSWER_MAX - 1)
			net.answer[net.bytes++] = ((char *)at)[i];
	}
	return (ssize_t)count;
}

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
	if (net.what != METRICS)
		return net.what != POST || take_byte() != 1;
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

/* ---- Any answer ---- */

/* By the answer as it was given out: "HTTP/1.1 204 No Content"; 0: no such status line. */
static int expected_status(void)
{
	if (strncmp(net.answer, "HTTP/1.", 7) != 0 || !strchr("01", net.answer[7]) ||
	    net.answer[8] != ' ' || strspn(net.answer + 9, "0123456789") != 3 ||
	    net.answer[12] != ' ' || net.answer[9] == '0' || !strchr(net.answer, '\n'))
		return 0;
	return atoi(net.answer + 9);
}

static void check_answer(const struct http_request *r, const struct http_answer *a)
{
	insist(memchr(a->why, 0, sizeof(a->why)));
	insist(a->status || *a->why);
	if (a->status && r->most)
		insist(a->body && !a->body[a->bytes]);
	if (expected_status() && !r->most)
		insist(a->status == expected_status());
}

static void post(void)
{
	struct http_request r = { .type = "text/plain", .body = "a\n", .bytes = 2, .seconds = 1 };
	struct http_target target;
	struct http_answer a;
	char url[URL_MAX];
	size_t n = 0;

	r.most = take_byte() & 1 ? BODY_MAX : 0;
	do
		url[n] = (char)take_byte();
	while (url[n] && url[n] != '\n' && ++n < URL_MAX - 1);
	url[n] = '\0';
	memset(&target, 0xa5, sizeof(target));
	if (!http_target(url, &target))
		return;
	insist(memchr(target.host, 0, sizeof(target.host)) && *target.host);
	insist(memchr(target.port, 0, sizeof(target.port)) && *target.port);
	insist(memchr(target.path, 0, sizeof(target.path)) && *target.path == '/');
	insist(!strpbrk(target.host, " \r\n") && !strpbrk(target.path, " \r\n"));
	http_post(&target, &r, &a);
	check_answer(&r, &a);
	free(a.body);
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
	struct engine_nodes n = { .node = NULL };

	if (engine_read("fuzz",
			net.what == INFLUX ? "http://192.0.2.1:8086/query?db=x"
					   : "http://192.0.2.1:8428/api/v1/query",
			take_byte() & 1 ? "00000000-0000-0000-0000-000000000001" : NULL, &n))
		for (size_t i = 0; i < n.count; i++)
			check_node(&n.node[i]);
	free(n.node);
}

/* ---- Who comes for metrics ---- */

static void serve(void)
{
	struct metrics *m;

	net.over = false;
	sem_init(&net.end, 0, 0);
	m = collect_metrics_start(NULL, open("/dev/null", O_RDWR | O_CLOEXEC));
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
	static void (*const run[WHATS])(void) = { post, serve, ask_engine, ask_engine };
	static FILE *none;
	int before;

	if (!none)
		stderr = none = fopen("/dev/null", "w");
	insist(none);
	before = next_fd();
	memset(net.answer, 0, sizeof(net.answer));
	net.bytes = 0;
	take_from(data, bytes);
	net.what = take_byte() % WHATS;
	run[net.what]();
	insist(next_fd() == before);
	return 0;
}
