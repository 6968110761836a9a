/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of HTTP/1.0 that is needed to post points. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct forward_http_target {
	char host[128], port[8], path[256];
};

enum forward_http_result {
	FORWARD_HTTP_TAKEN,   /* 2xx */
	FORWARD_HTTP_REFUSED, /* 400, 413, 422: a retry would be refused, too */
	FORWARD_HTTP_AWAY,    /* no connection, no answer, or any other status: try later */
};

/* "http://host:port/path", "http://[v6]:port/path". False: not a valid one. */
bool forward_http_target(const char *url, struct forward_http_target *t);

/* Takes a minute at most. */
enum forward_http_result forward_http_post(const struct forward_http_target *t, const char *body,
					   size_t bytes);
