/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's network cards: who drives each, and quiet for those that nobody uses. A card
 * that the firmware set up may go on writing what it receives to memory that is ours by now.
 */
#pragma once

#include "nic.h"

#include "core/lib/text.h"

#define NICS_MAX 32

struct nics_card {
	struct pci_address at;
	uint32_t id;                     /* PCI_ID */
	const struct nic_driver *driver; /* NULL: none of ours */
	bool in_use;
};

struct nics {
	struct nics_card card[NICS_MAX]; /* in the order they were found */
	unsigned count;
};

/* Our driver of cards with this PCI_ID; NULL: there is none. */
const struct nic_driver *nics_driver(uint32_t id);

/* One more card, with the driver for its PCI_ID. */
void nics_add(struct nics *cards, const struct pci_address *at, uint32_t id);

/* List the cards that a scan of the buses finds, at most NICS_MAX. */
void nics_scan(struct nics *cards, const struct pci *pci);

/* The card at an address; NULL: none is known there. */
const struct nics_card *nics_at(const struct nics *cards, const struct pci_address *at);

/* "0000:00:02.0 8086:10d3" */
void nics_print_name(struct text *t, const struct nics_card *card);

struct nics_stopped {
	unsigned switched_off; /* whose bus mastering was on */
	unsigned stuck;        /* whose bus mastering stays on */
};

/* Switch off the bus mastering of all network cards, those left out too, but for those in use. */
struct nics_stopped nics_stop_dma(const struct pci *pci, const struct nics *cards);
