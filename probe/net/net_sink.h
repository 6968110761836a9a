/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records that go over the network to a collector, which acknowledges them. Memory is bounded; a
 * record that finds no room waits, for a bounded time, while the network is serviced.
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
	const uint8_t *uuid; /* the machine's: struct datagram */
	const struct tsc_rate *clock;
	struct report *report;
	/* Service the network until over() holds, for at most `ms`. */
	void (*wait)(void *network, bool (*over)(void *ctx), void *ctx, uint64_t ms);
	void *network;

	struct record_link link;
	struct sender sender;
	size_t line_bytes;     /* length of the line that looks for room */
	uint64_t memory_bytes; /* allocated */
	bool stuck; /* waiting was in vain: nothing waits any more until something moves */
};

/* Memory, and a link of the report, of this run. False: no memory. */
bool net_sink_open(struct net_sink *sink, uint64_t sid);

/* Time by the TSC; ctx is the sink. */
uint64_t net_sink_now_ns(void *ctx);

/* Send what is due. */
void net_sink_work(struct net_sink *sink);

/* A datagram came from the peer. */
void net_sink_take(struct net_sink *sink, const uint8_t *bytes, size_t count);

/* Do not wait for more before sending. */
void net_sink_flush(struct net_sink *sink);

/* Has all that was given been acknowledged? */
bool net_sink_is_empty(const struct net_sink *sink);

/* Has the collector acknowledged every record, also those for which there was no room? */
bool net_sink_is_delivered(const struct net_sink *sink);

/* Has the collector answered? */
bool net_sink_is_heard(const struct net_sink *sink);

/* There is no more to come; from now on the time to linger runs. */
void net_sink_finish(struct net_sink *sink);

/* Nothing is left to be done, or the time to linger is over. */
bool net_sink_is_finished(struct net_sink *sink);

/* For people: "delivered: ..." or "undelivered: ...". */
void net_sink_print_end(const struct net_sink *sink, struct text *out);

/* "udp://10.0.0.5:5514" */
void net_sink_print_peer(const struct net_sink *sink, struct text *out);
