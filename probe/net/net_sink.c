/* SPDX-License-Identifier: BSD-2-Clause */
/* The report's records become datagrams. */
#include "net_sink.h"

#include "probe/door.h"

#include "arch/arch.h"
#include "core/lib/ticks.h"
#include "drivers/net/net.h"

#define SLOTS     128u
#define PACE_NS   UINT64_C(500000)
#define NS_PER_MS UINT64_C(1000000)

uint64_t net_sink_now_ns(void *ctx)
{
	const struct net_sink *s = ctx;

	return ticks_to_ns(clock_now(), s->clock->hz);
}

/* Waiting for room */

static bool has_room(void *ctx)
{
	const struct net_sink *sink = ctx;

	return sender_has_room(&sink->sender, sink->line_bytes);
}

/*
 * Wait for at most the time to linger. After one wait in vain, later records only check for an
 * acknowledgement.
 */
static void make_room(struct net_sink *sink)
{
	if (has_room(sink))
		return;
	sink->wait(sink->network, has_room, sink,
		   sink->stuck ? 0 : sink->config->linger_ns / NS_PER_MS);
	sink->stuck = !has_room(sink);
}

/* Records */

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

bool net_sink_open(struct net_sink *sink, uint64_t sid)
{
	struct report *r = sink->report;
	struct sender_setup setup = {
		.sid = sid,
		.key = sink->config->key.set ? sink->config->key.bytes : NULL,
		.uuid = sink->uuid,
		.slot = door.pages(SLOTS * sizeof(*setup.slot), 0),
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
	if (r->hashed)
		record_hash(&sink->link);
	r->link[r->links++] = (struct report_link){ .to = &sink->link, .gaps_default = UINT64_MAX };
	return true;
}

void net_sink_work(struct net_sink *sink)
{
	sender_work(&sink->sender);
}

void net_sink_take(struct net_sink *sink, const uint8_t *bytes, size_t count)
{
	sender_take(&sink->sender, bytes, count);
}

void net_sink_flush(struct net_sink *sink)
{
	sender_flush(&sink->sender);
}

bool net_sink_is_empty(const struct net_sink *sink)
{
	return sink->sender.first == sink->sender.end;
}

bool net_sink_is_delivered(const struct net_sink *sink)
{
	return !sender_undelivered(&sink->sender);
}

bool net_sink_is_heard(const struct net_sink *sink)
{
	return sink->sender.acks;
}

void net_sink_finish(struct net_sink *sink)
{
	sender_flush(&sink->sender);
	sender_finish(&sink->sender);
}

bool net_sink_is_finished(struct net_sink *sink)
{
	return sender_state(&sink->sender) != SENDER_BUSY;
}

/* The end, for people */

void net_sink_print_peer(const struct net_sink *sink, struct text *out)
{
	bool v6 = sink->config->report.host.family == IPADDR_V6;

	text_add(out, "udp://%s", v6 ? "[" : "");
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

void net_sink_print_end(const struct net_sink *sink, struct text *out)
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
