/* SPDX-License-Identifier: BSD-2-Clause */
/* The network's cards, by their index, whoever drives them at present. */
#pragma once

#include "network.h"

#include "core/lib/text.h"

#include <stdbool.h>

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

/* Print a card, as "network card 0000:00:02.0 8086:10d3". */
void network_cards_print(struct text *t, const struct nics_card *card);

bool network_cards_open(struct network *n, unsigned i);

/* Open the first card that works, which becomes the one in use. False: none works, as is logged. */
bool network_cards_open_first(struct network *n);

/* Open all other cards that work, once. */
void network_cards_open_others(struct network *n);

void network_cards_close(struct network *n, bool but_used);

/* True if the card is open and has a link. */
bool network_cards_linked(struct network *n, unsigned i);

/*
 * Returns the first card with a link from index `from` on, with wraparound; the one in use if there
 * is none.
 */
unsigned network_cards_next_linked(struct network *n, unsigned from);
