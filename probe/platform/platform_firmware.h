/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's platform: boot services are alive, and the other cores are lent by MP Services. */
#pragma once

#include <stdbool.h>

/*
 * Borrow the cores from the firmware. Without MP Services only the boot core is used, with a
 * warning. Until platform_firmware_leave(), boot services may be called only by
 * platform_firmware_call().
 */
void platform_firmware_borrow(void);
void platform_firmware_leave(void);

/*
 * Called after a fault, which may have come while the firmware had the boot core: take it back, so
 * that the platform can be left. False: nothing is borrowed.
 */
bool platform_firmware_resume(void);

/* Run call(ctx), which calls boot services. The firmware has the boot core meanwhile. */
void platform_firmware_call(void (*call)(void *ctx), void *ctx);
