/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's network cards. */
#include "nics.h"

#include "e1000e_row.h"
#include "virtio_pci.h"

static const struct nic_driver *const drivers[] = { &virtio_net_driver, &e1000e_driver };

const struct nic_driver *nics_driver(uint32_t id)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (drivers[i]->drives(id))
			return drivers[i];
	return NULL;
}

void nics_add(struct nics *cards, const struct pci_address *at, uint32_t id)
{
	if (cards->count == NICS_MAX)
		return;
	cards->card[cards->count++] =
		(struct nics_card){ .at = *at, .id = id, .driver = nics_driver(id) };
}

struct scan {
	struct nics *cards;
	const struct pci *pci;
};

static bool add_card(void *ctx, const struct pci_address *at, uint32_t class)
{
	const struct scan *s = ctx;

	if (class >> 16 == PCI_CLASS_NETWORK)
		nics_add(s->cards, at, pci_read32(s->pci, at, PCI_ID));
	return true;
}

void nics_scan(struct nics *cards, const struct pci *pci)
{
	struct scan s = { cards, pci };

	cards->count = 0;
	pci_scan(pci, add_card, &s);
}

const struct nics_card *nics_at(const struct nics *cards, const struct pci_address *at)
{
	for (unsigned i = 0; i < cards->count; i++)
		if (pci_same_place(&cards->card[i].at, at))
			return &cards->card[i];
	return NULL;
}

void nics_print_name(struct text *t, const struct nics_card *card)
{
	text_add(t, "%04x:%02x:%02x.%x %04x:%04x", card->at.segment, card->at.bus, card->at.device,
		 card->at.function, card->id & 0xffff, card->id >> 16);
}

struct quieting {
	struct nics_stopped done;
	const struct pci *pci;
	const struct nics *cards;
};

static bool quiet(void *ctx, const struct pci_address *at, uint32_t class)
{
	struct quieting *q = ctx;
	const struct nics_card *card = nics_at(q->cards, at);

	if (class >> 16 != PCI_CLASS_NETWORK || (card && card->in_use))
		return true;
	if (!(pci_read16(q->pci, at, PCI_COMMAND) & PCI_COMMAND_MASTER))
		return true;
	if (pci_command(q->pci, at, 0, PCI_COMMAND_MASTER) & PCI_COMMAND_MASTER)
		q->done.stuck++;
	else
		q->done.switched_off++;
	return true;
}

struct nics_stopped nics_stop_dma(const struct pci *pci, const struct nics *cards)
{
	struct quieting q = { .pci = pci, .cards = cards };

	pci_scan(pci, quiet, &q);
	return q.done;
}
