/* SPDX-License-Identifier: BSD-2-Clause */
/* The cards of the network, by their number in it, driven by whoever does at present. */
#pragma once

#include "network.h"

#include "core/lib/text.h"

#include <stdbool.h>

/* The one that the machine booted from first, but those that we can drive before all others. */
void network_cards_find(struct nics *cards);

/* Memory for drivers of our own, while boot services live: for the first eight cards with one. */
void network_cards_memory(struct network *n);

/* "network card 0000:00:02.0 8086:10d3" */
void network_cards_print(struct text *t, const struct nics_card *card);

bool network_cards_open(struct network *n, unsigned i);

/* The first that works is the used one from now on. False, all logged: none does. */
bool network_cards_open_first(struct network *n);

/* Once: all the others, those that work. */
void network_cards_open_others(struct network *n);

void network_cards_close(struct network *n, bool but_used);

/* Is it open, with a link? */
bool network_cards_linked(struct network *n, unsigned i);

/* The first with a link from number `from` on, and around; the used one if there is none. */
unsigned network_cards_next_linked(struct network *n, unsigned from);
