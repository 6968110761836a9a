/* SPDX-License-Identifier: BSD-2-Clause */
/* Outputs of a collector: its counters and verdicts over HTTP, and its store as JUnit's XML. */
#pragma once

#include "collector.h"

#include "host/program/options.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

extern const struct options_subcommand collect_program;

/*
 * The store's runs, one test case each: a failed verdict is a failure, a missing one an error. 0 or
 * an errno.
 */
int collect_junit_write(struct store *s, const char *path);

/*
 * The latest run of each node that has ended, for Prometheus: as many series as there are nodes,
 * whatever the number of their runs. A node without a UUID is none.
 *
 * Of more than COLLECT_NODES_MAX nodes each host has a fair share, and verdicts other than pass and
 * none come first. A host is an IPv4 address or, as anybody has that many, the first 64 bits of an
 * IPv6 address.
 *
 * 0 or an errno.
 */
#define COLLECT_NODES_MAX 10000
int collect_metrics_nodes(struct store *s, FILE *to);

/* Update the pages of the server; NULL: none. */
struct web;
void collect_metrics_show(struct web *web, struct collector *c);

/* ---- Answers over HTTP, by libmicrohttpd in a thread of its own ---- */

/*
 *	/verdict/UUID  the node's latest run that has ended, as JSON: 200 it passed, 409 it did not,
 *	               404 there is none, 503 the store cannot be read
 *	/healthz       200, or 503 while the disk takes no more
 *	others         the metrics
 *
 * At most WEB_CLIENTS are connected: a further one takes the place of the oldest. None is connected
 * for longer than WEB_CLIENT_NS, whatever it sends or reads meanwhile. So clients that read slowly
 * hold a bounded number of pages, of which there is at most a new one each second.
 */
#define WEB_CLIENTS   128
#define WEB_CLIENT_NS UINT64_C(10000000000)

/*
 * `fd` listens, and is closed at the end. Passes that were received longer ago than max_age_ns do
 * not count; 0: any does. NULL, with the reason on standard error.
 */
struct web *collect_web_start(int fd, const char *folder, uint64_t max_age_ns);

/*
 * Show new pages, which were allocated and belong to the server from now on; NULL: the page stays.
 * Ends connections that have been open for long.
 */
void collect_web_show(struct web *web, char *metrics, char *health, bool is_healthy);

void collect_web_stop(struct web *web);

/*
 * The verdict of the node whose UUID this text is, as JSON, to be freed; NULL: memory has run out.
 * *status is that of HTTP.
 */
char *collect_web_verdict(struct store *store, uint64_t max_age_ns, const char *uuid,
			  unsigned *status);
