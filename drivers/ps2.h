/* SPDX-License-Identifier: BSD-2-Clause */
/* The keyboard controller, polled for keys, as the firmware has set it up. */
#pragma once

#include <stdint.h>

#define PS2_ESC 0x01 /* make codes of set 1, into which the controller translates */

/*
 * The first key that was pressed since the last call, 0 for none. Bounded. If the BIOS emulates
 * this controller for a USB keyboard, each call costs SMIs.
 */
uint8_t ps2_key(void);
