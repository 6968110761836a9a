/* SPDX-License-Identifier: BSD-2-Clause */
/* From the report's records to datagrams. */
#include "outlet.h"

#include "app.h"

#include "core/lib/ticks.h"
#include "drivers/net/net.h"
#include "drivers/rtc.h"

#define SLOTS          128u
#define POINTS_SLOTS   256u
#define POINTS_ROOM    128u /* datagrams: a core's histogram is many points */
#define PACE_NS        UINT64_C(500000)
#define POINTS_PACE_NS UINT64_C(1000000) /* nobody says when it is too fast */
#define NS_PER_MS      UINT64_C(1000000)
#define NS_PER_S       UINT64_C(1000000000)
#define Y2000_S        UINT64_C(946684800) /* from 1970 */

uint64_t outlet_now_ns(void *ctx)
{
	const struct app *a = ctx;

	return ticks_to_ns(clock_now(), a->clock.hz);
}

/* Waiting for room */

static bool has_room(struct app *a)
{
	const struct outlet *o = &a->outlet;

	if (o->has_acks)
		return sender_has_room(&o->sender, o->line_bytes);
	return o->points.end - o->points.first <= POINTS_SLOTS - POINTS_ROOM;
}

/*
 * As long as the end would be waited for, but only once where nothing moves: from then on each
 * record but looks whether something has come.
 */
static void make_room(struct app *a)
{
	struct outlet *o = &a->outlet;

	if (has_room(a))
		return;
	network_wait(a, has_room, o->stuck ? 0 : a->config.linger_ns / NS_PER_MS);
	o->stuck = !has_room(a);
}

/* Records, to be acknowledged */

static struct app *app_of(struct outlet *o)
{
	return (struct app *)(void *)((char *)o - offsetof(struct app, outlet));
}

static void write_record(struct record_link *link, const char *line, size_t bytes)
{
	struct outlet *o = (struct outlet *)(void *)((char *)link - offsetof(struct outlet, link));

	o->line_bytes = bytes;
	make_room(app_of(o));
	sender_line(&o->sender, line, bytes);
}

static bool send_datagram(void *ctx, const uint8_t *bytes, size_t count)
{
	(void)ctx;
	return net_send(bytes, count);
}

static bool open_records(struct app *a, struct record_link **link)
{
	struct outlet *o = &a->outlet;
	struct sender_setup setup = {
		.sid = a->serial.sid,
		.key = a->config.key.set ? a->config.key.bytes : NULL,
		.slot = firmware_pages(SLOTS * sizeof(*setup.slot), 0),
		.slots = SLOTS,
		.pace_ns = PACE_NS,
		.linger_ns = a->config.linger_ns,
		.clock_ns = outlet_now_ns,
		.send = send_datagram,
		.ctx = a,
	};

	a->memory_bytes += SLOTS * sizeof(*setup.slot);
	if (!setup.slot)
		return false;
	sender_start(&o->sender, &setup);
	o->link = (struct record_link){ .write = write_record, .sid = a->serial.sid };
	*link = &o->link;
	return true;
}

/* Points */

static void take_record(struct record_link *link, enum record_type type, const void *data)
{
	struct outlet *o = (struct outlet *)(void *)((char *)link - offsetof(struct outlet, link));

	make_room(app_of(o));
	record_send(&o->influx.link, type, data);
}

static bool send_points(void *ctx, const char *text, size_t bytes)
{
	struct app *a = ctx;
	struct outlet *o = &a->outlet;
	uint64_t now = outlet_now_ns(a);

	if (now < o->pace_due_ns || !net_ready() || !net_send((const uint8_t *)text, bytes))
		return false;
	o->pace_due_ns = now + POINTS_PACE_NS;
	return true;
}

static bool open_points(struct app *a, struct record_link **link)
{
	struct outlet *o = &a->outlet;
	struct points_setup setup = {
		.slot = firmware_pages(POINTS_SLOTS * sizeof(*setup.slot), 0),
		.slots = POINTS_SLOTS,
		.send = send_points,
		.ctx = a,
	};
	uint64_t seconds;

	a->memory_bytes += POINTS_SLOTS * sizeof(*setup.slot);
	if (!setup.slot)
		return false;
	points_start(&o->points, &setup);
	influx_link_start(&o->influx, a->serial.sid, &o->points);
	if (rtc_read(&seconds))
		o->influx.began_ns = (Y2000_S + seconds) * NS_PER_S;
	o->link = (struct record_link){ .take = take_record, .sid = a->serial.sid };
	*link = &o->link;
	return true;
}

/* Either */

bool outlet_open(struct app *a)
{
	struct report *r = &a->report;
	struct record_link *link;

	a->outlet.has_acks = a->config.report.kind == REPORT_UDP;
	if (!(a->outlet.has_acks ? open_records : open_points)(a, &link))
		return false;
	r->link[r->links] = link;
	r->gaps_default[r->links++] = UINT64_MAX;
	return true;
}

void outlet_work(struct app *a)
{
	if (a->outlet.has_acks)
		sender_work(&a->outlet.sender);
	else
		points_work(&a->outlet.points);
}

void outlet_take(struct app *a, const uint8_t *bytes, size_t count)
{
	if (a->outlet.has_acks)
		sender_take(&a->outlet.sender, bytes, count);
}

void outlet_flush(struct app *a)
{
	if (a->outlet.has_acks)
		sender_flush(&a->outlet.sender);
	else
		points_flush(&a->outlet.points);
}

bool outlet_is_empty(struct app *a)
{
	const struct outlet *o = &a->outlet;

	return o->has_acks ? o->sender.first == o->sender.end : o->points.first == o->points.end;
}

bool outlet_is_delivered(const struct app *a)
{
	const struct outlet *o = &a->outlet;

	return o->has_acks && !sender_undelivered(&o->sender);
}

void outlet_finish(struct app *a)
{
	struct outlet *o = &a->outlet;

	outlet_flush(a);
	o->give_up_ns = outlet_now_ns(a) + a->config.linger_ns;
	if (o->has_acks)
		sender_finish(&o->sender);
}

bool outlet_is_finished(struct app *a)
{
	const struct outlet *o = &a->outlet;

	if (o->has_acks)
		return sender_state(&o->sender) != SENDER_BUSY;
	return outlet_is_empty(a) || outlet_now_ns(a) >= o->give_up_ns;
}

/* The end, for people */

void outlet_print_peer(const struct app *a, struct text *out)
{
	bool v6 = a->config.report.host.family == IPADDR_V6;

	text_add(out, "%s://%s", a->outlet.has_acks ? "udp" : "influx", v6 ? "[" : "");
	ipaddr_print(&a->config.report.host, out);
	text_add(out, "%s:%u", v6 ? "]" : "", a->config.report.port);
}

static const char *reason(const struct sender *s)
{
	if (s->refusal != DATAGRAM_TAKEN)
		return datagram_state_text(s->refusal);
	if (!s->sent)
		return "the network could not be used";
	return s->acks ? "not acknowledged in time" : "no answer";
}

static void print_records(struct app *a, struct text *out)
{
	const struct sender *s = &a->outlet.sender;
	uint64_t undelivered = sender_undelivered(s);

	if (undelivered)
		text_add(out, "undelivered: %llu of ", (unsigned long long)undelivered);
	else
		text_add(out, "delivered: ");
	text_add(out, "%llu records to ", (unsigned long long)s->next_seq);
	outlet_print_peer(a, out);
	if (undelivered)
		text_add(out, ": %s", reason(s));
}

static void print_points(struct app *a, struct text *out)
{
	const struct points *p = &a->outlet.points;
	uint64_t unsent = p->lines - p->lines_sent;

	text_add(out, "sent, without acknowledgement: %llu points to ",
		 (unsigned long long)p->lines_sent);
	outlet_print_peer(a, out);
	if (unsent)
		text_add(out, "; not sent: %llu", (unsigned long long)unsent);
}

void outlet_print_end(struct app *a, struct text *out)
{
	(a->outlet.has_acks ? print_records : print_points)(a, out);
}
