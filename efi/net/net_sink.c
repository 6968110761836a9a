/* SPDX-License-Identifier: BSD-2-Clause */
/* From the report's records to datagrams. */
#include "net_sink.h"

#include "efi/firmware.h"

#include "arch/arch.h"
#include "core/lib/ticks.h"
#include "drivers/net/net.h"
#include "drivers/rtc.h"

#define SLOTS          128u
#define POINTS_SLOTS   256u
#define POINTS_ROOM    128u /* datagrams: a core's histogram is many points */
#define PACE_NS        UINT64_C(500000)
#define POINTS_PACE_NS UINT64_C(1000000) /* nobody reports that it is too fast */
#define NS_PER_MS      UINT64_C(1000000)
#define NS_PER_S       UINT64_C(1000000000)
#define Y2000_S        UINT64_C(946684800) /* from 1970 */

uint64_t net_sink_now_ns(void *ctx)
{
	const struct net_sink *s = ctx;

	return ticks_to_ns(clock_now(), s->clock->hz);
}

/* Waiting for room */

static bool has_room(void *ctx)
{
	const struct net_sink *sink = ctx;

	if (sink->has_acks)
		return sender_has_room(&sink->sender, sink->line_bytes);
	return sink->points.end - sink->points.first <= POINTS_SLOTS - POINTS_ROOM;
}

/*
 * Waits as long as for the end of a run; once that was in vain, later records only look whether
 * an acknowledgement has come.
 */
static void make_room(struct net_sink *sink)
{
	if (has_room(sink))
		return;
	sink->wait(sink->network, has_room, sink,
		   sink->stuck ? 0 : sink->config->linger_ns / NS_PER_MS);
	sink->stuck = !has_room(sink);
}

/* Records, to be acknowledged */

static void write_record(struct record_link *link, const char *line, size_t bytes)
{
	struct net_sink *sink = (struct net_sink *)(void *)((char *)link -
							    offsetof(struct net_sink, link));

	sink->line_bytes = bytes;
	make_room(sink);
	sender_line(&sink->sender, line, bytes);
}

static bool send_datagram(void *ctx, const uint8_t *bytes, size_t count)
{
	(void)ctx;
	return net_send(bytes, count);
}

static bool open_records(struct net_sink *sink, uint64_t sid)
{
	struct sender_setup setup = {
		.sid = sid,
		.key = sink->config->key.set ? sink->config->key.bytes : NULL,
		.uuid = sink->uuid,
		.slot = firmware_pages(SLOTS * sizeof(*setup.slot), 0),
		.slots = SLOTS,
		.pace_ns = PACE_NS,
		.linger_ns = sink->config->linger_ns,
		.clock_ns = net_sink_now_ns,
		.send = send_datagram,
		.ctx = sink,
	};

	sink->memory_bytes += SLOTS * sizeof(*setup.slot);
	if (!setup.slot)
		return false;
	sender_start(&sink->sender, &setup);
	sink->link = (struct record_link){ .write = write_record, .sid = sid };
	if (sink->report->hashed)
		record_hash(&sink->link);
	return true;
}

/* Points */

static void take_record(struct record_link *link, enum record_type type, const void *data)
{
	struct net_sink *sink = (struct net_sink *)(void *)((char *)link -
							    offsetof(struct net_sink, link));

	make_room(sink);
	record_send(&sink->influx.link, type, data);
}

static bool send_points(void *ctx, const char *text, size_t bytes)
{
	struct net_sink *sink = ctx;
	uint64_t now = net_sink_now_ns(sink);

	if (now < sink->pace_due_ns || !net_ready() || !net_send((const uint8_t *)text, bytes))
		return false;
	sink->pace_due_ns = now + POINTS_PACE_NS;
	return true;
}

static bool open_points(struct net_sink *sink, uint64_t sid)
{
	struct points_setup setup = {
		.slot = firmware_pages(POINTS_SLOTS * sizeof(*setup.slot), 0),
		.slots = POINTS_SLOTS,
		.send = send_points,
		.ctx = sink,
	};
	uint64_t seconds;

	sink->memory_bytes += POINTS_SLOTS * sizeof(*setup.slot);
	if (!setup.slot)
		return false;
	points_start(&sink->points, &setup);
	influx_link_start(&sink->influx, sid, &sink->points);
	if (rtc_read(&seconds))
		sink->influx.began_ns = (Y2000_S + seconds) * NS_PER_S;
	sink->link = (struct record_link){ .take = take_record, .sid = sid };
	return true;
}

/* Either */

bool net_sink_open(struct net_sink *sink, uint64_t sid)
{
	struct report *r = sink->report;

	sink->has_acks = sink->config->report.kind == REPORT_UDP;
	if (!(sink->has_acks ? open_records : open_points)(sink, sid))
		return false;
	r->link[r->links++] = (struct report_link){ .to = &sink->link, .gaps_default = UINT64_MAX };
	return true;
}

void net_sink_work(struct net_sink *sink)
{
	if (sink->has_acks)
		sender_work(&sink->sender);
	else
		points_work(&sink->points);
}

void net_sink_take(struct net_sink *sink, const uint8_t *bytes, size_t count)
{
	if (sink->has_acks)
		sender_take(&sink->sender, bytes, count);
}

void net_sink_flush(struct net_sink *sink)
{
	if (sink->has_acks)
		sender_flush(&sink->sender);
	else
		points_flush(&sink->points);
}

bool net_sink_is_empty(const struct net_sink *sink)
{
	return sink->has_acks ? sink->sender.first == sink->sender.end
			      : sink->points.first == sink->points.end;
}

bool net_sink_is_delivered(const struct net_sink *sink)
{
	return sink->has_acks && !sender_undelivered(&sink->sender);
}

bool net_sink_is_heard(const struct net_sink *sink)
{
	return sink->has_acks ? sink->sender.acks : net_ready();
}

void net_sink_finish(struct net_sink *sink)
{
	net_sink_flush(sink);
	sink->give_up_ns = net_sink_now_ns(sink) + sink->config->linger_ns;
	if (sink->has_acks)
		sender_finish(&sink->sender);
}

bool net_sink_is_finished(struct net_sink *sink)
{
	if (sink->has_acks)
		return sender_state(&sink->sender) != SENDER_BUSY;
	return net_sink_is_empty(sink) || net_sink_now_ns(sink) >= sink->give_up_ns;
}

/* The end, for people */

void net_sink_print_peer(const struct net_sink *sink, struct text *out)
{
	bool v6 = sink->config->report.host.family == IPADDR_V6;

	text_add(out, "%s://%s", sink->has_acks ? "udp" : "influx", v6 ? "[" : "");
	ipaddr_print(&sink->config->report.host, out);
	text_add(out, "%s:%u", v6 ? "]" : "", sink->config->report.port);
}

static const char *reason(const struct sender *s)
{
	if (s->refusal != DATAGRAM_TAKEN)
		return datagram_state_text(s->refusal);
	if (!s->sent)
		return "the network could not be used";
	return s->acks ? "not acknowledged in time" : "no answer";
}

static void print_records(const struct net_sink *sink, struct text *out)
{
	const struct sender *s = &sink->sender;
	uint64_t undelivered = sender_undelivered(s);

	if (undelivered)
		text_add(out, "undelivered: %llu of ", (unsigned long long)undelivered);
	else
		text_add(out, "delivered: ");
	text_add(out, "%llu records to ", (unsigned long long)s->next_seq);
	net_sink_print_peer(sink, out);
	if (undelivered)
		text_add(out, ": %s", reason(s));
}

static void print_points(const struct net_sink *sink, struct text *out)
{
	const struct points *p = &sink->points;
	uint64_t unsent = p->lines - p->lines_sent;

	text_add(out, "sent, without acknowledgement: %llu points to ",
		 (unsigned long long)p->lines_sent);
	net_sink_print_peer(sink, out);
	if (unsent)
		text_add(out, "; not sent: %llu", (unsigned long long)unsent);
}

void net_sink_print_end(const struct net_sink *sink, struct text *out)
{
	(sink->has_acks ? print_records : print_points)(sink, out);
}
