/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends the report's records as datagrams, which a collector acknowledges. */
#include "network.h"

#include "probe/app.h"

#include "arch/arch.h"
#include "core/config/config_keys.h"
#include "core/lib/ticks.h"
#include "drivers/net/net.h"

#define SLOTS     128u
#define PACE_NS   UINT64_C(500000)
#define NS_PER_MS UINT64_C(1000000)

uint64_t network_now_ns(void *ctx)
{
	(void)ctx;
	return ticks_to_ns(clock_now(), app->machine.clock.hz);
}

/* Waiting for room */

static bool has_room(struct network *n)
{
	return sender_has_room(&n->sender, n->line_bytes);
}

/*
 * Wait until the line has room, for at most the time to linger. After one wait in vain, later
 * records only check for an acknowledgement.
 */
static void make_room(struct network *n)
{
	if (has_room(n))
		return;
	network_wait(n, has_room, n->stuck ? 0 : app->options.config.linger_ns / NS_PER_MS);
	n->stuck = !has_room(n);
}

/* Records */

static void write_record(struct record_link *link, const char *line, size_t bytes)
{
	struct network *n = (struct network *)(void *)((char *)link -
						       offsetof(struct network, link));

	n->line_bytes = bytes;
	make_room(n);
	sender_line(&n->sender, line, bytes);
}

static bool send_datagram(void *ctx, const uint8_t *bytes, size_t count)
{
	(void)ctx;
	return net_send(bytes, count);
}

bool network_add_link(struct network *n, uint64_t sid)
{
	struct sender_setup setup = {
		.sid = sid,
		.key = app->options.config.key.set ? app->options.config.key.bytes : NULL,
		.uuid = app->machine.smbios.uuid_bytes,
		.slot = app_pages(SLOTS * sizeof(*setup.slot), 0),
		.slots = SLOTS,
		.pace_ns = PACE_NS,
		.linger_ns = app->options.config.linger_ns,
		.clock_ns = network_now_ns,
		.send = send_datagram,
		.ctx = n,
	};

	if (!setup.slot)
		return false;
	sender_start(&n->sender, &setup);
	n->link = (struct record_link){ .write = write_record, .sid = sid };
	report_add_link(&app->report,
			(struct report_link){ .to = &n->link, .gaps_default = UINT64_MAX });
	return true;
}

/* The end, for people */

static const char *reason(const struct sender *s)
{
	if (s->refusal != DATAGRAM_TAKEN)
		return datagram_state_text(s->refusal);
	if (!s->sent)
		return "the network could not be used";
	return s->acks ? "not acknowledged in time" : "no answer";
}

void network_print_end(const struct network *n, struct text *out)
{
	const struct sender *s = &n->sender;
	uint64_t undelivered = sender_undelivered(s);

	if (undelivered)
		text_add(out, "undelivered: %llu of ", (unsigned long long)undelivered);
	else
		text_add(out, "delivered: ");
	text_add(out, "%llu records to ", (unsigned long long)s->next_seq);
	config_print_report(&app->options.config, NULL, out);
	if (undelivered)
		text_add(out, ": %s", reason(s));
}
