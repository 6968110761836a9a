/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network: one card and one peer, which `report` names. The firmware drives the card while boot
 * services live, and a driver of our own afterwards. The network is serviced between windows only.
 * Until the peer has answered, cards with a link take turns. Memory is bounded: a record that does
 * not fit waits for a bounded time, while the network is serviced.
 */
#pragma once

#include "core/wire/sender.h"
#include "drivers/nic/nic.h"
#include "drivers/pci.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stdint.h>

/* The driver of the card at present. */
enum network_by { NETWORK_NOBODY, NETWORK_FIRMWARE, NETWORK_OURSELVES };

struct network {
	const struct pci *pci; /* for drivers of our own */

	struct record_link link;
	struct sender sender;
	size_t line_bytes; /* length of the line that looks for room */
	bool stuck; /* a wait was in vain: records do not wait until something is acknowledged */

	bool wanted;       /* `report` names a peer, and there is memory for it */
	struct nics cards; /* best first */
	unsigned used;     /* index of the card in use */
	enum network_by by;
	bool open;      /* the stack runs */
	bool settled;   /* the peer was heard through the card in use: no other is tried */
	bool tried_all; /* all cards that work are open */
	unsigned looks, logged;
	uint64_t look_due; /* tick */
	void *stack_memory;
};

/*
 * Find the cards; if `report` asks for it, add a link to the report of this run. Nothing is sent
 * yet.
 */
void network_open(struct network *n, uint64_t sid);

/* True if there are cards, and only the firmware can drive them. */
bool network_needs_firmware(const struct network *n);

/*
 * Start with the firmware's driver, if not started, while boot services live and no core is lent.
 */
void network_start_firmware(struct network *n);

/* Release the firmware's card right before ExitBootServices, and log the consequences. */
void network_leave_firmware(struct network *n);

/* Start with our own driver once the machine is ours; stop the DMA of other cards. */
void network_start_own(struct network *n, const struct pci *pci);

/* Between windows, for a short time: answer, send, and take acknowledgements. */
void network_between(struct network *n);

/*
 * Called when all is reported: wait, bounded, for the last acknowledgement, and report the outcome.
 */
void network_finish(struct network *n);

/* True if a collector has acknowledged all of the report. */
bool network_is_delivered(const struct network *n);

/* ---- network.c, for its other files ---- */

/* Service the network until over() holds, for at most `ms`. */
void network_wait(struct network *n, bool (*over)(struct network *n), uint64_t ms);

/* ---- Records: network_records.c ---- */

/* Allocate memory, and add a link to the report of this run. False: there is no memory. */
bool network_add_link(struct network *n, uint64_t sid);

/* ns by the TSC. */
uint64_t network_now_ns(void *ctx);

/* Print "delivered: ..." or "undelivered: ...". */
void network_print_end(const struct network *n, struct text *out);

/* ---- Cards, by their index, whoever drives them at present: network_cards.c ---- */

/*
 * Find the cards. Those that we can drive come first, and the one that the machine booted from
 * before others of its kind.
 */
void network_cards_find(struct nics *cards);

/*
 * Allocate memory for drivers of our own, while boot services live: for the first eight cards that
 * have one.
 */
void network_cards_memory(struct network *n);

bool network_cards_open(struct network *n, unsigned i);

/* Open the first card that works, which becomes the one in use. False: none works, as is logged. */
bool network_cards_open_first(struct network *n);

/* Open all other cards that work, once. */
void network_cards_open_others(struct network *n);

void network_cards_close(struct network *n, bool but_used);

/* True if the card is open and has a link. */
bool network_cards_linked(struct network *n, unsigned i);

/* The next card with a link after the one in use, with wraparound; the one in use: no other. */
unsigned network_cards_next_linked(struct network *n);
