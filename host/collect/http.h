/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of HTTP/1.0 that is needed to post something and read the answer. Bounded in time and
 * size; redirects are not followed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct http_target {
	char host[128], port[8], path[256];
};

/* "http://host:port/path", "http://[v6]:port/path". False: not a valid one. */
bool http_target(const char *url, struct http_target *t);

/*
 * Why a URL that is not a valid one may be meant as one: "neither TLS nor ...". NULL: no such
 * reason.
 */
const char *http_unsupported(const char *url);

#define HTTP_SHOWN 512

/* For messages: without users, passwords, and parameters other than a database's name. */
void http_shown(const char *url, char to[HTTP_SHOWN]);

struct http_request {
	const char *type; /* of the body */
	const char *body;
	size_t bytes;
	unsigned seconds; /* for all of it, but not for finding the host */
	size_t most;      /* bytes of the answer; 0: only its status is wanted */
};

struct http_answer {
	int status;   /* 0: there is no answer, or not a whole one; `why` has the reason */
	char *body;   /* NULL: none; else terminated by a zero. To be freed */
	size_t bytes; /* of it */
	char why[160];
};

void http_post(const struct http_target *t, const struct http_request *r, struct http_answer *a);
