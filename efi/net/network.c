/* SPDX-License-Identifier: BSD-2-Clause */
/* The network, from the choice of a card to the last acknowledgement. */
#include "network.h"

#include "efi/firmware.h"
#include "efi/platform_firmware.h"
#include "snp.h"

#include "arch/arch.h"
#include "core/lib/mem.h"
#include "core/lib/ticks.h"
#include "drivers/iommu.h"
#include "drivers/net/net.h"
#include "drivers/nics.h"

#define BETWEEN_MS 2
#define ADDRESS_MS 10000
#define LINK_MS    4000

/* Servicing the network */

static void taken(void *ctx, const uint8_t *bytes, size_t count)
{
	net_sink_take(ctx, bytes, count);
}

/* What is waited for, and how long. */
struct wait {
	struct network *network;
	bool (*over)(void *ctx);
	void *ctx;
	uint64_t ms;
};

static void wait_loop(void *ctx)
{
	struct wait *w = ctx;
	struct network *n = w->network;
	uint64_t start = clock_now(), most = ticks_from_ns(w->ms * 1000000, n->clock->hz);

	do {
		net_work();
		net_sink_work(&n->sink);
		arch_relax();
	} while (!w->over(w->ctx) && !net_problem() && clock_now() - start < most);
}

void network_wait(struct network *n, bool (*over)(void *ctx), void *ctx, uint64_t ms)
{
	struct wait w = { n, over, ctx, ms };

	if (n->by == NETWORK_NOBODY)
		return;
	if (n->by == NETWORK_FIRMWARE)
		platform_firmware_call(wait_loop, &w);
	else
		wait_loop(&w);
}

static bool has_address(void *ctx)
{
	(void)ctx;
	return net_ready();
}

static bool has_link(void *ctx)
{
	struct network *n = ctx;

	return n->nic.link(&n->nic);
}

static bool is_empty(void *sink)
{
	return net_sink_is_empty(sink);
}

static bool is_finished(void *sink)
{
	return net_sink_is_finished(sink);
}

/* The cards */

static bool get_memory(struct network *n)
{
	n->stack_memory = firmware_pages(NET_MEMORY, 0);
	n->driver_memory = firmware_pages(nics_memory(), 0);
	n->memory_bytes += NET_MEMORY + nics_memory();
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

void network_open(struct network *n, uint64_t sid)
{
	find_cards(&n->cards);
	if (n->config->report.kind == REPORT_NONE)
		return;
	n->wanted = get_memory(n) && net_sink_open(&n->sink, sid);
	if (!n->wanted)
		complaints_add(n->complaints, "error", "report: no memory for the network");
}

/* Beginning */

static void print_card(struct text *t, const struct nics_card *card)
{
	text_add(t, "network card ");
	nics_print_name(t, card);
}

static void log_problem(struct report *report, const struct nics_card *card, const char *what)
{
	char buffer[200];
	struct text t;

	text_init(&t, buffer, sizeof(buffer));
	print_card(&t, card);
	report_log(report, "warning", "%s: %s", buffer, what);
}

static bool open_card(struct network *n, const struct nics_card *card, enum network_by by)
{
	struct nic_setup setup = {
		.pci = n->pci,
		.at = card->at,
		.hz = n->clock->hz,
		.memory = n->driver_memory,
		.mac = n->config->nic.set ? n->config->nic.mac : NULL,
	};

	n->nic.problem[0] = '\0';
	if (by == NETWORK_FIRMWARE)
		return snp_open(&n->nic, &setup);
	if (!card->driver)
		return false;
	memset(setup.memory, 0, card->driver->memory);
	return card->driver->open(&n->nic, &setup);
}

/* Open it for `by`; with `needs_link`, keep it only if the wire is in. */
static bool try_card(struct network *n, const struct nics_card *card, enum network_by by,
		     bool needs_link)
{
	if (!open_card(n, card, by)) {
		if (needs_link && n->nic.problem[0])
			log_problem(n->report, card, n->nic.problem);
		return false;
	}
	n->by = by;
	n->used = card;
	if (needs_link)
		network_wait(n, has_link, n, LINK_MS);
	if (!needs_link || has_link(n))
		return true;
	n->by = NETWORK_NOBODY;
	n->nic.close(&n->nic);
	return false;
}

/*
 * The card that was used so far; else the first with a link, preferring those that we can drive
 * ourselves when we shall have to; else the first that works at all: its wire may come.
 */
static bool choose_card(struct network *n, enum network_by by)
{
	if (n->open)
		return try_card(n, n->used, by, false);
	for (unsigned pass = 0; pass < 4; pass++) {
		bool needs_driver = !(pass & 1), needs_link = pass < 2;

		for (unsigned i = 0; i < n->cards.count; i++)
			if (!n->cards.card[i].driver != needs_driver &&
			    try_card(n, &n->cards.card[i], by, needs_link))
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
static void take_lease(const struct pxe_lease *lease, struct net_setup *s)
{
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

static bool open_stack(struct network *n)
{
	const struct config *c = n->config;
	struct net_setup setup = {
		.nic = &n->nic,
		.memory = n->stack_memory,
		.clock_ns = net_sink_now_ns,
		.random = arch_entropy(),
		.vlan = c->vlan.set ? (uint16_t)c->vlan.value : 0,
		.ip = c->ip,
		.peer = { c->report.host, c->report.port },
		.taken = taken,
		.ctx = &n->sink,
	};

	if (n->open) {
		net_use(&n->nic);
		return true;
	}
	take_lease(n->lease, &setup);
	n->open = net_open(&setup);
	if (!n->open)
		report_log(n->report, "error", "network: %s", net_problem());
	return n->open;
}

static void log_start(struct network *n)
{
	char buffer[300];
	struct text t;

	text_init(&t, buffer, sizeof(buffer));
	print_card(&t, n->used);
	text_add(&t, ", %s: ", n->nic.driver);
	if (net_problem())
		text_add(&t, "%s", net_problem());
	else
		net_print_address(&t);
	if (net_ready()) {
		text_add(&t, "; records go to ");
		net_sink_print_peer(&n->sink, &t);
	} else {
		text_add(&t, has_link(n) ? "; tried again between windows" : ", and no link");
	}
	report_log(n->report, net_ready() ? "info" : "warning", "%s", buffer);
}

static void start(struct network *n, enum network_by by)
{
	if (!choose_card(n, by)) {
		report_log(n->report, "warning",
			   "report: none of %u network cards can be used: records go by serial",
			   n->cards.count);
		return;
	}
	if (!open_stack(n)) {
		n->nic.close(&n->nic);
		n->by = NETWORK_NOBODY;
		return;
	}
	network_wait(n, has_address, n, ADDRESS_MS);
	log_start(n);
}

void network_start_firmware(struct network *n)
{
	if (!n->wanted || n->by != NETWORK_NOBODY)
		return;
	snp_connect();
	start(n, NETWORK_FIRMWARE);
}

/* The firmware's card, which nobody will drive from here on, delivers what it can. */
static void deliver_last(struct network *n)
{
	net_sink_flush(&n->sink);
	network_wait(n, is_empty, &n->sink, n->config->linger_ns / 1000000);
}

void network_leave_firmware(struct network *n)
{
	bool drivable = false;

	for (unsigned i = 0; i < n->cards.count; i++)
		drivable |= n->cards.card[i].driver && (!n->open || n->used == &n->cards.card[i]);
	if (n->wanted && !drivable) {
		report_log(n->report, "warning",
			   "report: %s that this program can drive once the firmware is gone: "
			   "records go by serial from here on",
			   n->open ? "the network card is none" : "there is no network card");
		deliver_last(n);
	}
	if (n->by == NETWORK_NOBODY)
		return;
	n->nic.close(&n->nic);
	n->by = NETWORK_NOBODY;
	net_use(NULL);
}

/* Frames for nobody must not be written to memory, nor take the bus. */
static void stop_others(const struct network *n)
{
	struct nics_stopped q = nics_stop_dma(n->pci,
					      n->by == NETWORK_NOBODY ? NULL : &n->used->at);

	if (q.switched_off)
		report_log(n->report, "info", "unused network cards whose bus mastering is off: %u",
			   q.switched_off);
	if (q.stuck)
		report_log(n->report, "warning",
			   "unused network cards whose bus mastering stays on: %u", q.stuck);
}

/* Before a card of ours does DMA; it would find nobody, and see a link. */
static void open_iommus(const struct network *n, bool needed)
{
	struct iommu_states s = iommu_look(n->acpi, n->clock->hz, needed);

	if (!s.on)
		return;
	if (!needed)
		report_log(n->report, "info", "IOMMUs that the firmware has left on: %u", s.on);
	else
		report_log(n->report, s.stuck ? "warning" : "info",
			   "IOMMUs that the firmware has left on: %u; switched off for the network "
			   "card: %u%s",
			   s.on, s.off, s.stuck ? "; the others stay on" : "");
}

void network_start_own(struct network *n, const struct pci *pci)
{
	bool drivable = false;

	for (unsigned i = 0; i < n->cards.count; i++)
		drivable |= n->cards.card[i].driver != NULL;
	n->pci = pci;
	open_iommus(n, n->wanted && drivable);
	if (n->wanted && drivable)
		start(n, NETWORK_OURSELVES);
	stop_others(n);
}

/* Between windows */

void network_between(struct network *n)
{
	if (!n->wanted || n->config->quiet)
		return;
	net_sink_flush(&n->sink);
	network_wait(n, is_empty, &n->sink, BETWEEN_MS);
}

/* The end */

static void log_end(struct network *n)
{
	char buffer[300];
	struct text t;

	text_init(&t, buffer, sizeof(buffer));
	net_sink_print_end(&n->sink, &t);
	report_text(n->report, "%s", buffer);
	display_note(n->display, buffer);
	if (!n->uart->present && !firmware_is_gone() && !n->display->screen)
		firmware_print(buffer);
}

static void close_stack(void *ctx)
{
	(void)ctx;
	net_close();
}

/* With a last frame, that gives the lease back. */
static void end_stack(const struct network *n)
{
	if (n->by == NETWORK_FIRMWARE)
		platform_firmware_call(close_stack, NULL);
	else if (n->by == NETWORK_OURSELVES)
		close_stack(NULL);
}

void network_finish(struct network *n)
{
	if (!n->wanted)
		return;
	net_sink_finish(&n->sink);
	/* It gives up by itself. */
	network_wait(n, is_finished, &n->sink, UINT32_MAX);
	end_stack(n);
	log_end(n);
	if (n->by != NETWORK_NOBODY)
		n->nic.close(&n->nic);
	n->by = NETWORK_NOBODY;
}

bool network_is_delivered(const struct network *n)
{
	return n->wanted && net_sink_is_delivered(&n->sink);
}
