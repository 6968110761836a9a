/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The body of a server's answer to a GET, in the pieces in which the network gives it: hostile
 * input. Source: RFC 9112, 6 (message body length) and 7.1 (chunked transfer coding); RFC 9110,
 * 8.4 (Content-Encoding).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum http_answer_state {
	HTTP_ANSWER_MORE,    /* more is to come */
	HTTP_ANSWER_WHOLE,   /* the body is complete */
	HTTP_ANSWER_LONG,    /* there is no room for it */
	HTTP_ANSWER_UNSIZED, /* its end would look as a broken connection does */
	HTTP_ANSWER_CODED,   /* compressed, or in another coding that is not known */
	HTTP_ANSWER_BROKEN,  /* against the protocol */
};

enum http_answer_part {
	HTTP_ANSWER_SIZE, /* of a chunk */
	HTTP_ANSWER_EXTENSION,
	HTTP_ANSWER_DATA,
	HTTP_ANSWER_AFTER, /* the end of the line behind a chunk's data */
};

struct http_answer {
	char *out; /* `cap` bytes */
	size_t cap, used;
	enum http_answer_state state;
	bool chunked, has_length;
	uint64_t left; /* bytes of the body, or of the chunk */
	enum http_answer_part part;
	bool has_digit; /* of the chunk's size */
};

void http_answer_start(struct http_answer *a, char *out, size_t cap);

/* Each header of the answer, before its body. Others than the three that matter are ignored. */
void http_answer_header(struct http_answer *a, const char *name, const char *value);

/* All headers were seen; is there a body? */
enum http_answer_state http_answer_begin(struct http_answer *a);

/* A piece of the body. What comes behind its end is ignored. */
enum http_answer_state http_answer_take(struct http_answer *a, const char *bytes, size_t count);
