/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network: one card, driven by the firmware while boot services live and by a driver of
 * our own afterwards, and one peer, that `report` names. Serviced between windows only. Until the
 * peer has answered, each card with a link has its turn.
 */
#pragma once

#include "probe/complaints.h"
#include "probe/person/display.h"
#include "net_sink.h"
#include "served_lease.h"

#include "core/config/config.h"
#include "core/firmware/acpi.h"
#include "core/report/report.h"
#include "drivers/nic/nics.h"
#include "drivers/pci.h"
#include "core/gaps/tsc_rate.h"
#include "drivers/uart.h"

#include <stdbool.h>
#include <stdint.h>

/* Who drives the card at present. */
enum network_by { NETWORK_NOBODY, NETWORK_FIRMWARE, NETWORK_OURSELVES };

struct network {
	const struct config *config;
	const struct tsc_rate *clock;
	const struct acpi_info *acpi;
	const struct served_lease *lease;
	const struct uart *uart;
	struct complaints *complaints;
	struct display *display;
	struct report *report;
	const struct pci *pci; /* for drivers of our own */
	struct net_sink sink;

	bool wanted;       /* `report` names a peer, and there is memory for it */
	struct nics cards; /* best first */
	unsigned used;     /* of them */
	enum network_by by;
	struct nic nic[NICS_MAX];
	bool open;      /* the stack has begun: it goes on with the same card */
	bool settled;   /* and the peer was heard through it: no other is tried */
	bool tried_all; /* all cards that can be opened are */
	unsigned looks, logged;
	uint64_t look_due; /* tick */
	void *stack_memory, *driver_memory[NICS_MAX];
	uint64_t memory_bytes; /* allocated */
};

/*
 * Find the cards; add a link to the report, of this run, if `report` asks for one. Nothing is
 * sent yet.
 */
void network_open(struct network *n, uint64_t sid);

/* Are there cards, and all of them such that only the firmware can drive? */
bool network_needs_firmware(const struct network *n);

/* While boot services live and no core is lent: begin with the firmware's driver, if not begun. */
void network_start_firmware(struct network *n);

/* Right before ExitBootServices: release the firmware's card, and log what that means. */
void network_leave_firmware(struct network *n);

/* When the machine is ours: begin, or go on, with our own driver; other cards are quieted. */
void network_start_own(struct network *n, const struct pci *pci);

/* Between windows: answer, send, hear acknowledgements; short. */
void network_between(struct network *n);

/* All has been reported: wait for the last acknowledgement, bounded, and report how it ended. */
void network_finish(struct network *n);

/* Has a collector acknowledged all of the report? */
bool network_is_delivered(const struct network *n);
