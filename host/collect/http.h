/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * To post something over HTTP or HTTPS, by libcurl. Bounded in time and size; redirects are not
 * followed.
 */
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

/* Is it "http://host:port/path" or "https://[v6]/path", without a user? */
bool http_is_url(const char *url);

/* A client, for one thread at a time; its connection stays open between requests. */
struct http;

#define HTTP_WHY 400

/*
 * NULL, with the reason in `why`: a file cannot be read. What is secret and readable by everybody
 * is warned of, on standard error.
 */
struct http *http_open(const struct http_access *access, char why[HTTP_WHY]);
void http_close(struct http *h);

/*
 * Post plain text within so many seconds, those for the answer included. Returns the status of the
 * answer; 0: there is no whole one. `why` has that in words, with the first line of the answer.
 */
int http_post(struct http *h, const char *url, const char *body, size_t bytes, unsigned seconds,
	      char why[HTTP_WHY]);
