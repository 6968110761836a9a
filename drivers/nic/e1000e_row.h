/* SPDX-License-Identifier: BSD-2-Clause */
/* What differs between families of Intel's gigabit cards. For e1000e*.c. */
#pragma once

#include "nic.h"

#include <stdbool.h>
#include <stdint.h>

#define E1000E_STEPS 4

/* A register's bits: those of `keep` stay, those of `set` are added. reg 0: no step. */
struct e1000e_step {
	uint16_t reg;
	uint32_t keep, set;
};

/* How a descriptor's second 64 bits read. */
struct e1000e_format {
	uint32_t tx_command; /* of the low half, with the frame's bytes in 15:0 */
	uint32_t tx_total;   /* times the frame's bytes: the high half */
	uint64_t rx_done, rx_end, rx_errors;
	unsigned rx_length; /* lowest bit of 16 */
};

/* Where its registers are that not all families have in one place. */
struct e1000e_places {
	uint16_t rx_ring, tx_ring, icr, imc;
	uint32_t end; /* behind the last that is used */
};

/* Who has the semaphore has the PHY: `set` stays set only for him, and goes with `clear`. */
struct e1000e_lock {
	uint16_t reg; /* 0: nobody else wants the PHY */
	uint32_t set, clear;
};

struct e1000e_row {
	const uint16_t *device; /* PCI ids, up to a 0 */
	const struct e1000e_format *format;
	const struct e1000e_places *places;
	uint32_t mdic; /* by which MDIC writes the PHY's control register; 0: not ours to ask */
	bool pcie;     /* CTRL and STATUS can stop its DMA and report when that is done */
	struct e1000e_lock lock;
	bool sync;             /* the lock guards a word, of which each port has a bit */
	bool sticks;           /* it must not be reset with descriptors pending: I219 */
	uint32_t queue_enable; /* of RXDCTL and TXDCTL; 0: a queue is always on */
	struct e1000e_step before_reset[E1000E_STEPS], after_reset[E1000E_STEPS];
};

/* The row of a card, by PCI_ID as read; NULL: none. */
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
#define E1000E_SRRCTL_UP 0xc00cu /* SRRCTL of those whose rings are further up */

#define E1000E_RX 256 /* frames that may wait to be received */
#define E1000E_TX 64  /* and to be sent, less one */

extern const struct nic_driver e1000e_driver;
