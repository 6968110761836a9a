/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network card as the stack sees it: whole Ethernet frames, one at a time, polled. Ways to
 * have one: the firmware's (SNP, efi/), and drivers of our own once the firmware is gone.
 * Nothing blocks, and no interrupt is used; the boot core calls, between windows.
 *
 * A card is not trusted: whatever it writes to its rings and shows in its registers, a
 * driver of our own neither leaves its memory nor waits without a bound.
 */
#pragma once

#include "core/lib/text.h"
#include "drivers/pci.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NIC_FRAME_MIN   60   /* bytes without checksum; a driver pads what is shorter */
#define NIC_FRAME_MAX   1518 /* Ethernet header, VLAN tag, 1500 bytes; without checksum */
#define NIC_MAC_BYTES   6
#define NIC_PROBLEM_MAX 112

struct nic {
	const char *driver; /* "virtio-net", "e1000e", "snp" */
	uint8_t mac[NIC_MAC_BYTES];
	/*
	 * Why the card cannot be used, or is used no more; "": it can. One that was open, and
	 * has a problem, does DMA until it is closed.
	 */
	char problem[NIC_PROBLEM_MAX];
	void *state; /* the driver's own */

	/* Is there a carrier, as far as the card reports? True where it does not. */
	bool (*link)(struct nic *n);
	/*
	 * Hand a frame of at most NIC_FRAME_MAX bytes to the card; the caller may reuse its
	 * memory at once. False: not now, for want of room, or never, see problem.
	 */
	bool (*send)(struct nic *n, const uint8_t *frame, size_t bytes);
	/*
	 * The next frame that came, without checksum; at most `room` bytes, which is at least
	 * NIC_FRAME_MAX. 0: none, or none that is whole among as many as the ring holds. What is
	 * longer, or damaged, is dropped and counted.
	 */
	size_t (*receive)(struct nic *n, uint8_t *frame, size_t room);
	/* The card is reset and does no more DMA. From then on n only reports that it is closed. */
	void (*close)(struct nic *n);

	/* For people. */
	uint64_t sent, received;
	uint64_t dropped; /* received, and not passed on */
};

/* What a driver of our own is given. */
struct nic_setup {
	const struct pci *pci; /* for as long as the card is open */
	struct pci_address at;
	uint64_t hz;  /* of the TSC: every wait is bounded */
	void *memory; /* the driver's `memory` bytes, zeroed, page-aligned; physical = virtual */
	const uint8_t *mac; /* the only card wanted; others are not reset. NULL: any */
};

struct nic_driver {
	const char *name;
	/* Does it drive cards with these ids? PCI_ID as read: device << 16 | vendor. */
	bool (*drives)(uint32_t id);
	size_t memory; /* bytes for rings, frames and state */
	/*
	 * Reset the card and bring it up, polled, with interrupts off; n is filled in. The link
	 * may take seconds to follow. False: it cannot be used, n->problem is the reason, and the
	 * card is left without DMA, and reset where that is possible; without a reason: it is
	 * not the one that is wanted.
	 */
	bool (*open)(struct nic *n, const struct nic_setup *s);
};

/*
 * For drivers, what is alike in all.
 */

/* Where the card is, kept by an open driver. */
struct nic_place {
	const struct pci *pci;
	struct pci_address at;
	uint64_t hz;
};

/* A new problem, unless there is one: the first is the cause. */
void nic_fail(struct nic *n, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Is it an address that one card may have: not all zero, not a group's? */
bool nic_mac_valid(const uint8_t mac[NIC_MAC_BYTES]);

bool nic_is_wanted(const struct nic_setup *s, const uint8_t mac[NIC_MAC_BYTES]);

/* May this be sent? Frames that are empty or too long are not, nor anything after a problem. */
bool nic_may_send(const struct nic *n, size_t bytes);

/* Copy a frame to where it is sent from, padded; returns its bytes then. */
size_t nic_copy_frame(uint8_t *to, const uint8_t *frame, size_t bytes);

/*
 * Power up, answer to memory accesses through all bridges, raise no interrupts. False, with a
 * problem: it does not.
 */
bool nic_wake(struct nic *n, const struct nic_place *p);

/* Memory behind bar `bar`, mapped, of at least `bytes` as far as can be seen. 0, and a problem. */
uint64_t nic_map(struct nic *n, const struct nic_place *p, unsigned bar, uint64_t offset,
		 uint64_t bytes);

/* Let it do DMA, or no more. */
void nic_master(const struct nic_place *p, bool on);

/*
 * The machine's network cards: the driver of each, and how to stop those that are not used. A card
 * that the firmware set up may go on writing what it receives to memory that is ours by now.
 */

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
