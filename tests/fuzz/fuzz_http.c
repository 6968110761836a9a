/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an engine answers that is asked for machines: form feeds separate the answers. The first
 * byte selects the engine.
 */
#include "host/collect/engine/engine.h"
#include "host/collect/engine/http.h"

#include "tests/fuzz/input.h"
#include "tests/fuzz/take.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define BODY_MAX ((size_t)1 << 16)

enum what { INFLUX, VICTORIA };

static struct {
	enum what what;
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

/* The lowest that is free: nothing stays open. */
static int next_fd(void)
{
	int fd = dup(STDERR_FILENO);

	close(fd);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static FILE *none;
	int before;

	if (!none)
		stderr = none = fopen("/dev/null", "w");
	insist(none);
	before = next_fd();
	take_from(data, bytes);
	net.what = take_byte() & 1 ? VICTORIA : INFLUX;
	ask_engine();
	insist(next_fd() == before);
	return 0;
}
