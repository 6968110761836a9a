/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers over HTTP, by libmicrohttpd in a thread of its own:
 *
 *	/verdict/UUID  the node's latest run that has ended, as JSON: 200 it passed, 409 it did not,
 *	               404 there is none, 503 the store cannot be read
 *	/healthz       200, or 503 while the disk takes no more
 *	others         the metrics
 *
 * At most WEB_CLIENTS are connected: a further one takes the place of the oldest. None is connected
 * for longer than WEB_CLIENT_NS, whatever it sends or reads meanwhile. So clients that read slowly
 * hold a bounded number of pages, of which there is a new one each second.
 */
#pragma once

#include "host/fleet/store/store.h"

#include <stdbool.h>
#include <stdint.h>

#define WEB_CLIENTS   128
#define WEB_CLIENT_NS UINT64_C(10000000000)

struct web;

/*
 * `fd` listens, and is closed at the end. Passes that were received longer ago than max_age_ns do
 * not count; 0: any does. NULL, with errno.
 */
struct web *web_start(int fd, const char *folder, uint64_t max_age_ns);

/* From now on, and at least once a second: the pages, allocated; they belong to the server. */
void web_show(struct web *web, char *metrics, char *health, bool is_healthy);

void web_stop(struct web *web);

/*
 * The verdict of the node whose UUID this text is. *status is that of HTTP. Passes that were
 * received longer ago than max_age_ns do not count; 0: any does. To be freed; NULL: memory has run
 * out.
 */
char *web_verdict(struct store *store, uint64_t max_age_ns, const char *uuid, unsigned *status);
