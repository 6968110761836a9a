/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * To post something over HTTP or HTTPS and read the answer, by libcurl. Bounded in time and size;
 * redirects are not followed.
 */
#pragma once

#include "host/program/options.h"

#include <stdbool.h>
#include <stddef.h>

/* "http://host:port/path", "https://[v6]/path", without a user. */
bool http_is_url(const char *url);

/* Why a URL that is not a valid one may be meant as one. NULL: no such reason. */
const char *http_unsupported(const char *url);

#define HTTP_SHOWN 512

/* For messages: without users, passwords, and parameters other than a database's name. */
void http_shown(const char *url, char to[HTTP_SHOWN]);

/* Files; NULL: none. */
struct http_access {
	const char *cacert; /* certificates to trust instead of the system's, PEM */
	const char *netrc;  /* users and passwords by host, as ftp(1) has them */
	/* One line, the header Authorization: "Token SECRET" for InfluxDB 2, "Bearer SECRET". */
	const char *authorization;
};

/* Rows of options, for a member of this type. */
#define HTTP_ACCESS_ROWS(type, member)                                                        \
	{ "cacert", "FILE", "https: trust these certificates (PEM), not those of the system", \
	  options_text, .offset = offsetof(type, member.cacert) },                            \
		{ "netrc-file", "FILE",                                                       \
		  "users and passwords for engines: lines machine HOST login USER "           \
		  "password PASSWORD",                                                        \
		  options_text, .offset = offsetof(type, member.netrc) },                     \
	{                                                                                     \
		"authorization", "FILE",                                                      \
			"a line that authorizes requests to engines, such as Token SECRET "   \
			"for InfluxDB 2",                                                     \
			options_text, .offset = offsetof(type, member.authorization)          \
	}

#define HTTP_ANSWER_MAX ((size_t)4096)

struct http_answer {
	int status; /* 0: there is no answer, or not a whole one; `why` has the reason */
	char body[HTTP_ANSWER_MAX + 1]; /* its beginning, terminated by a zero */
	size_t bytes;                   /* length of body, without the zero */
	char why[160];
};

/* A client, for one thread at a time; its connection stays open between requests. */
struct http;

/*
 * NULL, with the reason in `why`: a file cannot be read. The names must stay. What is secret and
 * readable by everybody is warned of, on standard error, after "PROGRAM: ".
 */
struct http *http_open(const char *program, const struct http_access *access, char why[HTTP_SHOWN]);
void http_close(struct http *h);

/* Post plain text within so many seconds, those for the answer included. */
void http_post(struct http *h, const char *url, const char *body, size_t bytes, unsigned seconds,
	       struct http_answer *a);

#define HTTP_ANSWER_WHY 200

/* Why an engine did not accept points, in printable words. Nothing of its answer is trusted. */
void http_answer_why(const struct http_answer *http, char why[HTTP_ANSWER_WHY]);
