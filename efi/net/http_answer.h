/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The length of the body of a server's answer to a GET, by its headers: hostile input. Source: RFC
 * 9112, 6 (message body length). A body in a coding is no configuration, and is refused as such.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* To be zeroed before the first header. */
struct http_answer {
	bool is_broken; /* the answer is against the protocol */
	bool has_length;
	uint64_t bytes; /* length of the body */
};

/* Take a header of the answer. All but Content-Length are ignored. */
void http_answer_header(struct http_answer *a, const char *name, const char *value);

/* After the last header: why the body cannot be received; NULL: it can, if there is room. */
const char *http_answer_problem(const struct http_answer *a);
