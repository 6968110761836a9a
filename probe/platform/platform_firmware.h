/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's platform: boot services alive, the other cores through MP Services. */
#pragma once

#include "core/gaps/platform.h"
#include "core/report/report.h"

/*
 * Borrow the cores from the firmware; without MP Services the boot core alone, with a complaint.
 * No boot service may be called until platform_firmware_leave(), but by platform_firmware_call().
 */
void platform_firmware_borrow(struct platform *p, struct report *report);
void platform_firmware_leave(const struct platform *p);

/*
 * After a fault, which may have left it either way: the boot core is ours again, and the platform
 * is to be left. False: nothing is borrowed.
 */
bool platform_firmware_resume(void);

/* Do something that calls boot services: the boot core is the firmware's for so long. */
void platform_firmware_call(void (*call)(void *ctx), void *ctx);
