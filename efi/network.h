/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network: one card, driven by the firmware while boot services live and by a driver of
 * our own afterwards, and one peer, that `report` names. Worked between windows only.
 */
#ifndef EFI_NETWORK_H
#define EFI_NETWORK_H

#include "drivers/nics.h"

#include <stdbool.h>
#include <stdint.h>

struct app;

/* Who drives the card at present. */
enum network_by { NETWORK_NOBODY, NETWORK_FIRMWARE, NETWORK_OURSELVES };

struct network {
	bool wanted;       /* `report` names a peer, and there is memory for it */
	struct nics cards; /* the one that the machine booted from first */
	const struct nics_card *used;
	enum network_by by;
	struct nic nic;
	bool open; /* the stack has begun: it goes on with the same card */
	void *stack_memory, *driver_memory;
};

/* Find the cards; add a link to the report if `report` asks for one. Nothing is sent yet. */
void network_open(struct app *app);

/* While boot services live and no core is lent: begin with the firmware's driver, if not begun. */
void network_start_firmware(struct app *app);

/* Right before ExitBootServices: let go of the firmware's card, and say what will be. */
void network_leave_firmware(struct app *app);

/* When the machine is ours: begin, or go on, with our own driver; other cards are quieted. */
void network_start_own(struct app *app);

/* Between windows: answer, send, hear acknowledgements; short. */
void network_between(struct app *app);

/*
 * Work the network until it is over, for so long at most; not at all while nobody drives a
 * card. On the boot core, outside windows.
 */
void network_wait(struct app *app, bool (*over)(struct app *app), uint64_t ms);

/* All has been reported: wait for the last acknowledgement, bounded, and say how it ended. */
void network_finish(struct app *app);

#endif
