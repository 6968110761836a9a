/* SPDX-License-Identifier: BSD-2-Clause */
/* As much of HTTP/1.0 as posting points takes. */
#ifndef HOST_FORWARD_HTTP_H
#define HOST_FORWARD_HTTP_H

#include <stdbool.h>
#include <stddef.h>

struct http_target {
	char host[128], port[8], path[256];
};

enum http_result {
	HTTP_TAKEN,   /* 2xx */
	HTTP_REFUSED, /* 400, 413, 422: sent again it would be refused again */
	HTTP_AWAY,    /* no connection, no answer, or any other: try later */
};

/* "http://host:port/path", "http://[v6]:port/path". False: it is not one. */
bool http_target(const char *url, struct http_target *t);

/* Takes a minute at most. */
enum http_result http_post(const struct http_target *t, const char *body, size_t bytes);

#endif
