/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of HTTP/1.0 that is needed to post points. */
#ifndef HOST_FORWARD_HTTP_H
#define HOST_FORWARD_HTTP_H

#include <stdbool.h>
#include <stddef.h>

struct http_target {
	char host[128], port[8], path[256];
};

enum http_result {
	HTTP_TAKEN,   /* 2xx */
	HTTP_REFUSED, /* 400, 413, 422: a retry would be refused, too */
	HTTP_AWAY,    /* no connection, no answer, or any other status: try later */
};

/* "http://host:port/path", "http://[v6]:port/path". False: not a valid one. */
bool http_target(const char *url, struct http_target *t);

/* Takes a minute at most. */
enum http_result http_post(const struct http_target *t, const char *body, size_t bytes);

#endif
