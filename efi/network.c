/* SPDX-License-Identifier: BSD-2-Clause */
/* The network, from the choice of a card to the last acknowledgement. */
#include "network.h"

#include "app.h"
#include "ground_firmware.h"
#include "snp.h"
#include "stages.h"

#include "core/lib/mem.h"
#include "core/lib/ticks.h"
#include "drivers/net/net.h"
#include "drivers/nics.h"

#define BETWEEN_MS 2
#define ADDRESS_MS 10000
#define LINK_MS    4000

/* Working the network */

static void taken(void *ctx, const uint8_t *bytes, size_t count)
{
	outlet_take(ctx, bytes, count);
}

/* What is waited for, and how long. */
static struct {
	bool (*over)(struct app *a);
	uint64_t ms;
} wait;

static void wait_loop(struct app *a)
{
	uint64_t start = clock_now(), most = ns_to_ticks(wait.ms * 1000000, a->clock.hz);

	do {
		net_work();
		outlet_work(a);
		arch_relax();
	} while (!wait.over(a) && !net_problem() && clock_now() - start < most);
}

void network_wait(struct app *a, bool (*over)(struct app *a), uint64_t ms)
{
	if (a->network.by == NETWORK_NOBODY)
		return;
	wait.over = over;
	wait.ms = ms;
	if (a->network.by == NETWORK_FIRMWARE)
		ground_firmware_call(wait_loop, a);
	else
		wait_loop(a);
}

static bool has_address(struct app *a)
{
	(void)a;
	return net_ready();
}

static bool has_link(struct app *a)
{
	return a->network.nic.link(&a->network.nic);
}

/* The cards */

static bool get_memory(struct app *a)
{
	struct network *n = &a->network;

	n->stack_memory = firmware_pages(NET_MEMORY, 0);
	n->driver_memory = firmware_pages(nics_memory(), 0);
	a->memory_bytes += NET_MEMORY + nics_memory();
	return n->stack_memory && n->driver_memory;
}

/* The card that the machine booted from comes first, the others in the firmware's order. */
static void find_cards(struct nics *cards)
{
	const struct nics_card *booted = NULL;
	struct pci_address at;
	struct nics_card card;

	snp_cards(cards);
	if (snp_location(firmware_boot_device(), &at))
		booted = nics_at(cards, &at);
	if (!booted)
		return;
	card = *booted;
	memmove(&cards->card[1], &cards->card[0], (size_t)((char *)booted - (char *)cards->card));
	cards->card[0] = card;
}

void network_open(struct app *a)
{
	find_cards(&a->network.cards);
	if (a->config.report.kind == REPORT_NONE)
		return;
	a->network.wanted = get_memory(a) && outlet_open(a);
	if (!a->network.wanted)
		app_complain(a, "error", "report: no memory for the network");
}

/* Beginning */

static void print_card(struct text *t, const struct nics_card *card)
{
	text_add(t, "network card ");
	nics_print_name(t, card);
}

static void say_problem(struct app *a, const struct nics_card *card, const char *what)
{
	char buffer[200];
	struct text t;

	text_init(&t, buffer, sizeof(buffer));
	print_card(&t, card);
	report_log(&a->report, "warning", "%s: %s", buffer, what);
}

static bool is_wanted(const struct app *a, const struct nic *nic)
{
	return !a->config.nic.set || !memcmp(a->config.nic.mac, nic->mac, NIC_MAC_BYTES);
}

static bool open_by_firmware(struct app *a, const struct nics_card *card)
{
	return snp_open(&a->network.nic, &card->at, a->clock.hz);
}

static bool open_by_ourselves(struct app *a, const struct nics_card *card)
{
	struct nic_setup setup = {
		.pci = &a->pci,
		.at = card->at,
		.hz = a->clock.hz,
		.memory = a->network.driver_memory,
	};

	if (!card->driver)
		return false;
	memset(setup.memory, 0, card->driver->memory);
	return card->driver->open(&a->network.nic, &setup);
}

/* Open it for `by`; with `needs_link`, keep it only if the wire is in. */
static bool try_card(struct app *a, const struct nics_card *card, enum network_by by,
		     bool needs_link)
{
	struct network *n = &a->network;
	bool opened = by == NETWORK_FIRMWARE ? open_by_firmware(a, card)
					     : open_by_ourselves(a, card);

	if (!opened) {
		if (needs_link && n->nic.problem[0])
			say_problem(a, card, n->nic.problem);
		return false;
	}
	n->by = by;
	n->used = card;
	if (is_wanted(a, &n->nic)) {
		if (needs_link)
			network_wait(a, has_link, LINK_MS);
		if (!needs_link || has_link(a))
			return true;
	}
	n->by = NETWORK_NOBODY;
	n->nic.close(&n->nic);
	return false;
}

/*
 * The card that was used so far; else the first with a link, preferring those that we can drive
 * ourselves when we shall have to; else the first that works at all: its wire may come.
 */
static bool choose_card(struct app *a, enum network_by by)
{
	struct network *n = &a->network;

	if (n->open)
		return try_card(a, n->used, by, false);
	for (unsigned pass = 0; pass < 4; pass++) {
		bool needs_driver = !(pass & 1), needs_link = pass < 2;

		for (unsigned i = 0; i < n->cards.count; i++)
			if (!n->cards.card[i].driver != needs_driver &&
			    try_card(a, &n->cards.card[i], by, needs_link))
				return true;
	}
	return false;
}

static uint8_t prefix_of(const struct ipaddr *mask)
{
	uint8_t bits = 0;

	while (bits < 32 && mask->bytes[bits / 8] >> (7 - bits % 8) & 1)
		bits++;
	return bits;
}

/* The address that the firmware got for this card when it booted from it. */
static void take_lease(const struct app *a, struct net_setup *s)
{
	const struct pxe_lease *lease = &a->lease;

	if (s->ip.address.family != IPADDR_NONE || s->vlan || lease->address.family != IPADDR_V4 ||
	    lease->mask.family != IPADDR_V4 || !lease->has_mac ||
	    memcmp(lease->mac, s->nic->mac, NIC_MAC_BYTES) != 0)
		return;
	s->ip = (struct ipaddr_setup){
		.address = lease->address,
		.prefix = prefix_of(&lease->mask),
		.gateway = lease->gateway,
	};
	if (lease->lease_s.known && lease->lease_s.value < UINT32_MAX)
		s->lease_ns = lease->lease_s.value * UINT64_C(1000000000);
}

static bool open_stack(struct app *a)
{
	const struct config *c = &a->config;
	struct network *n = &a->network;
	struct net_setup setup = {
		.nic = &n->nic,
		.memory = n->stack_memory,
		.clock_ns = outlet_now_ns,
		.random = arch_entropy(),
		.vlan = c->vlan.set ? (uint16_t)c->vlan.value : 0,
		.ip = c->ip,
		.peer = { c->report.host, c->report.port },
		.taken = taken,
		.ctx = a,
	};

	if (n->open) {
		net_use(&n->nic);
		return true;
	}
	take_lease(a, &setup);
	n->open = net_open(&setup);
	if (!n->open)
		report_log(&a->report, "error", "network: %s", net_problem());
	return n->open;
}

static void say_beginning(struct app *a)
{
	char buffer[300];
	struct text t;

	text_init(&t, buffer, sizeof(buffer));
	print_card(&t, a->network.used);
	text_add(&t, ", %s: ", a->network.nic.driver);
	if (net_problem())
		text_add(&t, "%s", net_problem());
	else
		net_print_address(&t);
	if (net_ready()) {
		text_add(&t, "; records go to ");
		outlet_print_peer(a, &t);
	} else {
		text_add(&t, has_link(a) ? "; tried again between windows" : ", and no link");
	}
	report_log(&a->report, net_ready() ? "info" : "warning", "%s", buffer);
}

static void start(struct app *a, enum network_by by)
{
	if (!choose_card(a, by)) {
		report_log(&a->report, "warning",
			   "report: none of %u network cards can be used: records go by serial",
			   a->network.cards.count);
		return;
	}
	if (!open_stack(a)) {
		a->network.nic.close(&a->network.nic);
		a->network.by = NETWORK_NOBODY;
		return;
	}
	network_wait(a, has_address, ADDRESS_MS);
	say_beginning(a);
}

void network_start_firmware(struct app *a)
{
	if (!a->network.wanted || a->network.by != NETWORK_NOBODY)
		return;
	snp_connect();
	start(a, NETWORK_FIRMWARE);
}

/* The firmware's card, which nobody will drive from here on, delivers what it can. */
static void say_last_words(struct app *a)
{
	outlet_flush(a);
	network_wait(a, outlet_is_empty, a->config.linger_ns / 1000000);
}

void network_leave_firmware(struct app *a)
{
	struct network *n = &a->network;
	bool drivable = false;

	for (unsigned i = 0; i < n->cards.count; i++)
		drivable |= n->cards.card[i].driver && (!n->open || n->used == &n->cards.card[i]);
	if (n->wanted && !drivable) {
		report_log(&a->report, "warning",
			   "report: %s that this program can drive once the firmware is gone: "
			   "records go by serial from here on",
			   n->open ? "the network card is none" : "there is no network card");
		say_last_words(a);
	}
	if (n->by == NETWORK_NOBODY)
		return;
	n->nic.close(&n->nic);
	n->by = NETWORK_NOBODY;
	net_use(NULL);
}

/* Frames for nobody must not be written to memory, nor take the bus. */
static void quiet_others(struct app *a)
{
	const struct network *n = &a->network;
	struct nics_quiet q = nics_quiet(&a->pci, n->by == NETWORK_NOBODY ? NULL : &n->used->at);

	if (q.switched_off)
		report_log(&a->report, "info",
			   "unused network cards whose bus mastering is off: %u", q.switched_off);
	if (q.stuck)
		report_log(&a->report, "warning",
			   "unused network cards whose bus mastering stays on: %u", q.stuck);
}

void network_start_own(struct app *a)
{
	bool drivable = false;

	for (unsigned i = 0; i < a->network.cards.count; i++)
		drivable |= a->network.cards.card[i].driver != NULL;
	stages_open_pci(a);
	if (a->network.wanted && drivable)
		start(a, NETWORK_OURSELVES);
	quiet_others(a);
}

/* Going on */

void network_between(struct app *a)
{
	if (!a->network.wanted || a->config.quiet)
		return;
	outlet_flush(a);
	network_wait(a, outlet_is_empty, BETWEEN_MS);
}

/* The end */

static void say_end(struct app *a)
{
	char buffer[300];
	struct text t;

	text_init(&t, buffer, sizeof(buffer));
	outlet_print_end(a, &t);
	report_text(&a->report, "%s", buffer);
	display_note(a, buffer);
	if (!a->uart.present && !a->taken_over && !a->display.screen)
		firmware_print(buffer);
}

static void close_stack(struct app *a)
{
	(void)a;
	net_close();
}

/* With a last frame, that gives the lease back. */
static void end_stack(struct app *a)
{
	if (a->network.by == NETWORK_FIRMWARE)
		ground_firmware_call(close_stack, a);
	else if (a->network.by == NETWORK_OURSELVES)
		close_stack(a);
}

void network_finish(struct app *a)
{
	struct network *n = &a->network;

	if (!n->wanted)
		return;
	outlet_finish(a);
	/* It gives up by itself. */
	network_wait(a, outlet_is_finished, UINT32_MAX);
	end_stack(a);
	say_end(a);
	if (n->by != NETWORK_NOBODY)
		n->nic.close(&n->nic);
	n->by = NETWORK_NOBODY;
}
