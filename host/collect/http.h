/* SPDX-License-Identifier: BSD-2-Clause */
/* Posts over HTTP or HTTPS, with libcurl. Bounded in time and size; redirects are not followed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Files; NULL: none. */
struct http_access {
	const char *cacert; /* certificates to trust instead of the system's, PEM */
	const char *netrc;  /* users and passwords by host, as ftp(1) has them */
	/* One line, the header Authorization: "Token SECRET" for InfluxDB 2, "Bearer SECRET". */
	const char *authorization;
};

/* True for "http://host:port/path" or "https://[v6]/path", without a user. */
bool http_is_url(const char *url);

/* A client, for one thread at a time; its connection stays open between requests. */
struct http;

#define HTTP_WHY 400

/*
 * Open a client. Returns NULL, with the reason in `why`, if a file cannot be read. Warns on
 * standard error if everybody can read a file with secrets.
 */
struct http *http_open(const struct http_access *access, char why[HTTP_WHY]);
void http_close(struct http *h);

/*
 * Post plain text, and wait for the answer, for so many seconds in all. Returns the status of the
 * answer; 0: there is no whole one. `why` has the status in words, with the first line of the
 * answer.
 */
int http_post(struct http *h, const char *url, const char *body, size_t bytes, unsigned seconds,
	      char why[HTTP_WHY]);
