/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network card as the stack sees it: whole Ethernet frames, one at a time, polled. Drivers are
 * the firmware's (SNP, efi/) and, once the firmware is gone, our own. No function blocks, and no
 * interrupt is used; the boot core calls them, between windows. A card is not trusted: whatever its
 * rings and registers contain, our drivers neither leave their memory nor wait without a bound.
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
	 * Why the card cannot be used, or is no longer used; "": it can. A card that was open, and
	 * has a problem, does DMA until it is closed.
	 */
	char problem[NIC_PROBLEM_MAX];
	void *state; /* private to the driver */

	/* True if there is a carrier, or if the card does not report it. */
	bool (*link)(struct nic *n);
	/*
	 * Send a frame of at most NIC_FRAME_MAX bytes; the caller may reuse its memory at once.
	 * False: not now, because there is no room, or never, see `problem`.
	 */
	bool (*send)(struct nic *n, const uint8_t *frame, size_t bytes);
	/*
	 * Take the next frame, without checksum; *bytes is 0 if it is longer than NIC_FRAME_MAX, or
	 * damaged. False: there is none. The caller bounds the number of frames in a row.
	 */
	bool (*receive)(struct nic *n, uint8_t frame[NIC_FRAME_MAX], size_t *bytes);
	/*
	 * Reset the card, which then does no more DMA. After that, n only reports that it is
	 * closed.
	 */
	void (*close)(struct nic *n);
};

/* A card's place, and what a driver may use; an open driver has a copy. */
struct nic_setup {
	const struct pci *pci; /* for as long as the card is open */
	struct pci_address at;
	uint64_t mmio; /* address of the registers of a card that is not on PCI; 0: it is */
	uint64_t hz;   /* TSC rate; every wait is bounded */
	void *memory;  /* the driver's `memory` bytes, zeroed, page-aligned; physical = virtual */
	const uint8_t *mac; /* MAC of the only card to be used, others are not reset; NULL: any */
};

struct nic_driver {
	const char *name;
	/*
	 * True if the driver supports cards with these ids. PCI_ID as read: device << 16 | vendor.
	 */
	bool (*drives)(uint32_t id);
	size_t memory; /* bytes for rings, frames and state */
	/*
	 * Reset the card and bring it up, polled, with interrupts off; n is filled in. The link may
	 * take seconds to follow. False: it cannot be used, for the reason in n->problem, and is
	 * left without DMA, and reset if that is possible; without a reason: it is not the wanted
	 * card.
	 */
	bool (*open)(struct nic *n, const struct nic_setup *s);
};

/* Helpers common to all drivers. */

/* Set the problem, unless there is one: the first is the cause. Returns false. */
bool nic_fail(struct nic *n, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* True if it is a valid address of a single card: not all zero, not a group's. */
bool nic_mac_valid(const uint8_t mac[NIC_MAC_BYTES]);

bool nic_is_wanted(const struct nic_setup *s, const uint8_t mac[NIC_MAC_BYTES]);

/* True if the frame may be sent: it is neither empty nor too long, and the card has no problem. */
bool nic_may_send(const struct nic *n, size_t bytes);

/* Copy a frame to the memory that it is sent from, and pad it; returns its length. */
size_t nic_copy_frame(uint8_t *to, const uint8_t *frame, size_t bytes);

/*
 * Power up the card, enable memory accesses through all bridges, and disable interrupts. False,
 * with a problem: that failed.
 */
bool nic_wake(struct nic *n, const struct nic_setup *s);

/*
 * Map the memory of bar `bar`, with at least `bytes` as far as can be seen. 0, with a problem: that
 * failed.
 */
uint64_t nic_map(struct nic *n, const struct nic_setup *s, unsigned bar, uint64_t offset,
		 uint64_t bytes);

/* Enable or disable DMA of a card on PCI. */
void nic_master(const struct nic_setup *s, bool on);

/*
 * The machine's network cards: the driver of each, and a way to stop unused ones. A card that the
 * firmware set up may continue to write received frames to memory that is now ours.
 */

#define NICS_MAX 32

struct nics_card {
	struct nic_setup setup;
	uint32_t id;                     /* PCI_ID */
	const struct nic_driver *driver; /* NULL: none of ours */
	bool in_use;                     /* open, by a driver of ours or by the firmware's */
	struct nic nic;
};

struct nics {
	struct nics_card card[NICS_MAX]; /* in the order they were found */
	unsigned count;
};

/* List the cards that a scan of the buses finds, at most NICS_MAX. */
void nics_scan(struct nics *cards, const struct pci *pci);

/* Bytes of a virtio device's registers in memory: QEMU's, the fewest there are. */
#define NICS_VIRTIO_BYTES 0x200u

/* Add the virtio cards among devices whose registers are at these addresses. */
void nics_add_virtio(struct nics *cards, const uint64_t *address, unsigned count);

/* The card at an address on PCI; NULL: none is known there. */
const struct nics_card *nics_at(const struct nics *cards, const struct pci_address *at);

/* "0000:00:02.0 8086:10d3", "virtio at 0xfeb00e00" */
void nics_print_name(struct text *t, const struct nics_card *card);

struct nics_stopped {
	unsigned switched_off; /* cards whose bus mastering was on */
	unsigned stuck;        /* cards whose bus mastering stays on */
};

/*
 * Switch off the bus mastering of all network cards, including unlisted ones, except for those in
 * use; listed cards that are not on PCI are reset. cards NULL: none are listed.
 */
struct nics_stopped nics_stop_dma(const struct pci *pci, const struct nics *cards);
