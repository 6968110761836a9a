/* SPDX-License-Identifier: BSD-2-Clause */
/* The network, from the choice of a card to the last acknowledgement. */
#include "network.h"

#include "probe/app.h"
#include "probe/door.h"
#include "probe/platform/platform_firmware.h"

#include "arch/arch.h"
#include "core/config/config_keys.h"
#include "core/lib/steps.h"
#include "core/lib/ticks.h"
#include "core/report/report_words.h"
#include "drivers/iommu.h"
#include "drivers/net/net.h"
#include "drivers/nic/nic.h"

#define BETWEEN_MS 2
#define LINK_MS    15000
#define ADDRESS_MS 10000
#define LOOK_MS    100 /* between checks of a card through which nothing was heard yet */
/* Checks after which the next card is tried: of one with a link, and of the first without one. */
#define LOOKS       60
#define LOOKS_FIRST 40

static void choose_again(struct network *n);

/* Servicing the network */

static void taken(void *ctx, const uint8_t *bytes, size_t count)
{
	struct network *n = ctx;

	sender_take(&n->sender, bytes, count);
}

/* A wait, and its bound. */
struct wait {
	struct network *network;
	bool (*over)(struct network *n);
	uint64_t ms;
};

static void wait_loop(void *ctx)
{
	struct wait *w = ctx;
	struct network *n = w->network;
	uint64_t start = clock_now(), most = ticks_from_ns(w->ms * 1000000, app->machine.clock.hz);

	do {
		net_work();
		sender_work(&n->sender);
		choose_again(n);
		steps_go_on();
		arch_relax();
	} while (!w->over(n) && !net_problem() && clock_now() - start < most);
}

void network_wait(struct network *n, bool (*over)(struct network *n), uint64_t ms)
{
	struct wait w = { n, over, ms };

	if (n->by == NETWORK_NOBODY)
		return;
	if (n->by == NETWORK_FIRMWARE)
		platform_firmware_call(wait_loop, &w);
	else
		wait_loop(&w);
}

static bool has_address(struct network *n)
{
	(void)n;
	return net_ready();
}

static bool has_link(struct network *n)
{
	return network_cards_linked(n, n->used);
}

/* True if all records in the sender's memory are acknowledged. */
static bool is_empty(struct network *n)
{
	return n->sender.first == n->sender.end;
}

/* True if nothing is left to be done, or the time to linger is over. */
static bool is_finished(struct network *n)
{
	return sender_state(&n->sender) != SENDER_BUSY;
}

void network_open(struct network *n, uint64_t sid)
{
	network_cards_find(&n->cards);
	if (app->options.config.report.kind == REPORT_NONE)
		return;
	network_cards_memory(n);
	n->stack_memory = app_pages(NET_MEMORY, 0);
	n->wanted = n->stack_memory && network_add_link(n, sid);
	if (!n->wanted)
		complaints_add("error", "report: no memory for the network");
}

/* True if a driver of ours has memory for the card. Such cards are sorted first. */
static bool is_drivable(const struct network *n, unsigned i)
{
	return n->cards.card[i].setup.memory;
}

bool network_needs_firmware(const struct network *n)
{
	return n->wanted && n->cards.count && !is_drivable(n, 0);
}

/* Beginning */

static bool open_stack(struct network *n)
{
	const struct config *c = &app->options.config;
	struct net_setup setup = {
		.nic = &n->cards.card[n->used].nic,
		.memory = n->stack_memory,
		.clock_ns = network_now_ns,
		.random = arch_entropy(),
		.vlan = c->vlan.set ? (uint16_t)c->vlan.value : 0,
		.ip = c->ip,
		.peer = c->report.host,
		.peer_port = c->report.port,
		.taken = taken,
		.ctx = n,
	};

	n->open = net_open(&setup);
	if (!n->open)
		report_log(&app->report, "error", "network: %s", net_problem());
	return n->open;
}

static void log_start(struct network *n)
{
	const struct nics_card *card = &n->cards.card[n->used];
	TEXT_DEFINE(t, 300);

	text_add(&t, "network card ");
	nics_print_name(&t, card);
	text_add(&t, ", %s: ", card->nic.driver);
	if (net_problem())
		text_add(&t, "%s", net_problem());
	else
		net_print_address(&t);
	n->logged = n->used;
	if (net_ready()) {
		text_add(&t, "; records go to ");
		config_print_report(&app->options.config, NULL, &t);
	} else {
		text_add(&t, has_link(n) ? "; tried again between windows" : ", and no link");
	}
	report_log(&app->report, net_ready() ? "info" : "warning", "%s", t.buf);
}

static void close_stack(void *ctx)
{
	(void)ctx;
	net_close();
}

/* Close the stack; a last frame gives the lease back. Then close the cards. */
static void network_end(struct network *n)
{
	if (n->by == NETWORK_FIRMWARE)
		platform_firmware_call(close_stack, NULL);
	else if (n->by == NETWORK_OURSELVES)
		close_stack(NULL);
	network_cards_close(n, false);
	n->by = NETWORK_NOBODY;
	n->open = false;
}

/*
 * Begin with the card through which the peer was heard; else with the first that works. Cards that
 * are not needed are not touched.
 */
static void network_start(struct network *n, enum network_by by)
{
	bool works;

	steps_note("starting the network");
	n->by = by;
	n->looks = 0;
	n->tried_all = false;
	works = n->settled ? network_cards_open(n, n->used) : network_cards_open_first(n);
	if (!works)
		report_log(&app->report, "warning",
			   "report: none of %u network cards can be used: records go by serial",
			   n->cards.count);
	if (!works || !open_stack(n)) {
		network_end(n);
		return;
	}
	network_wait(n, has_link, n->settled ? 0 : LINK_MS);
	network_wait(n, has_address, ADDRESS_MS);
	log_start(n);
}

/*
 * Close all other cards once the peer has answered. Until then cards with a link take turns: a
 * cable may be plugged in later, or into another card. The others are opened only if the first has
 * no link in time, or no answer.
 */
static void choose_again(struct network *n)
{
	unsigned looks, next;

	if (!n->open || n->settled || clock_now() < n->look_due)
		return;
	n->look_due = clock_now() +
		      ticks_from_ns(LOOK_MS * UINT64_C(1000000), app->machine.clock.hz);
	n->settled = n->sender.acks;
	if (n->settled) {
		network_cards_close(n, true);
		return;
	}
	looks = has_link(n) ? LOOKS : n->tried_all ? 1 : LOOKS_FIRST;
	if (++n->looks < looks)
		return;
	n->looks = 0;
	network_cards_open_others(n);
	next = network_cards_next_linked(n);
	if (next == n->used)
		return;
	net_close();
	n->used = next;
	open_stack(n);
}

void network_start_firmware(struct network *n)
{
	if (!n->wanted || n->by != NETWORK_NOBODY || !door.network)
		return;
	steps_note("connecting the firmware's network drivers");
	door.network->connect();
	network_start(n, NETWORK_FIRMWARE);
}

/* Deliver what the firmware's card still can: from here on it has no driver. */
static void deliver_last(struct network *n)
{
	sender_flush(&n->sender);
	network_wait(n, is_empty, app->options.config.linger_ns / 1000000);
}

void network_leave_firmware(struct network *n)
{
	/* An answer may have come since the cards were looked at. */
	n->settled = n->settled || (n->open && n->sender.acks);
	if (n->wanted && !is_drivable(n, n->settled ? n->used : 0)) {
		report_log(&app->report, "warning",
			   "report: %s that this program can drive once the firmware is gone: "
			   "records go by serial from here on",
			   n->open ? "the network card is none" : "there is no network card");
		deliver_last(n);
	}
	network_end(n);
}

static void log_stopped(const char *level, const char *how, unsigned cards)
{
	if (cards)
		report_log(&app->report, level, "unused network cards whose bus mastering %s: %u",
			   how, cards);
}

/* Stop the DMA of unused cards: they must neither write frames to memory nor occupy the bus. */
static void stop_others(const struct network *n)
{
	struct nics_stopped q = nics_stop_dma(n->pci, &n->cards);

	log_stopped("info", "is off", q.switched_off);
	log_stopped("warning", "stays on", q.stuck);
}

/*
 * Called before a card of ours does DMA. An IOMMU would block its DMA, though the card has a link.
 */
static void open_iommus(bool needed)
{
	struct iommu_states s = iommu_look(&app->machine.acpi, app->machine.clock.hz, needed);

	if (!s.on)
		return;
	if (!needed)
		report_log(&app->report, "info", REPORT_IOMMU "%u", s.on);
	else
		report_log(&app->report, s.stuck ? "warning" : "info",
			   REPORT_IOMMU "%u; switched off for the network "
					"card: %u%s",
			   s.on, s.off, s.stuck ? "; the others stay on" : "");
}

void network_start_own(struct network *n, const struct pci *pci)
{
	bool needed = n->wanted && is_drivable(n, 0);

	n->pci = pci;
	open_iommus(needed);
	if (needed)
		network_start(n, NETWORK_OURSELVES);
	stop_others(n);
}

/* Between windows */

void network_between(struct network *n)
{
	if (!n->wanted || app->options.config.quiet)
		return;
	sender_flush(&n->sender);
	network_wait(n, is_empty, BETWEEN_MS);
	if (n->settled && n->logged != n->used)
		log_start(n);
}

/* The end */

static void log_end(struct network *n)
{
	TEXT_DEFINE(t, 300);

	network_print_end(n, &t);
	report_text(&app->report, "%s", t.buf);
	display_note(&app->display, t.buf);
	if (!app->output.uart.present && !door.is_gone() && !app->display.screen)
		door.print(t.buf);
}

void network_finish(struct network *n)
{
	if (!n->wanted)
		return;
	sender_flush(&n->sender);
	sender_finish(&n->sender);
	/* The sender gives up by itself, so this wait needs no bound. */
	network_wait(n, is_finished, UINT32_MAX);
	network_end(n);
	log_end(n);
	n->settled = n->stuck = false;
}

bool network_is_delivered(const struct network *n)
{
	return n->wanted && !sender_undelivered(&n->sender);
}
