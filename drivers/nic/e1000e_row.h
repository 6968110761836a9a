/* SPDX-License-Identifier: BSD-2-Clause */
/* Differences between families of Intel's gigabit cards, for e1000e*.c. */
#pragma once

#include "nic.h"

#include <stdbool.h>
#include <stdint.h>

#define E1000E_STEPS 4

/* Change a register: keep the bits of `keep`, then set those of `set`. reg 0: no step. */
struct e1000e_step {
	uint16_t reg;
	uint32_t keep, set;
};

/* Format of the second 64 bits of a descriptor. */
struct e1000e_format {
	uint32_t tx_command; /* low half, with the frame's bytes in 15:0 */
	uint32_t tx_total;   /* high half: this times the frame's bytes */
	uint64_t rx_done, rx_end, rx_errors;
	unsigned rx_length; /* lowest of its 16 bits */
};

/* Addresses of registers that differ between families. */
struct e1000e_places {
	uint16_t rx_ring, tx_ring, icr, imc;
	uint32_t end; /* first address after the registers in use */
};

/* The semaphore of the PHY: `set` reads back as set only for its owner, `clear` releases it. */
struct e1000e_lock {
	uint16_t reg; /* 0: no semaphore is needed */
	uint32_t set, clear;
};

struct e1000e_row {
	const uint16_t *device; /* PCI ids, up to a 0 */
	const struct e1000e_format *format;
	const struct e1000e_places *places;
	uint32_t mdic; /* MDIC command that writes the PHY's control register; 0: none */
	bool pcie;     /* CTRL and STATUS can stop its DMA and report when that is done */
	struct e1000e_lock lock;
	bool sync;             /* the lock protects a word with a bit for each port */
	bool sticks;           /* no reset while descriptors are pending: I219 */
	uint32_t queue_enable; /* bit of RXDCTL and TXDCTL; 0: a queue is always on */
	struct e1000e_step before_reset[E1000E_STEPS], after_reset[E1000E_STEPS];
};

/* The row of a card with this PCI_ID; NULL: unsupported. */
const struct e1000e_row *e1000e_row(uint32_t id);

/* Registers that rows name. */
#define E1000E_CTRL_EXT  0x0018u
#define E1000E_TIPG      0x0410u
#define E1000E_EXTCNF    0x0f00u
#define E1000E_PBA       0x1000u
#define E1000E_PBS       0x1008u
#define E1000E_RXPBS     0x2404u
#define E1000E_SRRCTL    0x280cu
#define E1000E_TXPBS     0x3404u
#define E1000E_TXDCTL    0x3828u
#define E1000E_SWSM      0x5b50u
#define E1000E_FEXTNVM11 0x5bbcu
#define E1000E_SRRCTL_UP 0xc00cu /* SRRCTL of cards with rings at 0xc000 */

#define E1000E_RX 256 /* receive descriptors: frames that can wait */
#define E1000E_TX 64  /* frames that may wait to be sent, plus one */

extern const struct nic_driver e1000e_driver;
