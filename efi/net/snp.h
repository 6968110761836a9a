/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's own driver of a network card (Simple Network Protocol), as a card: while boot
 * services live. Source: UEFI 2.10, 24.1.
 */
#pragma once

#include "efi/firmware.h"

#include "drivers/nic/nics.h"

/* All network cards of the machine, in the firmware's order, whether it has drivers or not. */
void snp_cards(struct nics *cards);

/*
 * Have the firmware start its drivers of all network cards; it may have started only what
 * it booted from. Once, before snp_open(), and while nothing else uses the network.
 */
void snp_connect(void);

/*
 * Take the card at this address from the firmware's own network stack. PXE, TFTP and the like
 * are of no use from then on. False: there is none, or it does not start: n->problem is the reason;
 * without one it is not the card that s->mac wants. Of `s` the memory and PCI are not used.
 */
bool snp_open(struct nic *n, const struct nic_setup *s);

/* Where the device with this handle sits, or the one it is reached through. False: not on PCI. */
bool snp_location(EFI_HANDLE device, struct pci_address *at);
