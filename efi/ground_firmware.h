/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's ground: boot services alive, the other cores through MP Services. */
#ifndef EFI_GROUND_FIRMWARE_H
#define EFI_GROUND_FIRMWARE_H

#include "app.h"

/*
 * Borrow the cores from the firmware; without MP Services the boot core alone,
 * with a complaint. No boot service may be called until ground_firmware_leave(), but
 * by ground_firmware_call().
 */
void ground_firmware(struct app *app);
void ground_firmware_leave(struct app *app);

/* Do something that calls boot services: the boot core is the firmware's for so long. */
void ground_firmware_call(void (*call)(struct app *app), struct app *app);

#endif
