/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The URI that an image was fetched from, as the firmware shows it: hostile input. Files beside the
 * image have the same base. Source: RFC 3986, 3; RFC 9110, 4.2.
 */
#pragma once

#include "core/lib/ipaddr.h"

#include <stdbool.h>
#include <stddef.h>

#define URI_MAX 1023 /* a base is never longer */

struct uri {
	char base[URI_MAX + 1]; /* "https://host:port/a/", up to the last '/' of the path */
	char host[URI_MAX + 1]; /* "host:port", as the header Host has it */
	const char *scheme;     /* "http" or "https" */
	struct ipaddr address;  /* host address; IPADDR_NONE: the host is a name */
};

/*
 * Read a URI of `bytes` characters; trailing NULs are no part of it. User names, queries and
 * fragments are left out. False: it is neither http nor https, has no host, or is not printable.
 */
bool uri_read(struct uri *u, const char *s, size_t bytes);
