/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The length of the body of a server's answer to a GET, by its headers: hostile input. Source: RFC
 * 9112, 6 (message body length). A body in a coding is no configuration, and is refused as such.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum http_answer_state {
	HTTP_ANSWER_SOUND,
	HTTP_ANSWER_LONG,    /* there is no room for it */
	HTTP_ANSWER_UNSIZED, /* its end would look like a broken connection */
	HTTP_ANSWER_BROKEN,  /* against the protocol */
};

/* To be zeroed before the first header. */
struct http_answer {
	enum http_answer_state state;
	bool has_length;
	uint64_t bytes; /* length of the body */
};

/* Take a header of the answer. All but Content-Length are ignored. */
void http_answer_header(struct http_answer *a, const char *name, const char *value);

/* Call this after the last header. The body can be received if it is sound; `cap`: most bytes. */
enum http_answer_state http_answer_end(struct http_answer *a, size_t cap);
