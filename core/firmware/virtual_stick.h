/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sticks that a management controller shows: what is written there is in an image file elsewhere,
 * or in the controller's memory.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define VIRTUAL_STICK_BYTES 18u /* of a device descriptor: USB 2.0, 9.6.1 */

/* True: the descriptor is that of a controller's virtual disk. */
bool virtual_stick(const uint8_t descriptor[VIRTUAL_STICK_BYTES]);
