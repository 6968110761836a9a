/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel's gigabit cards, those whose first queue works by one set of registers: 8254x, 82571
 * to 82574, 82583, the ports of chipsets from ICH8 on (I217, I218, I219), 82575, 82576, 82580,
 * I350, I210, I211, and for 2.5 Gbit/s I225, I226. Copper only. What differs is a row of a table,
 * by PCI id.
 *
 * Broadcasts, the card's own address, and all multicast are received. The PHY is left as the
 * firmware set it up, but where the card sees no link and the PHY can be asked directly:
 * there it has to negotiate once more, unless management firmware keeps it or does not lend it.
 *
 * Sources: PCI/PCI-X Family of Gigabit Ethernet Controllers Software Developer's Manual, rev.
 * 4.0; 82574 GbE Controller Family Datasheet, rev. 3.4; 82576 and I210 Datasheets; what ICH8,
 * I210, I219 and I225 need beyond that, from open drivers.
 *
 * Seen working, in emulation only: 82540EM, 82545EM, 82544GC and 82574L in QEMU 7.2, 82576 in
 * QEMU 10. No row has been seen on hardware.
 */
#pragma once

#include "nic.h"

#define E1000E_RX 256 /* frames that may wait to be received */
#define E1000E_TX 64  /* and to be sent, less one */

extern const struct nic_driver e1000e_driver;
