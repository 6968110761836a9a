/* SPDX-License-Identifier: BSD-2-Clause */
/* The cards of the network. */
#include "network.h"

#include "probe/app.h"
#include "probe/door.h"

#include "core/lib/mem.h"

#define OWN_MAX 8 /* cards that have memory for a driver of ours */

void network_cards_memory(struct network *n)
{
	unsigned own = 0;

	for (unsigned i = 0; i < n->cards.count && own < OWN_MAX; i++) {
		const struct nic_driver *driver = n->cards.card[i].driver;

		if (!driver)
			continue;
		n->cards.card[i].setup.memory = app_pages(driver->memory, 0);
		own++;
	}
}

static void move_first(struct nics *cards, unsigned i, unsigned to)
{
	struct nics_card card = cards->card[i];

	memmove(&cards->card[to + 1], &cards->card[to], (i - to) * sizeof(card));
	cards->card[to] = card;
}

struct virtio_look {
	struct nics *cards;
	uint64_t address;
};

static void look_at(void *ctx)
{
	const struct virtio_look *look = ctx;

	nics_add_virtio(look->cards, &look->address, 1);
}

/* Look where tables name a virtio device. They may be wrong: memory is left alone. */
static void find_virtio(struct nics *cards, const struct acpi_info *acpi)
{
	for (unsigned i = 0; i < acpi->virtios; i++) {
		struct virtio_look look = { cards, acpi->virtio[i] };
		unsigned first = 0;

		while (acpi->virtio[first] != look.address)
			first++;
		if (first == i && look.address % 4 == 0 &&
		    !memory_map_usable(&app->machine.map, look.address,
				       look.address + NICS_VIRTIO_BYTES))
			arch_guard_quietly(look_at, &look);
	}
}

void network_cards_find(struct nics *cards)
{
	const struct nics_card *booted = NULL;
	struct pci_address at;
	unsigned own = 0;

	nics_scan(cards, stages_pci(&app->stages));
	if (!door.network)
		find_virtio(cards, &app->machine.acpi);
	if (door.network && door.network->booted(&at))
		booted = nics_at(cards, &at);
	if (booted)
		move_first(cards, (unsigned)(booted - cards->card), 0);
	for (unsigned i = 0; i < cards->count; i++)
		if (cards->card[i].driver)
			move_first(cards, i, own++);
}

static void log_problem(const struct nics_card *card)
{
	TEXT_DEFINE(t, 200);

	nics_print_name(&t, card);
	if (card->nic.problem[0])
		report_log(&app->report, "warning", "network card %s: %s", t.buf,
			   card->nic.problem);
}

bool network_cards_open(struct network *n, unsigned i)
{
	const struct config *c = &app->options.config;
	struct nics_card *card = &n->cards.card[i];
	struct nic_setup *setup = &card->setup;

	setup->pci = n->pci;
	setup->hz = app->machine.clock.hz;
	setup->mac = c->nic.set ? c->nic.mac : NULL;
	card->nic.problem[0] = '\0';
	if (n->by == NETWORK_FIRMWARE) {
		card->in_use = door.network->open(&card->nic, setup);
	} else if (setup->memory) {
		memset(setup->memory, 0, card->driver->memory);
		card->in_use = card->driver->open(&card->nic, setup);
	}
	return card->in_use;
}

void network_cards_close(struct network *n, bool but_used)
{
	for (unsigned i = 0; i < n->cards.count; i++) {
		struct nics_card *card = &n->cards.card[i];

		if (!card->in_use || (but_used && i == n->used))
			continue;
		card->nic.close(&card->nic);
		card->in_use = false;
	}
}

bool network_cards_open_first(struct network *n)
{
	for (n->used = 0; n->used < n->cards.count; n->used++) {
		if (network_cards_open(n, n->used))
			return true;
		log_problem(&n->cards.card[n->used]);
	}
	return false;
}

void network_cards_open_others(struct network *n)
{
	for (unsigned i = 0; i < n->cards.count && !n->tried_all; i++)
		if (!n->cards.card[i].in_use)
			network_cards_open(n, i);
	n->tried_all = true;
}

bool network_cards_linked(struct network *n, unsigned i)
{
	struct nics_card *card = &n->cards.card[i];

	return card->in_use && card->nic.link(&card->nic);
}

unsigned network_cards_next_linked(struct network *n)
{
	unsigned next = n->used;

	do
		next = (next + 1) % n->cards.count;
	while (next != n->used && !network_cards_linked(n, next));
	return next;
}
