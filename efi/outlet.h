/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What goes out over the network: records to a collector, which acknowledges them, or points
 * to a time-series engine, which does not. Bounded memory; a record that finds no room waits,
 * bounded, while the network is worked.
 */
#ifndef EFI_OUTLET_H
#define EFI_OUTLET_H

#include "core/report/influx_link.h"
#include "core/records/record.h"
#include "core/records/sender.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct app;

struct outlet {
	bool has_acks; /* records to a collector; else points to an engine */
	struct record_link link;
	struct sender sender;
	struct influx_link influx;
	struct points points;
	uint64_t pace_due_ns, give_up_ns; /* of points */
	size_t line_bytes;                /* of the line that looks for room */
	bool stuck; /* waiting was in vain: nothing waits any more until something moves */
};

/* Memory, and a link of the report. False: no memory. */
bool outlet_open(struct app *app);

/* Time by the TSC; the context is the application. */
uint64_t outlet_now_ns(void *app);

/* Send what is due. */
void outlet_work(struct app *app);

/* A datagram came from the peer. */
void outlet_take(struct app *app, const uint8_t *bytes, size_t count);

/* Do not wait for more before sending. */
void outlet_flush(struct app *app);

/* Has all that was given been sent, and acknowledged where that is to be had? */
bool outlet_is_empty(struct app *app);

/* Has a collector acknowledged all that was given? */
bool outlet_is_delivered(const struct app *app);

/* There is no more to come; from now on the time to linger runs. */
void outlet_finish(struct app *app);

/* Nothing is left to be done, or the time to linger is over. */
bool outlet_is_finished(struct app *app);

/* For people: "delivered: ..." or "undelivered: ...". */
void outlet_print_end(struct app *app, struct text *out);

/* "udp://10.0.0.5:5514" */
void outlet_print_peer(const struct app *app, struct text *out);

#endif
