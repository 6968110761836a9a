/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The body of a server's answer to a GET, which arrives in pieces: hostile input. Source: RFC 9112,
 * 6 (message body length); RFC 9110, 8.4 (Content-Encoding).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum http_answer_state {
	HTTP_ANSWER_MORE,    /* more is to come */
	HTTP_ANSWER_WHOLE,   /* the body is complete */
	HTTP_ANSWER_LONG,    /* there is no room for it */
	HTTP_ANSWER_UNSIZED, /* its end would look like a broken connection */
	HTTP_ANSWER_CODED,   /* compressed, or in an unknown coding */
	HTTP_ANSWER_BROKEN,  /* against the protocol */
};

struct http_answer {
	char *out; /* `cap` bytes */
	size_t cap, used;
	enum http_answer_state state;
	bool has_length;
	uint64_t left; /* bytes of the body */
};

void http_answer_start(struct http_answer *a, char *out, size_t cap);

/*
 * Take a header of the answer. Call it for each, before the body. Only three headers matter; all
 * others are ignored.
 */
void http_answer_header(struct http_answer *a, const char *name, const char *value);

/* Call this after the last header. The result shows whether there is a body. */
enum http_answer_state http_answer_begin(struct http_answer *a);

/* Take a piece of the body. Bytes after its end are ignored. */
enum http_answer_state http_answer_take(struct http_answer *a, const char *bytes, size_t count);
