/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends records over the network to a collector, which acknowledges them. Memory is bounded. A
 * record that does not fit waits for a bounded time, while the network is serviced.
 */
#pragma once

#include "core/config/config.h"
#include "core/records/record.h"
#include "core/wire/sender.h"
#include "core/report/report.h"
#include "core/gaps/tsc_rate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct net_sink {
	const struct config *config;
	const uint8_t *uuid; /* the machine's UUID: struct datagram */
	const struct tsc_rate *clock;
	struct report *report;
	/* Service the network until over() holds, for at most `ms`. */
	void (*wait)(void *network, bool (*over)(void *ctx), void *ctx, uint64_t ms);
	void *network;

	struct record_link link;
	struct sender sender;
	size_t line_bytes;     /* length of the line that looks for room */
	uint64_t memory_bytes; /* allocated */
	bool stuck; /* a wait was in vain: records do not wait until something is acknowledged */
};

/* Allocate memory, and add a link to the report of this run. False: there is no memory. */
bool net_sink_open(struct net_sink *sink, uint64_t sid);

/* ns by the TSC. `ctx` is the sink. */
uint64_t net_sink_now_ns(void *ctx);

/* Send what is due. */
void net_sink_work(struct net_sink *sink);

/* A datagram came from the peer. */
void net_sink_take(struct net_sink *sink, const uint8_t *bytes, size_t count);

/* Send at once, without waiting for more records. */
void net_sink_flush(struct net_sink *sink);

/* True if all that was given to the sink is acknowledged. */
bool net_sink_is_empty(const struct net_sink *sink);

/* True if the collector has acknowledged every record, also those that did not fit. */
bool net_sink_is_delivered(const struct net_sink *sink);

/* True if the collector has answered. */
bool net_sink_is_heard(const struct net_sink *sink);

/* Called after the last record: the time to linger begins. */
void net_sink_finish(struct net_sink *sink);

/* True if nothing is left to be done, or the time to linger is over. */
bool net_sink_is_finished(struct net_sink *sink);

/* Print "delivered: ..." or "undelivered: ...", for people. */
void net_sink_print_end(const struct net_sink *sink, struct text *out);

/* Print the peer, as "udp://10.0.0.5:5514". */
void net_sink_print_peer(const struct net_sink *sink, struct text *out);
